package main

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/inroad/inroad/eval/internal/report"
	"github.com/inroad/inroad/eval/internal/statistics"
	"github.com/inroad/inroad/grammars/refine"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
	"github.com/inroad/inroad/targeting/aim"
	"github.com/inroad/inroad/targeting/generate"
	"github.com/inroad/inroad/targeting/solve"
)

// targetingTable measures how many targeted inputs reach their method, and how much of the program
// they execute.
func targetingTable(ctx context.Context, l *lab) (*report.Document, error) {
	way, inputs := "", "Inputs are the smallest ones. "
	if l.varied {
		way, inputs = variedWay, "Inputs are of varied sizes. "
	}
	return l.learnedTable(ctx, l.target, learnedTable{
		name: "targeting", title: "Targeting: Tables 5.3 and 5.4 of the dissertation", way: way,
		intro: "With the settings `seed` and `seed, no balance`, each learned method gets one input for each leaf of its tree that predicts it with a Gini impurity of at most 0.3; with the others, it gets ten inputs, as from `inroad target --n 10`. It also gets as many random inputs. " + inputs +
			"*Relative* is the share of a method's inputs that reach it (median over methods), *absolute* the share of the learned methods that at least one of their own inputs reaches; a method without inputs counts as not reached. " +
			"*Median* and *mean* are the methods that one input reaches; the random ones are the test inputs. *Calls* is how often all inputs of a method call it (mean over methods), " +
			"and d is Cohen's d of the differences, p the p-value of Wilcoxon's signed-rank test. Bytes are the mean size of an input, and exceptions those with different stacks.",
		columns:   []string{"random relative", "relative", "random absolute", "absolute", "random median", "median", "random mean", "mean", "random calls", "calls", "d"},
		unmatched: []string{"p", "methods", "without inputs", "inputs per method", "random bytes", "bytes", "random exceptions", "exceptions"},
	})
}

// gini is the impurity up to which a leaf is trusted.
const gini = 0.3

// target generates inputs for all learned methods of a program, and runs it on them.
func (l *lab) target(ctx context.Context, c cell) (row, error) {
	x, err := l.learn(ctx, c)
	if err != nil {
		return row{}, err
	}
	p, err := l.find(c.Program)
	if err != nil {
		return row{}, err
	}
	built, err := l.build(ctx, p, false)
	if err != nil {
		return row{}, err
	}
	if err := refine.Prepare(ctx, x.model.Grammar, x.model.Grammar.Start); err != nil {
		return row{}, err
	}
	targeter, err := aim.New(x.model) //nolint:contextcheck // reading one token back is bounded and takes no context
	if err != nil {
		return row{}, err
	}
	runner := built.NewRunner(observe.Limits{})
	defer runner.Close()
	t := &targets{learned: x, runner: runner, targeter: targeter, perLeaf: settingNamed(c.Setting).perLeaf, draw: smallest, seed: drawSeed(c.Seed, "target")}
	if c.Way == variedWay {
		t.draw = varied
	}
	for unit := range x.model.Units {
		if x.model.Trainable(unit) {
			if err := t.target(ctx, unit); err != nil {
				return row{}, err
			}
		}
	}
	return row{Values: t.values()}, nil
}

// targets counts the targeted and the random inputs of a program's methods.
type targets struct {
	*learned

	runner         *observe.Runner
	targeter       *aim.Targeter
	perLeaf        bool // one input for each leaf; ten for each method otherwise
	draw           aim.Draw
	seed           uint64
	without        int // methods without an input
	aimed, drawn   hits
	callDifference []float64 // targeted minus random, by method
}

// hits describe inputs that were generated in one way.
type hits struct {
	relative   []float64 // share of the inputs that reach their method, by method
	calls      []float64 // of the method by all its inputs, by method
	reached    []float64 // methods, by input
	bytes      int
	exceptions map[string]bool
}

// smallest draws the smallest inputs of a solution.
func smallest(ctx context.Context, s *solve.Solution, r *rand.Rand, n int) ([]*generate.Input, error) {
	return s.Smallest(ctx, r, n)
}

// variedWay is the way of [varied] to generate inputs.
const variedWay = "varied"

// varied draws inputs of a solution that may be larger than the smallest.
func varied(ctx context.Context, s *solve.Solution, r *rand.Rand, n int) ([]*generate.Input, error) {
	return s.Varied(ctx, r, n)
}

// onePerLeaf draws one input of each solution, so that each leaf gives one.
func onePerLeaf(draw aim.Draw) aim.Draw {
	return func(ctx context.Context, s *solve.Solution, r *rand.Rand, _ int) ([]*generate.Input, error) {
		return draw(ctx, s, r, 1)
	}
}

// perMethod is the number of inputs of a method, unless it gets one for each leaf.
const perMethod = 10

// target generates inputs for a method, and as many random ones.
func (t *targets) target(ctx context.Context, unit int) error {
	opt := aim.Options{N: perMethod, Draw: t.draw, AnyOutcome: true}
	if t.perLeaf {
		leaves := slices.DeleteFunc(t.model.Leaves(unit), func(leaf model.Leaf) bool { return !leaf.Reached || leaf.Gini() > gini })
		opt = aim.Options{N: max(len(leaves), 1), Draw: onePerLeaf(t.draw), AnyOutcome: true, NoMutants: true}
	}
	found, err := t.targeter.Find(ctx, rand.New(rand.NewPCG(t.seed, uint64(unit))), []int{unit}, nil, opt) //nolint:gosec // not negative
	if err != nil {
		return err
	}
	if len(found.Inputs) == 0 {
		t.without++
		t.aimed.relative, t.drawn.relative = append(t.aimed.relative, 0), append(t.drawn.relative, 0)
		return nil
	}
	var texts, random [][]byte
	for _, input := range found.Inputs {
		texts = append(texts, input.Text)
	}
	for input, err := range draw(ctx, t.model.Grammar, t.seed+uint64(unit), len(texts)) { //nolint:gosec // not negative
		if err != nil {
			return err
		}
		random = append(random, input.Text)
	}
	aimed, err := t.run(ctx, unit, texts, &t.aimed)
	if err != nil {
		return err
	}
	drawn, err := t.run(ctx, unit, random, &t.drawn)
	if err != nil {
		return err
	}
	t.callDifference = append(t.callDifference, aimed-drawn)
	return nil
}

// run runs the program on the inputs of a method, and returns how often they call it.
func (t *targets) run(ctx context.Context, unit int, inputs [][]byte, h *hits) (calls float64, err error) {
	reaching := 0
	for _, input := range inputs {
		o, err := t.runner.Run(ctx, input)
		if err != nil {
			return 0, err
		}
		o = o.Normalized()
		t.relabel(&o)
		h.add(o, len(input))
		if at, ok := slices.BinarySearch(o.Methods, t.model.Units[unit].ID); ok {
			reaching++
			if o.Counts != nil {
				calls += float64(o.Counts[at])
			}
		}
	}
	h.relative = append(h.relative, float64(reaching)/float64(len(inputs)))
	h.calls = append(h.calls, calls)
	return calls, nil
}

func (h *hits) add(o observation.Observation, bytes int) {
	h.reached = append(h.reached, float64(len(o.Methods)))
	h.bytes += bytes
	if o.Failure != nil {
		if h.exceptions == nil {
			h.exceptions = map[string]bool{}
		}
		h.exceptions[o.Failure.Type+" "+o.Failure.Stack] = true
	}
}

// absolute returns the share of the methods that at least one of their own inputs reached.
func (h *hits) absolute() float64 {
	reached := 0
	for _, share := range h.relative {
		if share > 0 {
			reached++
		}
	}
	return float64(reached) / float64(max(1, len(h.relative)))
}

func (h *hits) meanBytes() float64 { return float64(h.bytes) / float64(max(1, len(h.reached))) }

func (t *targets) values() map[string]float64 {
	var test hits
	for _, o := range t.test {
		test.add(o, len(o.Input))
	}
	p, _ := statistics.Wilcoxon(t.callDifference)
	out := map[string]float64{
		"methods": float64(len(t.aimed.relative)), "without inputs": float64(t.without), "inputs per method": float64(len(t.aimed.reached)) / float64(max(1, len(t.aimed.relative))), "p": p, "d": statistics.CohenPaired(t.callDifference),
		"random median": statistics.Median(test.reached), "random mean": statistics.Mean(test.reached),
		"median": statistics.Median(t.aimed.reached), "mean": statistics.Mean(t.aimed.reached),
	}
	for prefix, h := range map[string]*hits{"": &t.aimed, "random ": &t.drawn} {
		out[prefix+"relative"], out[prefix+"absolute"] = statistics.Median(h.relative), h.absolute()
		out[prefix+"calls"] = statistics.Mean(h.calls)
		out[prefix+"bytes"], out[prefix+"exceptions"] = h.meanBytes(), float64(len(h.exceptions))
	}
	return out
}
