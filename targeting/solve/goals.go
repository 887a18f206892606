package solve

import (
	"math/bits"
	"strconv"

	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/targeting"
)

// Goals are what a tree has to have: a goal for each condition that asks for
// more than absence. How much of them a part of a tree contributes, or still has
// to, is a vector of counts, written as one number in a mixed radix.
//
// A goal with no upper bound counts up to what is needed, and whatever is more
// counts as that. A goal with one counts exactly.
type goals struct {
	caps    []int32 // by goal: how far it counts
	stride  []int32 // by goal: what one more adds to a vector
	exact   uint64  // the goals that count exactly
	vectors int32   // how many there are; 0 is the empty one
	wanted  []int32 // the vectors that satisfy all conditions

	support []uint64  // by vector: the goals it has a count of
	splits  [][]int32 // by vector: all the smaller ones but 0, v1 such that v1 and v - v1 make v
	minus   [][]int32 // by outcome, then by vector: what is left to do after it, -1 if it must not be
	outcome map[uint64]int32
}

// Bounds on vectors: what they take in time and memory grows with their number,
// and more so with the ways to split them.
const (
	maxGoals  = 64
	maxVector = 1 << 16
	maxSplits = 1 << 22
)

// newGoals returns the goals of conditions that are no mere absences. The error
// tells that they are too many.
func newGoals(conditions []targeting.Condition) (*goals, error) {
	if len(conditions) > maxGoals {
		return nil, &limit.Error{What: "conditions that ask for paths", Value: strconv.Itoa(maxGoals), Advice: "leave some out"}
	}
	t := &goals{vectors: 1, outcome: map[uint64]int32{}}
	splits := 1
	for i, c := range conditions {
		most := c.Min
		if c.Max != targeting.Unbounded {
			most = c.Max
			t.exact |= 1 << i
		}
		t.caps = append(t.caps, int32(most))
		t.stride = append(t.stride, t.vectors)
		splits *= (most + 1) * (most + 2) / 2
		if int(t.vectors)*(most+1) > maxVector || splits > maxSplits {
			return nil, &limit.Error{What: "combinations of all counts asked for", Value: strconv.Itoa(maxVector), Advice: "ask for fewer or smaller counts"}
		}
		t.vectors *= int32(most + 1)
	}
	t.expand(conditions)
	t.minus = append(t.minus, nil) // of no goal: nothing changes
	t.outcome[0] = 0
	return t, nil
}

// expand fills the tables that are indexed by vector.
func (t *goals) expand(conditions []targeting.Condition) {
	t.support = make([]uint64, t.vectors)
	t.splits = make([][]int32, t.vectors)
	for v := range t.vectors {
		satisfied := true
		for i, c := range conditions {
			count := t.count(v, i)
			if count > 0 {
				t.support[v] |= 1 << i
			}
			satisfied = satisfied && int(count) >= c.Min
		}
		if satisfied {
			t.wanted = append(t.wanted, v)
		}
		t.splits[v] = t.below(v)
	}
}

// count returns what a vector has of a goal.
func (t *goals) count(v int32, goal int) int32 { return v / t.stride[goal] % (t.caps[goal] + 1) }

// below returns the vectors that are no larger than v in any goal, but for v
// itself and 0.
func (t *goals) below(v int32) []int32 {
	out := []int32{0}
	for rest := t.support[v]; rest != 0; rest &= rest - 1 {
		goal := bits.TrailingZeros64(rest)
		for n, smaller := t.count(v, goal), out; n > 0; n-- {
			for _, s := range smaller {
				out = append(out, s+n*t.stride[goal])
			}
		}
	}
	kept := out[:0]
	for _, s := range out {
		if s != 0 && s != v {
			kept = append(kept, s)
		}
	}
	return kept
}

// after returns which of the tables tells what is left to do where paths end for
// some goals.
func (t *goals) after(ends uint64) int32 {
	if i, ok := t.outcome[ends]; ok {
		return i
	}
	table := make([]int32, t.vectors)
	for v := range t.vectors {
		table[v] = v
		for rest := ends; rest != 0; rest &= rest - 1 {
			goal := bits.TrailingZeros64(rest)
			if t.count(v, goal) > 0 {
				table[v] -= t.stride[goal]
			} else if t.exact>>goal&1 != 0 {
				table[v] = -1
				break
			}
		}
	}
	t.outcome[ends] = int32(len(t.minus))
	t.minus = append(t.minus, table)
	return t.outcome[ends]
}

// rest returns what is left of a vector after an outcome, -1 if it must not be.
func (t *goals) rest(outcome, v int32) int32 {
	if outcome == 0 {
		return v
	}
	return t.minus[outcome][v]
}
