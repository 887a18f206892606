package campaign_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/campaign"
)

// arithmetic is the grammar of the worked examples.
const arithmetic = `grammar Arithmetic;
start : expr EOF ;
expr : term | expr '+' term | expr '-' term ;
term : term '/' factor | term '*' factor | factor ;
factor : '+' factor | '-' factor | '(' expr ')' | int ;
int : digit | digit int ;
digit : '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' ;
WS : ' '+ -> skip ;
`

// calculator is a program with a method for each operator, which fails on a division
// by 0.
type calculator struct{ runs int }

func (c *calculator) Run(_ context.Context, input []byte) (observation.Observation, error) {
	c.runs++
	o := observation.Observation{Input: input, Methods: []string{"read"}, Outcome: observation.OK, Duration: time.Duration(len(input)) * time.Millisecond}
	for _, operator := range []string{"(", "*", "+", "-", "/"} {
		if strings.Contains(string(input), operator) {
			o.Methods = append(o.Methods, "operator "+operator)
		}
	}
	if bytes.Contains(input, []byte("/0")) {
		o.Outcome, o.Failure = observation.Failed, &observation.Failure{Type: "division by zero"}
	}
	return o, nil
}

// methods are the units of calculator.
func methods() []observation.Unit {
	var out []observation.Unit
	for _, id := range []string{"read", "operator (", "operator *", "operator +", "operator -", "operator /"} {
		out = append(out, observation.Unit{ID: id, Kind: observation.KindMethod})
	}
	return out
}

// sources returns a grammar as its file.
func sources(text string) []grammars.Source {
	return []grammars.Source{{Name: "test.g4", Text: text}}
}

// options returns options of an algorithm with a corpus of one input.
func options(a campaign.Algorithm, runs int) campaign.Options {
	return campaign.Options{Algorithm: a, Seed: 1, Sources: sources(arithmetic), Corpus: [][]byte{[]byte("1 + (2 * 3)")}, Units: methods(), Runs: runs}
}

func start(t *testing.T, g *grammars.Grammar, opt campaign.Options) *campaign.Campaign {
	t.Helper()
	c, err := campaign.New(t.Context(), g, opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// drive asks for up to n inputs at a time and tells them in a random order. It returns
// the inputs in the order of their numbers.
func drive(t *testing.T, c *campaign.Campaign, n int, order uint64) []string {
	t.Helper()
	r := rand.New(rand.NewPCG(order, 0))
	texts := map[int]string{}
	var open []campaign.Input
	for {
		asked, err := c.Ask(t.Context(), 1+r.IntN(n))
		if err != nil && !errors.Is(err, campaign.ErrEnded) {
			t.Fatal(err)
		}
		open = append(open, asked...)
		if len(open) == 0 {
			if err == nil {
				t.Fatal("no input is asked for, and none is to be told")
			}
			break
		}
		for range r.IntN(len(open)) + 1 {
			at := r.IntN(len(open))
			in := open[at]
			open = slices.Delete(open, at, at+1)
			o, _ := new(calculator).Run(t.Context(), in.Text)
			if err := c.Tell(in.Number, o); err != nil {
				t.Fatal(err)
			}
			texts[in.Number] = string(in.Text)
		}
	}
	var out []string
	for number := range len(texts) {
		out = append(out, texts[number])
	}
	return out
}

// The same seed and the same observations give the same inputs, in whatever order they
// are asked for and told. Other seeds give others. No input is run twice.
func TestReproducible(t *testing.T) {
	g := grammartest.Load(t, arithmetic)
	for _, a := range campaign.Algorithms() {
		t.Run(string(a), func(t *testing.T) {
			const runs = 150
			first := start(t, g, options(a, runs))
			want := drive(t, first, 1, 1)
			if len(want) != runs || first.Status().Runs != runs || first.Status().End != campaign.EndRuns {
				t.Fatalf("got %d inputs, status %+v; want %d", len(want), first.Status(), runs)
			}
			second := start(t, g, options(a, runs))
			if diff := cmp.Diff(want, drive(t, second, 30, 2)); diff != "" {
				t.Errorf("another order of tells changes the inputs:\n%s", diff)
			}
			if a, b := first.Status(), second.Status(); a.Reached != b.Reached || a.Failures != b.Failures || a.Paths != b.Paths || a.Generation != b.Generation {
				t.Errorf("another order of tells changes the status: %+v and %+v", a, b)
			}
			opt := options(a, runs)
			opt.Seed = 2
			if cmp.Equal(want, drive(t, start(t, g, opt), 1, 1)) {
				t.Error("another seed gives the same inputs")
			}
			slices.Sort(want)
			if distinct := slices.Compact(want); len(distinct) != runs {
				t.Errorf("%d of %d inputs are distinct", len(distinct), runs)
			}
		})
	}
}

// A campaign over a finite language ends when all inputs were run.
func TestExhausted(t *testing.T) {
	const text = "grammar G; s : 'a' | 'b' | 'c' 'd'? ;"
	g := grammartest.Load(t, text)
	for _, a := range campaign.Algorithms() {
		if a == campaign.Guided { // it corrupts inputs without end
			continue
		}
		opt := campaign.Options{Algorithm: a, Sources: sources(text), Corpus: [][]byte{[]byte("a"), []byte("b"), []byte("c"), []byte("cd")}}
		opt.EvoGFuzz.Generations, opt.FDLoop.Generations = -1, -1
		c := start(t, g, opt)
		got := slices.DeleteFunc(drive(t, c, 10, 1), func(text string) bool {
			return !slices.ContainsFunc(opt.Corpus, func(in []byte) bool { return string(in) == text }) // flipped bits
		})
		if len(got) > 4 || c.Status().End != campaign.EndExhausted {
			t.Errorf("%s: got %q, end %q", a, got, c.Status().End)
		}
	}
}

func TestTell(t *testing.T) {
	c := start(t, grammartest.Load(t, arithmetic), options(campaign.Random, 0))
	asked, err := c.Ask(t.Context(), 2)
	if err != nil || len(asked) != 2 {
		t.Fatalf("got %v, %v", asked, err)
	}
	o := observation.Observation{Outcome: observation.OK, Methods: []string{"a"}}
	for range 2 { // the second time it is known
		if err := c.Tell(asked[0].Number, o); err != nil {
			t.Fatal(err)
		}
	}
	if s := c.Status(); s.Runs != 1 || s.Reached != 1 || s.Units != 6 {
		t.Errorf("got status %+v, want 1 run that reached 1 of 6 units", s)
	}
	if err := c.Tell(2, o); err == nil {
		t.Error("an input that was not asked for can be told")
	}
}

// Findings are the inputs that brought something new: together, they reach all units and
// have all failures.
func TestFindings(t *testing.T) {
	for _, a := range campaign.Algorithms() {
		c := start(t, grammartest.Load(t, arithmetic), options(a, 150))
		drive(t, c, 10, 1)
		units, failures := map[string]bool{}, 0
		for _, f := range c.Findings() {
			o, _ := new(calculator).Run(t.Context(), f.Text)
			for _, id := range f.Units {
				if units[id] || !slices.Contains(o.Methods, id) {
					t.Errorf("%s: %q is said to reach %s first", a, f.Text, id)
				}
				units[id] = true
			}
			if f.Failure {
				failures++
			}
		}
		if s := c.Status(); len(units) != s.Reached || failures != s.Failures {
			t.Errorf("%s: findings have %d units and %d failures, want %d and %d", a, len(units), failures, s.Reached, s.Failures)
		}
	}
}

// A campaign that is finished in the middle of a generation has the findings of all
// observations that were told.
func TestFinish(t *testing.T) {
	for _, a := range campaign.Algorithms() {
		for _, untold := range []int{0, 1, 7} { // inputs
			c := start(t, grammartest.Load(t, arithmetic), options(a, 0))
			asked, err := c.Ask(t.Context(), 8)
			if err != nil || len(asked) == 0 {
				t.Fatalf("%s: got %d inputs, error %v", a, len(asked), err)
			}
			var finder campaign.Finder
			var want, got []string
			for _, in := range asked[min(untold, len(asked)-1):] {
				o, _ := new(calculator).Run(t.Context(), in.Text)
				if err := c.Tell(in.Number, o); err != nil {
					t.Fatal(err)
				}
				if f, ok := finder.Add(o); ok {
					want = append(want, string(f.Text))
				}
			}
			if err := c.Finish(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, f := range c.Findings() {
				got = append(got, string(f.Text))
			}
			if !slices.Equal(got, want) || len(got) == 0 || c.Status().Paths == 0 {
				t.Errorf("%s, %d inputs not told: got the findings %q, want %q; %d paths", a, untold, got, want, c.Status().Paths)
			}
			if err := c.Finish(t.Context()); err != nil || len(c.Findings()) != len(got) {
				t.Errorf("%s: finished again, it has %d findings, want %d; error %v", a, len(c.Findings()), len(got), err)
			}
		}
	}
}

func TestWrongOptions(t *testing.T) {
	g := grammartest.Load(t, arithmetic)
	for name, opt := range map[string]campaign.Options{
		"an unknown algorithm":      {Algorithm: "best"},
		"common without a corpus":   {Algorithm: campaign.Common},
		"a corpus of other inputs":  {Algorithm: campaign.Uncommon, Corpus: [][]byte{[]byte("hello")}},
		"an unknown structure":      {Algorithm: campaign.EvoGFuzz, EvoGFuzz: campaign.EvoGFuzzOptions{Structure: "size"}},
		"a negative population":     {Algorithm: campaign.EvoGFuzz, EvoGFuzz: campaign.EvoGFuzzOptions{Population: -1}},
		"guided without the files":  {Algorithm: campaign.Guided},
		"a negative round":          {Algorithm: campaign.Guided, Sources: sources(arithmetic), Guided: campaign.GuidedOptions{Round: -1}},
		"an unknown goal":           {Algorithm: campaign.FDLoop, Goal: "speed"},
		"a negative share":          {Algorithm: campaign.FDLoop, FDLoop: campaign.FDLoopOptions{Flipped: -1}},
		"an elite of more than all": {Algorithm: campaign.EvoGFuzz, EvoGFuzz: campaign.EvoGFuzzOptions{Elitism: 1.5}},
	} {
		if _, err := campaign.New(t.Context(), g, opt); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// memory is a log in memory.
type memory map[string]observation.Observation

func (m memory) Lookup(input []byte) (observation.Observation, bool) {
	o, ok := m[string(input)]
	return o, ok
}

func (m memory) Append(o observation.Observation) error {
	m[string(o.Input)] = o.Normalized() // like a file
	return nil
}

// A campaign that is interrupted after any number of observations continues without
// running an input again, on any number of runners, and ends like one that was not
// interrupted.
func TestResume(t *testing.T) {
	g := grammartest.Load(t, arithmetic)
	for _, a := range campaign.Algorithms() {
		t.Run(string(a), func(t *testing.T) {
			const runs = 160
			whole := memory{}
			if err := campaign.Run(t.Context(), start(t, g, options(a, runs)), []campaign.Runner{&calculator{}}, whole, nil); err != nil {
				t.Fatal(err)
			}
			parts, stop := memory{}, errors.New("stop")
			for done := 0; done < runs; {
				runners := []*calculator{{}, {}, {}}
				ctx, cancel := context.WithCancelCause(t.Context())
				c := start(t, g, options(a, runs))
				left := 60
				err := campaign.Run(ctx, c, []campaign.Runner{runners[0], runners[1], runners[2]}, parts, func(_ observation.Observation, logged bool) {
					if !logged {
						if left--; left == 0 {
							cancel(stop)
						}
					}
				})
				cancel(nil)
				if err != nil && !errors.Is(err, stop) {
					t.Fatal(err)
				}
				ran := runners[0].runs + runners[1].runs + runners[2].runs
				if lost := ran - (len(parts) - done); lost < 0 || lost > len(runners) {
					t.Fatalf("%d inputs were run for %d observations", ran, len(parts)-done)
				}
				if done = len(parts); err == nil && done != runs {
					t.Fatalf("%d observations at the end, want %d", done, runs)
				}
			}
			if diff := cmp.Diff(whole, parts, cmp.AllowUnexported(observation.Observation{})); diff != "" {
				t.Errorf("interruptions change the observations:\n%s", diff)
			}
		})
	}
}

// The error of a runner or of the log ends a run.
func TestRunFails(t *testing.T) {
	g := grammartest.Load(t, arithmetic)
	broken := errors.New("broken")
	err := campaign.Run(t.Context(), start(t, g, options(campaign.EvoGFuzz, 0)), []campaign.Runner{failing{broken}, &calculator{}}, memory{}, nil)
	if !errors.Is(err, broken) {
		t.Errorf("got error %v, want that of the runner", err)
	}
	err = campaign.Run(t.Context(), start(t, g, options(campaign.EvoGFuzz, 0)), []campaign.Runner{&calculator{}}, fullLog{err: broken}, nil)
	if !errors.Is(err, broken) {
		t.Errorf("got error %v, want that of the log", err)
	}
}

type failing struct{ err error }

func (f failing) Run(context.Context, []byte) (observation.Observation, error) {
	return observation.Observation{}, f.err
}

type fullLog struct {
	memory
	err error
}

func (l fullLog) Append(observation.Observation) error { return l.err }
