package generate_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting/generate"
)

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// operators has every kind of operator, of both associativities.
const operators = `grammar G;
s : e EOF ;
e : e '!' | e '[' e ']' | <assoc=right> e '^' e | '-' e | e ('*' | '/') e | e ('+' | '-') e
  | <assoc=right> e '?' e ':' e | 'let' ID '=' e 'in' e | e '=' e | ID | INT | '(' e ')' ;
ID : [a-z]+ ;
INT : [0-9]+ ;
WS : [ \n]+ -> skip ;
COMMENT : '/*' .*? '*/' -> channel(HIDDEN) ;
`

func testGrammars(t *testing.T) map[string]*grammars.Grammar {
	t.Helper()
	return map[string]*grammars.Grammar{
		"expr":      grammartest.Bundled(t, "expr"),
		"json":      grammartest.Bundled(t, "json"),
		"operators": grammartest.Load(t, operators),
		"keywords": grammartest.Load(t, `grammar K;
s : ('if' ID 'then' s ('else' s)? | ID '=' (ID | STR) | 'begin' (s ';')* 'end') ;
ID : [a-z] [a-z0-9]* ;
STR : '"' ('\\' . | ~["\\])* '"' ;
WS : [ \t\r\n]+ -> skip ;
`),
	}
}

// What is generated parses back, mostly at the first draw.
func TestRandomInputsParseBack(t *testing.T) {
	for name, g := range testGrammars(t) {
		for _, opt := range []generate.Options{{MaxDepth: 12, MaxRepeat: 3}, {MaxDepth: 12, MaxRepeat: 3, Spacing: generate.Spaced}, {MaxDepth: 12, MaxRepeat: 3, Spacing: generate.RandomSpacing}} {
			x, err := generate.New(g, source(1), opt)
			if err != nil {
				t.Fatal(err)
			}
			const n = 300
			draws := 0
			for range n {
				input, err := x.Next(t.Context())
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				draws += input.Draws
				if input.Tree.String() != string(input.Text) {
					t.Fatalf("%s: %q has the tree of %q", name, input.Text, input.Tree)
				}
			}
			if draws > n*110/100 && name != "keywords" {
				t.Errorf("%s: %d draws for %d inputs", name, draws, n)
			}
			t.Logf("%s %+v: %d draws for %d inputs", name, opt, draws, n)
		}
	}
}

// Every text of every bundled grammar parses back, nearly all at the first draw.
func TestBundledGrammarsRoundTrip(t *testing.T) {
	n := 100
	if *long {
		n = 10_000
	}
	for _, name := range bundled.Names() {
		t.Run(name, func(t *testing.T) {
			g := grammartest.Bundled(t, name)
			draws, bytes := 0, 0
			distinct := map[string]bool{}
			for input, err := range generate.Each(t.Context(), g, generate.Options{}, 1, n, 2) {
				if err != nil {
					t.Fatal(err)
				}
				draws += input.Draws
				bytes += len(input.Text)
				distinct[string(input.Text)] = true
				if got := grammartest.Lisp(t, grammartest.Parse(t, g, string(input.Text))); got != grammartest.Lisp(t, input.Tree) {
					t.Fatalf("%q is read as %s, and was written from %s", input.Text, got, grammartest.Lisp(t, input.Tree))
				}
			}
			t.Logf("%d draws for %d inputs, %d distinct, %d bytes each", draws, n, len(distinct), bytes/n)
			if draws*97 > n*100 {
				t.Errorf("%d draws for %d inputs", draws, n)
			}
		})
	}
}

// Inputs are the same for any number of workers.
func TestWorkersMakeTheSame(t *testing.T) {
	g := grammartest.Bundled(t, "json")
	var first []string
	for _, workers := range []int{1, 2, 8} {
		var inputs []string
		for input, err := range generate.Each(t.Context(), g, generate.Options{Spacing: generate.RandomSpacing}, 7, 500, workers) {
			if err != nil {
				t.Fatal(err)
			}
			inputs = append(inputs, string(input.Text))
		}
		if first == nil {
			first = inputs
		}
		if len(inputs) != 500 || !slices.Equal(first, inputs) {
			t.Errorf("%d workers make %d inputs that are not those of one", workers, len(inputs))
		}
	}
}

// With a cooldown an input takes more of the alternatives there are.
func TestCooldown(t *testing.T) {
	g := grammartest.Load(t, "grammar G;\ns : a+ EOF ;\na : 'a' | 'b' | 'c' | 'd' ;\n")
	all := func(cooldown float64) int {
		inputs := 0
		x, err := generate.New(g, source(1), generate.Options{Cooldown: cooldown, MaxRepeat: 4})
		if err != nil {
			t.Fatal(err)
		}
		for range 500 {
			input, err := x.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(input.Text), "a") && strings.Contains(string(input.Text), "b") && len(input.Text) == 4 {
				inputs++
			}
		}
		return inputs
	}
	if without, with := all(1), all(0.01); with < without*5/4 {
		t.Errorf("%d of 500 inputs have a and b, and without a cooldown %d", with, without)
	}
}

// Trees are no larger than asked for, unless the grammar needs more.
func TestMaxNodes(t *testing.T) {
	g := grammartest.Bundled(t, "json")
	for _, most := range []int{1, 10, 100} {
		for input, err := range generate.Each(t.Context(), g, generate.Options{MaxNodes: most}, 1, 300, 1) {
			if err != nil {
				t.Fatal(err)
			}
			found := 0
			visit := func(int, uint64, features.Position) { found++ }
			if err := features.NewExtractor(features.NewSpace(g, features.Options{}), 1).Each(input.Tree, visit); err != nil {
				t.Fatal(err)
			}
			if least := g.Nodes[g.Rule(g.Start).Root].Size; found > max(most, least) {
				t.Errorf("%q has %d symbols, and should have %d", input.Text, found, max(most, least))
			}
		}
	}
}

func TestShortest(t *testing.T) {
	for name, want := range map[string]int{"expr": 1, "json": 1, "operators": 1, "keywords": 3} {
		g := testGrammars(t)[name]
		x, err := generate.New(g, source(1), generate.Options{Shortest: true})
		if err != nil {
			t.Fatal(err)
		}
		input, err := x.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		words := 0
		for _, token := range input.Tree.Tokens() {
			if !token.Trivia() && token.End > token.Start {
				words++
			}
		}
		if words > want {
			t.Errorf("%s: shortest input %q has %d tokens, want %d", name, input.Text, words, want)
		}
	}
}

func TestSameSeedSameInputs(t *testing.T) {
	g := grammartest.Bundled(t, "json")
	var first []string
	for round := range 2 {
		x, err := generate.New(g, source(7), generate.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 50 {
			input, err := x.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if round == 0 {
				first = append(first, string(input.Text))
			} else if first[i] != string(input.Text) {
				t.Fatalf("input %d: %q, and before %q", i, input.Text, first[i])
			}
		}
	}
}

func TestNothingToGenerate(t *testing.T) {
	g := grammartest.Load(t, "grammar G;\ntokens { GHOST }\ns : 'a' EOF ;\nghost : GHOST ;\n")
	for _, c := range []struct{ start, want string }{
		{"ghost", "rule ghost of grammar G has no finite derivation"},
		{"nosuch", `grammar G has no parser rule "nosuch"`},
	} {
		if _, err := generate.New(g, source(1), generate.Options{Start: c.start}); err == nil || err.Error() != c.want {
			t.Errorf("from %s: %v, want %s", c.start, err, c.want)
		}
	}
}

func BenchmarkRandom(b *testing.B) {
	for _, name := range bundled.Names() {
		b.Run(name, func(b *testing.B) {
			g := grammartest.Bundled(b, name)
			x, err := generate.New(g, source(1), generate.Options{})
			if err != nil {
				b.Fatal(err)
			}
			bytes := 0
			distinct := map[string]bool{}
			for b.Loop() {
				input, err := x.Next(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				bytes += len(input.Text)
				distinct[string(input.Text)] = true
			}
			b.SetBytes(int64(bytes / b.N))
			b.ReportMetric(float64(bytes)/float64(b.N), "bytes/input")
			b.ReportMetric(float64(len(distinct))/float64(b.N), "distinct/input")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "inputs/s")
		})
	}
}
