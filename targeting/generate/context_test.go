package generate_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting/generate"
)

// The choice of item depends on the symbols that enclose it, and on those that enclose these.
const nested = `grammar Nested;
file: list set EOF;
list: '[' box* ']';
set: '{' box* '}';
box: item;
item: 'a' | 'b' | 'c' | '(' list ')';
`

// learned returns the probabilities in the contexts of k-paths.
func learned(t *testing.T, g *grammars.Grammar, k int, inputs ...string) *generate.Probabilities {
	t.Helper()
	tally := generate.NewContextTally(g, k)
	for _, input := range inputs {
		tree, err := g.Parse(t.Context(), []byte(input), grammars.ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := tally.Add(tree); err != nil {
			t.Fatal(err)
		}
	}
	return tally.Probabilities()
}

// reference returns the first reference to a rule in another rule.
func reference(t *testing.T, g *grammars.Grammar, in, to string) grammars.Occurrence {
	t.Helper()
	for _, n := range g.Nodes {
		if n.Kind == grammars.Reference && n.Rule != nil && n.Rule.Name == in && n.Target != nil && n.Target.Name == to {
			return n.ID
		}
	}
	t.Fatalf("rule %s has no reference to %s", in, to)
	return 0
}

func TestContextProbabilities(t *testing.T) {
	g := grammartest.Load(t, nested)
	item := g.Nodes[g.Rule("item").Root]
	inBox, inList, inSet, list := reference(t, g, "box", "item"), reference(t, g, "list", "box"), reference(t, g, "set", "box"), reference(t, g, "file", "list")
	p := learned(t, g, 4, "[aaab]{cc([aa])b}")
	if got := p.Context(); got != 4 {
		t.Errorf("context %d, want 4", got)
	}
	for _, c := range []struct {
		name   string
		within []grammars.Occurrence
		want   []float64
	}{
		{"all", nil, []float64{5. / 10, 2. / 10, 2. / 10, 1. / 10}},
		{"one symbol", []grammars.Occurrence{inBox}, []float64{5. / 10, 2. / 10, 2. / 10, 1. / 10}},
		{"in lists", []grammars.Occurrence{inBox, inList}, []float64{5. / 6, 1. / 6, 0, 0}},
		{"in the set", []grammars.Occurrence{inBox, inSet}, []float64{0, 1. / 4, 2. / 4, 1. / 4}},
		{"in the first list", []grammars.Occurrence{inBox, inList, list}, []float64{3. / 4, 1. / 4, 0, 0}},
		{"a context that was never seen", []grammars.Occurrence{inBox, inList, inSet}, []float64{5. / 6, 1. / 6, 0, 0}},
		{"more symbols than were learned", []grammars.Occurrence{inBox, inSet, reference(t, g, "file", "set"), list}, []float64{0, 1. / 4, 2. / 4, 1. / 4}},
	} {
		if got := p.Within(item, c.within...); !cmp.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
	if got, want := p.Invert().Within(item, inBox, inSet), []float64{1, 0, 0, 0}; !cmp.Equal(got, want) {
		t.Errorf("inverted: got %v, want %v", got, want)
	}
	if got, want := p.WithUniform(g.Rule("item")).Within(item, inBox, inSet), []float64(nil); !cmp.Equal(got, want) {
		t.Errorf("uniform: got %v, want %v", got, want)
	}
	if got := learned(t, g, 1, "[a]{}").Context(); got != 1 {
		t.Errorf("without contexts: context %d, want 1", got)
	}
}

// Items are generated as often as in their contexts, and not as often as everywhere.
func TestGenerateByContext(t *testing.T) {
	g := grammartest.Load(t, nested)
	shares := func(k int) string {
		x, err := generate.New(g, rand.New(rand.NewPCG(1, 0)), generate.Options{Probabilities: learned(t, g, k, "[aaab]{ccc}")})
		if err != nil {
			t.Fatal(err)
		}
		inList, inSet := map[rune]int{}, map[rune]int{}
		for range 200 {
			input, err := x.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			list, set, _ := strings.Cut(string(input.Text), "{")
			for _, c := range list {
				inList[c]++
			}
			for _, c := range set {
				inSet[c]++
			}
		}
		return fmt.Sprint("c in lists: ", inList['c'] > 0, ", a in sets: ", inSet['a'] > 0, ", mostly a: ", inList['a'] > 2*inList['b'])
	}
	for k, want := range map[int]string{
		1: "c in lists: true, a in sets: true, mostly a: true",
		2: "c in lists: true, a in sets: true, mostly a: true", // the symbol above an item is the same
		3: "c in lists: false, a in sets: false, mostly a: true",
		8: "c in lists: false, a in sets: false, mostly a: true",
	} {
		if got := shares(k); got != want {
			t.Errorf("context %d: %s; want %s", k, got, want)
		}
	}
}

func TestContextFile(t *testing.T) {
	g := grammartest.Load(t, nested)
	p := learned(t, g, 3, "[aaab]{cc([aa])b}", "[]{}")
	var text, again bytes.Buffer
	if err := p.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	q, err := generate.ReadProbabilities(strings.NewReader(text.String()), g)
	if err != nil {
		t.Fatal(err)
	}
	if err := q.WriteJSON(&again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text.String(), again.String()); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(text.String(), `"inroad": "probabilities/2"`) || q.Context() != 3 {
		t.Errorf("context %d of %.200s", q.Context(), &text)
	}
	for _, c := range []struct{ within, want string }{
		{`"within": [0, 0, 0, 0, 0, 0, 0, 0]`, "within 8 symbols: must be at most 7"},
		{`"within": [99999]`, "grammar Nested has no symbol with this number"},
	} {
		at := strings.Index(text.String(), `"within": [`)
		end := at + strings.Index(text.String()[at:], "]") + 1
		_, err := generate.ReadProbabilities(strings.NewReader(text.String()[:at]+c.within+text.String()[end:]), g)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %q", c.within, err, c.want)
		}
	}
}
