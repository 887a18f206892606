package grammars_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/inroad/inroad/grammars"
)

// A grammarWriter generates small grammars whose tokens are single letters.
type grammarWriter struct {
	t       *rapid.T
	leftRec bool // rules can be left-recursive
	rules   int
	rule    int // the one being written
	depth   int // of brackets
}

// randomGrammar returns the text of a grammar, which may be invalid.
func randomGrammar(t *rapid.T, leftRec bool) string {
	w := &grammarWriter{t: t, leftRec: leftRec, rules: rapid.IntRange(2, 6).Draw(t, "rules")}
	var b strings.Builder
	b.WriteString("grammar G;\ns : r0 EOF ;\n")
	for i := range w.rules {
		w.rule = i
		fmt.Fprintf(&b, "r%d : %s ;\n", i, w.alternatives())
	}
	b.WriteString("A : 'a' ; B : 'b' ; C : 'c' ; D : 'd' ;\n")
	return b.String()
}

func (w *grammarWriter) oneIn(n int) bool { return rapid.IntRange(1, n).Draw(w.t, "one in") == n }

func (w *grammarWriter) alternatives() string {
	var alts []string
	for range rapid.IntRange(1, 3).Draw(w.t, "alternatives") {
		alts = append(alts, w.alternative())
	}
	if w.leftRec && w.depth == 0 && w.oneIn(3) {
		for range rapid.IntRange(1, 3).Draw(w.t, "operators") {
			alts = append(alts, w.operator())
		}
		alts = rapid.Permutation(alts).Draw(w.t, "order")
	}
	return strings.Join(alts, " | ")
}

func (w *grammarWriter) operator() string {
	self := fmt.Sprintf("r%d", w.rule)
	text := self + " " + w.elements(1, 2)
	if w.oneIn(2) {
		text += " " + self
	}
	if w.oneIn(4) {
		text = "<assoc=right> " + text
	}
	return text
}

func (w *grammarWriter) alternative() string {
	if w.oneIn(10) {
		return ""
	}
	return w.elements(1, 4)
}

func (w *grammarWriter) elements(least, most int) string {
	var elements []string
	for i := range rapid.IntRange(least, most).Draw(w.t, "elements") {
		elements = append(elements, w.element(i == 0))
	}
	return strings.Join(elements, " ")
}

func (w *grammarWriter) element(first bool) string {
	suffix := rapid.SampledFrom([]string{"", "", "", "", "?", "?", "*", "+", "??", "*?", "+?"}).Draw(w.t, "suffix")
	switch rapid.SampledFrom([]string{"token", "token", "token", "rule", "rule", "block", "set", "end"}).Draw(w.t, "element") {
	case "rule":
		least := 0
		if first && !w.oneIn(6) { // so that there is not too much left recursion
			least = min(w.rule+1, w.rules-1)
		}
		return fmt.Sprintf("r%d%s", rapid.IntRange(least, w.rules-1).Draw(w.t, "rule"), suffix)
	case "block":
		if w.depth < 2 {
			w.depth++
			text := "(" + w.alternatives() + ")" + suffix
			w.depth--
			return text
		}
	case "set":
		return rapid.SampledFrom([]string{".", "~A", "~(A | B)", "(A | B)", "(C | D)"}).Draw(w.t, "set") + suffix
	case "end":
		if w.oneIn(4) {
			return rapid.SampledFrom([]string{"EOF", "EOF?", "(A | EOF B?)", "(B EOF)?"}).Draw(w.t, "end")
		}
	}
	return rapid.SampledFrom([]string{"A", "B", "C", "D"}).Draw(w.t, "token") + suffix
}

// randomGrammars returns valid grammars and their texts.
func randomGrammars(leftRec bool) *rapid.Generator[*loadedGrammar] {
	return rapid.Custom(func(t *rapid.T) *loadedGrammar {
		text := randomGrammar(t, leftRec)
		g, err := grammars.Load(context.Background(), grammars.Source{Name: "random.g4", Text: text})
		if err != nil {
			t.Skip(err) // not a grammar: rapid draws another
		}
		return &loadedGrammar{g, text}
	})
}

type loadedGrammar struct {
	*grammars.Grammar
	text string
}

func (g *loadedGrammar) String() string { return g.text }

// randomInput returns letters, often derived from the grammar, sometimes with a
// few changes.
func randomInput(t *rapid.T, g *grammars.Grammar, start *grammars.Rule) string {
	letters := rapid.SliceOfN(rapid.SampledFrom([]byte("abcd")), 0, 8)
	root := g.Nodes[start.Root]
	if root.Size == grammars.Unproductive || rapid.IntRange(0, 4).Draw(t, "how") == 0 {
		return string(letters.Draw(t, "letters"))
	}
	d := &deriver{t: t, budget: 60}
	d.derive(root, rapid.IntRange(0, 6).Draw(t, "depth"))
	text := d.out
	if rapid.IntRange(0, 3).Draw(t, "change") == 0 {
		at := rapid.IntRange(0, len(text)).Draw(t, "at")
		cut := rapid.IntRange(0, min(1, len(text)-at)).Draw(t, "cut")
		text = slices.Concat(text[:at], letters.Draw(t, "letters"), text[at+cut:])
	}
	return string(text)
}

// A deriver derives random letters. Beyond its budget, or at depth 0, it takes
// the smallest derivation.
type deriver struct {
	t      *rapid.T
	budget int
	out    []byte
}

func (d *deriver) derive(n *grammars.Node, depth int) {
	if d.budget--; d.budget < 0 {
		depth = 0
	}
	switch n.Kind {
	case grammars.Alternation:
		d.derive(d.choose(n, depth), depth)
	case grammars.Concatenation:
		for _, child := range n.Children {
			d.derive(child, depth)
		}
	case grammars.Repetition:
		for range d.times(n, depth) {
			d.derive(n.Children[0], depth)
		}
	case grammars.Reference:
		d.derive(n.Children[0], depth-1)
	case grammars.Literal:
		d.out = append(d.out, n.Value...)
	case grammars.TokenSet:
		if len(n.Types) > 0 {
			d.out = append(d.out, byte('a'-1+rapid.SampledFrom(n.Types).Draw(d.t, "type")))
		}
	}
}

func (d *deriver) choose(n *grammars.Node, depth int) *grammars.Node {
	productive := slices.DeleteFunc(slices.Clone(n.Children), func(c *grammars.Node) bool { return c.Size == grammars.Unproductive })
	if depth <= 0 {
		return slices.MinFunc(productive, func(a, b *grammars.Node) int { return a.Depth - b.Depth })
	}
	return rapid.SampledFrom(productive).Draw(d.t, "alternative")
}

func (d *deriver) times(n *grammars.Node, depth int) int {
	if depth <= 0 || n.Children[0].Size == grammars.Unproductive {
		return n.Min
	}
	most := 3
	if n.Max >= 0 {
		most = n.Max
	}
	return rapid.IntRange(n.Min, most).Draw(d.t, "times")
}
