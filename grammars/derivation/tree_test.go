package derivation_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/limit"
)

// Rules and tokens of the test trees.
const (
	ruleS, ruleE        = 0, 1
	plus, id, space, st = 1, 2, 3, 4
)

var names = &derivation.Names{Rules: []string{"s", "e"}, Tokens: []string{"", "'+'", "ID", "SPACE", ""}}

// cut returns tokens of the given types and texts, and the input they form.
func cut(pieces ...any) (input []byte, tokens []derivation.Token) {
	for i := 0; i < len(pieces); i += 2 {
		start := int32(len(input))
		input = append(input, pieces[i+1].(string)...)
		kind := int32(pieces[i].(int))
		tokens = append(tokens, derivation.Token{Type: kind, Start: start, End: int32(len(input)), Skipped: kind == space})
	}
	return input, tokens
}

// sum is the tree of "x + y\n": (s (e (e x) + (e y)) e <EOF>), the second e of s being empty.
func sum() *derivation.Tree {
	input, tokens := cut(id, "x", space, " ", plus, "+", space, " ", id, "y\n", derivation.EOF, "")
	var b derivation.Builder
	s := b.Open(0, ruleS, derivation.None)
	e := b.Open(1, ruleE, 10)
	b.Leaf(2, 0, 11)
	b.Wrap(e, 12)
	b.Leaf(2, 2, 13)
	right := b.Open(2, ruleE, 14)
	b.Leaf(3, 4, 11)
	b.Close(right)
	b.Close(e)
	empty := b.Open(1, ruleE, 15)
	b.Empty(2, 16)
	b.Close(empty)
	b.Leaf(1, 5, 17)
	b.Close(s)
	return b.Tree(input, tokens, names)
}

func TestWriters(t *testing.T) {
	tests := []struct {
		name  string
		write func(*derivation.Tree, io.Writer) error
		want  string
	}{
		{"lisp", (*derivation.Tree).WriteLisp, `(s (e (e x) + (e y\n)) e <EOF>)`},
		{"indented", (*derivation.Tree).WriteIndented, `s
  e #10
    e #12
      ID "x" #11
    trivia SPACE " "
    '+' #13
    e #14
      trivia SPACE " "
      ID "y\n" #11
  e #15
    "" #16
  EOF #17
`},
		{"json", (*derivation.Tree).WriteJSON, `{"rule":"s","start":0,"end":6,"children":[` +
			`{"rule":"e","occurrence":10,"start":0,"end":6,"children":[` +
			`{"rule":"e","occurrence":12,"start":0,"end":1,"children":[{"token":"ID","text":"x","occurrence":11,"start":0,"end":1}]},` +
			`{"token":"'+'","text":"+","occurrence":13,"start":2,"end":3},` +
			`{"rule":"e","occurrence":14,"start":4,"end":6,"children":[{"token":"ID","text":"y\n","occurrence":11,"start":4,"end":6}]}]},` +
			`{"rule":"e","occurrence":15,"start":6,"end":6,"children":[{"empty":true,"occurrence":16,"start":6,"end":6}]},` +
			`{"token":"EOF","text":"","occurrence":17,"start":6,"end":6}]}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var b strings.Builder
			if err := test.write(sum(), &b); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, b.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if err := test.write(sum(), fullWriter{}); !errors.Is(err, errFull) {
				t.Errorf("an error of the writer is not returned, but %v", err)
			}
		})
	}
}

var errFull = errors.New("full")

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, errFull }

func TestTreeAndNodes(t *testing.T) {
	tree := sum()
	if got, want := tree.String(), "x + y\n"; got != want || string(tree.Input()) != want {
		t.Errorf("String() = %q, Input() = %q, want %q", got, tree.Input(), want)
	}
	var children []string
	for child := range tree.Root().Children() {
		start, end := child.Span()
		children = append(children, fmt.Sprintf("%d %s %d-%d", child.Index(), child.Name(), start, end))
	}
	if diff := cmp.Diff([]string{"1 e 0-6", "7 e 6-6", "9 EOF 6-6"}, children); diff != "" {
		t.Errorf("children of the root (-want +got):\n%s", diff)
	}
	if got, want := len(tree.Tokens()), 6; got != want {
		t.Errorf("%d tokens, want %d", got, want)
	}
	for depth, n := range tree.All() { // all may be left early
		if depth == 2 {
			if n.Index() != 2 {
				t.Errorf("node %d is the first at depth 2, want 2", n.Index())
			}
			break
		}
	}
	for range tree.Root().Children() {
		break
	}
	for _, n := range tree.All() {
		if n.Kind() == derivation.Rule && n.Text() != "" || n.Kind() == derivation.Empty && n.Name() != "" {
			t.Errorf("node %d has the text %q and the name %q", n.Index(), n.Text(), n.Name())
		}
	}
}

func TestTokenNames(t *testing.T) {
	for token, want := range map[int]string{derivation.EOF: "EOF", 0: "<0>", plus: "'+'", id: "ID", st: "<4>", 5: "<5>", -2: "<-2>"} {
		if got := names.Token(token); got != want {
			t.Errorf("token %d is called %q, want %q", token, got, want)
		}
	}
}

func TestLispText(t *testing.T) {
	tests := map[string]string{
		"a\tb\r\nc":   `(s a\tb\r\nc)`,
		`\n`:          `(s \n)`,
		"(a b)":       `(s (a b))`,
		"é😀":          `(s é😀)`,
		"a\xffb\xc3":  "(s a\uFFFDb\uFFFD)",
		"a\vb\x00c\f": "(s a\vb\x00c\f)",
	}
	for text, want := range tests {
		input, tokens := cut(id, text)
		var b derivation.Builder
		s := b.Open(0, ruleS, derivation.None)
		b.Leaf(1, 0, 1)
		b.Close(s)
		var out strings.Builder
		if err := b.Tree(input, tokens, names).WriteLisp(&out); err != nil || out.String() != want {
			t.Errorf("%q is written as %q, %v, want %q", text, out.String(), err, want)
		}
	}
}

// A model is a tree built naively.
type model struct {
	kind       derivation.Kind
	symbol     int // rule, or index of the token
	occurrence derivation.Occurrence
	operand    bool // made by Wrap
	children   []*model
}

// drawTree draws a tree, built by a Builder and naively, with all operations
// that a parser uses.
func drawTree(t *rapid.T) (*derivation.Tree, *model) {
	var b derivation.Builder
	if rapid.Bool().Draw(t, "used before") {
		b.Wrap(b.Open(0, ruleE, derivation.None), 3)
		b.Reset(0, 100)
	}
	occurrences := derivation.Occurrence(0)
	next := func() derivation.Occurrence { occurrences++; return occurrences }
	root := &model{kind: derivation.Rule, symbol: ruleS, occurrence: derivation.None}
	open := []*model{root}
	numbers := []int32{b.Open(0, ruleS, derivation.None)}
	var pieces []any
	add := func(m *model) {
		top := open[len(open)-1]
		top.children = append(top.children, m)
	}
	for _, op := range rapid.SliceOfN(rapid.SampledFrom([]string{"open", "close", "leaf", "trivia", "empty", "wrap"}), 0, 60).Draw(t, "steps") {
		o := next()
		switch {
		case op == "open":
			m := &model{kind: derivation.Rule, symbol: ruleE, occurrence: o}
			add(m)
			numbers = append(numbers, b.Open(len(open), ruleE, o))
			open = append(open, m)
		case op == "close" && len(open) > 1:
			b.Close(numbers[len(numbers)-1])
			open, numbers = open[:len(open)-1], numbers[:len(numbers)-1]
		case op == "trivia":
			pieces = append(pieces, space, rapid.SampledFrom([]string{" ", "\t\t"}).Draw(t, "trivia"))
		case op == "leaf":
			add(&model{kind: derivation.Leaf, symbol: len(pieces) / 2, occurrence: o})
			b.Leaf(len(open), int32(len(pieces)/2), o)
			pieces = append(pieces, id, rapid.SampledFrom([]string{"", "a", "bc", "\"\\\xff"}).Draw(t, "text"))
		case op == "empty":
			add(&model{kind: derivation.Empty, occurrence: o})
			b.Empty(len(open), o)
		case op == "wrap" && len(open) > 1 && wrappable(open[len(open)-1]):
			top := open[len(open)-1]
			top.children = []*model{{kind: derivation.Rule, symbol: top.symbol, occurrence: o, operand: true, children: top.children}}
			b.Wrap(numbers[len(numbers)-1], o)
		}
	}
	for i := range numbers {
		b.Close(numbers[len(numbers)-1-i])
	}
	input, tokens := cut(pieces...)
	return b.Tree(input, tokens, names), root
}

// wrappable reports whether anything was added since the last left operand. It
// always is in a parse: an operator consumes at least one token.
func wrappable(m *model) bool {
	return len(m.children) > 1 || len(m.children) == 1 && !m.children[0].operand
}

// TestBuilder checks that a Builder builds the same tree as the naive model.
func TestBuilder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree, want := drawTree(t)
		total := 0
		var compare func(n derivation.Node, m *model)
		compare = func(n derivation.Node, m *model) {
			total++
			if n.Kind() != m.kind || n.Occurrence() != m.occurrence {
				t.Fatalf("node %d is %d of %d, want %d of %d", n.Index(), n.Kind(), n.Occurrence(), m.kind, m.occurrence)
			}
			switch {
			case m.kind == derivation.Rule && n.Rule() != m.symbol:
				t.Fatalf("node %d is rule %d, want %d", n.Index(), n.Rule(), m.symbol)
			case m.kind == derivation.Leaf && n.Token() != tree.Tokens()[m.symbol]:
				t.Fatalf("node %d is another token: %v", n.Index(), n.Token())
			}
			children := slices.Collect(n.Children())
			if len(children) != len(m.children) {
				t.Fatalf("node %d has %d children, want %d", n.Index(), len(children), len(m.children))
			}
			for i, child := range children {
				compare(child, m.children[i])
			}
		}
		compare(tree.Root(), want)
		if tree.Len() != total {
			t.Fatalf("%d nodes, want %d", tree.Len(), total)
		}
		open := 0
		for depth, n := range tree.All() {
			if depth > open {
				t.Fatalf("node %d is at depth %d, below one at depth %d", n.Index(), depth, open-1)
			}
			open = depth
			if n.Kind() == derivation.Rule {
				open++
			}
		}
		if got, want := tree.String(), string(tree.Input()); got != want {
			t.Fatalf("tree prints as %q, want %q", got, want)
		}
	})
}

// A jsonNode is a node as WriteJSON writes it.
type jsonNode struct {
	Rule       *string
	Token      *string
	Text       string
	Empty      bool
	Occurrence *int
	Start, End int
	Children   []jsonNode
}

// TestJSONAgreesWithTree checks that WriteJSON writes valid JSON that agrees with
// the nodes.
func TestJSONAgreesWithTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree, _ := drawTree(t)
		var b strings.Builder
		if err := tree.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		decoder := json.NewDecoder(strings.NewReader(b.String()))
		decoder.DisallowUnknownFields()
		var root jsonNode
		if err := decoder.Decode(&root); err != nil || decoder.More() {
			t.Fatalf("%v in %s", err, b.String())
		}
		var compare func(n derivation.Node, j jsonNode)
		compare = func(n derivation.Node, j jsonNode) {
			start, end := n.Span()
			if j.Start != start || j.End != end {
				t.Fatalf("node %d is from %d to %d in JSON, and from %d to %d in the tree: %s", n.Index(), j.Start, j.End, start, end, b.String())
			}
			is := map[derivation.Kind]bool{derivation.Rule: j.Rule != nil, derivation.Leaf: j.Token != nil, derivation.Empty: j.Empty}
			if !is[n.Kind()] || (j.Occurrence == nil) != (n.Occurrence() == derivation.None) || j.Occurrence != nil && *j.Occurrence != int(n.Occurrence()) {
				t.Fatalf("node %d of kind %d and occurrence %d is in JSON %+v", n.Index(), n.Kind(), n.Occurrence(), j)
			}
			if want := strings.ToValidUTF8(n.Text(), "\uFFFD"); j.Text != want {
				t.Fatalf("node %d is %q in JSON, want %q", n.Index(), j.Text, want)
			}
			i := 0
			for child := range n.Children() {
				compare(child, j.Children[i])
				i++
			}
			if i != len(j.Children) {
				t.Fatalf("node %d has %d children in JSON, want %d", n.Index(), len(j.Children), i)
			}
		}
		compare(tree.Root(), root)
	})
}

// TestDeepTree checks that walks and writers do not recurse.
func TestDeepTree(t *testing.T) {
	const depth = 2_000_000
	var b derivation.Builder
	var open []int32
	for d := range depth {
		open = append(open, b.Open(d, ruleE, derivation.Occurrence(d)))
	}
	b.Leaf(depth, 0, depth)
	for _, n := range slices.Backward(open) {
		b.Close(n)
	}
	input, tokens := cut(id, "x")
	tree := b.Tree(input, tokens, names)
	deepest := 0
	for d := range tree.All() {
		deepest = max(deepest, d)
	}
	if deepest != depth {
		t.Errorf("%d deep, want %d", deepest, depth)
	}
	if start, end := tree.Root().Span(); start != 0 || end != 1 {
		t.Errorf("the root is from %d to %d, want 0 to 1", start, end)
	}
	var lisp strings.Builder
	if err := tree.WriteLisp(&lisp); err != nil {
		t.Fatal(err)
	}
	if got, want := lisp.String(), strings.Repeat("(e ", depth)+"x"+strings.Repeat(")", depth); got != want {
		t.Errorf("LISP form has %d bytes, want %d", len(got), len(want))
	}
	if err := tree.WriteJSON(io.Discard); err != nil {
		t.Fatal(err)
	}
}

// A fakeDeriver derives a single character from each token, and fails for some
// tokens.
type fakeDeriver struct{ givesUp string }

func (in fakeDeriver) Dissect(input []byte) func(*derivation.Token, []derivation.Piece) (*derivation.Tree, error) {
	var tree derivation.Tree
	return func(token *derivation.Token, _ []derivation.Piece) (*derivation.Tree, error) {
		if string(input[token.Start:token.End]) == in.givesUp {
			return nil, &limit.Error{What: "patience", Value: "7"}
		}
		var b derivation.Builder
		root := b.Open(0, ruleS, derivation.None)
		b.Leaf(1, token.Start, 1)
		b.Close(root)
		b.TokenTree(input, token.Start, token.End, &derivation.Names{Rules: names.Rules, Symbols: []string{"a", "b"}}, &tree)
		return &tree, nil
	}
}

func (fakeDeriver) TriviaOccurrence(int32) derivation.Occurrence { return 3 }

// TestDeepJSONWithErrors checks that the JSON reports a token that
// exceeds a limit in place, and contains everything else.
func TestDeepJSONWithErrors(t *testing.T) {
	names := &derivation.Names{Rules: names.Rules, Tokens: names.Tokens, Deep: make([]bool, 20)}
	names.Deep[11] = true
	input, tokens := cut(id, "x", space, " ", id, "y")
	var b derivation.Builder
	s := b.Open(0, ruleS, derivation.None)
	b.Leaf(1, 0, 11)
	b.Leaf(1, 2, 11)
	b.Close(s)
	leaf := func(text, at, more string) string {
		return `{"token":"ID","text":"` + text + `","occurrence":11,` + at + `,` + more + `}`
	}
	inside := func(text, at string) string {
		return `"children":[{"symbol":"b","text":"` + text + `","occurrence":1,` + at + `}]`
	}
	const at0, at2 = `"start":0,"end":1`, `"start":2,"end":3`
	blank := `{"token":"SPACE","text":" ","occurrence":3,"start":1,"end":2,` + inside(" ", `"start":1,"end":2`) + `}`
	for givesUp, want := range map[string]string{
		"":  leaf("x", at0, inside("x", at0)) + "," + leaf("y", at2, inside("y", at2)),
		"x": leaf("x", at0, `"error":"patience: limit of 7 reached"`) + "," + leaf("y", at2, inside("y", at2)),
		"y": leaf("x", at0, inside("x", at0)) + "," + leaf("y", at2, `"error":"patience: limit of 7 reached"`),
	} {
		tree := b.Tree(input, tokens, names).WithTokenDeriver(fakeDeriver{givesUp}, nil)
		var got, trivia strings.Builder
		err := tree.WriteDeepJSON(&got)
		if want := `{"rule":"s","start":0,"end":3,"children":[` + want + `]}`; got.String() != want || (err == nil) != (givesUp == "") {
			t.Errorf("got %s, %v\nwant %s", got.String(), err, want)
		}
		if err := tree.WriteDeepTriviaJSON(&trivia); err != nil || trivia.String() != "["+blank+"]" {
			t.Errorf("got %s, %v\nwant [%s]", trivia.String(), err, blank)
		}
	}
}
