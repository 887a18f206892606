package solve

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/targeting/generate"
)

// Natural returns n inputs that differ, drawn from a probabilistic grammar given
// the constraint: among inputs that satisfy it, one that is twice as likely is
// drawn twice as often. Without probabilities any choice is as likely as another.
// What the probabilities exclude is made unlikely instead, so that a constraint
// can ask for it, and larger trees are a little less likely than they were, so
// that they come to an end.
func (s *Solution) Natural(ctx context.Context, r *rand.Rand, p *generate.Probabilities, n int) ([]*generate.Input, error) {
	w, err := s.writer(r) //nolint:contextcheck // reading one token back is bounded and takes no context
	if err != nil {
		return nil, err
	}
	weights, err := s.main.weigh64(ctx, p)
	if err != nil {
		return nil, err
	}
	return w.collect(ctx, n, func() witness { return weights.draw(r, s.most) })
}

const (
	tilt      = 0.97 // what a tree's chance is multiplied by for each of its symbols
	unlikely  = 0.02 // the chance that a choice is made as if nothing was known of it
	usual     = 10   // up to how often something is repeated of which nothing is known
	mostTimes = 40   // how often something is repeated at most
	precision = 1e-9
	maxRounds = 2000
	maxPairs  = 256 // vectors; all pairs of them are looked at
	maxWeigh  = 2_000_000_000
)

// Weights say how likely it is that a cell derives something with exactly a
// vector, counting goals without an upper bound no further than they are needed.
// All trees have one vector, so that nothing is counted twice.
type weights struct {
	*problem
	p     *generate.Probabilities
	of    []float64     // by cell, then by vector
	sum   []int32       // by two vectors: what they make together, -1 if that is too much
	own   []int32       // by outcome: its vector
	times [][]float64   // by cell of a repetition: how likely it is repeated so often
	grown [][][]float64 // likewise: its powers, once they are known
	last  []float64     // what a frame had before
	steps int
}

// weigh64 computes weights, by going over all frames again and again until they
// stay the same. They only grow, and never beyond 1.
func (p *problem) weigh64(ctx context.Context, of *generate.Probabilities) (*weights, error) {
	if p.vectors > maxPairs {
		return nil, &limit.Error{What: "combinations of all counts, for natural inputs", Value: strconv.Itoa(maxPairs), Advice: "ask for fewer or smaller counts, or for varied inputs"}
	}
	w := &weights{problem: p, p: of, of: make([]float64, len(p.cells)*int(p.vectors)), times: make([][]float64, len(p.cells)), grown: make([][][]float64, len(p.cells))}
	w.prepare()
	for range maxRounds {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if w.steps > maxWeigh {
			return nil, &limit.Error{What: "steps to weigh natural inputs", Value: strconv.Itoa(maxWeigh), Advice: "ask for fewer paths, or for varied inputs"}
		}
		change := 0.0
		for i := len(p.frames) - 1; i >= 0; i-- {
			change = max(change, w.frame(&p.frames[i]))
		}
		if change < precision {
			break
		}
	}
	return w, nil
}

// prepare fills the tables of what vectors make together.
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
	for i := range w.frames {
		f := &w.frames[i]
		for j, x := range w.bodies[f.body].parts {
			if x.kind == many {
				w.times[f.first+int32(j)] = w.repetitions(x.node)
			}
		}
	}
}

// add returns what two vectors make together.
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

// repetitions returns how likely something is repeated so many times.
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

// alternatives returns how likely the parts of an alternation are.
func (w *weights) alternatives(x *part) func(i int) float64 {
	n := x.node
	if n.Kind == grammars.Repetition { // it is there or not
		times := w.repetitions(n)
		return func(i int) float64 {
			switch {
			case i == 0:
				return times[0]
			case n.Max == 1:
				return times[1]
			default: // how often is a matter of the part
				return 1
			}
		}
	}
	uniform := 1 / float64(x.b-x.a)
	var known []float64
	if w.p != nil {
		known = w.p.Alternatives(n)
	}
	if known == nil {
		return func(int) float64 { return uniform }
	}
	return func(i int) float64 { return known[i]*(1-unlikely) + uniform*unlikely }
}

// row returns the weights of a cell, by vector.
func (w *weights) row(at int32) []float64 { return w.of[at*w.vectors : (at+1)*w.vectors] }

// frame computes the weights of a frame's cells anew, and returns by how much
// the whole has changed.
func (w *weights) frame(f *frame) float64 {
	b := &w.bodies[f.body]
	for j := range b.parts {
		x := &b.parts[j]
		at := f.first + int32(j)
		out := w.row(at)
		if at == f.last {
			copy(w.last, out)
		}
		clear(out)
		c := &w.cells[at]
		switch {
		case c.dead:
		case x.kind == end:
			out[0] = 1
		case x.kind == absent:
			out[w.own[c.outcome]] = 1
		case x.kind == symbol:
			out[w.own[c.outcome]] = tilt
		case x.kind == reference:
			own := w.own[c.outcome]
			for v, weight := range w.row(w.frames[c.below].last) {
				if sum := w.sum[own*w.vectors+int32(v)]; weight > 0 && sum >= 0 {
					out[sum] += tilt * weight
				}
			}
		case x.kind == either:
			share := w.alternatives(x)
			for i, kid := range b.kids[x.a:x.b] {
				p := share(i)
				for v, weight := range w.row(f.first + kid) {
					out[v] += p * weight
				}
			}
		case x.kind == both:
			w.product(out, w.row(f.first+x.a), w.row(f.first+x.b))
		case x.kind == many:
			for times, power := range w.powers(at, f.first+x.a) {
				for v, weight := range power {
					out[v] += w.times[at][times] * weight
				}
			}
		}
	}
	change := 0.0
	for v, weight := range w.row(f.last) {
		if weight > 0 {
			change = max(change, math.Abs(weight-w.last[v])/weight)
		}
	}
	return change
}

// product adds the weights of two cells together to out.
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

// powers returns the weights of what is repeated, by how often it is, as far as
// it can be. The first, for not at all, is not used.
func (w *weights) powers(at, child int32) [][]float64 {
	c := w.row(child)
	out := [][]float64{make([]float64, w.vectors), c}
	most := 0
	for times, p := range w.times[at] {
		if p > 0 {
			most = times
		}
	}
	for len(out) <= most {
		next := make([]float64, w.vectors)
		w.product(next, out[len(out)-1], c)
		out = append(out, next)
	}
	return out
}

// draw draws a tree; one that costs too much is drawn again. If that happens too
// often, or if the constraint is too unlikely to be computed with, it is one of
// the smallest.
func (w *weights) draw(r *rand.Rand, most int32) witness {
	root := w.row(w.frames[0].last)
	for range maxRedrawn {
		d := &naturalDrawer{weights: w, rand: r, most: min(most, max(maxNatural, w.cheapest()))}
		v := w.wanted[d.choose(len(w.wanted), func(i int) float64 { return root[w.wanted[i]] })]
		if root[v] == 0 {
			break
		}
		d.cell(0, w.frames[0].last, v, 0)
		if d.cost <= d.most {
			return d.tree
		}
	}
	return w.problem.draw(w.cheapest(), lottery{r})
}

const (
	maxNatural = 5000 // what a natural tree costs at most, if it can
	maxRedrawn = 100
)

// A naturalDrawer draws a tree by weights, top down.
type naturalDrawer struct {
	*weights
	rand *rand.Rand
	tree witness
	cost int32
	most int32
}

// choose draws one of n by weight.
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

// cell draws what a cell derives with exactly a vector.
func (d *naturalDrawer) cell(frame, at, v, depth int32) {
	f := &d.frames[frame]
	b := &d.bodies[f.body]
	x := &b.parts[at-f.first]
	if d.cost > d.most {
		return
	}
	switch x.kind {
	case end, absent, symbol:
		d.tree = append(d.tree, place{depth: depth, node: x.node})
		d.cost += x.weight
	case reference:
		d.cost += x.weight
		c := &d.cells[at]
		own, below := d.own[c.outcome], d.row(d.frames[c.below].last)
		rest := d.choose(len(below), func(i int) float64 {
			if d.sum[own*d.vectors+int32(i)] != v {
				return 0
			}
			return below[i]
		})
		d.tree = append(d.tree, place{depth, x.node, c.below, int32(rest)})
		d.cell(c.below, d.frames[c.below].last, int32(rest), depth+1)
	case either:
		share := d.alternatives(x)
		kids := b.kids[x.a:x.b]
		i := d.choose(len(kids), func(i int) float64 { return share(i) * d.row(f.first + kids[i])[v] })
		d.cell(frame, f.first+kids[i], v, depth)
	case both:
		first, second := d.split(d.row(f.first+x.a), d.row(f.first+x.b), v)
		d.cell(frame, f.first+x.a, first, depth)
		d.cell(frame, f.first+x.b, second, depth)
	case many:
		child := f.first + x.a
		if d.grown[at] == nil {
			d.grown[at] = d.powers(at, child)
		}
		powers := d.grown[at]
		times := d.choose(len(powers), func(i int) float64 { return d.times[at][i] * powers[i][v] })
		for ; times > 1; times-- {
			var first int32
			first, v = d.split(powers[1], powers[times-1], v)
			d.cell(frame, child, first, depth)
		}
		d.cell(frame, child, v, depth)
	}
}

// split draws what each of two contributes to a vector.
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
