// Command afl measures what inroad adds to AFL++:
//
//	go run ./afl -sources DIR -time 10m
//
// It fuzzes three libraries in C in three ways, several times with different seeds:
//
//	alone     afl-fuzz
//	mutator   afl-fuzz, and mutants of inroad beside its own (examples/afl)
//	targeted  the same, and inroad fuzz --export --watch runs beside it
//
// inroad fuzz starts first. After a sixth of the time, AFL++ starts from the inputs that it
// has exported by then, and has the rest of the time, in which inroad fuzz has a lower
// priority. The other ways start from one input, the smallest sample of the grammar, from
// which inroad fuzz starts, too. The program is instrumented once.
//
// Each combination is a cell. Its result is a line of the file -out; cells that the
// file has are not run again, so that an interrupted command continues. The ways take
// turns, so that the load of the machine is about the same for all.
//
// A table has the means of the edges that the inputs in the queue of AFL++ reach, as
// afl-showmap counts them, of the edges that all exported inputs of inroad fuzz reach, too,
// and of the distinct crashes. A two-sided Mann-Whitney U test compares each way with
// alone, and Vargha and Delaney's A is the probability that a run of the way is better.
//
// It needs Linux, Go, AFL++ with afl-clang-fast, clang and a C compiler. DIR has the
// sources of the libraries; see README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/inroad/inroad/eval/internal/rows"
)

type options struct {
	sources string
	work    string
	out     string
	time    time.Duration
	seeds   int
	samples int
	nice    int
	only    string
	report  bool
	again   bool
	dir     string // of this command
}

func main() {
	var opt options
	flag.StringVar(&opt.sources, "sources", "", "`folder` with the sources of the libraries")
	flag.StringVar(&opt.work, "work", "", "`folder` for programs and for what the fuzzers write (default afl in the folder of -sources)")
	flag.StringVar(&opt.out, "out", "", "`file` of results (default cells.ndjson in the folder of -work)")
	flag.DurationVar(&opt.time, "time", 10*time.Minute, "time of a cell")
	flag.IntVar(&opt.seeds, "seeds", 5, "number of cells of each library and way")
	flag.IntVar(&opt.samples, "samples", 1, "number of samples of the grammar to start from, the smallest first")
	flag.IntVar(&opt.nice, "nice", 0, "niceness of the fuzzers")
	flag.StringVar(&opt.only, "only", "", "only cells whose LIBRARY/WAY matches this `regexp`")
	flag.BoolVar(&opt.report, "report", false, "print the table of the results so far, and run nothing")
	flag.BoolVar(&opt.again, "recount", false, "count the edges of all cells again, and run nothing")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := opt.run(ctx); err != nil {
		log.Fatal(err) //nolint:gocritic // the process ends, and with it the signals
	}
}

// The ways to fuzz.
const (
	alone    = "alone"
	mutator  = "mutator"
	targeted = "targeted"
)

func ways() []string { return []string{alone, mutator, targeted} }

// A cell is the result of one run of a fuzzer.
type cell struct {
	Target   string  `json:"target"`
	Way      string  `json:"way"`
	Seed     int     `json:"seed"`
	Samples  int     `json:"samples"`  // to start from
	Seconds  float64 `json:"seconds"`  // that were given
	Edges    int     `json:"edges"`    // that the inputs in the queue of AFL++ reach
	All      int     `json:"all"`      // that these inputs and those of inroad fuzz reach
	Crashes  int     `json:"crashes"`  // files that AFL++ saved
	Distinct int     `json:"distinct"` // crashes with different signals or stacks
	Runs     int     `json:"runs"`     // of AFL++
	Queue    int     `json:"queue"`    // inputs in the queue
	Seeded   int     `json:"seeded"`   // inputs of inroad fuzz that AFL++ started from
	Imported int     `json:"imported"` // inputs in the queue that came from inroad fuzz later
	Exported int     `json:"exported"` // inputs that inroad fuzz wrote
	Taken    int     `json:"taken"`    // finds of AFL++ that inroad fuzz ran
	Load     float64 `json:"load"`     // processes that wanted to run on the machine, mean of the last minute at the end
}

// same reports whether two cells are the same combination.
func (c cell) same(d cell) bool {
	return c.Target == d.Target && c.Way == d.Way && c.Seed == d.Seed && c.Samples == d.Samples && c.Seconds == d.Seconds
}

func (opt *options) run(ctx context.Context) (err error) {
	matches, err := regexp.Compile(opt.only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	if opt.sources == "" {
		return errors.New("-sources: give the folder with the sources of the libraries")
	}
	if opt.sources, err = filepath.Abs(opt.sources); err != nil {
		return err
	}
	if opt.dir, err = filepath.Abs("."); err != nil {
		return err
	}
	if opt.work == "" {
		opt.work = filepath.Join(opt.sources, "afl")
	}
	if opt.work, err = filepath.Abs(opt.work); err != nil {
		return err
	}
	if opt.out == "" {
		opt.out = filepath.Join(opt.work, "cells.ndjson")
	}
	done, err := rows.Read[cell](opt.out)
	if err != nil {
		return err
	}
	if opt.again {
		if err := opt.recount(ctx, done); err != nil {
			return err
		}
	}
	if !opt.report && !opt.again {
		if done, err = opt.measure(ctx, done, matches); err != nil {
			return err
		}
	}
	return printReport(os.Stdout, slices.DeleteFunc(done, func(c cell) bool { return c.Seconds != opt.time.Seconds() || c.Samples != opt.samples }))
}

// autogroups reports whether Linux shares processors between sessions, whatever the
// niceness of their processes.
func autogroups() bool {
	enabled, err := os.ReadFile("/proc/sys/kernel/sched_autogroup_enabled")
	return err == nil && strings.TrimSpace(string(enabled)) == "1"
}

// measure runs the cells that are not done, and returns all.
func (opt *options) measure(ctx context.Context, done []cell, matches *regexp.Regexp) ([]cell, error) {
	if autogroups() {
		log.Print("warning: kernel.sched_autogroup_enabled is 1, so inroad fuzz does not have a lower priority than the program of AFL++, which has a session of its own")
	}
	built, err := opt.build(ctx)
	if err != nil {
		return nil, err
	}
	for seed := 1; seed <= opt.seeds; seed++ {
		for _, p := range built {
			for turn := range ways() {
				c := cell{Target: p.name, Way: ways()[(seed+turn)%len(ways())], Seed: seed, Samples: opt.samples, Seconds: opt.time.Seconds()}
				if !matches.MatchString(c.Target+"/"+c.Way) || slices.ContainsFunc(done, c.same) {
					continue
				}
				if err := opt.fill(ctx, p, &c); err != nil {
					return nil, fmt.Errorf("%s, %s, seed %d: %w", c.Target, c.Way, c.Seed, err)
				}
				if err := rows.Append(opt.out, c); err != nil {
					return nil, err
				}
				done = append(done, c)
				fmt.Fprintf(os.Stderr, "%+v\n", c)
			}
		}
	}
	return done, nil
}
