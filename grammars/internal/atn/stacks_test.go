package atn

import (
	"fmt"
	"maps"
	"slices"
	"strings"
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
func writtenOut(s *stack, above string, to plainSet) plainSet {
	for i, state := range s.returns {
		if state == bottom {
			to[above+"$"] = true
			continue
		}
		writtenOut(s.below[i], fmt.Sprintf("%s%d ", above, state), to)
	}
	return to
}

// TestStacks checks that push and merge agree with the operations on explicit
// sets, and that equal sets are the same stack.
func TestStacks(t *testing.T) {
	for _, anyContext := range []bool{false, true} {
		t.Run(fmt.Sprintf("any context %v", anyContext), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				g := newStacks(anyContext)
				made := []*stack{g.empty}
				plain := []plainSet{{"$": true}}
				known := map[string]*stack{"$": g.empty}
				ids := map[uint32]*stack{0: g.empty}
				for range rapid.IntRange(1, 30).Draw(t, "steps") {
					i := rapid.IntRange(0, len(made)-1).Draw(t, "stack")
					var s *stack
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
					if diff := cmp.Diff(set, writtenOut(s, "", plainSet{}).sorted(false)); diff != "" {
						t.Fatalf("(-want +got):\n%s", diff)
					}
					key := strings.Join(set, "|")
					if other, ok := known[key]; ok && other != s {
						t.Fatalf("there are two stacks of %s", key)
					}
					if other, ok := ids[s.id]; ok && other != s {
						t.Fatalf("two stacks are number %d", s.id)
					}
					known[key], ids[s.id] = s, s
					made, plain = append(made, s), append(plain, want)
				}
			})
		})
	}
}

// TestConfigsMerge checks that configurations with the same state and
// alternative are merged with their stacks.
func TestConfigsMerge(t *testing.T) {
	g := newStacks(true)
	five, six := g.push(g.empty, 5), g.push(g.empty, 6)
	var set configs
	set.reset()
	set.add(g, config{state: 1, alt: 1, stack: five})
	set.add(g, config{state: 1, alt: 2, stack: five, outer: true})
	set.add(g, config{state: 2, alt: 1, stack: five})
	set.add(g, config{state: 1, alt: 1, stack: six, suppressed: true})
	set.add(g, config{state: 1, alt: 2, stack: g.empty})
	want := []config{
		{state: 1, alt: 1, stack: g.merge(five, six), suppressed: true},
		{state: 1, alt: 2, stack: g.empty, outer: true},
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
	g := newStacks(false)
	one, two := g.push(g.empty, 1), g.push(g.empty, 2)
	w := &flatNetwork{states: make([]flatState, 10)}
	w.states[9].kind = ruleStop
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
		{"both at their ends", []config{{state: 9, alt: 2, stack: g.empty}, {state: 9, alt: 3, stack: g.empty}}, 0, 2, 2, 2, true},
		{"one at its end", []config{{state: 9, alt: 3, stack: g.empty}, {state: 1, alt: 1, stack: one}}, 0, 1, 0, 3, false},
		{"one outside", []config{{state: 1, alt: 1, stack: one}, {state: 2, alt: 4, stack: one, outer: true}}, 0, 1, 0, 4, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for range 2 {
				got := []int32{uniqueAlt(test.list), lowestAlt(test.list), soleViableAlt(test.list), w.finishedAlt(test.list)}
				want := []int32{test.unique, test.lowest, test.sole, test.finished}
				if !slices.Equal(got, want) {
					t.Errorf("unique, lowest, sole, finished: got %v, want %v", got, want)
				}
				if got := w.ambiguous(test.list); got != test.ambiguous {
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
	for n := range 40 {
		input.WriteString(strings.Repeat("(", n) + strings.Repeat("i", n) + strings.Repeat(")", n) + "xy"[n%2:n%2+1])
	}
	large, small := machineOf(t, text), machineOf(t, text)
	const most = 3000
	small.predictor.maxSize = most
	small.predictor.cache.Store(newPredictCache(small.predictor.net, most))
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
