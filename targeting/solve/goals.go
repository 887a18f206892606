package solve

import (
	"math/bits"
	"slices"
	"strconv"

	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/targeting"
)

// Goals are the conditions that require or count paths. A vector has a count for
// each goal: the number of paths that a part of a tree contributes, or still has to
// contribute. It is written as one number in a mixed radix.
//
// A goal without an upper bound counts no further than its lower bound. A goal
// with an upper bound counts exactly.
type goals struct {
	caps    []int32 // by goal: the highest count
	stride  []int32 // by goal: the number that a count of 1 adds to a vector
	exact   uint64  // the goals with an upper bound, as bits
	vectors int32   // the number of vectors; vector 0 is empty
	wanted  []int32 // the vectors that satisfy all conditions

	support []uint64  // by vector: the goals with a count above 0
	splits  [][]int32 // by vector v: the vectors that are at most v in every goal, except 0 and v
	halves  [][]int32 // by vector v: the lower half of its splits
	minus   [][]int32 // by outcome, then by vector: see rest
	outcome map[uint64]int32
}

// Limits on vectors. Time and memory grow with their number and with the number of
// ways to split them.
const (
	maxGoals  = 64
	maxVector = 1 << 16
	maxSplits = 1 << 22
)

// newGoals returns the goals of conditions. The error is a *limit.Error.
func newGoals(conditions []targeting.Condition) (*goals, error) {
	if len(conditions) > maxGoals {
		return nil, &limit.Error{What: "conditions that require paths", Value: strconv.Itoa(maxGoals), Advice: "leave some out"}
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
			return nil, &limit.Error{What: "combinations of all counts", Value: strconv.Itoa(maxVector), Advice: "ask for fewer or smaller counts"}
		}
		t.vectors *= int32(most + 1)
	}
	t.expand(conditions)
	t.minus = append(t.minus, nil) // the outcome of a symbol that contributes nothing
	t.outcome[0] = 0
	return t, nil
}

// expand fills the tables by vector.
func (t *goals) expand(conditions []targeting.Condition) {
	t.support = make([]uint64, t.vectors)
	t.splits = make([][]int32, t.vectors)
	t.halves = make([][]int32, t.vectors)
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
		t.halves[v] = t.lower(t.splits[v])
	}
}

// count returns the count of a goal in a vector.
func (t *goals) count(v int32, goal int) int32 { return v / t.stride[goal] % (t.caps[goal] + 1) }

// restrict returns v with the counts of all other goals set to 0.
func (t *goals) restrict(v int32, goals uint64) int32 {
	out := int32(0)
	for rest := goals; rest != 0; rest &= rest - 1 {
		goal := bits.TrailingZeros64(rest)
		out += t.count(v, goal) * t.stride[goal]
	}
	return out
}

// below returns the vectors that are at most v in every goal, except v itself and
// 0.
func (t *goals) below(v int32) []int32 {
	n := int32(1)
	for goal := range t.caps {
		n *= t.count(v, goal) + 1
	}
	out := make([]int32, 1, n)
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

// lower returns the lower half of the splits of a vector v. The upper half consists of
// v-s for each s of the lower half.
func (t *goals) lower(splits []int32) []int32 {
	if !slices.IsSorted(splits) {
		splits = slices.Sorted(slices.Values(splits))
	}
	return splits[:(len(splits)+1)/2]
}

// after returns the index in t.minus of the table for a symbol that ends a path of
// each goal in ends. It builds the table on first use.
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

// rest returns the vector that remains after an outcome; -1 if the outcome exceeds
// an exact count.
func (t *goals) rest(outcome, v int32) int32 {
	if outcome == 0 {
		return v
	}
	return t.minus[outcome][v]
}
