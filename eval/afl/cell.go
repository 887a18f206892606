package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inroad/inroad/eval/internal/rows"
	"github.com/inroad/inroad/grammars/bundled"
)

// A program is a target that is built.
type program struct {
	target
	fuzzed   string // instrumented by AFL++
	observed string // instrumented by inroad
	lib      string // folder of sources
	seeds    string // folder with samples of the grammar
}

// copied returns the flags of inroad for the program that is instrumented by inroad.
func (p program) copied() []string {
	return []string{"--c", "cp " + p.observed + " $OUT/" + p.name, "--sources", p.lib}
}

// inroad and library return the files of inroad and of its mutator.
func (opt *options) inroad() string  { return filepath.Join(opt.work, "inroad") }
func (opt *options) library() string { return filepath.Join(opt.work, "inroad_mutator.so") }

// build builds inroad, its mutator and all targets.
func (opt *options) build(ctx context.Context) ([]program, error) {
	if err := os.MkdirAll(opt.work, 0o700); err != nil {
		return nil, err
	}
	root := filepath.Dir(opt.dir)
	for _, args := range [][]string{
		{"go", "-C", root, "build", "-o", opt.inroad(), "./cmd/inroad"},
		{"cc", "-shared", "-fPIC", "-O2", filepath.Join(root, "examples", "afl", "inroad_mutator.c"), "-o", opt.library()},
	} {
		if _, err := output(ctx, opt.work, nil, args...); err != nil {
			return nil, err
		}
	}
	return opt.buildTargets(ctx)
}

// buildTargets builds all targets, unless they are built already.
func (opt *options) buildTargets(ctx context.Context) ([]program, error) {
	var out []program
	for _, t := range targets() {
		p, err := opt.buildTarget(ctx, t)
		if err != nil {
			return nil, fmt.Errorf("build %s: %w", t.name, err)
		}
		out = append(out, p)
	}
	return out, nil
}

// buildTarget builds a target for AFL++ and for inroad, and writes the seeds.
func (opt *options) buildTarget(ctx context.Context, t target) (p program, err error) {
	dir := filepath.Join(opt.work, t.name)
	p = program{t, filepath.Join(dir, "fuzzed", t.name), filepath.Join(dir, "observed", t.name), "", filepath.Join(dir, fmt.Sprintf("seeds-%d", opt.samples))}
	if p.lib, err = t.folder(opt.sources); err != nil {
		return p, err
	}
	for _, folder := range []string{filepath.Dir(p.fuzzed), filepath.Dir(p.observed), p.seeds} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return p, err
		}
	}
	if err := opt.writeSeeds(p); err != nil {
		return p, err
	}
	if _, err := os.Stat(p.observed); err == nil {
		return p, nil
	}
	env := []string{"LIB=" + p.lib, "DRIVER=" + filepath.Join(opt.dir, "afl", "drivers", t.name+".c")}
	afl := append([]string{
		"CC=afl-clang-fast", "CFLAGS=-O2", "LIB_FUZZING_ENGINE=-fsanitize=fuzzer", "OUT=" + filepath.Dir(p.fuzzed), "WORK=" + filepath.Dir(p.fuzzed), "AFL_QUIET=1",
	}, env...)
	if _, err := output(ctx, p.lib, afl, "sh", "-c", t.build); err != nil {
		return p, err
	}
	// inroad builds the target itself; the program is kept, so that cells need not build it.
	_, err = output(ctx, p.lib, env, opt.inroad(), "observe", "--c", t.build+" && cp $OUT/"+t.name+" "+p.observed, "--units", "block",
		"--inputs", p.seeds, "--out", filepath.Join(dir, "seeds.ndjson"))
	return p, err
}

// writeSeeds writes the smallest samples of the grammar.
func (opt *options) writeSeeds(p program) error {
	samples, err := bundled.Samples(p.grammar)
	if err != nil {
		return err
	}
	samples = slices.DeleteFunc(samples, func(s bundled.Sample) bool { return len(s.Text) == 0 })
	slices.SortFunc(samples, func(a, b bundled.Sample) int {
		return cmp.Or(cmp.Compare(len(a.Text), len(b.Text)), cmp.Compare(a.Name, b.Name))
	})
	for _, s := range samples[:min(opt.samples, len(samples))] {
		if err := os.WriteFile(filepath.Join(p.seeds, s.Name), s.Text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// output runs a command and returns its standard output.
func output(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s%s", args[0], err, out, &stderr)
	}
	return out, err
}

// fill runs the fuzzers of a cell.
func (opt *options) fill(ctx context.Context, p program, c *cell) error {
	dir := opt.folder(*c)
	if err := os.RemoveAll(dir); err != nil { // of a cell that was interrupted
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*opt.time+2*time.Minute)
	defer cancel()
	env := []string{
		"AFL_NO_UI=1", "AFL_SKIP_CPUFREQ=1", "AFL_NO_AFFINITY=1", "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1", "AFL_SYNC_TIME=1", "AFL_SKIP_CRASHES=1",
	}
	if c.Way != alone {
		env = append(env, "AFL_CUSTOM_MUTATOR_LIBRARY="+opt.library(), "INROAD="+opt.inroad(), "INROAD_GRAMMAR="+p.grammar)
	}
	finish, seeds, limit := func() error { return nil }, p.seeds, opt.time
	if c.Way == targeted {
		finish = opt.startCampaign(ctx, dir, p, c)
		seeds, limit = filepath.Join(dir, "seeds"), opt.time-opt.time/headStart
		if err := opt.collectSeeds(ctx, dir, p, c); err != nil {
			return errors.Join(err, finish())
		}
	}
	_, err := output(ctx, dir, env, "nice", "-n", strconv.Itoa(opt.nice), "afl-fuzz", "-s", strconv.Itoa(c.Seed), "-V", strconv.Itoa(int(limit.Seconds())),
		"-i", seeds, "-o", "out", "--", p.fuzzed)
	if err := errors.Join(err, finish()); err != nil {
		return err
	}
	return opt.count(ctx, dir, p, c)
}

// headStart is the part of the time, as a divisor, that inroad fuzz runs before AFL++
// starts from what it exported. Later, AFL++ reads its inputs only from time to time.
const headStart = 6

// collectSeeds waits for the head start of inroad fuzz and copies what it exported, and the
// samples.
func (opt *options) collectSeeds(ctx context.Context, dir string, p program, c *cell) error {
	select {
	case <-time.After(opt.time / headStart):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := os.CopyFS(filepath.Join(dir, "seeds"), os.DirFS(p.seeds)); err != nil {
		return err
	}
	exported, err := filepath.Glob(filepath.Join(dir, "out", "inroad", "queue", "id:*"))
	if err != nil {
		return err
	}
	c.Seeded = len(exported)
	for _, name := range exported {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "seeds", filepath.Base(name)), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// nicer is what inroad fuzz adds to the niceness of AFL++, so that AFL++ gets most of a
// processor that both share.
const nicer = 10

// startCampaign starts inroad fuzz beside AFL++. It returns a function that ends it.
func (opt *options) startCampaign(ctx context.Context, dir string, p program, c *cell) func() error {
	args := append([]string{
		"-n", strconv.Itoa(min(opt.nice+nicer, 19)), opt.inroad(), "fuzz", "--grammar", p.grammar, "--units", "block", "--jobs", "1", "--seed", strconv.Itoa(c.Seed),
		"--out", "seen.ndjson", "--for", opt.time.String(), "--export", "out/inroad", "--layout", "afl", "--watch", "--format", "json", "--corpus", p.seeds,
	}, p.copied()...)
	cmd := exec.CommandContext(ctx, "nice", args...)
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Start()
	return func() error {
		if err != nil {
			return err
		}
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("inroad fuzz: %w\n%s", err, &stderr)
		}
		var summary struct{ Finds int }
		err := json.Unmarshal(stdout.Bytes(), &summary)
		c.Taken = summary.Finds
		return err
	}
}

// count counts what the fuzzers of a cell found.
func (opt *options) count(ctx context.Context, dir string, p program, c *cell) error {
	if err := countEdges(ctx, dir, p, c); err != nil {
		return err
	}
	stats, err := os.ReadFile(filepath.Join(dir, "out", "default", "fuzzer_stats"))
	if err != nil {
		return err
	}
	_, runs, _ := strings.Cut(string(stats), "execs_done")
	runs, _, _ = strings.Cut(strings.TrimLeft(runs, " :"), "\n")
	if c.Runs, err = strconv.Atoi(runs); err != nil {
		return err
	}
	for pattern, number := range map[string]*int{
		"out/default/queue/id:*": &c.Queue, "out/default/queue/*,sync:inroad,*": &c.Imported, "out/inroad/queue/id:*": &c.Exported, "out/default/crashes/id:*": &c.Crashes,
	} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return err
		}
		*number = len(names)
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		_, _ = fmt.Sscan(string(load), &c.Load)
	}
	if c.Crashes > 0 {
		return opt.countCrashes(ctx, dir, p, c)
	}
	return nil
}

// countEdges counts the edges that the inputs in the queue of AFL++ reach, and those that
// the inputs in all queues reach.
func countEdges(ctx context.Context, dir string, p program, c *cell) error {
	all := map[string]bool{}
	for _, instance := range []string{"default", "inroad"} {
		if instance == "inroad" && c.Way != targeted {
			continue
		}
		// afl-showmap fails if an input crashes, but writes the file.
		_, failed := output(ctx, dir, nil, "afl-showmap", "-C", "-i", filepath.Join("out", instance, "queue"), "-o", "edges-"+instance, "--", p.fuzzed)
		text, err := os.ReadFile(filepath.Join(dir, "edges-"+instance))
		if err != nil {
			return errors.Join(err, failed)
		}
		for line := range strings.Lines(string(text)) {
			edge, _, _ := strings.Cut(line, ":")
			all[edge] = true
		}
		if instance == "default" {
			c.Edges = len(all)
		}
	}
	c.All = len(all)
	return nil
}

// recount counts the edges of cells again, whose folders are still there.
func (opt *options) recount(ctx context.Context, cells []cell) error {
	built, err := opt.buildTargets(ctx)
	if err != nil {
		return err
	}
	for i := range cells {
		c := &cells[i]
		at := slices.IndexFunc(built, func(p program) bool { return p.name == c.Target })
		if _, err := os.Stat(opt.folder(*c)); err != nil || at < 0 {
			continue
		}
		if err := countEdges(ctx, opt.folder(*c), built[at], c); err != nil {
			return err
		}
	}
	if err := os.Rename(opt.out, opt.out+".old"); err != nil {
		return err
	}
	for _, c := range cells {
		if err := rows.Append(opt.out, c); err != nil {
			return err
		}
	}
	return nil
}

// folder returns the folder of a cell.
func (opt *options) folder(c cell) string {
	return filepath.Join(opt.work, "cells", fmt.Sprintf("%s-%s-%d-%d-%v", c.Target, c.Way, c.Samples, c.Seed, time.Duration(c.Seconds*float64(time.Second))))
}

// countCrashes counts the distinct crashes, as inroad observe tells them apart.
func (opt *options) countCrashes(ctx context.Context, dir string, p program, c *cell) error {
	if err := os.Remove(filepath.Join(dir, "out", "default", "crashes", "README.txt")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	args := append([]string{opt.inroad(), "observe", "--inputs", "out/default/crashes", "--out", "crashes.ndjson", "--format", "json"}, p.copied()...)
	out, err := output(ctx, dir, nil, args...)
	if err != nil {
		return err
	}
	var summary struct {
		Failures []struct{ Outcome string }
	}
	err = json.Unmarshal(out, &summary)
	for _, f := range summary.Failures {
		if f.Outcome == "crash" {
			c.Distinct++
		}
	}
	return err
}
