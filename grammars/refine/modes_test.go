package refine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/grammars/refine"
)

// A template has words in brackets, which are read in another mode, and a word
// after a star is read in a third one, in which it may end the template.
var template = []string{
	"parser grammar P; options { tokenVocab = L; }\ns : part* EOF ;\npart : TEXT | OPEN word* CLOSE | STAR word ;\nword : WORD ;\n",
	`lexer grammar L;
TEXT : [a-z]+ ;
OPEN : '<' -> pushMode(IN) ;
STAR : '*' -> mode(LAST) ;
mode IN;
WORD : [a-z]+ ;
CLOSE : '>' -> popMode ;
mode LAST;
LAST_WORD : [A-Z]+ -> type(WORD), mode(DEFAULT_MODE) ;
END : '.' ;
`,
}

// turns lists the turns that symbols of a rule take, as name, mode and makers.
func turns(g *grammars.Grammar, m *refine.Modes, rule string, t refine.Turn) []string {
	var out []string
	m.Each(g.Nodes[g.Rule(rule).Root], t, func(n *grammars.Node, t refine.Turn) {
		if !n.Kind.Symbolic() {
			return
		}
		var makers []string
		if n.Token > 0 {
			for _, r := range m.Readings(n, t) {
				makers = append(makers, r.Rule.Name)
			}
		}
		out = append(out, fmt.Sprintf("%s in %d %s", n.Text, m.ModeOf(t.State), strings.Join(makers, ",")))
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// Trivia can replace a mode by one without tokens and then pop it, and pop several modes
// at once.
func TestTriviaThatPops(t *testing.T) {
	const parser = "parser grammar P; options { tokenVocab = L; }\ns : PUSH (A | B) EOF ;\n"
	const lexer = "lexer grammar L;\nA : 'a' ;\nPUSH : 'c' -> pushMode(M) ;\nmode M;\nB : 'a' ;\n"
	for _, test := range []struct{ name, rest, text string }{
		{"a mode that replaces another", "P : 'b' -> skip, mode(X) ;\nmode X;\nQ : 'c' -> skip, popMode ;\n", "cbca"},
		{"two modes at once", "P : 'b' -> skip, pushMode(X) ;\nmode X;\nQ : 'c' -> skip, popMode, popMode ;\n", "cbca"},
		{"a mode, and the one below is replaced", "P : 'b' -> skip, pushMode(X) ;\nmode X;\nQ : 'c' -> skip, popMode, mode(DEFAULT_MODE) ;\n", "cbca"},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := grammartest.Load(t, lexer+test.rest, parser)
			grammartest.Parse(t, g, test.text)
			a := slices.IndexFunc(g.Nodes, func(n *grammars.Node) bool { return n.Text == "A" && n.Rule.Name == "s" })
			graph := refine.Of(g, "s").Graph()
			found := false
			for _, body := range graph.Bodies {
				for _, part := range body.Parts {
					found = found || part.Node != nil && part.Node.ID == grammars.Occurrence(a) && part.Useful
				}
			}
			if !found {
				t.Errorf("%q has A, which is impossible in the refined grammar", test.text)
			}
		})
	}
}

func TestTurns(t *testing.T) {
	g := grammartest.Load(t, template...)
	m := refine.Of(g, "s").Modes()
	for _, test := range []struct {
		rule string
		mode int
		want []string
	}{
		{"s", 0, []string{"part in 0 "}},
		{"part", 0, []string{"CLOSE in 1 CLOSE", "OPEN in 0 OPEN", "STAR in 0 STAR", "TEXT in 0 TEXT", "word in 1 ", "word in 2 "}},
		{"word", 1, []string{"WORD in 1 WORD"}},
		{"word", 2, []string{"WORD in 2 LAST_WORD"}},
		{"word", 0, nil}, // no text is a word there
		{"part", 1, nil},
	} {
		var got []string
		for _, state := range m.StatesOf(test.mode) {
			got = append(got, turns(g, m, test.rule, refine.Turn{State: state})...)
		}
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, test.want) {
			t.Errorf("%s in mode %d: got %q, want %q", test.rule, test.mode, got, test.want)
		}
	}
}

// Parts are planned so that what follows can be read.
func TestPlans(t *testing.T) {
	g := grammartest.Load(t, "parser grammar P; options { tokenVocab = L; }\ns : (A | B) C EOF ;\n",
		"lexer grammar L;\nA : 'a' ;\nB : 'b' -> mode(M) ;\nmode M;\nC : 'c' ;\n")
	m := refine.Of(g, "s").Modes()
	root := g.Nodes[g.Rule("s").Root]
	plan := m.Plan(root, refine.Turn{})
	after, ok := plan.Part(0, root.Children[0], m.Begin()[1:])
	if !ok {
		t.Fatal("there is no plan")
	}
	for i, want := range []bool{false, true} {
		if alt := root.Children[0].Children[i]; m.Allows(alt, refine.Turn{After: after}) != want {
			t.Errorf("whether %s may stand before C: %v", alt.Text, !want)
		}
	}
	if size, _ := m.Measure(root, refine.Turn{}); size != 4 { // B, 'b', C and 'c'
		t.Errorf("the least size is %d", size)
	}
}

// Modes are not refined if they do not matter, or if they are not known.
func TestModesThatAreNotRefined(t *testing.T) {
	parser := "parser grammar P; options { tokenVocab = L; }\ns : A* EOF ;\n"
	for name, lexer := range map[string]string{
		"one mode":           "lexer grammar L;\nA : 'a' ;\n",
		"code":               "lexer grammar L;\nA : 'a' {mode(X);} ;\nmode X;\nB : 'b' -> type(A), mode(DEFAULT_MODE) ;\n",
		"modes that pile up": "lexer grammar L;\nA : 'a' -> pushMode(X) ;\nmode X;\nB : 'b' -> type(A), pushMode(X) ;\n",
	} {
		if m := refine.Of(grammartest.Load(t, parser, lexer), "s").Modes(); m != nil {
			t.Errorf("%s: modes are refined", name)
		}
	}
}
