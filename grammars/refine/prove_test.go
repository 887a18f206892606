package refine_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/grammars/refine"
)

// pairs returns the pairs of symbols of parser rules that can be above each other.
func pairs(g *grammars.Grammar) [][]grammars.Occurrence {
	var out [][]grammars.Occurrence
	for _, above := range g.Nodes {
		if above.Rule == nil || above.Kind != grammars.Reference || above.Target == nil || above.Target.Kind != grammars.ParserRule {
			continue
		}
		for _, n := range g.Nodes {
			if n.Rule == above.Target && n.Kind.Symbolic() {
				out = append(out, []grammars.Occurrence{above.ID, n.ID})
			}
		}
	}
	return out
}

// neverRead lists the pairs that are proved never to be read, as texts of both symbols.
func neverRead(t *testing.T, g *grammars.Grammar, p *refine.Prover) (names []string, found map[[2]grammars.Occurrence]bool) {
	t.Helper()
	found = map[[2]grammars.Occurrence]bool{}
	for _, path := range pairs(g) {
		why, err := p.Never(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if why != "" {
			names = append(names, g.Nodes[path[0]].Rule.Name+": "+g.Nodes[path[0]].Text+" "+g.Nodes[path[1]].Text)
			found[[2]grammars.Occurrence(path)] = true
		}
	}
	return names, found
}

// A proof does not depend on the size of the rules that two alternatives begin with.
func TestNeverLarge(t *testing.T) {
	optional := strings.Repeat("A? ", 100)
	large := "t : C" + strings.Repeat(" | "+optional+"B", 60) + " ;"
	g := grammartest.Load(t, "grammar G;\ns : x EOF ;\nx : y | t (D t)* ;\ny : t (D t)+ ;\n"+large+"\nA : 'a' ;\nB : 'b' ;\nC : 'c' ;\nD : 'd' ;\n")
	p, err := refine.Of(g, "s").NewProver(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range g.Nodes {
		if n.Rule == nil || n.Rule.Name != "x" || !n.Kind.Symbolic() {
			continue
		}
		why, err := p.Never(t.Context(), []grammars.Occurrence{n.ID})
		if err != nil {
			t.Fatal(err)
		}
		if why != "" {
			got = append(got, n.Text)
		}
	}
	if want := []string{"D", "t"}; !slices.Equal(got, want) {
		t.Errorf("of the rule x, %q are proved impossible, want %q", got, want)
	}
}

func TestNever(t *testing.T) {
	const tokens = "A : 'a' ;\nB : 'b' ;\nC : 'c' ;\nD : 'd' ;\n"
	for _, test := range []struct {
		name, rules string
		want        []string
	}{
		{"an alternative of a rule that an earlier alternative has in the same place", "s : (A B C | A x C) EOF ;\nx : B | D ;", []string{"s: x B"}},
		{"not if the places before it differ", "s : (A B C | D x C | A x) EOF ;\nx : B | D ;", nil},
		{"a part behind a loop and a token that the loop can take", "s : x A x B EOF ;\nx : (A | C)* ;", []string{"s: x A"}},
		{"not if the loop cannot take the token", "s : x D x B EOF ;\nx : (A | C)* ;", nil},
		{"a left operand whose end takes the operator", "s : e EOF ;\ne : e A e | e (B e)+ | C ;", []string{"e: e e", "e: e B", "e: e e", "e: e e", "e: e B", "e: e e"}},
		{"a left operand that another alternative takes with its operator", "s : e EOF ;\ne : B e A e | B e | e A e | C ;", []string{
			"e: e B", "e: e e", "e: e A", "e: e e", "e: e e", "e: e A", "e: e e", "e: e B", "e: e e", "e: e A",
			"e: e e", "e: e e", "e: e A", "e: e e", "e: e B", "e: e e", "e: e A", "e: e e", "e: e B", "e: e e",
		}},
		{"a rule in a rule", "s : (x | y) EOF ;\nx : A z ;\ny : A z | B z ;\nz : C | D z ;", []string{"s: y A", "s: y z", "y: z C", "y: z D", "y: z z"}},
		{"tokens that the lexer reads as one", "s : (x | B+ | A A) EOF ;\nx : A B+ A | B C ;\nE : 'a' 'b'+ 'a' ;", []string{"s: x A", "s: x A", "s: x B"}},
		{"not if a token between them ends the longer token", "s : (x | B+) EOF ;\nx : A (B | C)+ A | B C ;\nE : 'a' 'b'+ 'a' ;", nil},
		{"a dangling part", "s : i EOF ;\ni : A i | A i B i | C ;", []string{"i: i A", "i: i i"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := grammartest.Load(t, "grammar G;\n"+test.rules+"\n"+tokens)
			p, err := refine.Of(g, "s").NewProver(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got, never := neverRead(t, g, p)
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			checkNever(t, test.rules, g, never, grammartest.ShortTexts(7))
		})
	}
}

// checkNever checks that no tree of some texts has a pair, and returns the number of trees.
func checkNever(t *testing.T, text string, g *grammars.Grammar, never map[[2]grammars.Occurrence]bool, texts []string) int {
	t.Helper()
	trees := 0
	for _, input := range texts {
		tree, err := g.Parse(t.Context(), []byte(input), grammars.ParseOptions{})
		if err != nil {
			continue
		}
		trees++
		var chain []grammars.Occurrence
		for depth, n := range tree.All() {
			chain = append(chain[:depth], n.Occurrence())
			if depth == 0 || chain[depth-1] == derivation.None {
				continue
			}
			if pair := [2]grammars.Occurrence(chain[depth-1:]); never[pair] {
				t.Fatalf("%s%q has %s#%d below #%d, which was proved impossible", text, input, g.Nodes[pair[1]].Text, pair[1], pair[0])
			}
		}
	}
	return trees
}

// No tree of a short text has a pair that is proved never to be read, for random
// grammars with ambiguities, loops and operators.
func TestNeverInRandomGrammars(t *testing.T) {
	t.Parallel()
	count := 400
	if *long {
		count = 5000
	}
	texts := grammartest.ShortTexts(6)
	var trees, proved int
	for seed := range uint64(count) {
		text := grammartest.RandomParser(rand.New(rand.NewPCG(seed, 4)))
		g, err := grammars.Load(t.Context(), grammars.Source{Name: "G.g4", Text: text})
		if err != nil {
			continue
		}
		p, err := refine.Of(g, g.Start).NewBareProver(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, never := neverRead(t, g, p)
		if len(never) == 0 {
			continue
		}
		proved += len(never)
		trees += checkNever(t, text, g, never, texts)
	}
	t.Logf("%d trees; %d pairs are proved never to be read", trees, proved)
	if proved < count/2 {
		t.Errorf("only %d pairs are proved never to be read", proved)
	}
}

// A token that follows only tokens after which the lexer is in one mode is never read by
// the rule of another mode.
func TestNeverInOtherModes(t *testing.T) {
	const lexer = "lexer grammar L;\nN : [0-9]+ ;\nOPEN : '(' -> pushMode(M) ;\nX : 'x' ;\nmode M;\nM_N : [0-9] -> type(N), popMode ;\nWS : ' ' -> skip ;\n"
	const parser = "parser grammar P; options { tokenVocab = L; }\ns : (a | b)* EOF ;\na : OPEN N ;\nb : X N ;\n"
	g, err := grammars.Load(t.Context(), grammars.Source{Name: "L.g4", Text: lexer}, grammars.Source{Name: "P.g4", Text: parser})
	if err != nil {
		t.Fatal(err)
	}
	p, err := refine.Of(g, "s").NewProver(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]refine.Reason{}
	for _, n := range g.Nodes {
		if n.Rule == nil || n.Rule.Kind != grammars.ParserRule || n.Text != "N" {
			continue
		}
		for _, below := range n.Children[0].Children { // of N and of M_N
			for _, s := range g.Symbols().In(below) {
				why, err := p.Never(t.Context(), []grammars.Occurrence{n.ID, s.ID})
				if err != nil {
					t.Fatal(err)
				}
				got[n.Rule.Name] = append(got[n.Rule.Name], why)
			}
		}
	}
	if want := map[string][]refine.Reason{"a": {refine.Lexer, ""}, "b": {"", refine.Lexer}}; !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %v, want %v", got, want)
	}
}
