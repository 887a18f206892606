// Command load measures how many predictions a second the service answers, with
// the one who asks on the same machine.
//
// It builds the service and starts it on a loopback address, with the example and
// a temporary store; nothing else is asked. Then clients ask for predictions of
// inputs of 100 bytes, each on a connection of its own and one after the other:
// with the model of the example, with one of as many methods as a library has,
// and from far more connections than there should be. Who is refused waits for as
// long as the service says.
//
// It runs in the folder of its module and needs Go.
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
)

type options struct {
	duration    time.Duration
	connections int
	overload    int
	seed        uint64
	inroad      string
	stdout      io.Writer
}

func main() {
	opt := options{stdout: os.Stdout}
	flag.DurationVar(&opt.duration, "duration", time.Minute, "how long each case takes")
	flag.IntVar(&opt.connections, "connections", 16, "clients at the same time")
	flag.IntVar(&opt.overload, "overload", 2560, "clients at the same time that are too many")
	flag.Uint64Var(&opt.seed, "seed", 1, "what inputs are drawn from")
	flag.StringVar(&opt.inroad, "inroad", "", "the command, if it is not to be built")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := opt.run(ctx); err != nil {
		log.Fatal(err)
	}
}

// Bounds of what is asked for.
const (
	maxDuration    = 10 * time.Minute
	maxConnections = 10_000
)

// A load is a row of the table.
type load struct {
	name        string
	model       string
	connections int
}

func (opt options) run(ctx context.Context) (err error) {
	if opt.duration <= 0 || opt.duration > maxDuration {
		return fmt.Errorf("-duration %v: it is over 0, and at most %v", opt.duration, maxDuration)
	}
	if n := max(opt.connections, opt.overload); min(opt.connections, opt.overload) < 1 || n > maxConnections {
		return fmt.Errorf("-connections and -overload are from 1 to %d", maxConnections)
	}
	s, err := start(ctx, opt.inroad)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.end()) }()
	methods, err := s.widen(ctx)
	if err != nil {
		return err
	}
	out := tabwriter.NewWriter(opt.stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintln(out, "| load\t| connections\t| answers/s\t| p50\t| p99\t| processor time\t| refused (429, 503)\t| errors\t| memory\t|")
	fmt.Fprintln(out, "| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t|")
	for _, l := range []load{
		{"the example's model", demo, opt.connections},
		{fmt.Sprintf("a model of %d methods", methods), wide, opt.connections},
		{"ten times the connections", demo, 10 * opt.connections},
		{"ten times what is served at a time", demo, opt.overload},
	} {
		before := s.busy()
		r, err := l.run(ctx, s.address, opt)
		if err != nil {
			return err
		}
		each := (s.busy() - before) / time.Duration(max(1, r.answers()))
		fmt.Fprintf(out, "| %s\t| %d\t| %.0f\t| %.2f ms\t| %.2f ms\t| %d µs\t| %d\t| %d\t| %d MB\t|\n",
			l.name, l.connections, float64(r.answers())/opt.duration.Seconds(), r.percentile(50), r.percentile(99), each.Microseconds(), r.refused, r.errors, s.memory()>>20)
		if err := out.Flush(); err != nil {
			return err
		}
		if r.first != nil {
			fmt.Fprintf(os.Stderr, "load: the first error: %v\n", r.first)
		}
	}
	return nil
}
