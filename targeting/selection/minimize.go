package selection

import (
	"container/heap"
	"slices"
)

// Minimize chooses a small part of a corpus that reaches all the units that the
// corpus does: no input of it can be left out. Of inputs that do the same the
// cheapest is kept. Inputs of which nothing is known are all kept.
func Minimize(p *Predictions, costs *Costs) *Selection {
	if costs == nil {
		costs = LearnCosts(nil)
	}
	keep := make([]bool, len(p.Inputs))
	for _, i := range p.needed(p.greedyCover(costs)) {
		keep[i] = true
	}
	s := &Selection{Inputs: p.Inputs, Recall: 1}
	for i, in := range p.Inputs {
		cost := costs.Of(in)
		s.Total += cost
		switch {
		case keep[i]:
			s.Chosen = append(s.Chosen, Choice{i, []Reason{{Kind: Needed}}, cost})
		case p.rows[p.of[i]].chances == nil:
			s.Chosen = append(s.Chosen, Choice{i, []Reason{{Kind: Unknown}}, cost})
		default:
			s.Rest = append(s.Rest, i)
			continue
		}
		s.Cost += cost
	}
	return s
}

// greedyCover takes the input that adds most units for its cost, again and again
// until none adds any.
func (p *Predictions) greedyCover(costs *Costs) []int {
	covered := make([]bool, p.Units)
	gain := func(i int) float64 { return p.gain(i, covered) / costs.Of(p.Inputs[i]).Seconds() }
	var queue gainQueue
	for i := range p.Inputs {
		if g := gain(i); g > 0 {
			queue = append(queue, gained{i, g})
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
			p.cover(best.input, covered)
			out = append(out, best.input)
		}
	}
	return out
}

// needed leaves out inputs that became superfluous when others were taken, the
// last first.
func (p *Predictions) needed(picked []int) []int {
	count := make([]int, p.Units) // how many reach a unit
	add := func(i, by int) {
		for u, chance := range p.rows[p.of[i]].chances {
			if chance.Covered() {
				count[u] += by
			}
		}
	}
	for _, i := range picked {
		add(i, 1)
	}
	var out []int
	for _, i := range slices.Backward(picked) {
		if p.superfluous(i, count) {
			add(i, -1)
		} else {
			out = append(out, i)
		}
	}
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
