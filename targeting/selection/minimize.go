package selection

import (
	"container/heap"
	"slices"
)

// Minimize returns a small part of a corpus that reaches all the units that the
// corpus does: no input of it can be left out. Of inputs that do the same the
// cheapest is kept. Inputs of which nothing is known are all kept.
func Minimize(p *Predictions, costs *Costs) []int {
	if costs == nil {
		costs = LearnCosts(nil)
	}
	var out []int
	count := make([]int, p.Units) // how many of out reach a unit
	add := func(i, by int) {
		for u, chance := range p.rows[p.of[i]].chances {
			if chance.Covered() {
				count[u] += by
			}
		}
	}
	covered := make([]bool, p.Units)
	var queue gainQueue
	gain := func(i int) float64 { return p.gain(i, covered) / costs.Of(p.Inputs[i]).Seconds() }
	for i := range p.Inputs {
		if p.rows[p.of[i]].chances == nil {
			out = append(out, i)
		} else if g := gain(i); g > 0 {
			queue = append(queue, gained{i, g})
		}
	}
	heap.Init(&queue)
	var picked []int
	for len(queue) > 0 {
		best := queue[0]
		switch now := gain(best.input); {
		case now == 0:
			heap.Pop(&queue)
		case now < best.gain:
			queue[0].gain = now
			heap.Fix(&queue, 0)
		default:
			heap.Pop(&queue)
			p.cover(best.input, covered)
			add(best.input, 1)
			picked = append(picked, best.input)
		}
	}
	// What was best at first may have become superfluous since; the last is
	// needed for sure.
	for _, i := range slices.Backward(slices.Clone(picked)) {
		if p.superfluous(i, count) {
			add(i, -1)
			picked = slices.DeleteFunc(picked, func(j int) bool { return j == i })
		}
	}
	out = append(out, picked...)
	slices.Sort(out)
	return out
}

func (p *Predictions) superfluous(input int, count []int) bool {
	for u, chance := range p.rows[p.of[input]].chances {
		if chance.Covered() && count[u] < 2 {
			return false
		}
	}
	return true
}
