// Command load measures how many predictions per second the service answers, with
// clients on the same machine.
//
// It builds the service and starts it on a loopback address, with the demo model
// and a temporary store. Each client has its own connection and requests
// predictions for inputs of 100 bytes, one after the other: with the demo model,
// with a model as large as that of a library, and from more connections than the
// service admits. A client that is refused waits for the time in Retry-After.
//
// With -stores, it compares a data file with PostgreSQL and 1, 2 and 4 replicas on this
// machine instead: uploads, predictions and trainings.
//
// Run it in the root of its module. It needs Go and, with -stores, PostgreSQL.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"text/tabwriter"
	"time"

	"github.com/inroad/inroad/eval/internal/process"
)

type options struct {
	duration    time.Duration
	connections int
	overload    int
	seed        uint64
	inroad      string
	stores      bool
	stdout      io.Writer
}

func main() {
	opt := options{stdout: os.Stdout}
	flag.DurationVar(&opt.duration, "duration", time.Minute, "duration of each load")
	flag.IntVar(&opt.connections, "connections", 16, "number of concurrent clients")
	flag.IntVar(&opt.overload, "overload", 2560, "number of concurrent clients in the overload case")
	flag.Uint64Var(&opt.seed, "seed", 1, "random seed")
	flag.StringVar(&opt.inroad, "inroad", "", "inroad `command`; built if empty")
	flag.BoolVar(&opt.stores, "stores", false, "compare a data file with PostgreSQL and several replicas")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := opt.run(ctx); err != nil {
		log.Fatal(err)
	}
}

// Limits of the flags.
const (
	maxDuration    = 10 * time.Minute
	maxConnections = 10_000
)

// A load is a scenario to measure, one row of the printed table: a number of
// connections that use one model.
type load struct {
	name        string
	model       string
	connections int
}

func (opt options) run(ctx context.Context) (err error) {
	if opt.duration <= 0 || opt.duration > maxDuration {
		return fmt.Errorf("-duration %v: must be positive and at most %v", opt.duration, maxDuration)
	}
	if n := max(opt.connections, opt.overload); min(opt.connections, opt.overload) < 1 || n > maxConnections {
		return fmt.Errorf("-connections %d, -overload %d: must be between 1 and %d", opt.connections, opt.overload, maxConnections)
	}
	if opt.stores {
		return opt.compareStores(ctx)
	}
	s, err := start(ctx, opt.inroad, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.end()) }()
	methods, err := s.trainWide(ctx)
	if err != nil {
		return err
	}
	out := tabwriter.NewWriter(opt.stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintln(out, "| load\t| connections\t| responses/s\t| p50\t| p99\t| processor time\t| refused (429, 503)\t| errors\t| memory\t|")
	fmt.Fprintln(out, "| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t|")
	for _, l := range []load{
		{"demo model", demo, opt.connections},
		{fmt.Sprintf("model of %d methods", methods), wide, opt.connections},
		{"ten times the connections", demo, 10 * opt.connections},
		{"overload", demo, opt.overload},
	} {
		before := process.ProcessorTime(s.cmd.Process.Pid)
		r, err := l.run(ctx, []string{s.address}, opt)
		if err != nil {
			return err
		}
		each := (process.ProcessorTime(s.cmd.Process.Pid) - before) / time.Duration(max(1, r.responses()))
		fmt.Fprintf(out, "| %s\t| %d\t| %.0f\t| %.2f ms\t| %.2f ms\t| %d µs\t| %d\t| %d\t| %d MB\t|\n",
			l.name, l.connections, float64(r.responses())/opt.duration.Seconds(), r.percentile(50), r.percentile(99), each.Microseconds(), r.refused, r.errors, process.PeakMemory(s.cmd.Process.Pid)>>20)
		if err := out.Flush(); err != nil {
			return err
		}
		if r.first != nil {
			fmt.Fprintf(os.Stderr, "load: first error: %v\n", r.first)
		}
	}
	return nil
}
