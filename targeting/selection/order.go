package selection

import (
	"cmp"
	"container/heap"
	"slices"
)

// ordered returns inputs in the order to run them in: first one of each class,
// those first that reach most of what was not reached yet, for what they cost;
// then a second of each class, and so on.
func (c *chooser) ordered(inputs []int) []int {
	if c.known == nil {
		out := slices.Clone(inputs)
		slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(c.cost(a), c.cost(b)) })
		return out
	}
	rounds := c.rounds(inputs)
	var first, later []int
	for _, i := range inputs {
		if rounds[i] == 0 {
			first = append(first, i)
		} else {
			later = append(later, i)
		}
	}
	value := func(i int) float64 { return c.chances[i] / c.cost(i).Seconds() }
	slices.SortStableFunc(later, func(a, b int) int {
		return cmp.Or(cmp.Compare(rounds[a], rounds[b]), cmp.Compare(value(b), value(a)), cmp.Compare(a, b))
	})
	return append(c.greedy(first), later...)
}

// greedy orders inputs by how many units they reach that those before them did
// not, for their cost. What an input adds only shrinks, so that it is computed
// anew only for the one that seems best.
func (c *chooser) greedy(inputs []int) []int {
	covered := make([]bool, c.known.Units)
	for _, choice := range c.Chosen {
		c.known.cover(choice.Input, covered)
	}
	gain := func(i int) float64 { return (c.known.gain(i, covered) + c.chances[i]) / c.cost(i).Seconds() }
	queue := make(gainQueue, 0, len(inputs))
	for _, i := range inputs {
		queue = append(queue, gained{i, gain(i)})
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
		c.known.cover(best.input, covered)
		out = append(out, best.input)
	}
	return out
}

// gain counts the units that an input reaches and that are not covered yet.
func (p *Predictions) gain(input int, covered []bool) float64 {
	n := 0.0
	for u, chance := range p.rows[p.of[input]].chances {
		if !covered[u] && chance.Covered() {
			n++
		}
	}
	return n
}

func (p *Predictions) cover(input int, covered []bool) {
	for u, chance := range p.rows[p.of[input]].chances {
		if chance.Covered() {
			covered[u] = true
		}
	}
}

// A gainQueue has the input on top that seems best.
type gainQueue []gained

type gained struct {
	input int
	gain  float64
}

func (q gainQueue) Len() int { return len(q) }

func (q gainQueue) Less(i, j int) bool {
	return q[i].gain > q[j].gain || q[i].gain == q[j].gain && q[i].input < q[j].input
}

func (q gainQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push is for package heap.
func (q *gainQueue) Push(x any) { *q = append(*q, x.(gained)) }

// Pop is for package heap.
func (q *gainQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
