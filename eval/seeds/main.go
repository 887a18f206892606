// Command seeds measures the tables of the publications that inroad builds on, and
// writes them as Markdown, CSV and SVG beside the published figures:
//
//	go run ./seeds TABLE...
//
// The tables are association, targeting, inputs, covering, correlation, hell and
// evolution. Rows are kept in the folder of -work, so that an interrupted run continues. The setting seed follows
// the protocol of the publications, and default has the defaults of inroad.
//
// The published grammars are not part of this repository: -grammars names a folder with
// them. The programs come from a Maven repository. Drivers that parse an input and print
// it again are in seeds/java; those in the folder of -drivers replace them.
//
// Run it in the root of its module. It needs Go, a JDK and a Maven repository; with -smoke
// it needs Go only.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/inroad/inroad/eval/internal/grammarinator"
	"github.com/inroad/inroad/eval/internal/report"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/observe"
)

// tables returns the tables that can be measured.
func tables() map[string]func(context.Context, *lab) (*report.Document, error) {
	return map[string]func(context.Context, *lab) (*report.Document, error){
		"association": association,
		"targeting":   targetingTable,
		"inputs":      inputs,
		"covering":    covering,
		"correlation": correlation,
		"hell":        hell,
		"evolution":   evolution,
	}
}

func main() {
	l := &lab{progress: os.Stderr, programs: programs()}
	flag.StringVar(&l.maven, "maven", os.Getenv("MAVEN_REPOSITORY"), "address of a Maven repository with the programs")
	flag.StringVar(&l.grammars, "grammars", "", "`folder` with the published grammars, such as json-org.g4 and JSON.g4")
	flag.StringVar(&l.drivers, "drivers", "", "`folder` with drivers that replace those in seeds/java")
	flag.StringVar(&l.bin, "grammarinator", "", "`folder` with the commands of the Python package grammarinator, to compare with in the table covering")
	flag.StringVar(&l.work, "work", "", "`folder` for rows, jars and observations; a new temporary one if empty")
	flag.IntVar(&l.n, "n", 1000, "number of inputs to train on, and to test on")
	flag.IntVar(&l.seeds, "seeds", 1, "number of repetitions with different seeds")
	flag.IntVar(&l.sets, "sets", 20, "number of input sets per forest of the table correlation")
	flag.BoolVar(&l.varied, "varied", false, "in the table targeting, draw inputs of varied size instead of the smallest")
	flag.DurationVar(&l.limit, "time", 0, "start no further measurement after this time; run again to continue")
	flag.BoolVar(&l.report, "report", false, "measure nothing: write the tables of the rows so far")
	flag.BoolVar(&l.smoke, "smoke", false, "measure two programs in Go with bundled grammars and few inputs, and fail if a measurement does")
	only := flag.String("only", "", "measure only programs, or grammars, whose names match this `regexp`")
	out := flag.String("out", "../docs/evaluation", "`folder` for the tables")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := l.run(ctx, *only, *out, flag.Args()); err != nil {
		log.Fatal(err) //nolint:gocritic // a signal that arrives now ends the command anyway
	}
}

func (l *lab) run(ctx context.Context, only, out string, names []string) (err error) {
	if l.only, err = regexp.Compile(only); err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	known := slices.Sorted(maps.Keys(tables()))
	if l.smoke {
		l.programs, l.n, l.seeds, l.sets = smokePrograms(), 200, 2, 5
		if len(names) == 0 {
			names = known
		}
		if out, err = os.MkdirTemp("", "inroad-smoke-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(out)) }()
	}
	if len(names) == 0 {
		return fmt.Errorf("expected at least 1 argument (a table), got 0: tables are %s", strings.Join(known, ", "))
	}
	for _, name := range names {
		if tables()[name] == nil {
			return fmt.Errorf("table %q: must be one of %s", name, strings.Join(known, ", "))
		}
	}
	if l.work == "" {
		if l.work, err = os.MkdirTemp("", "inroad-seeds-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(l.work)) }()
	}
	if l.work, err = filepath.Abs(l.work); err != nil {
		return err
	}
	l.started, l.loaded, l.built = time.Now(), map[string]*grammars.Grammar{}, map[string]*observe.Program{}
	l.rivals = map[string]*grammarinator.Generator{}
	defer func() { err = errors.Join(err, l.close()) }()
	for _, name := range names {
		d, err := tables()[name](ctx, l)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		d.Run.Command, d.Run.Seeds = l.command(name, only), l.seedRange()
		if err := d.Write(out); err != nil {
			return err
		}
		if l.smoke && (len(d.Notes) > 0 || len(d.Tables[0].Rows) == 0) {
			return fmt.Errorf("%s: %d rows; %s", name, len(d.Tables[0].Rows), strings.Join(d.Notes, "; "))
		}
	}
	return nil
}

// command returns the command that measures a table again, without the names of folders.
func (l *lab) command(name, only string) string {
	args := []string{"go run ./seeds -maven ADDRESS"}
	if l.grammars != "" {
		args = append(args, "-grammars DIR")
	}
	if l.drivers != "" {
		args = append(args, "-drivers DIR")
	}
	if l.bin != "" {
		args = append(args, "-grammarinator BIN")
	}
	if l.varied && name == "targeting" {
		args = append(args, "-varied")
	}
	args = append(args, fmt.Sprintf("-n %d -seeds %d", l.n, l.seeds))
	if only != "" {
		args = append(args, "-only '"+only+"'")
	}
	return strings.Join(append(args, name), " ")
}

// protocol describes the settings.
func (l *lab) protocol() string {
	drivers := "Drivers parse the input and print it again."
	if l.drivers != "" {
		drivers = "Drivers are those of the folder of `-drivers`."
	}
	return fmt.Sprintf("Setting `seed`: the published grammar; %d random inputs to train on and as many to test on; paths up to k = 4 as the only features; "+
		"classes of equal size by sub-sampling; trees up to depth 5; overloads merged, without constructors and static initialisers. `seed, no balance` is the same without sub-sampling, and `seed, default learner` has the inputs and methods of `seed` and the defaults of `inroad train`. "+
		"Setting `default`: the bundled grammar and the defaults of `inroad train`, with as many inputs as `inroad observe --generate` generates. %s", l.n, drivers)
}
