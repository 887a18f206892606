package selection

import (
	"cmp"
	"container/heap"
	"slices"
)

// ordered returns inputs in the order to run them: one input of each class, most new
// units per cost first; then a second input of each class, and so on. Without
// predictions, the cheapest input comes first.
func (c *selector) ordered(inputs []int) []int {
	if c.predictions == nil {
		out := slices.Clone(inputs)
		slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(c.cost(a), c.cost(b)) })
		return out
	}
	ranks := c.ranks(inputs)
	var first, later []int
	for _, i := range inputs {
		if ranks[i] == 0 {
			first = append(first, i)
		} else {
			later = append(later, i)
		}
	}
	value := func(i int) float64 { return c.chances[i] / c.opt.Costs.weight(c.Inputs[i]) }
	slices.SortStableFunc(later, func(a, b int) int {
		return cmp.Or(cmp.Compare(ranks[a], ranks[b]), cmp.Compare(value(b), value(a)), cmp.Compare(a, b))
	})
	return append(c.greedy(first), later...)
}

// greedy orders inputs by gain per cost: most of all the changed units that they reach
// and earlier inputs do not, then other new units, then their chance. The gain of an
// input never grows, so only the first input in the queue is recomputed.
func (c *selector) greedy(inputs []int) []int {
	reached := make([]bool, c.predictions.Units)
	for _, s := range c.Selected {
		c.predictions.markReached(s.Input, reached)
	}
	gain := func(i int) float64 {
		changed := 0.0
		for _, u := range c.Units {
			if !reached[u] && c.predictions.At(i, u).Likely() {
				changed++
			}
		}
		return (changed*changedWeight + c.predictions.gain(i, reached) + c.chances[i]) / c.opt.Costs.weight(c.Inputs[i])
	}
	queue := make(gainQueue, 0, len(inputs))
	for _, i := range inputs {
		queue = append(queue, gainItem{i, gain(i)})
	}
	heap.Init(&queue)
	out := make([]int, 0, len(inputs))
	for len(queue) > 0 {
		best := queue[0]
		if now := gain(best.input); now < best.gain {
			queue[0].gain = now
			heap.Fix(&queue, 0)
			continue
		}
		heap.Pop(&queue)
		c.predictions.markReached(best.input, reached)
		out = append(out, best.input)
	}
	return out
}

// changedWeight is the number of other units that weigh as much as a changed one.
const changedWeight = 10

// gain counts the units that an input likely reaches and that are not reached
// yet.
func (p *Predictions) gain(input int, reached []bool) float64 {
	n := 0.0
	for u, chance := range p.row(input).chances {
		if !reached[u] && chance.Likely() {
			n++
		}
	}
	return n
}

// markReached marks the units that an input likely reaches.
func (p *Predictions) markReached(input int, reached []bool) {
	for u, chance := range p.row(input).chances {
		if chance.Likely() {
			reached[u] = true
		}
	}
}

// A gainQueue is a heap with the input of the largest gain on top.
type gainQueue []gainItem

type gainItem struct {
	input int
	gain  float64
}

func (q gainQueue) Len() int { return len(q) }

func (q gainQueue) Less(i, j int) bool {
	return q[i].gain > q[j].gain || q[i].gain == q[j].gain && q[i].input < q[j].input
}

func (q gainQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push implements [heap.Interface].
func (q *gainQueue) Push(x any) { *q = append(*q, x.(gainItem)) }

// Pop implements [heap.Interface].
func (q *gainQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
