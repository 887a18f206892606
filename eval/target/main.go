// Command target measures how many targeted inputs reach their method:
//
//	go run ./target FOLDER
//
// FOLDER has the observations that go run ./observe -out FOLDER writes. For each
// program, a model is trained on them. Then some of the learned methods are drawn,
// inputs are generated for each of them alone, and the program is run on the inputs.
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
	"log"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/inroad/inroad/eval/internal/process"
	"github.com/inroad/inroad/eval/internal/subject"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/refine"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
	"github.com/inroad/inroad/targeting/aim"
	"github.com/inroad/inroad/targeting/generate"
	"github.com/inroad/inroad/targeting/solve"
)

type options struct {
	train     int
	methods   int
	n         int
	until     int
	seed      uint64
	selection subject.Selection
	list      bool
	maven     string
	tmp       string
	stdout    io.Writer
	progress  io.Writer
}

func main() {
	opt := options{stdout: os.Stdout, progress: os.Stderr}
	flag.IntVar(&opt.train, "train", 2000, "number of observations to train on")
	flag.IntVar(&opt.methods, "methods", 50, "number of methods per program; 0 for all")
	flag.IntVar(&opt.n, "n", 10, "number of inputs per method and style")
	flag.IntVar(&opt.until, "until", 0, "also run up to this many inputs per method, until one reaches it")
	flag.Uint64Var(&opt.seed, "seed", 1, "random seed")
	opt.selection.Bind("")
	flag.BoolVar(&opt.list, "list", false, "also list the methods that no input reached")
	flag.StringVar(&opt.maven, "maven", os.Getenv("MAVEN_REPOSITORY"), "address of a Maven repository with the programs in Java")
	flag.Parse()
	if err := opt.run(context.Background(), flag.Args()); err != nil {
		log.Fatal(err)
	}
}

func (opt *options) run(ctx context.Context, args []string) (err error) {
	if len(args) != 1 {
		return fmt.Errorf("expected 1 argument (a folder of observations), got %d", len(args))
	}
	if opt.tmp, err = os.MkdirTemp("", "inroad-eval-"); err != nil {
		return err
	}
	table := tabwriter.NewWriter(opt.stdout, 0, 0, 2, ' ', 0)
	defer func() { err = errors.Join(err, table.Flush(), os.RemoveAll(opt.tmp)) }()
	fmt.Fprintln(table, "program\tinputs\tmethods\twithout inputs\tinputs that reach (mean)\tmethods reached\tinputs accepted\texecutions per method\tprocessor ms per method")
	return opt.selection.EachObserved(args[0], opt.progress, func(s subject.Subject, files []string) error {
		fmt.Fprintln(opt.progress, s.Name)
		return opt.measure(ctx, s, files, table)
	})
}

// measure targets methods of a program and writes a line per style.
func (opt *options) measure(ctx context.Context, s subject.Subject, files []string, table io.Writer) error {
	header, observations, err := subject.Read(files...)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(opt.seed, 0))
	r.Shuffle(len(observations), func(i, j int) { observations[i], observations[j] = observations[j], observations[i] })
	m, err := opt.learn(ctx, s, header, observations[:min(opt.train, len(observations))])
	if err != nil {
		return err
	}
	program, _, err := subject.Builder{Repository: opt.maven, Dir: opt.tmp}.Build(ctx, s)
	if err != nil {
		return err
	}
	defer program.Close()
	if err := refine.Prepare(ctx, m.Grammar, m.Grammar.Start); err != nil {
		return err
	}
	targeter, err := aim.New(m)
	if err != nil {
		return err
	}
	runner := program.NewRunner(observe.Limits{})
	defer runner.Close()
	methods := opt.draw(m, r)
	x := &experiment{model: m, targeter: targeter, runner: runner, options: opt}
	for _, style := range styles() {
		sum := total{}
		for _, method := range methods {
			if err := x.target(ctx, method, style.draw, &sum); err != nil {
				return err
			}
		}
		sum.write(table, s.Name, style.name)
	}
	if opt.until > 0 {
		reacher := aim.NewReacher(targeter, runner, observations[:min(opt.train, len(observations))], aim.ReachOptions{MaxRuns: opt.until})
		sum := total{}
		for _, method := range methods {
			if err := x.untilReached(ctx, reacher, method, &sum); err != nil {
				return err
			}
		}
		sum.write(table, s.Name, fmt.Sprintf("until reached, at most %d", opt.until))
	}
	return nil
}

// learn trains a model with the default options.
func (opt *options) learn(ctx context.Context, s subject.Subject, header observation.Header, observations []observation.Observation) (*model.Model, error) {
	sources, err := bundled.Sources(s.Grammar)
	if err != nil {
		return nil, err
	}
	with := model.Defaults()
	with.Workers, with.Seed = runtime.GOMAXPROCS(0), opt.seed
	trainer, err := model.NewTrainer(ctx, "", sources, with)
	if err != nil {
		return nil, err
	}
	trainer.AddHeader(header)
	if err := trainer.Add(ctx, observations); err != nil {
		return nil, err
	}
	return trainer.Train(ctx, nil)
}

// draw returns some learned methods of a model.
func (opt *options) draw(m *model.Model, r *rand.Rand) []int {
	var methods []int
	for unit := range m.Units {
		if m.Trainable(unit) {
			methods = append(methods, unit)
		}
	}
	r.Shuffle(len(methods), func(i, j int) { methods[i], methods[j] = methods[j], methods[i] })
	if opt.methods > 0 && len(methods) > opt.methods {
		methods = methods[:opt.methods]
	}
	slices.Sort(methods)
	return methods
}

// A style is a way to draw inputs from a solution.
type style struct {
	name string
	draw aim.Draw
}

func styles() []style {
	return []style{
		{"smallest", func(ctx context.Context, s *solve.Solution, r *rand.Rand, n int) ([]*generate.Input, error) {
			return s.Smallest(ctx, r, n)
		}},
		{"varied", func(ctx context.Context, s *solve.Solution, r *rand.Rand, n int) ([]*generate.Input, error) {
			return s.Varied(ctx, r, n)
		}},
	}
}

// An experiment targets the methods of one program.
type experiment struct {
	*options
	model    *model.Model
	targeter *aim.Targeter
	runner   *observe.Runner
}

// target generates inputs for a method and runs the program on them.
func (x *experiment) target(ctx context.Context, method int, draw aim.Draw, sum *total) error {
	inputs, err := x.find(ctx, method, draw, sum)
	if err != nil {
		return err
	}
	hits := 0
	for _, input := range inputs {
		hit, err := x.run(ctx, method, input, sum)
		if err != nil {
			return err
		}
		if hit {
			hits++
		}
	}
	x.record(method, hits, len(inputs), sum)
	return nil
}

// untilReached runs the program until an input reaches a method, as inroad target
// --until-reached does with the training observations.
func (x *experiment) untilReached(ctx context.Context, reacher *aim.Reacher, method int, sum *total) error {
	start, before := process.OwnTime(), len(reacher.Observations())
	attempt, err := reacher.Reach(ctx, rand.New(rand.NewPCG(x.seed, uint64(method))), method)
	if err != nil {
		return err
	}
	sum.processor += process.OwnTime() - start
	for _, o := range reacher.Observations()[before:] {
		sum.count(o)
	}
	hits := 0
	if attempt.Reached() {
		hits = 1
	}
	x.record(method, hits, 1, sum)
	return nil
}

// find generates inputs for a method.
func (x *experiment) find(ctx context.Context, method int, draw aim.Draw, sum *total) ([]aim.Input, error) {
	start := process.OwnTime()
	r := rand.New(rand.NewPCG(x.seed, uint64(method)))
	result, err := x.targeter.Find(ctx, r, []int{method}, nil, aim.Options{N: x.n, Draw: draw})
	sum.processor += process.OwnTime() - start
	if err != nil {
		return nil, err
	}
	return result.Inputs, nil
}

// run reports whether an input reaches a method.
func (x *experiment) run(ctx context.Context, method int, input aim.Input, sum *total) (bool, error) {
	o, err := x.runner.Run(ctx, input.Text)
	if err != nil {
		return false, err
	}
	sum.count(o)
	return slices.Contains(o.Methods, x.model.Units[method].ID), nil
}

func (x *experiment) record(method, hits, inputs int, sum *total) {
	sum.methods++
	if inputs == 0 {
		sum.without++
	} else {
		sum.share += float64(hits) / float64(inputs)
	}
	if hits > 0 {
		sum.reached++
	} else if x.list {
		reached, rows := x.model.Support(method)
		fmt.Fprintf(x.progress, "  %s: reached by none of %d inputs; by %d of %d observations\n", x.model.Units[method].ID, inputs, reached, rows)
	}
}

// A total sums the results of methods.
type total struct {
	methods    int
	without    int     // methods without an input
	reached    int     // methods that an input reached
	share      float64 // of the inputs that reach their method, summed over methods
	executions int
	accepted   int
	processor  time.Duration
}

// count counts a run.
func (t *total) count(o observation.Observation) {
	t.executions++
	if o.Outcome == observation.OK || o.Outcome == "" {
		t.accepted++
	}
}

func (t *total) write(w io.Writer, program, style string) {
	n := max(1, float64(t.methods))
	fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%.3f\t%.3f\t%.3f\t%.1f\t%.0f\n", program, style, t.methods, t.without, t.share/n, float64(t.reached)/n,
		float64(t.accepted)/max(1, float64(t.executions)), float64(t.executions)/n, 1000*t.processor.Seconds()/n)
}
