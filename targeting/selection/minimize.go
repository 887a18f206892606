package selection

import (
	"container/heap"
	"slices"
)

// Minimize selects a subset of the corpus that likely reaches the same units as the
// whole corpus. It prefers cheap inputs, and no input can be removed from the subset
// without losing a unit. It also keeps all inputs whose units cannot be predicted.
func Minimize(p *Predictions, costs *Costs) *Selection {
	if costs == nil {
		costs = LearnCosts(nil)
	}
	keep := make([]bool, len(p.Inputs))
	for _, i := range p.dropRedundant(p.greedyReach(costs)) {
		keep[i] = true
	}
	s := &Selection{Inputs: p.Inputs, Recall: 1}
	for i, in := range p.Inputs {
		cost := costs.Of(in)
		s.Total += cost
		switch {
		case keep[i]:
			s.Selected = append(s.Selected, SelectedInput{i, []Reason{{Kind: Needed}}, cost})
		case p.row(i).chances == nil:
			s.Selected = append(s.Selected, SelectedInput{i, []Reason{{Kind: Unknown}}, cost})
		default:
			s.Rest = append(s.Rest, i)
			continue
		}
		s.Cost += cost
	}
	return s
}

// greedyReach repeatedly takes the input that adds the most units per cost, until
// no input adds one.
func (p *Predictions) greedyReach(costs *Costs) []int {
	reached := make([]bool, p.Units)
	gain := func(i int) float64 { return p.gain(i, reached) / costs.weight(p.Inputs[i]) }
	var queue gainQueue
	for i := range p.Inputs {
		if g := gain(i); g > 0 {
			queue = append(queue, gainItem{i, g})
		}
	}
	heap.Init(&queue)
	var out []int
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
			p.markReached(best.input, reached)
			out = append(out, best.input)
		}
	}
	return out
}

// dropRedundant removes inputs whose units the other picked inputs also reach. It checks
// the last input first.
func (p *Predictions) dropRedundant(picked []int) []int {
	count := make([]int, p.Units) // by unit: picked inputs that reach it
	add := func(i, by int) {
		for u, chance := range p.row(i).chances {
			if chance.Likely() {
				count[u] += by
			}
		}
	}
	for _, i := range picked {
		add(i, 1)
	}
	var out []int
	for _, i := range slices.Backward(picked) {
		if p.redundant(i, count) {
			add(i, -1)
		} else {
			out = append(out, i)
		}
	}
	return out
}

// redundant reports whether each unit that an input reaches is also reached by
// another picked input.
func (p *Predictions) redundant(input int, count []int) bool {
	for u, chance := range p.row(input).chances {
		if chance.Likely() && count[u] < 2 {
			return false
		}
	}
	return true
}
