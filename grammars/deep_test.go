package grammars_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/grammartest"
)

// A jsonNode is a node in the JSON output.
type jsonNode struct {
	Rule, Token, Symbol string
	Text                string
	Empty               bool
	Occurrence          *int
	Start, End          int
	Children            []jsonNode
	Error               string
}

// TestDeepJSON checks that the JSON shows the nodes inside tokens, with their
// offsets in the input.
func TestDeepJSON(t *testing.T) {
	g := grammartest.Bundled(t, "json")
	for _, input := range []string{
		"1", " -0.5e+3\n", `["a\n\u00e9", "a\n\u00e9", "", "é語"]`, `{"a": {"a": 17}, "b": [17, 17, 17, true]}`,
		`["` + strings.Repeat("long ", 100) + `"]`,
	} {
		tree := grammartest.Parse(t, g, input)
		var trivia []jsonNode
		for i, o := range tree.Trivia() {
			inside, err := tree.Dissect(i)
			if err != nil {
				t.Fatal(err)
			}
			token := tree.Tokens()[i]
			trivia = append(trivia, jsonNode{
				Token: "WHITESPACE", Text: input[token.Start:token.End], Occurrence: number(o),
				Start: int(token.Start), End: int(token.End), Children: insideNodes(inside, int(token.Start)),
			})
		}
		compareJSON(t, input, tree.WriteDeepJSON, deepNode(t, tree.Root()))
		compareJSON(t, input, tree.WriteDeepTriviaJSON, append([]jsonNode{}, trivia...))
	}
}

func compareJSON[T any](t *testing.T, input string, write func(io.Writer) error, want T) {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	var got T
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatalf("%q: %v in %s", input, err, b.Bytes())
	}
	if g, w := shownJSON(t, got), shownJSON(t, want); g != w {
		t.Errorf("%q:\ngot  %s\nwant %s", input, g, w)
	}
}

func shownJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func number(o derivation.Occurrence) *int {
	if o == derivation.None {
		return nil
	}
	return new(int(o))
}

// deepNode returns the expected JSON of a node.
func deepNode(t *testing.T, n derivation.Node) jsonNode {
	t.Helper()
	start, end := n.Span()
	out := jsonNode{Occurrence: number(n.Occurrence()), Start: start, End: end}
	if n.Kind() == derivation.Leaf {
		out.Token, out.Text = n.Name(), n.Text()
		inside, err := n.Dissect()
		if err != nil {
			t.Fatal(err)
		}
		if inside != nil {
			out.Children = insideNodes(inside, start)
		}
		return out
	}
	out.Rule = n.Name()
	for child := range n.Children() {
		out.Children = append(out.Children, deepNode(t, child))
	}
	return out
}

// insideNodes returns the expected JSON of the nodes inside a token.
func insideNodes(tree *derivation.Tree, at int) []jsonNode {
	first, _ := tree.Root().Span()
	var convert func(n derivation.Node) []jsonNode
	convert = func(n derivation.Node) []jsonNode {
		var out []jsonNode
		for child := range n.Children() {
			start, end := child.Span()
			j := jsonNode{Occurrence: number(child.Occurrence()), Start: start - first + at, End: end - first + at, Children: convert(child)}
			if child.Kind() == derivation.Rule {
				j.Rule = child.Name()
			} else {
				j.Symbol, j.Text = child.Name(), child.Text()
			}
			out = append(out, j)
		}
		return out
	}
	return convert(tree.Root())
}
