package refine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/grammars/refine"
)

// unchosen lists the choices that the parser never makes, each as the rule, the line of
// the construct, and the alternative, "present" or "absent".
func unchosen(g *grammars.Grammar, r *refine.Refinement) []string {
	var out []string
	for _, n := range g.Nodes {
		if n.Rule == nil || n.Rule.Kind != grammars.ParserRule {
			continue
		}
		switch n.Kind {
		case grammars.Alternation:
			for i, alt := range n.Children {
				if r.Unchosen(n, i) {
					out = append(out, fmt.Sprintf("%s: %s", n.Rule.Name, describe(alt)))
				}
			}
		case grammars.Repetition:
			for i, what := range []string{"no ", ""} {
				if r.Unchosen(n, i) {
					out = append(out, fmt.Sprintf("%s: %s(%s)", n.Rule.Name, what, describe(n.Children[0])))
				}
			}
		}
	}
	return out
}

func describe(n *grammars.Node) string {
	if n.Kind.Symbolic() || n.Kind == grammars.End {
		return n.Text
	}
	var parts []string
	for _, c := range n.Children {
		parts = append(parts, describe(c))
	}
	return strings.Join(parts, " ")
}

func TestUnchosen(t *testing.T) {
	const tokens = "A : 'a' ;\nB : 'b' ;\nC : 'c' ;\n"
	for _, test := range []struct {
		name, rules string
		want        []string
	}{
		{"a token that an earlier rule also derives", "s : (name | A) EOF ;\nname : A | B ;", []string{"s: A"}},
		{"all alternatives together", "s : (A B? | A C | A (B | C)) EOF ;", []string{"s: A B C"}},
		{"not what only begins alike", "s : (A B | A C) EOF ;", nil},
		{"recursive rules", "s : (x | y) EOF ;\nx : A x B | C ;\ny : A y B | C ;", []string{"s: y"}},
		{"recursive rules by another rule", "s : (x | y) EOF ;\nx : A x? B ;\ny : A x B ;", []string{"s: y"}},
		{"a rule whose tokens a loop takes", "s : (x | y) EOF ;\nx : (A | B | C)* ;\ny : A y B | C ;", []string{"s: y"}},
		{"not if the loop lacks a token", "s : (x | y) EOF ;\nx : (A | B)* ;\ny : A y B | C ;", nil},
		{"not if the loop takes more than one token at once", "s : (x | y) EOF ;\nx : (A | B A | C)* ;\ny : A y B | C ;", nil},
		{"a token that an earlier rule reads", "s : (D | B | x) EOF ;\nx : D | A ;\nD : 'a' ;", []string{"s: x", "x: D", "x: A"}},
		{"tokens that the lexer reads as one", "s : (Q x Q | x) EOF ;\nx : A Q? | B ;\nQ : '|' ;\nT : '|' ~'|'* '|' ;", []string{"s: Q x Q"}},
		{"not if something between them ends the longer token", "s : (Q x Q | x) EOF ;\nx : A Q? | B ;\nQ : '|' ;\nT : '|' ~[|a]* '|' ;", nil},
		{"a rule whose tokens the lexer reads as one", "s : A x? (B | C x x) EOF ;\nx : Q y ;\ny : A | Q ;\nQ : '|' ;\nT : '|' .*? '|' ;", []string{"s: C x x"}},
		{"not a larger language", "s : (x | y) EOF ;\nx : A x B | C ;\ny : A y B | C | B ;", nil},
		{"an operator of the operand before", "s : e (B e)* EOF ;\ne : e B e | e C e | A ;", []string{"s: (B e)"}},
		{"not an operator that binds less than the one before", "s : e EOF ;\ne : e B | e C e | A ;", nil},
		{"an alternative among operators", "s : e EOF ;\ne : e (B | C) e | e C e | A ;", []string{"e: e C e"}},
		{"a suffix operator comes after binary operators", "s : e EOF ;\ne : e B e | e B A | A ;", []string{"e: e B A"}},
		{"not a binary operator after a suffix operator", "s : e EOF ;\ne : e (B A)+ | e B e | A ;", nil},
		{"an option after a loop", "s : A* A? EOF ;", []string{"s: (A)"}},
		{"an option after a rule that ends with a loop", "s : x A* B EOF ;\nx : C | B A* ;", nil},
		{"a loop after a rule that always ends with one", "s : x A* B EOF ;\nx : (C A* | B A*)+ ;", []string{"s: (A)"}},
		{"a loop before another", "s : x B EOF ;\nx : A* y ;\ny : A* C? ;", []string{"y: (A)"}},
		{"a loop that is used elsewhere", "s : x B y EOF ;\nx : A* y ;\ny : A* C? ;", nil},
		{"a lazy option", "s : A?? A* EOF ;", []string{"s: (A)"}},
		{"a lazy loop goes on if it must", "s : A*? B EOF ;", nil},
		{"the absence of a part that can be empty", "s : x? B EOF ;\nx : A? ;", []string{"s: no (x)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := grammartest.Load(t, "grammar G;\n"+test.rules+"\n"+tokens)
			if got := unchosen(g, refine.Of(g, "s")); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A choice is never made only if no tree of a short text makes it, for random grammars
// with ambiguities, loops and operators.
func TestUnchosenInRandomGrammars(t *testing.T) {
	t.Parallel()
	count := 400
	if *long {
		count = 10_000
	}
	texts := grammartest.ShortTexts(6)
	var found, grammarsWith, loaded int
	for seed := range uint64(count) {
		text := grammartest.RandomParser(rand.New(rand.NewPCG(seed, 2)))
		g, err := grammars.Load(t.Context(), grammars.Source{Name: "G.g4", Text: text})
		if err != nil {
			continue
		}
		loaded++
		r := refine.Of(g, g.Start)
		excluded := unchosen(g, r)
		if len(excluded) == 0 {
			continue
		}
		grammarsWith++
		found += len(excluded)
		choices := g.Choices()
		for _, input := range texts {
			tree, err := g.Parse(t.Context(), []byte(input), grammars.ParseOptions{})
			if err != nil {
				continue
			}
			err = choices.Each(tree, func(n *grammars.Node, choice int) {
				if n.Kind == grammars.Repetition {
					choice = min(choice, 1)
				}
				if r.Unchosen(n, choice) {
					t.Fatalf("%s%q makes choice %d of node %d, %s; never made: %q", text, input, choice, n.ID, describe(n), excluded)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d choices of %d of %d grammars are never made", found, grammarsWith, loaded)
	if grammarsWith < loaded/10 {
		t.Errorf("only %d of %d grammars have choices that are never made", grammarsWith, loaded)
	}
}

// An alternative that an earlier one has in a rule far below is never taken, although
// there are very many ways to go on after its first token.
func TestUnchosenWithManyContexts(t *testing.T) {
	const levels = 40
	var b strings.Builder
	b.WriteString("grammar G;\ns : e0 EOF ;\n")
	for i := range levels {
		fmt.Fprintf(&b, "e%d : e%d ('%d' e%d)* | A e0 B ;\n", i, i+1, i, i+1)
	}
	fmt.Fprintf(&b, "e%d : C ", levels)
	for i := range levels {
		fmt.Fprintf(&b, "| 'x%d' ", i)
	}
	b.WriteString(";\nA : 'a' ;\nB : 'b' ;\nC : 'c' ;\n")
	g := grammartest.Load(t, b.String())
	var want []string
	for i := range levels - 1 {
		want = append(want, fmt.Sprintf("e%d: A e0 B", i))
	}
	if got := unchosen(g, refine.Of(g, "s")); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
