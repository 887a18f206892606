package campaign

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/model/observation"
)

// The grammar of the worked structure scores: two rules stand above expr.
const worked = `grammar Worked;
file : start EOF ;
start : expr ;
expr : term | expr '+' term | expr '-' term ;
term : term '/' factor | term '*' factor | factor ;
factor : '+' factor | '-' factor | '(' expr ')' | int ;
int : digit | digit int ;
digit : '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' ;
WS : ' '+ -> skip ;
`

func TestStructureScores(t *testing.T) {
	g := grammartest.Load(t, worked)
	for _, c := range []struct {
		input                    string
		tree, expansions, length float64
	}{
		{"1+2+3+4+5+6", 10_591, 32 * 32 / (2 * 11.0), 11},
		{"(1*2)+(3/(4*5))", 96_347, 33 * 33 / (2 * 15.0), 15},
	} {
		tree := grammartest.Parse(t, g, c.input)
		for score, want := range map[StructureScore]float64{ByTree: c.tree, ByExpansions: c.expansions, ByLength: c.length} {
			if got := score.of(tree, 2); math.Abs(got-want) > 1e-9 {
				t.Errorf("%s: %s is %v, want %v", c.input, score, got, want)
			}
		}
	}
}

// The score of a deep tree is finite, so that a failure still outweighs it.
func TestStructureScoreIsFinite(t *testing.T) {
	g := grammartest.Load(t, "grammar G; s : 'a' s s | 'b' ;")
	text := ""
	for range 1500 {
		text = "ab" + text
	}
	if got := ByTree.of(grammartest.Parse(t, g, text+"b"), 1); got != math.MaxFloat64 {
		t.Errorf("got %v, want %v", got, math.MaxFloat64)
	}
}

// The worked example of learning: 1 + (2 * 3).
func TestEvoGFuzzLearns(t *testing.T) {
	g := grammartest.Load(t, worked)
	e, err := newEvoGFuzz(t.Context(), g, Options{Start: g.Start}, []*derivation.Tree{grammartest.Parse(t, g, "1 + (2 * 3)")})
	if err != nil {
		t.Fatal(err)
	}
	third := 1.0 / 3
	for rule, want := range map[string][]float64{
		"expr": {2 * third, third, 0}, "term": {0, .25, .75}, "factor": {0, 0, .25, .75}, "int": {1, 0},
		"digit": {0, third, third, third, 0, 0, 0, 0, 0, 0},
	} {
		got := e.probabilities.Alternatives(g.Nodes[g.Rule(rule).Root])
		if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			t.Errorf("%s: got %v, want %v", rule, got, want)
		}
	}
}

// The base input is learned from in each generation.
func TestEvoGFuzzBaseInput(t *testing.T) {
	g := grammartest.Load(t, "grammar G; s : (LETTER | DIGIT)+ EOF ; LETTER : [a-z] ; DIGIT : [0-9] ;")
	corpus := []*derivation.Tree{grammartest.Parse(t, g, "12345678901234567890123456")}
	choice := g.Nodes[g.Rule("s").Root].Children[0].Children[0]
	for base, want := range map[string]float64{"": 0.5, "12": 0} {
		opt := Options{Start: g.Start}
		if base != "" {
			opt.EvoGFuzz.BaseInput = []byte(base)
		}
		e, err := newEvoGFuzz(t.Context(), g, opt, corpus)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.probabilities.Alternatives(choice); len(got) != 2 || got[0] != want {
			t.Errorf("base input %q: got %v, want letters with the probability %v", base, got, want)
		}
	}
}

// A failure outweighs every structure. The elite stays for the next generation.
func TestEvoGFuzzSelects(t *testing.T) {
	g := grammartest.Load(t, worked)
	e, err := newEvoGFuzz(t.Context(), g, Options{Start: g.Start, EvoGFuzz: EvoGFuzzOptions{Population: 40, TournamentSize: 200}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	e.rand = rand.New(rand.NewPCG(3, 0))
	ran := func(text string, outcome observation.Outcome) *individual {
		return &individual{text: []byte(text), tree: grammartest.Parse(t, g, text), result: &result{outcome: outcome}}
	}
	last := []*individual{
		ran("1", observation.OK), ran("(1*2)+(3/(4*5))", observation.OK), ran("1/0", observation.Failed), ran("1+2+3+4+5+6", observation.OK),
	}
	texts := func(all []*individual) (out []string) {
		for _, i := range all {
			out = append(out, string(i.text))
		}
		return out
	}
	selected := texts(e.selectFittest(last))
	if want := []string{"1/0", "(1*2)+(3/(4*5))"}; !slices.Equal(texts(e.elite), want) { // 5 % of 40
		t.Errorf("elite %q, want %q", texts(e.elite), want)
	}
	if len(selected) != 12 {
		t.Errorf("%d selected, want 2 of the elite and 10 winners", len(selected))
	}
	for _, winner := range selected[2:] {
		if winner != "1/0" {
			t.Errorf("%q wins a tournament of all", winner)
		}
	}
	if e.selectFittest([]*individual{ran("2", observation.OK)}); string(e.elite[0].text) != "1/0" {
		t.Errorf("elite of the next generation: %q, want 1/0 first", texts(e.elite))
	}
}
