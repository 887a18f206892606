package solve

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/grammars/refine"
	"github.com/inroad/inroad/targeting/generate"
)

// Natural returns up to n different inputs, drawn from the probabilistic grammar
// conditioned on the constraint: among the inputs that satisfy the constraint, one
// that is twice as likely is drawn twice as often. If p is nil, all choices are
// equally likely. Choices with probability 0 become unlikely instead of
// impossible, because a constraint can require them. Each symbol of a tree lowers
// its weight a little, so that the weights stay finite.
func (s *Solution) Natural(ctx context.Context, r *rand.Rand, p *generate.Probabilities, n int) ([]*generate.Input, error) {
	w, err := s.writer(r) //nolint:contextcheck // reading one token back is bounded and takes no context
	if err != nil {
		return nil, err
	}
	weights, err := s.main.newWeights(ctx, p)
	if err != nil {
		return nil, err
	}
	return w.collect(ctx, n, func() witness { return weights.draw(r, s.most) })
}

const (
	tilt      = 0.97 // factor of a tree's probability for each of its symbols
	unlikely  = 0.02 // the share of the uniform distribution in every choice
	usual     = 10   // the most rounds of a repetition without probabilities
	mostTimes = 40   // the most rounds of any repetition
	precision = 1e-9
	maxRounds = 2000
	maxPairs  = 256 // vectors; all pairs of them are enumerated
	maxWeigh  = 2_000_000_000
)

// Weights hold, for each cell and vector, the probability that a derivation of the
// cell contributes exactly the vector. Goals without an upper bound count no further
// than their lower bound, so that each tree has one vector.
type weights struct {
	*problem
	p     *generate.Probabilities
	of    []float64       // by cell, then by vector
	sum   []int32         // by two vectors: their sum, see add
	own   []int32         // by outcome: its vector
	times [][]float64     // by cell of a repetition: the probabilities of its numbers of rounds
	grown [][][][]float64 // by cell of a repetition: its powers, computed on demand
	body  []bool          // by cell: whether it is the whole tree or below a reference
	last  []float64       // the weights of a body before the last iteration
	steps int
}

// newWeights computes the weights of all cells by fixpoint iteration. Weights only
// grow, and never beyond 1.
func (p *problem) newWeights(ctx context.Context, of *generate.Probabilities) (*weights, error) {
	if p.vectors > maxPairs {
		return nil, &limit.Error{What: "combinations of all counts, for natural inputs", Value: strconv.Itoa(maxPairs), Advice: "ask for fewer or smaller counts, or for varied inputs"}
	}
	w := &weights{problem: p, p: of, of: make([]float64, len(p.cells)*int(p.vectors)), times: make([][]float64, len(p.cells)), grown: make([][][][]float64, len(p.cells))}
	w.prepare()
	for range maxRounds {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if w.steps > maxWeigh {
			return nil, &limit.Error{What: "steps to weigh natural inputs", Value: strconv.Itoa(maxWeigh), Advice: "ask for fewer paths, or for varied inputs"}
		}
		change := 0.0
		for at := range p.all() {
			change = max(change, w.cell(at))
		}
		if change < precision {
			break
		}
	}
	return w, nil
}

// prepare fills the tables that all iterations use.
func (w *weights) prepare() {
	n := w.vectors
	w.sum = make([]int32, n*n)
	for a := range n {
		for b := range n {
			w.sum[a*n+b] = w.add(a, b)
		}
	}
	w.own = make([]int32, len(w.minus))
	for ends, outcome := range w.outcome {
		v := int32(0)
		for goal := range w.caps {
			if ends>>goal&1 != 0 && w.caps[goal] > 0 {
				v += w.stride[goal]
			}
		}
		w.own[outcome] = v
	}
	w.last = make([]float64, n)
	w.body = make([]bool, len(w.cells))
	w.body[w.top] = true
	for at := range w.cells {
		switch c := &w.cells[at]; {
		case c.kind == refine.Reference && !c.dead:
			w.body[c.below] = true
		case c.kind == refine.Many && c.states > 0:
			w.times[at] = w.repetitions(w.symbolOf(c).node)
		}
	}
}

// add returns the sum of two vectors, -1 if it exceeds an exact count.
func (w *weights) add(a, b int32) int32 {
	v := int32(0)
	for goal, most := range w.caps {
		n := w.count(a, goal) + w.count(b, goal)
		if n > most {
			if w.exact>>goal&1 != 0 {
				return -1
			}
			n = most
		}
		v += n * w.stride[goal]
	}
	return v
}

// repetitions returns the probabilities of the numbers of rounds of a repetition.
func (w *weights) repetitions(n *grammars.Node) []float64 {
	most := mostTimes
	if n.Max >= 0 {
		most = min(most, n.Max)
	}
	out := make([]float64, most+1)
	var known map[int]float64
	if w.p != nil {
		known = w.p.Times(n)
	}
	likely := min(usual, most)
	for times := n.Min; times <= likely; times++ {
		out[times] = 1 / float64(likely-n.Min+1)
		if known != nil {
			out[times] *= unlikely
		}
	}
	for times, p := range known {
		out[min(times, most)] += p * (1 - unlikely)
	}
	return out
}

// alternatives returns the probabilities of the choices of a node, see
// [refine.Kid].
func (w *weights) alternatives(n *grammars.Node) func(choice int32) float64 {
	switch {
	case n == nil: // mode stacks are no choice of the grammar
		return func(int32) float64 { return 1 }
	case n.Kind == grammars.Repetition: // present or absent
		times := w.repetitions(n)
		return func(choice int32) float64 {
			switch {
			case choice == 0:
				return times[0]
			case n.Max == 1:
				return times[1]
			default: // the Many part weighs the number of rounds
				return 1
			}
		}
	}
	uniform := 1 / float64(len(n.Children))
	var known []float64
	if w.p != nil {
		known = w.p.Alternatives(n)
	}
	if known == nil {
		return func(int32) float64 { return uniform }
	}
	return func(choice int32) float64 { return known[choice]*(1-unlikely) + uniform*unlikely }
}

// row returns the weights of a cell by vector.
func (w *weights) row(at int32) []float64 { return w.of[at*w.vectors : (at+1)*w.vectors] }

// cell computes the weights of a cell. It returns the largest relative change if the
// cell is a body, and 0 otherwise.
func (w *weights) cell(at int32) float64 {
	c := &w.cells[at]
	out := w.row(at)
	if w.body[at] {
		copy(w.last, out)
	}
	clear(out)
	switch {
	case c.dead:
	case c.kind == refine.End:
		out[0] = 1
	case c.kind == refine.Absent:
		out[w.own[c.outcome]] = 1
	case c.kind == refine.Symbol:
		out[w.own[c.outcome]] = tilt
	case c.kind == refine.Reference:
		own := w.own[c.outcome]
		for v, weight := range w.row(c.below) {
			if sum := w.sum[own*w.vectors+int32(v)]; weight > 0 && sum >= 0 {
				out[sum] += tilt * weight
			}
		}
	case c.kind == refine.Either:
		share := w.alternatives(w.symbolOf(c).node)
		for _, kid := range w.kidsOf(c) {
			p := share(kid.Choice)
			for v, weight := range w.row(kid.Part) {
				out[v] += p * weight
			}
		}
	case c.kind == refine.Both:
		w.product(out, w.row(c.a), w.row(c.b))
	case c.kind == refine.Many && c.states > 0:
		for times, states := range w.powers(at) {
			for v, weight := range states[len(states)-1] {
				out[v] += w.times[at][times] * weight
			}
		}
	}
	change := 0.0
	if w.body[at] {
		for v, weight := range out {
			if weight > 0 {
				change = max(change, math.Abs(weight-w.last[v])/weight)
			}
		}
	}
	return change
}

// product adds the weights of two cells in sequence to out.
func (w *weights) product(out, left, right []float64) {
	for v1, a := range left {
		if a == 0 {
			continue
		}
		w.steps += len(right)
		sums := w.sum[int32(v1)*w.vectors:]
		for v2, b := range right {
			if sum := sums[v2]; b > 0 && sum >= 0 {
				out[sum] += a * b
			}
		}
	}
}

// powers returns the weights of a repetition by number of rounds and by the
// [refine.Many] cell that it begins with. The weights of no rounds are 0.
func (w *weights) powers(last int32) [][][]float64 {
	first := last - w.cells[last].states + 1
	most := 0
	for times, p := range w.times[last] {
		if p > 0 {
			most = times
		}
	}
	out := [][][]float64{w.noRounds(int(last-first) + 1)}
	for len(out) <= max(most, 1) {
		before := out[len(out)-1]
		power := w.noRounds(len(before))
		for i := range power {
			for _, r := range w.roundsOf(&w.cells[first+int32(i)]) {
				switch c := w.row(r.Part); {
				case len(out) == 1 && r.Ends:
					for v, weight := range c {
						power[i][v] += weight
					}
				case len(out) > 1 && r.Next >= 0:
					w.product(power[i], c, before[r.Next-first])
				}
			}
		}
		out = append(out, power)
	}
	return out
}

func (w *weights) noRounds(states int) [][]float64 {
	out := make([][]float64, states)
	for i := range out {
		out[i] = make([]float64, w.vectors)
	}
	return out
}

// draw draws a tree that costs at most most. If too many draws cost more, or if the
// weight of the constraint underflows, it draws one of the smallest trees.
func (w *weights) draw(r *rand.Rand, most int32) witness {
	root := w.row(w.top)
	for range maxRedrawn {
		d := &naturalDrawer{weights: w, rand: r, most: min(most, max(maxNatural, w.cheapest()))}
		v := w.wanted[d.choose(len(w.wanted), func(i int) float64 { return root[w.wanted[i]] })]
		if root[v] == 0 {
			break
		}
		d.cell(w.top, v, 0)
		if d.cost <= d.most {
			return d.tree
		}
	}
	return w.problem.draw(w.cheapest(), randomChooser{r})
}

const (
	maxNatural = 5000 // the highest cost of a natural tree, unless the constraint needs more
	maxRedrawn = 100
)

// A naturalDrawer draws a tree by weights, from the top down.
type naturalDrawer struct {
	*weights
	rand *rand.Rand
	tree witness
	cost int32
	most int32
}

// choose draws a number below n by weight.
func (d *naturalDrawer) choose(n int, weight func(i int) float64) int {
	sum := 0.0
	for i := range n {
		sum += weight(i)
	}
	at, last := d.rand.Float64()*sum, 0
	for i := range n {
		p := weight(i)
		if p == 0 {
			continue
		}
		if last = i; at < p {
			break
		}
		at -= p
	}
	return last
}

// cell draws a derivation of a cell that contributes exactly a vector.
func (d *naturalDrawer) cell(at, v, depth int32) {
	if d.cost > d.most {
		return
	}
	c := &d.cells[at]
	symbol := d.symbolOf(c)
	switch c.kind {
	case refine.End, refine.Absent, refine.Symbol:
		d.tree = append(d.tree, place{depth: depth, node: symbol.node, cost: c.weight, makers: symbol.makers})
		d.cost += c.weight
	case refine.Reference:
		d.cost += c.weight
		own, below := d.own[c.outcome], d.row(c.below)
		rest := d.choose(len(below), func(i int) float64 {
			if d.sum[own*d.vectors+int32(i)] != v {
				return 0
			}
			return below[i]
		})
		d.tree = append(d.tree, place{depth: depth, node: symbol.node, below: c.below, v: int32(rest), cost: c.weight})
		d.cell(c.below, int32(rest), depth+1)
	case refine.Either:
		share := d.alternatives(symbol.node)
		kids := d.kidsOf(c)
		i := d.choose(len(kids), func(i int) float64 { return share(kids[i].Choice) * d.row(kids[i].Part)[v] })
		d.cell(kids[i].Part, v, depth)
	case refine.Both:
		first, second := d.split(d.row(c.a), d.row(c.b), v)
		d.cell(c.a, first, depth)
		d.cell(c.b, second, depth)
	case refine.Many:
		d.many(at, v, depth)
	}
}

// many draws a repetition.
func (d *naturalDrawer) many(last, v, depth int32) {
	if d.grown[last] == nil {
		d.grown[last] = d.powers(last)
	}
	powers := d.grown[last]
	first := last - d.cells[last].states + 1
	times := d.choose(len(powers), func(i int) float64 { return d.times[last][i] * powers[i][last-first][v] })
	at := last
	for ; times > 1; times-- {
		rounds := d.roundsOf(&d.cells[at])
		after := func(r refine.Round) []float64 { return powers[times-1][r.Next-first] }
		r := rounds[d.oneOf(len(rounds), func(i int) float64 {
			if rounds[i].Next < 0 {
				return 0
			}
			return d.pair(d.row(rounds[i].Part), after(rounds[i]), v)
		})]
		var part int32
		part, v = d.split(d.row(r.Part), after(r), v)
		d.cell(r.Part, part, depth)
		at = r.Next
	}
	rounds := d.roundsOf(&d.cells[at])
	r := rounds[d.oneOf(len(rounds), func(i int) float64 {
		if !rounds[i].Ends {
			return 0
		}
		return d.row(rounds[i].Part)[v]
	})]
	d.cell(r.Part, v, depth)
}

// oneOf draws a number below n by weight. It uses no randomness if n is 1.
func (d *naturalDrawer) oneOf(n int, weight func(i int) float64) int {
	if n == 1 {
		return 0
	}
	return d.choose(n, weight)
}

// pair returns the weight of two cells in sequence for a vector.
func (d *naturalDrawer) pair(left, right []float64, v int32) float64 {
	sum := 0.0
	for v1, a := range left {
		for v2, b := range right {
			if d.sum[int32(v1)*d.vectors+int32(v2)] == v {
				sum += a * b
			}
		}
	}
	return sum
}

// split draws the vectors that two cells contribute to a vector.
func (d *naturalDrawer) split(left, right []float64, v int32) (first, second int32) {
	n := int(d.vectors)
	i := d.choose(n*n, func(i int) float64 {
		if d.sum[i] != v {
			return 0
		}
		return left[i/n] * right[i%n]
	})
	return int32(i / n), int32(i % n)
}
