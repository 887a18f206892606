// Command select measures how well inputs are selected for changes. It makes
// mutants of libraries, each with a change in one function, and compares the
// selected inputs with the inputs that reach the changed function and with the
// inputs on which the mutant behaves differently:
//
//	go run ./select -mutants 250 -maven ADDRESS
//
// A model is trained on the observations of some inputs; other inputs are the
// corpus. One input in ten is damaged, because corpora contain invalid inputs.
// The table shows the recall: the share of the inputs reaching the changed
// function that are selected. It also shows for how many mutants an input is
// selected on which the mutant behaves differently. Libraries in Java need a JDK
// and a Maven repository that has them.
//
// With files of observations, of programs in any language, it selects inputs for
// a change to each method in turn:
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
	flag.IntVar(&opt.mutants, "mutants", 250, "number of mutants per library, without those that cannot be built")
	flag.IntVar(&opt.inputs, "inputs", 1000, "number of inputs in the corpus, and of inputs to train on")
	flag.Uint64Var(&opt.seed, "seed", 1, "random seed")
	flag.StringVar(&opt.only, "only", "", "measure only libraries whose names match this `regexp`")
	flag.StringVar(&opt.grammar, "grammar", "json", "bundled grammar of the inputs in observation files")
	flag.Float64Var(&opt.recall, "recall", 0.95, "share of the inputs reaching a changed method to select")
	flag.IntVar(&opt.perClass, "per-class", 3, "also measure selections with at most this many inputs per class; 0 for none")
	flag.StringVar(&opt.maven, "maven", os.Getenv("MAVEN_REPOSITORY"), "address of a Maven repository with the libraries in Java") //nolint:forbidigo // this is a command
	flag.StringVar(&opt.keep, "keep", "", "keep the behaviour of mutants in this `folder`, to measure again in seconds")
	flag.BoolVar(&opt.verbose, "verbose", false, "print a line per mutant")
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
		return fmt.Errorf("-only %s: matches no library", opt.only)
	}
	return nil
}

// measure makes the mutants of a library, selects inputs for each and prints a
// report.
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
		if err := context.Cause(ctx); err != nil { // otherwise every mutant would fail to build
			return err
		}
		after, err := b.behaviour(ctx, &m, study.corpus)
		if errors.Is(err, errBuild) { // such as for an unused variable
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

// A way is a named set of selection options to measure.
type way struct {
	name string
	with selection.Options
}

// ways returns the settings to measure: with the recall alone, and with a limit
// per class.
func (opt options) ways() []way {
	all := selection.Defaults()
	all.Goal.Recall, all.Seed = opt.recall, opt.seed
	if opt.perClass == 0 {
		return []way{{"", all}}
	}
	few := all
	few.Goal.PerClass = opt.perClass
	return []way{{"", all}, {fmt.Sprintf(", at most %d per class", opt.perClass), few}}
}
