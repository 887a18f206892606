package refine_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/grammars/refine"
)

// symbolsOf lists the references of a graph, each with the symbols of the body
// below. A body is listed once.
func symbolsOf(g *refine.Graph) []string {
	texts := func(body int32) []string {
		var out []string
		for _, x := range g.Bodies[body].Parts {
			if x.Useful && (x.Kind == refine.Symbol || x.Kind == refine.Reference) {
				out = append(out, x.Node.Text)
			}
		}
		return out
	}
	var out []string
	seen := map[int32]bool{}
	for work := []int32{g.Start}; len(work) > 0; work = work[1:] {
		for _, x := range g.Bodies[work[0]].Parts {
			if x.Useful && x.Kind == refine.Reference && !seen[x.Below] {
				seen[x.Below] = true
				work = append(work, x.Below)
				out = append(out, fmt.Sprintf("%s: %s", x.Node.Text, strings.Join(texts(x.Below), " ")))
			}
		}
	}
	slices.Sort(out)
	return out
}

func TestGraphsSplitRules(t *testing.T) {
	for _, test := range []struct {
		name    string
		grammar []string
		want    []string
	}{
		{
			"by operator binding",
			[]string{"grammar G;\ns : e EOF ;\ne : e '*' e | e '+' e | 'x' ;\n"},
			[]string{"e: 'x'", "e: e '*' e 'x'", "e: e '*' e e '+' e 'x'"},
		},
		{
			"by lexer mode", // the word after a star is made by another rule
			template,
			[]string{"CLOSE: '>'", "LAST_WORD: [A-Z]", "OPEN: '<'", "STAR: '*'", "TEXT: [a-z]", "WORD: LAST_WORD", "WORD: [a-z]", "part: OPEN word CLOSE STAR word", "part: TEXT", "word: WORD", "word: WORD"},
		},
		{
			"not by modes that read a rule alike", // only by the change of mode
			[]string{
				"parser grammar P; options { tokenVocab = L; }\ns : pair* EOF ;\npair : '(' ')' | '/' ;\n",
				"lexer grammar L;\nOPEN : '(' ;\nCLOSE : ')' ;\nFLIP : '/' -> mode(M) ;\nmode M;\nM_OPEN : [(] -> type(OPEN) ;\nM_CLOSE : [)] -> type(CLOSE) ;\nBACK : [/] -> type(FLIP), mode(DEFAULT_MODE) ;\n",
			},
			[]string{"pair: '(' ')'", "pair: '/'"},
		},
		{
			"without what has no derivation",
			[]string{"grammar G;\ns : a | never EOF ;\na : 'x' | 'y' never ;\nnever : 'z' never ;\n"},
			[]string{"a: 'x'"},
		},
		{
			"by calls, if the parser makes no choice in some", // the spaces are those of the first call
			[]string{"grammar G;\ns : 'a' w w 'b' EOF ;\nw : SPACE* ;\nSPACE : ' ' ;\n"},
			[]string{"SPACE: ' '", "w: ", "w: SPACE"},
		},
		{
			"without derivations of tokens that others precede",
			[]string{"grammar G;\ns : (NAME | KEY | NUMBER)* EOF ;\nNAME : [a-z]+ | 'x' ;\nKEY : 'key' | '$' LETTER ;\nNUMBER : DIGIT+ | '#' HEX ;\nfragment LETTER : [a-z] ;\nfragment DIGIT : [0-9] ;\nfragment HEX : DIGIT | [0-9a-f] ;\n"},
			[]string{"DIGIT: [0-9]", "HEX: DIGIT [a-f]", "KEY: '$' LETTER", "LETTER: [a-z]", "NAME: [a-z]", "NUMBER: DIGIT '#' HEX"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := symbolsOf(refine.Of(grammartest.Load(t, test.grammar...), "s").Graph())
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q\nwant %q", got, test.want)
			}
		})
	}
}

// Parts stand before the parts that consist of them, and bodies are at most what
// the modes of the lexer need.
func TestGraphsAreInOrder(t *testing.T) {
	for _, name := range bundled.Names() {
		g := grammartest.Bundled(t, name)
		graph := refine.Of(g, g.Start).Graph()
		for i := range graph.Bodies {
			checkBody(t, name, &graph.Bodies[i], int32(len(graph.Bodies)))
		}
		if plain := refine.Plain(g, g.Start); len(graph.Bodies) > 3*len(plain.Bodies) {
			t.Errorf("%s: %d bodies of %d", name, len(graph.Bodies), len(plain.Bodies))
		}
	}
}

func checkBody(t *testing.T, name string, b *refine.Body, bodies int32) {
	t.Helper()
	for i, x := range b.Parts {
		at := int32(i)
		ok := true
		switch x.Kind {
		case refine.Either:
			for _, k := range b.Kids[x.A:x.B] {
				ok = ok && k.Part < at
			}
		case refine.Both:
			ok = x.A < at && x.B < at
		case refine.Many:
			for _, r := range b.Rounds[x.A:x.B] {
				ok = ok && r.Part < at && (r.Ends || r.Next >= 0) && (r.Next < 0 || b.Parts[r.Next].Kind == refine.Many)
			}
		case refine.Reference:
			ok = x.Below < bodies
		}
		if !ok {
			t.Fatalf("%s: part %d of %v", name, i, b.Parts)
		}
	}
}

// Everyone who asks for a refinement gets the same one.
func TestRefinementsAreShared(t *testing.T) {
	g := grammartest.Load(t, template...)
	var all [8]*refine.Graph
	var group sync.WaitGroup
	for i := range all {
		group.Go(func() { all[i] = refine.Of(g, "s").Graph() })
	}
	group.Wait()
	for _, other := range all {
		if other != all[0] {
			t.Error("a refinement was computed twice")
		}
	}
	if refine.Of(g, "part").Graph() == all[0] {
		t.Error("another start rule has the same graph")
	}
}

// An operand that would be read otherwise is excluded.
func TestBindings(t *testing.T) {
	g := grammartest.Load(t, "grammar G;\ns : e EOF ;\ne : '-' e | e '*' e | e '+' e | 'x' ;\n")
	rule := g.Rule("e")
	b := refine.Of(g, "s").Bindings(rule)
	const minus, times, plus, x = 0, 1, 2, 3
	for _, test := range []struct {
		name  string
		of    int
		right bool
		want  []int // the alternatives of the operand
	}{
		{"left of *", times, false, []int{minus, times, x}},
		{"right of *", times, true, []int{minus, x}},
		{"left of +", plus, false, []int{minus, times, plus, x}},
		{"right of +", plus, true, []int{minus, times, x}},
		{"after -", minus, true, []int{minus, x}},
	} {
		operand := rule.Operators[test.of].Left
		if test.right {
			operand = rule.Operators[test.of].Right
		}
		binding := b.Operand(refine.Loose, test.of, operand)
		var got []int
		for i := range rule.Operators {
			if b.Allows(binding, i) {
				got = append(got, i)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
	if b := refine.Of(g, "s").Bindings(g.Rule("s")); b != nil {
		t.Error("a rule that is not left-recursive has bindings")
	}
	if other := b.Operand(refine.Loose, plus, grammars.Occurrence(0)); other != refine.Loose {
		t.Errorf("a symbol that is no operand is bound by %v", other)
	}
}
