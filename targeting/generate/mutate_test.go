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

// mutants returns the different inputs that a mutation makes of an input.
func mutants(t *testing.T, grammar, input, other string, mutation generate.Mutation) map[string]bool {
	t.Helper()
	g := grammartest.Load(t, grammar)
	x, err := generate.New(g, source(1), generate.Options{MaxDepth: 6, MaxRepeat: 3})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	tree, donor := grammartest.Parse(t, g, input), grammartest.Parse(t, g, other)
	for range 100 {
		input, err := x.Mutate(t.Context(), tree, donor, mutation)
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

func TestMutations(t *testing.T) {
	const lists = `grammar G;
s : list EOF ;
list : '[' (item (',' item)*)? ']' ;
item : list | N ;
N : [0-9] ;
`
	for _, c := range []struct {
		name, input string
		mutation    generate.Mutation
		want        string // all possible inputs
	}{
		{"swap", "[1,[2]]", generate.Swap, "[[2],1] [2,[1]]"},
		{"repeat", "[1,2,3]", generate.Repeat, "[1,2,2,3] [1,2,3,3]"},
		{"drop", "[1,2,3]", generate.Drop, "[1,2] [1,3] []"},
		{"deepen", "[1,[2]]", generate.Deepen, "[1,[1,[2]]] [1,[[2]]]"},
		{"splice", "[1]", generate.Splice, "[[7]] [7]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := mutants(t, lists, c.input, "[[7]]", c.mutation)
			for want := range strings.FieldsSeq(c.want) {
				if !got[want] {
					t.Errorf("%s never becomes %s", c.input, want)
				}
				delete(got, want)
			}
			for text := range got {
				t.Errorf("%s becomes %s", c.input, text)
			}
		})
	}
	t.Run("regenerate", func(t *testing.T) {
		if got := mutants(t, lists, "[1,[2]]", "[]", generate.Regenerate); len(got) < 10 {
			t.Errorf("[1,[2]] becomes only %v", got)
		}
	})
	t.Run("operands keep their binding", func(t *testing.T) {
		if got := mutants(t, operators, "a * b + c", "a", generate.Regenerate); len(got) < 20 {
			t.Errorf("a * b + c becomes only %v", got)
		}
	})
}

func TestMutants(t *testing.T) {
	g := grammartest.Load(t, "grammar G;\ns : N N? EOF ;\nN : [0-3] ;\n")
	x, err := generate.New(g, source(1), generate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	trees := []*derivation.Tree{grammartest.Parse(t, g, "0"), grammartest.Parse(t, g, "12")}
	found := map[string]bool{"0": true, "12": true}
	for input, err := range x.Mutants(t.Context(), trees, generate.Mutations()...) {
		if err != nil {
			t.Fatal(err)
		}
		if found[string(input.Text)] {
			t.Errorf("%s is not new", input.Text)
		}
		found[string(input.Text)] = true
	}
	// One mutation of 0 gives another digit; one of 12 changes, repeats, swaps or drops a digit.
	for _, want := range []string{"1", "2", "3", "02", "22", "32", "10", "11", "13", "21"} {
		if !found[want] {
			t.Errorf("%s is missing in %v", want, found)
		}
	}
}

func TestNothingToMutate(t *testing.T) {
	g := grammartest.Load(t, "grammar G;\ns : 'a' EOF ;\n")
	x, err := generate.New(g, source(1), generate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tree := grammartest.Parse(t, g, "a")
	if _, err := x.Mutate(t.Context(), tree, tree, generate.Mutations()...); !errors.Is(err, generate.ErrUnwritten) {
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
