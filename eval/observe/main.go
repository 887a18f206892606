// Command observe measures how inroad observes existing parsers: inputs per second,
// whether a second run gives the same observations, and whether the coverage tools
// of the languages agree.
//
// Run it in the root of its module. It needs Go, and for programs in Java also a
// JDK and a Maven repository.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/inroad/inroad/eval/internal/subject"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
)

type options struct {
	n         int
	seed      int
	sample    int
	selection subject.Selection
	observe   bool
	verify    bool
	blocks    bool
	maven     string
	out       string
	tmp       string
	stdout    io.Writer
	progress  io.Writer
}

func main() {
	opt := options{stdout: os.Stdout, progress: os.Stderr}
	flag.IntVar(&opt.n, "n", 2000, "number of inputs per program")
	flag.IntVar(&opt.seed, "seed", 1, "random seed")
	flag.IntVar(&opt.sample, "sample", 100, "number of inputs to compare with the coverage tool of the language")
	opt.selection.Bind("")
	flag.BoolVar(&opt.observe, "observe-only", false, "only observe: no second run and no coverage tools")
	flag.BoolVar(&opt.verify, "classes", false, "only load all classes of some Java libraries with probes in them")
	flag.BoolVar(&opt.blocks, "blocks", false, "observe blocks as well, and compare them instead of methods")
	flag.StringVar(&opt.maven, "maven", os.Getenv("MAVEN_REPOSITORY"), "address of a Maven repository with the programs in Java")
	flag.StringVar(&opt.out, "out", "", "keep the observations in this `folder`; empty to delete them")
	flag.Parse()
	if err := opt.run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// warmup is the number of inputs that each process, inroad's or a coverage tool's,
// runs as a warm-up before it counts coverage.
const warmup = 20

func (opt *options) run(ctx context.Context) (err error) {
	selected, err := opt.selection.Subjects()
	if err != nil {
		return err
	}
	if opt.tmp, err = os.MkdirTemp("", "inroad-eval-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(opt.tmp)) }()
	if opt.out == "" {
		opt.out = opt.tmp
	}
	if opt.verify {
		return opt.classes(ctx)
	}
	if err := command(ctx, "..", nil, "go", "build", "-o", opt.inroad(), "./cmd/inroad"); err != nil {
		return err
	}
	table := tabwriter.NewWriter(opt.stdout, 0, 0, 2, ' ', 0)
	head := "program\tinputs\tok\tfailure\tcrash\ttimeout\tmethods"
	if !opt.observe {
		head += "\tinputs/s\tunstable\tcompared\tagree\tonly inroad\tonly the tool"
	}
	fmt.Fprintln(table, head)
	for _, s := range selected {
		fmt.Fprintln(opt.progress, s.Name)
		row, err := opt.measure(ctx, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		fmt.Fprintln(table, row)
	}
	return table.Flush()
}

func (opt *options) inroad() string { return filepath.Join(opt.tmp, "inroad") }

func (opt *options) builder() subject.Builder {
	return subject.Builder{Repository: opt.maven, Dir: opt.tmp, Blocks: opt.blocks}
}

// command runs a command. The error of a failed command includes its output.
func command(ctx context.Context, dir string, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}

// measure observes a program with inroad observe, observes it again to measure
// speed and stability, and compares a sample with the coverage tool of the
// language.
func (opt *options) measure(ctx context.Context, s subject.Subject) (row string, err error) {
	file := filepath.Join(opt.out, fmt.Sprintf("%s-%d.ndjson", s.Name, opt.seed))
	args := []string{
		"observe", "--subject", s.Name, "--cover", s.Cover, "--grammar", s.Grammar,
		"--generate", fmt.Sprint(opt.n), "--seed", fmt.Sprint(opt.seed), "--out", file,
	}
	program, flags, err := opt.builder().Build(ctx, s)
	if err != nil {
		return "", err
	}
	defer program.Close()
	if err := command(ctx, ".", nil, opt.inroad(), append(args, flags...)...); err != nil {
		return "", err
	}
	_, observed, err := subject.Read(file)
	if err != nil || opt.observe {
		return fmt.Sprintf("%s\t%s", s.Name, summary(observed)), err
	}
	rate, unstable, err := observeAgain(ctx, program, observed)
	if err != nil {
		return "", err
	}
	compared, err := opt.compare(ctx, s, program, observed)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s\t%s\t%.0f\t%d\t%s", s.Name, summary(observed), rate, unstable, compared), nil
}

func summary(observed []observation.Observation) string {
	outcomes, methods := map[observation.Outcome]int{}, map[string]bool{}
	for _, o := range observed {
		outcomes[o.Outcome]++
		for _, m := range o.Methods {
			methods[m] = true
		}
	}
	return fmt.Sprintf("%d\t%d\t%d\t%d\t%d\t%d", len(observed), outcomes[observation.OK], outcomes[observation.Failed], outcomes[observation.Crashed], outcomes[observation.TimedOut], len(methods))
}

func inputs(observed []observation.Observation) iter.Seq2[observe.Input, error] {
	return func(yield func(observe.Input, error) bool) {
		for i, o := range observed {
			if !yield(observe.Input{Name: fmt.Sprint(i), Data: o.Input}, nil) {
				return
			}
		}
	}
}

// observeAgain observes the inputs again in reverse order. It returns the inputs
// per second, and the number of inputs that reach other methods than before.
func observeAgain(ctx context.Context, p *observe.Program, observed []observation.Observation) (rate float64, unstable int, err error) {
	reversed := slices.Clone(observed)
	slices.Reverse(reversed)
	start := time.Now()
	n := 0
	err = p.Observe(ctx, inputs(reversed), observe.Options{Warmup: warmup}, func(o observation.Observation) error {
		var i int
		fmt.Sscan(o.Name, &i)
		slices.Sort(o.Methods)
		if !slices.Equal(o.Methods, reversed[i].Methods) {
			unstable++
		}
		n++
		return nil
	})
	return float64(n) / time.Since(start).Seconds(), unstable, err
}

// compare compares a sample of the observations with the coverage tool of the
// language.
func (opt *options) compare(ctx context.Context, s subject.Subject, p *observe.Program, observed []observation.Observation) (string, error) {
	dir := filepath.Join(opt.tmp, s.Name)
	corpus := filepath.Join(dir, "inputs")
	if err := os.MkdirAll(corpus, 0o777); err != nil {
		return "", err
	}
	sample := observed[:min(len(observed), warmup+opt.sample)] // the first inputs warm up
	var files []string
	for i, o := range sample {
		file, err := filepath.Abs(filepath.Join(corpus, fmt.Sprintf("%06d", i)))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(file, o.Input, 0o666); err != nil {
			return "", err
		}
		files = append(files, file)
	}
	var theirs []map[string]bool
	var err error
	known := map[string]bool{} // methods in the tool's reports
	switch {
	case s.Jar == "" && opt.blocks:
		theirs, err = opt.profiles(ctx, s, p, dir, files, known)
	case s.Jar == "":
		theirs, err = opt.covdata(ctx, s, p, dir, files, known)
	default:
		theirs, err = opt.jacoco(ctx, s, p, dir, corpus, files, known)
	}
	if err != nil {
		return "", err
	}
	c := comparison{}
	for i := warmup; i < len(files); i++ {
		c.add(p, known, sample[i].Methods, theirs[i])
	}
	c.print(opt.progress)
	return fmt.Sprintf("%d\t%d\t%d\t%d", len(files)-warmup, c.agree, len(c.ours), len(c.theirs)), nil
}

// A comparison compares inroad and a coverage tool on pairs of a method and an
// input.
type comparison struct {
	agree        int
	ours, theirs []string // methods that only inroad, or only the tool, reports as reached
}

func (c *comparison) add(p *observe.Program, known map[string]bool, ours []string, theirs map[string]bool) {
	reached := map[string]bool{}
	for _, id := range ours {
		reached[id] = true
	}
	for _, u := range p.Header().Units {
		switch {
		case !known[u.ID]:
		case reached[u.ID] == theirs[u.ID]:
			c.agree++
		case reached[u.ID]:
			c.ours = append(c.ours, u.ID)
		default:
			c.theirs = append(c.theirs, u.ID)
		}
	}
}

// print lists the methods on which the tools disagree, and how often.
func (c *comparison) print(w io.Writer) {
	for _, side := range []struct {
		name    string
		methods []string
	}{{"inroad", c.ours}, {"the tool", c.theirs}} {
		times := map[string]int{}
		for _, id := range side.methods {
			times[id]++
		}
		var ids []string
		for id := range times {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		for _, id := range ids {
			fmt.Fprintf(w, "  only %s: %s, %d inputs\n", side.name, id, times[id])
		}
	}
}

// unitAt returns the ID of the innermost function that contains a line.
func unitAt(units []observation.Unit, file string, line int) string {
	var at observation.Unit
	for _, u := range units {
		if u.File == file && u.Start <= line && line <= u.End && u.Start >= at.Start {
			at = u
		}
	}
	return at.ID
}
