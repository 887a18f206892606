package generate_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting/generate"
)

// changed returns different inputs that a change makes of one.
func changed(t *testing.T, grammar, input string, change generate.Change) map[string]bool {
	t.Helper()
	g := grammartest.Load(t, grammar)
	x, err := generate.New(g, source(1), generate.Options{MaxDepth: 6, MaxRepeat: 3})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	tree := grammartest.Parse(t, g, input)
	for range 100 {
		input, err := x.Change(t.Context(), tree, change)
		if err != nil {
			t.Fatal(err)
		}
		if grammartest.Lisp(t, grammartest.Parse(t, g, string(input.Text))) != grammartest.Lisp(t, input.Tree) {
			t.Fatalf("%q does not parse back", input.Text)
		}
		out[string(input.Text)] = true
	}
	return out
}

func TestChanges(t *testing.T) {
	const lists = `grammar G;
s : list EOF ;
list : '[' (item (',' item)*)? ']' ;
item : list | N ;
N : [0-9] ;
`
	other := func(text string) *derivation.Tree { return grammartest.Parse(t, grammartest.Load(t, lists), text) }
	for _, c := range []struct {
		name, input string
		change      generate.Change
		want        string // all there can be
	}{
		{"two parts change places", "[1,[2]]", generate.Swap, "[[2],1] [2,[1]]"},
		{"one time more", "[1,2,3]", generate.Repeat, "[1,2,2,3] [1,2,3,3]"},
		{"one time less", "[1,2,3]", generate.Drop, "[1,2] [1,3] []"},
		{"one level deeper", "[1,[2]]", generate.Deepen, "[1,[1,[2]]] [1,[[2]]]"},
		{"a part of another", "[1]", generate.Splice(other("[[7]]")), "[[7]] [7]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := changed(t, lists, c.input, c.change)
			for want := range strings.FieldsSeq(c.want) {
				if !got[want] {
					t.Errorf("of %s it never makes %s", c.input, want)
				}
				delete(got, want)
			}
			for text := range got {
				t.Errorf("of %s it makes %s", c.input, text)
			}
		})
	}
	t.Run("a part anew", func(t *testing.T) {
		if got := changed(t, lists, "[1,[2]]", generate.Regenerate); len(got) < 10 {
			t.Errorf("of [1,[2]] it makes only %v", got)
		}
	})
	t.Run("operands keep their binding", func(t *testing.T) {
		if got := changed(t, operators, "a * b + c", generate.Regenerate); len(got) < 20 {
			t.Errorf("it makes only %v", got)
		}
	})
}

func TestNothingToChange(t *testing.T) {
	g := grammartest.Load(t, "grammar G;\ns : 'a' EOF ;\n")
	x, err := generate.New(g, source(1), generate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.Change(t.Context(), grammartest.Parse(t, g, "a"), generate.Changes()...); !errors.Is(err, generate.ErrUnwritten) {
		t.Errorf("got %v, want %v", err, generate.ErrUnwritten)
	}
}

func TestMinimize(t *testing.T) {
	g := grammartest.Bundled(t, "json")
	x, err := generate.New(g, source(1), generate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	has := func(parts ...string) generate.Predicate {
		return func(_ context.Context, input *generate.Input) (bool, error) {
			for _, part := range parts {
				if !bytes.Contains(input.Text, []byte(part)) {
					return false, nil
				}
			}
			return true, nil
		}
	}
	const document = `{"name": "somebody", "numbers": [1, 2.5, {"deep": [[[-3e7, "x\ny"]]]}], "more": [true, null, {}]}`
	for _, c := range []struct {
		name string
		keep generate.Predicate
		want string
	}{
		{"anything", has(), "true"},
		{"a part deep down", has("-3e7"), "-3e7"},
		{"parts far apart", has("2.5", "null"), "[2.5,null]"},
		{"a key", has(`"deep"`), `{"deep":null}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			input, err := x.Minimize(t.Context(), grammartest.Parse(t, g, document), c.keep)
			if err != nil {
				t.Fatal(err)
			}
			if len(input.Text) > len(c.want) {
				t.Errorf("got %s, and %s is smaller", input.Text, c.want)
			}
			if wanted, err := c.keep(t.Context(), input); err != nil || !wanted {
				t.Errorf("got %s, which is not wanted", input.Text)
			}
		})
	}
	if _, err := x.Minimize(t.Context(), grammartest.Parse(t, g, "1"), has("2")); err == nil {
		t.Error("made something of an input that is not wanted")
	}
}
