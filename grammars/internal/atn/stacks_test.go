package atn

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A plainSet is an explicit set of stacks, the top first: "5 7 $" is a stack
// that ends. If the end means any context, it stands for all stacks with that
// prefix.
type plainSet map[string]bool

func (p plainSet) sorted(anyContext bool) []string {
	var out []string
	for _, s := range slices.Sorted(maps.Keys(p)) {
		swallowed := anyContext && slices.ContainsFunc(slices.Collect(maps.Keys(p)), func(shorter string) bool {
			return shorter != s && strings.HasPrefix(s, strings.TrimSuffix(shorter, "$"))
		})
		if !swallowed {
			out = append(out, s)
		}
	}
	return out
}

// writtenOut returns the explicit set of a stack.
func writtenOut(g *stacks, s stackID, above string, to plainSet) plainSet {
	returns, below := g.entries(s)
	for i, state := range returns {
		if state == bottom {
			to[above+"$"] = true
			continue
		}
		writtenOut(g, below[i], fmt.Sprintf("%s%d ", above, state), to)
	}
	return to
}

// plainNetwork returns a network of states that nothing leads out of, and a rule's
// end as the last one.
func plainNetwork() *flatNetwork {
	w := &flatNetwork{states: make([]flatState, 10), ends: make([]bool, 10), rulesEndInput: []bool{true}, stops: []int32{9}}
	w.states[9].kind, w.ends[9] = ruleStop, true
	return w
}

// TestStacks checks that push and merge agree with the operations on explicit
// sets, and that equal sets are the same stack.
func TestStacks(t *testing.T) {
	for _, anyContext := range []bool{false, true} {
		t.Run(fmt.Sprintf("any context %v", anyContext), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				g := newStacks(plainNetwork(), anyContext)
				made := []stackID{emptyStack}
				plain := []plainSet{{"$": true}}
				known := map[string]stackID{"$": emptyStack}
				for range rapid.IntRange(1, 30).Draw(t, "steps") {
					i := rapid.IntRange(0, len(made)-1).Draw(t, "stack")
					var s stackID
					want := plainSet{}
					if rapid.Bool().Draw(t, "push") {
						state := rapid.Int32Range(1, 4).Draw(t, "state")
						s = g.push(made[i], state)
						for rest := range plain[i] {
							want[fmt.Sprintf("%d %s", state, rest)] = true
						}
					} else {
						j := rapid.IntRange(0, len(made)-1).Draw(t, "other")
						s = g.merge(made[i], made[j])
						if g.merge(made[j], made[i]) != s {
							t.Fatal("it matters which comes first")
						}
						maps.Copy(want, plain[i])
						maps.Copy(want, plain[j])
					}
					set := want.sorted(anyContext)
					if diff := cmp.Diff(set, writtenOut(g, s, "", plainSet{}).sorted(false)); diff != "" {
						t.Fatalf("(-want +got):\n%s", diff)
					}
					key := strings.Join(set, "|")
					if other, ok := known[key]; ok && other != s {
						t.Fatalf("there are two stacks of %s", key)
					}
					known[key] = s
					made, plain = append(made, s), append(plain, want)
				}
			})
		})
	}
}

// TestConfigsMerge checks that configurations with the same state and
// alternative are merged with their stacks.
func TestConfigsMerge(t *testing.T) {
	g := newStacks(plainNetwork(), true)
	five, six := g.push(emptyStack, 5), g.push(emptyStack, 6)
	var set configs
	set.reset()
	set.add(g, config{state: 1, alt: 1, stack: five})
	set.add(g, config{state: 1, alt: 2, stack: five, outer: true})
	set.add(g, config{state: 2, alt: 1, stack: five})
	set.add(g, config{state: 1, alt: 1, stack: six})
	set.add(g, config{state: 1, alt: 2, stack: emptyStack})
	want := []config{
		{state: 1, alt: 1, stack: g.merge(five, six)},
		{state: 1, alt: 2, stack: emptyStack, outer: true},
		{state: 2, alt: 1, stack: five},
	}
	if !slices.Equal(set.list, want) {
		t.Errorf("got %v, want %v", set.list, want)
	}
	set.reset()
	if set.add(g, want[0]); len(set.list) != 1 || set.list[0] != want[0] {
		t.Errorf("after a reset: %v", set.list)
	}
}

// TestAlternativesLeft checks the functions that evaluate the alternatives of
// configurations.
func TestAlternativesLeft(t *testing.T) {
	sim := newSimulator(newLocalTable(plainNetwork()), true)
	g := sim.stacks
	one, two := g.push(emptyStack, 1), g.push(emptyStack, 2)
	var p places
	tests := []struct {
		name                           string
		list                           []config
		unique, lowest, sole, finished int32
		ambiguous                      bool
	}{
		{"one", []config{{state: 1, alt: 2, stack: one}, {state: 2, alt: 2, stack: two}}, 2, 2, 2, 0, false},
		{"two, at different places", []config{{state: 1, alt: 2, stack: one}, {state: 2, alt: 1, stack: one}}, 0, 1, 0, 0, false},
		{"two, at the same place", []config{{state: 1, alt: 2, stack: one}, {state: 1, alt: 1, stack: one}}, 0, 1, 1, 0, true},
		{"two, at the same place on different stacks", []config{{state: 1, alt: 2, stack: one}, {state: 1, alt: 1, stack: two}}, 0, 1, 0, 0, false},
		{"two, one of them elsewhere as well", []config{{state: 1, alt: 2, stack: one}, {state: 1, alt: 1, stack: one}, {state: 2, alt: 2, stack: one}}, 0, 1, 0, 0, false},
		{"both at their ends", []config{{state: 9, alt: 2, stack: emptyStack}, {state: 9, alt: 3, stack: emptyStack}}, 0, 2, 2, 2, true},
		{"one at its end", []config{{state: 9, alt: 3, stack: emptyStack}, {state: 1, alt: 1, stack: one}}, 0, 1, 0, 3, false},
		{"one outside", []config{{state: 1, alt: 1, stack: one}, {state: 2, alt: 4, stack: one, outer: true}}, 0, 1, 0, 4, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for range 2 {
				got := []int32{uniqueAlt(test.list), lowestAlt(test.list), p.soleViableAlt(test.list), sim.finishedAlt(test.list)}
				want := []int32{test.unique, test.lowest, test.sole, test.finished}
				if !slices.Equal(got, want) {
					t.Errorf("unique, lowest, sole, finished: got %v, want %v", got, want)
				}
				if got := p.ambiguous(test.list); got != test.ambiguous {
					t.Errorf("ambiguous: %v", got)
				}
				slices.Reverse(test.list)
			}
		})
	}
}

// TestPredictCacheIsBounded checks that the size of the prediction DFAs is
// limited, and that the limit does not change predictions.
func TestPredictCacheIsBounded(t *testing.T) {
	const text = "grammar G; s : (a 'x' | b 'y')* EOF ; a : '(' a ')' | 'i'* ; b : '(' b ')' | 'i'* ; X : 'x' ; Y : 'y' ; L : '(' ; R : ')' ; I : 'i' ;"
	var input strings.Builder
	for n := range 90 {
		input.WriteString(strings.Repeat("(", n) + strings.Repeat("i", n) + strings.Repeat(")", n) + "xy"[n%2:n%2+1])
	}
	large, small := machineOf(t, text), machineOf(t, text)
	const most = 3000
	small.predictor.maxSize = most
	small.predictor.cache.Store(newPredictCache(small.predictor.locals, most))
	var trees []string
	for _, m := range []*Machine{large, small} {
		tree, err := m.parse(input.String())
		if err != nil {
			t.Fatal(err)
		}
		trees = append(trees, lisp(tree))
	}
	if trees[0] != trees[1] {
		t.Error("trees differ")
	}
	if held := large.predictor.cache.Load().held.Load(); held < 2*most {
		t.Fatalf("all that there is to hold takes %d words: nothing was thrown away", held)
	}
	if held := small.predictor.cache.Load().held.Load(); held > most {
		t.Errorf("it holds %d words, want %d at most", held, most)
	}
}

// TestPredictCacheKeepsUsedStates checks that a cache that is too large discards
// states that were not used lately, keeps the others, and stays correct.
func TestPredictCacheKeepsUsedStates(t *testing.T) {
	m := machineOf(t, "grammar G; s : a | b ; a : '(' a ')' | I ; b : '(' b ')' | J ; L : '(' ; R : ')' ; I : 'i' ; J : 'j' ;")
	const most = 8000
	m.predictor.maxSize = most
	m.predictor.cache.Store(newPredictCache(m.predictor.locals, most))
	parse := func(input string) {
		t.Helper()
		if _, err := m.Parse(t.Context(), []byte(input), Options{Limits: testLimits()}); err != nil {
			t.Fatal(err)
		}
	}
	// Each depth of nesting has states of its own.
	often := strings.Repeat("(", 10) + "i" + strings.Repeat(")", 10)
	renewed := 0
	cache := m.predictor.cache.Load()
	for n := 20; renewed < 5; n++ {
		parse(strings.Repeat("(", n) + "j" + strings.Repeat(")", n))
		parse(often)
		if now := m.predictor.cache.Load(); now != cache {
			cache = now
			renewed++
			if held := cache.held.Load(); held > most {
				t.Errorf("%d words are held after the cache was renewed, want %d at most", held, most)
			}
			if len(cache.states) == 0 {
				t.Error("no state was kept")
			}
			before := len(cache.states)
			if parse(often); len(cache.states) != before {
				t.Errorf("a new cache lacks %d states of an input that was parsed often", len(cache.states)-before)
			}
		}
	}
}

// TestPredictCacheInParallel checks that parses that share a small cache, and so
// replace it often, return the same trees as one parse alone.
func TestPredictCacheInParallel(t *testing.T) {
	const text = "grammar G; s : (a | b)* EOF ; a : '(' a ')' | I ; b : '(' b ')' | J ; L : '(' ; R : ')' ; I : 'i' ; J : 'j' ;"
	alone, shared := machineOf(t, text), machineOf(t, text)
	const most = 1500
	shared.predictor.maxSize = most
	shared.predictor.cache.Store(newPredictCache(shared.predictor.locals, most))
	var inputs, want []string
	for n := range 40 {
		inputs = append(inputs, strings.Repeat("(", n)+"ij"[n%2:n%2+1]+strings.Repeat(")", n)+"ji")
		tree, err := alone.parse(inputs[n])
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, lisp(tree))
	}
	first := shared.predictor.cache.Load()
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := range 200 {
				n := (i*7 + worker*11) % len(inputs)
				if tree, err := shared.parse(inputs[n]); err != nil || lisp(tree) != want[n] {
					t.Errorf("%q: another tree, or %v", inputs[n], err)
				}
			}
		})
	}
	group.Wait()
	if shared.predictor.cache.Load() == first {
		t.Error("the cache was not replaced")
	}
}
