// Command mixture compares mixtures of generated inputs to learn from:
//
//	go run ./mixture [-only REGEXP]
//
// For each program, inputs of several kinds are generated and observed. A model is
// trained on each mixture of kinds, always on the same number of inputs. All models
// are evaluated on the same other inputs, with equal parts of all kinds, and on the
// same methods: those that some, but not all, inputs of the program reach.
//
// It measures the programs on which defaults are chosen. Run it in the root of its
// module. It needs Go, and for programs in Java also a JDK and a Maven repository.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"log"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/inroad/inroad/eval/internal/subject"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
	"github.com/inroad/inroad/targeting/generate"
)

type options struct {
	train, test int
	seeds       int
	only        string
	java        bool
	maven       string
	tmp         string
	progress    io.Writer
}

func main() {
	opt := options{progress: os.Stderr}
	flag.IntVar(&opt.train, "train", 1200, "number of inputs to train on")
	flag.IntVar(&opt.test, "test", 800, "number of inputs to test on, of all kinds together")
	flag.IntVar(&opt.seeds, "seeds", 3, "number of random samples of the generated inputs")
	flag.StringVar(&opt.only, "only", "", "measure only programs whose names match this `regexp`")
	flag.BoolVar(&opt.java, "java", true, "include programs in Java")
	flag.StringVar(&opt.maven, "maven", os.Getenv("MAVEN_REPOSITORY"), "address of a Maven repository with the programs in Java")
	flag.Parse()
	if err := opt.run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// kinds are the kinds of inputs.
func kinds() []string { return []string{"covering", "random", "small", "mutants"} }

// A mixture has the share of each kind.
type mixture struct {
	name   string
	shares map[string]float64
}

func mixtures() []mixture {
	return []mixture{
		{"covering, random", map[string]float64{"covering": .5, "random": .5}},
		{"covering", map[string]float64{"covering": 1}},
		{"random", map[string]float64{"random": 1}},
		{"random, small", map[string]float64{"random": .5, "small": .5}},
		{"covering, random, small", map[string]float64{"covering": .34, "random": .33, "small": .33}},
		{"covering, random, mutants", map[string]float64{"covering": .34, "random": .33, "mutants": .33}},
		{"covering, mutants", map[string]float64{"covering": .5, "mutants": .5}},
		{"all four", map[string]float64{"covering": .25, "random": .25, "small": .25, "mutants": .25}},
	}
}

func (opt *options) run(ctx context.Context, stdout io.Writer) (err error) {
	selected, err := regexp.Compile(opt.only)
	if err != nil {
		return err
	}
	if opt.tmp, err = os.MkdirTemp("", "inroad-eval-"); err != nil {
		return err
	}
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	defer func() { err = errors.Join(err, table.Flush(), os.RemoveAll(opt.tmp)) }()
	fmt.Fprintln(table, "program\tinputs\tmean F1\trare F1\toutcome\tmean F1 on covering and random inputs")
	means := make([]result, len(mixtures()))
	for _, s := range subject.Development() {
		if !selected.MatchString(s.Name) || s.Jar != "" && !opt.java {
			continue
		}
		fmt.Fprintln(opt.progress, s.Name)
		results, err := opt.measure(ctx, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		for i, m := range mixtures() {
			results[i].write(table, s.Name, m.name)
			means[i].add(results[i])
		}
	}
	for i, m := range mixtures() {
		means[i].write(table, "mean", m.name)
	}
	return nil
}

// A result sums scores.
type result struct{ n, f1, rare, outcome, before float64 }

func (r *result) add(o result) {
	r.n, r.f1, r.rare, r.outcome, r.before = r.n+1, r.f1+o.f1/o.n, r.rare+o.rare/o.n, r.outcome+o.outcome/o.n, r.before+o.before/o.n
}

func (r *result) write(w io.Writer, program, mixture string) {
	n := max(1, r.n)
	fmt.Fprintf(w, "%s\t%s\t%.3f\t%.3f\t%.3f\t%.3f\n", program, mixture, r.f1/n, r.rare/n, r.outcome/n, r.before/n)
}

// measure returns a result per mixture.
func (opt *options) measure(ctx context.Context, s subject.Subject) ([]result, error) {
	program, _, err := subject.Builder{Repository: opt.maven, Dir: opt.tmp}.Build(ctx, s)
	if err != nil {
		return nil, err
	}
	defer program.Close()
	sources, err := bundled.Sources(s.Grammar)
	if err != nil {
		return nil, err
	}
	g, err := grammars.LoadWith(ctx, grammars.LoadOptions{}, sources...)
	if err != nil {
		return nil, err
	}
	train, err := observeKinds(ctx, program, g, 1, opt.train)
	if err != nil {
		return nil, err
	}
	parts, err := observeKinds(ctx, program, g, 2, opt.test/len(kinds()))
	if err != nil {
		return nil, err
	}
	var all, test []observation.Observation
	for _, kind := range kinds() {
		accepted := 0
		for _, o := range train[kind] {
			if o.Outcome == observation.OK {
				accepted++
			}
		}
		fmt.Fprintf(opt.progress, "  %s: %d inputs, %d accepted\n", kind, len(train[kind]), accepted)
		test = append(test, parts[kind]...)
		all = append(append(all, parts[kind]...), train[kind]...)
	}
	with := model.Defaults()
	with.Workers, with.Folds = runtime.GOMAXPROCS(0), 1
	trainer, err := model.NewTrainer(ctx, "", sources, with)
	if err != nil {
		return nil, err
	}
	trainer.AddHeader(program.Header())
	if err := trainer.Add(ctx, all); err != nil {
		return nil, err
	}
	reached := map[string]int{}
	for _, o := range all {
		for _, m := range o.Methods {
			reached[m]++
		}
	}
	varying := func(m model.MethodScore) bool { n := reached[m.Unit.ID]; return n > 0 && n < len(all) }
	rare := func(m model.MethodScore) bool { n := reached[m.Unit.ID]; return n > 0 && 20*n < len(all) }
	results := make([]result, len(mixtures()))
	for i, m := range mixtures() {
		for seed := range opt.seeds {
			with.Seed = uint64(seed + 1)
			drawn := m.draw(train, opt.train, with.Seed)
			e, err := trainer.Evaluate(ctx, drawn, test, with)
			if err != nil {
				return nil, err
			}
			before, err := trainer.Evaluate(ctx, drawn, slices.Concat(parts["covering"], parts["random"]), with)
			if err != nil {
				return nil, err
			}
			results[i].add(result{1, e.Summarize(varying).F1, e.Summarize(rare).F1, float64(e.Outcomes) / float64(e.Rows), before.Summarize(varying).F1})
		}
	}
	return results, nil
}

// draw returns n observations of the mixture.
func (m mixture) draw(from map[string][]observation.Observation, n int, seed uint64) (out []observation.Observation) {
	r := rand.New(rand.NewPCG(seed, 0))
	for _, kind := range kinds() {
		for _, i := range r.Perm(len(from[kind]))[:min(len(from[kind]), int(m.shares[kind]*float64(n)))] {
			out = append(out, from[kind][i])
		}
	}
	return out
}

// observeKinds generates and observes n inputs of each kind. The mutants are those
// of accepted inputs of the other kinds.
func observeKinds(ctx context.Context, program *observe.Program, g *grammars.Grammar, seed uint64, n int) (map[string][]observation.Observation, error) {
	inputs := map[string][]*generate.Input{}
	i := 0
	for input, err := range generate.TrainingInputs(ctx, g, "", seed, 2*n) {
		if err != nil {
			return nil, err
		}
		kind := kinds()[i%2] // they alternate
		inputs[kind] = append(inputs[kind], input)
		i++
	}
	for input, err := range small(ctx, g, seed, n) {
		if err != nil {
			return nil, err
		}
		inputs["small"] = append(inputs["small"], input)
	}
	out := map[string][]observation.Observation{}
	var accepted []*derivation.Tree
	for _, kind := range kinds() {
		if kind == "mutants" && len(accepted) > 0 {
			x, err := generate.New(g, rand.New(rand.NewPCG(seed, 4)), generate.Options{})
			if err != nil {
				return nil, err
			}
			for input, err := range x.Mutants(ctx, accepted, generate.Mutations()...) {
				if err != nil {
					return nil, err
				}
				if inputs[kind] = append(inputs[kind], input); len(inputs[kind]) == n {
					break
				}
			}
		}
		out[kind] = make([]observation.Observation, len(inputs[kind]))
		err := program.Observe(ctx, contents(inputs[kind]), observe.Options{}, func(o observation.Observation) error {
			at, err := strconv.Atoi(o.Name)
			out[kind][at] = o
			return err
		})
		if err != nil {
			return nil, err
		}
		for i, o := range out[kind] {
			if o.Outcome == observation.OK {
				accepted = append(accepted, inputs[kind][i].Tree)
			}
		}
	}
	return out, nil
}

func contents(inputs []*generate.Input) iter.Seq2[observe.Input, error] {
	return func(yield func(observe.Input, error) bool) {
		for i, input := range inputs {
			if !yield(observe.Input{Name: fmt.Sprint(i), Data: input.Text}, nil) {
				return
			}
		}
	}
}

// small yields random inputs that are smaller than those of
// [generate.TrainingInputs].
func small(ctx context.Context, g *grammars.Grammar, seed uint64, n int) iter.Seq2[*generate.Input, error] {
	return func(yield func(*generate.Input, error) bool) {
		var generators []*generate.Generator
		for _, nodes := range []int{5, 10, 15, 20, 30} {
			x, err := generate.New(g, rand.New(rand.NewPCG(seed, uint64(nodes)<<8)), generate.Options{MaxNodes: nodes})
			if err != nil {
				yield(nil, err)
				return
			}
			generators = append(generators, x)
		}
		for i := range n {
			input, err := generators[i%len(generators)].Next(ctx)
			if !yield(input, err) || err != nil {
				return
			}
		}
	}
}
