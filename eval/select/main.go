// Command select measures how well inputs are chosen for changes. It takes
// libraries apart into mutants, each with a change in one function, and compares
// what is chosen for the change with what the change does:
//
//	go run ./select -mutants 250 -maven ADDRESS
//
// A model is learned from observations of some inputs; the corpus to choose from
// are others. A tenth of all inputs is damaged, as corpora have inputs that are
// to be refused. For each mutant the table tells how many of the inputs that
// execute the changed function were chosen, and whether one of those was that
// behaves differently. Libraries in Java need a JDK, and a Maven repository that
// has them.
//
// Given files of observations instead, of programs in any language, a change to
// each of their methods is made up:
//
//	go run ./select -grammar json OBSERVATIONS.ndjson...
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"regexp"
	"syscall"

	"github.com/inroad/inroad/targeting/selection"
)

type options struct {
	mutants  int
	inputs   int
	seed     uint64
	only     string
	grammar  string
	recall   float64
	perClass int
	maven    string
	keep     string
	verbose  bool
}

func main() {
	var opt options
	flag.IntVar(&opt.mutants, "mutants", 250, "mutants of each library that can be built")
	flag.IntVar(&opt.inputs, "inputs", 1000, "inputs of the corpus, and as many others to learn from")
	flag.Uint64Var(&opt.seed, "seed", 1, "what all is drawn from")
	flag.StringVar(&opt.only, "only", "", "the libraries whose names match this `regexp`")
	flag.StringVar(&opt.grammar, "grammar", "json", "the bundled grammar that observed inputs are of")
	flag.Float64Var(&opt.recall, "recall", 0.95, "the goal")
	flag.IntVar(&opt.perClass, "per-class", 3, "choose a second time, no more inputs of a class than these; 0 for once only")
	flag.StringVar(&opt.maven, "maven", os.Getenv("MAVEN_REPOSITORY"), "the address of a Maven repository, where libraries in Java are") //nolint:forbidigo // this is a command
	flag.StringVar(&opt.keep, "keep", "", "remember in this `folder` what mutants do")
	flag.BoolVar(&opt.verbose, "verbose", false, "a line for each mutant as well")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, opt, flag.Args(), os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "select:", err)
		os.Exit(1) //nolint:forbidigo,gocritic // this is a command
	}
}

func run(ctx context.Context, opt options, files []string, stdout, stderr io.Writer) error {
	for _, file := range files {
		if err := measureObserved(ctx, file, opt, stdout); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	if len(files) > 0 {
		return nil
	}
	wanted, err := regexp.Compile(opt.only)
	if err != nil {
		return err
	}
	found := false
	for _, s := range subjects() {
		if !wanted.MatchString(s.name) {
			continue
		}
		found = true
		if err := measure(ctx, s, opt, stdout, stderr); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	if !found {
		return fmt.Errorf("no library has a name that matches %s", opt.only)
	}
	return nil
}

// measure makes mutants of a library until there are enough, and reports.
func measure(ctx context.Context, s subject, opt options, stdout, stderr io.Writer) (err error) {
	b, err := s.library.prepare(ctx, opt)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if opt.keep != "" {
		if err := os.MkdirAll(opt.keep, 0o700); err != nil {
			return err
		}
		b = &keeper{b, opt.keep, s.library}
	}
	study, err := observeLibrary(ctx, s.grammar, b, opt)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "%s: %d units, %d of %d inputs in the grammar\n", s.name, len(study.model.Units), study.model.Rows, opt.inputs)
	before, err := steady(ctx, b, study.corpus)
	if err != nil {
		return err
	}
	mutants, err := b.mutants(ctx, study.reached())
	if err != nil {
		return err
	}
	draw(mutants, rand.New(rand.NewPCG(opt.seed, 3)))
	ways := opt.ways()
	results := make([][]result, len(ways))
	for _, m := range mutants {
		if len(results[0]) == opt.mutants {
			break
		}
		if err := context.Cause(ctx); err != nil { // or it seems that no mutant can be built
			return err
		}
		after, err := b.behaviour(ctx, &m, study.corpus)
		if errors.Is(err, errBuild) { // such as a variable that nobody uses any more
			continue
		}
		if err != nil {
			return err
		}
		for i, w := range ways {
			r, err := study.judge(m, before, after, w.with)
			if err != nil {
				return err
			}
			if opt.verbose {
				fmt.Fprintf(stderr, "%s:%d: %s: %s%s\n", m.file, m.line, m.what, r, w.name)
			}
			results[i] = append(results[i], r)
		}
	}
	for i, w := range ways {
		report(stdout, s.name+w.name, results[i], len(study.corpus))
	}
	return nil
}

// A way to choose inputs.
type way struct {
	name string
	with selection.Options
}

// ways returns how inputs are chosen: by the goal, and then no more than a few of
// each class.
func (opt options) ways() []way {
	all := selection.Defaults()
	all.Goal.Recall, all.Seed = opt.recall, opt.seed
	if opt.perClass == 0 {
		return []way{{"", all}}
	}
	few := all
	few.Goal.PerClass = opt.perClass
	return []way{{"", all}, {fmt.Sprintf(", no more than %d of a class", opt.perClass), few}}
}
