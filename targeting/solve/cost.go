package solve

import (
	"context"
	"math"
	"strconv"

	"github.com/inroad/inroad/grammars/limit"
)

// impossible is the cost of what cannot be. A few of it can be added.
const impossible = math.MaxInt32 / 4

// A link tells that a frame stands below a reference in another one, which it
// makes more expensive by what the rest of that needs at least.
type link struct {
	from    int32
	weight  int32
	outcome int32
}

// maxSteps bounds the work on one problem: sums that are compared.
const maxSteps = 4_000_000_000

// measure computes for every cell and every vector the least cost of a
// derivation that contributes at least the vector.
//
// One vector is done after the other. What a vector costs depends on smaller
// ones, which are known then, and on the same vector where all of it comes from
// one reference. The second is a shortest way from frame to frame. For the empty
// vector all parts depend on each other, and Knuth's generalisation of
// Dijkstra's algorithm finds the costs: they come in ascending order.
func (p *problem) measure(ctx context.Context) error {
	p.least = make([]int32, len(p.cells)*int(p.vectors))
	for i := range p.least {
		p.least[i] = impossible
	}
	p.measureEmpty()
	if p.vectors == 1 {
		return nil
	}
	p.findLinks()
	p.findGoals()
	frames := make([]int32, 0, len(p.frames))
	cost := make([]int32, len(p.frames))
	for v := int32(1); v < p.vectors; v++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if p.steps > maxSteps {
			return &limit.Error{What: "solver steps", Value: strconv.Itoa(maxSteps), Advice: "ask for fewer paths or smaller counts"}
		}
		frames = p.measureVector(v, frames[:0], cost)
	}
	return nil
}

// measureEmpty finds the least costs of anything at all.
func (p *problem) measureEmpty() {
	cost := make([]int32, len(p.frames))
	done := make([]bool, len(p.frames))
	var queue costQueue
	try := func(i int32) {
		c := p.evaluate(i, 0, true)
		p.setRoot(i, 0, impossible) // until it is sure
		if c < cost[i] {
			cost[i] = c
			queue.push(c, i)
		}
	}
	for i := range cost {
		cost[i] = impossible
		try(int32(i))
	}
	for len(queue) > 0 {
		c, i := queue.pop()
		if done[i] || c != cost[i] {
			continue
		}
		done[i] = true
		p.setRoot(i, 0, c)
		for _, a := range p.above[i] {
			if !done[a] {
				try(a)
			}
		}
	}
	for i := range p.frames {
		p.evaluate(int32(i), 0, true)
	}
}

// measureVector finds the least costs for one vector, and returns the frames
// that can contribute it.
func (p *problem) measureVector(v int32, frames, cost []int32) []int32 {
	var queue costQueue
	for i := range p.frames {
		cost[i] = impossible
		if p.support[v]&^p.can[p.frames[i].last] != 0 {
			continue
		}
		frames = append(frames, int32(i))
		if cost[i] = p.evaluate(int32(i), v, false); cost[i] < impossible {
			queue.push(cost[i], int32(i))
		}
	}
	for len(queue) > 0 {
		c, i := queue.pop()
		if c != cost[i] {
			continue
		}
		for _, l := range p.edges[i] {
			if p.rest(l.outcome, v) != v {
				continue // counted already: it leads to a smaller vector
			}
			if y := c + l.weight; y < cost[l.from] {
				cost[l.from] = y
				queue.push(y, l.from)
			}
		}
	}
	for _, i := range frames {
		p.setRoot(i, v, cost[i])
	}
	for _, i := range frames {
		p.evaluate(i, v, true)
	}
	return frames
}

func (p *problem) setRoot(frame, v, cost int32) { p.least[p.frames[frame].last*p.vectors+v] = cost }

// root returns the least cost of a frame.
func (p *problem) root(frame, v int32) int32 { return p.least[p.frames[frame].last*p.vectors+v] }

// evaluate computes the costs of a frame's cells for a vector, and returns that
// of the whole. References that contribute all of it cost what is known of their
// frames, or are impossible if those are not known yet; what was found the other
// way, by splitting the vector, is kept then.
func (p *problem) evaluate(frame, v int32, known bool) int32 {
	f := &p.frames[frame]
	b := &p.bodies[f.body]
	all := p.vectors
	for i := range b.parts {
		x := &b.parts[i]
		at := f.first + int32(i)
		if v > 0 && p.support[v]&^p.can[at] != 0 {
			continue // impossible, as it is to begin with
		}
		cost := int32(impossible)
		switch x.kind {
		case end:
			if v == 0 {
				cost = 0
			}
		case symbol, absent:
			if c := &p.cells[at]; !c.dead && p.rest(c.outcome, v) == 0 {
				cost = x.weight
			}
		case reference:
			c := &p.cells[at]
			if c.dead {
				break
			}
			if rest := p.rest(c.outcome, v); rest >= 0 && (rest != v || known) {
				cost = x.weight + p.root(c.below, rest)
			}
		case either:
			for _, kid := range b.kids[x.a:x.b] {
				cost = min(cost, p.least[(f.first+kid)*all+v])
			}
		case both:
			cost = p.pair(f.first+x.a, f.first+x.b, v, known)
			if known {
				cost = min(cost, p.least[at*all+v])
			}
		case many:
			cost = p.repeated(at, f.first+x.a, v, known)
		}
		if p.cells[at].dead {
			cost = impossible
		}
		p.least[at*all+v] = min(cost, impossible)
	}
	return p.root(frame, v)
}

// pair returns the least cost of two cells together. Once the frames are known,
// only what they change is looked at again.
func (p *problem) pair(left, right, v int32, known bool) int32 {
	l, r := p.costs(left), p.costs(right)
	cost := min(l[v]+r[0], l[0]+r[v])
	if v == 0 || known || p.can[left]&p.support[v] == 0 || p.can[right]&p.support[v] == 0 {
		return cost
	}
	splits := p.splits[v]
	p.steps += len(splits)
	for _, part := range splits {
		cost = min(cost, l[part]+r[v-part])
	}
	return cost
}

// repeated returns the least cost of a repetition. Each time contributes
// something, unless nothing is asked for.
func (p *problem) repeated(at, child, v int32, known bool) int32 {
	c, own := p.costs(child), p.costs(at)
	cost := c[v]
	switch {
	case known && v != 0:
		return min(cost, own[v])
	case v == 0 || p.can[child]&p.support[v] == 0:
		return cost
	}
	splits := p.splits[v]
	p.steps += len(splits)
	for _, part := range splits {
		cost = min(cost, c[part]+own[v-part])
	}
	return cost
}

// costs returns what a cell costs, by vector.
func (p *problem) costs(cell int32) []int32 { return p.least[cell*p.vectors : (cell+1)*p.vectors] }

// findLinks finds how frames stand below each other where all else contributes
// nothing.
func (p *problem) findLinks() {
	p.edges = make([][]link, len(p.frames))
	var around []int32 // by part: what the rest of the body costs
	for i := range p.frames {
		f := &p.frames[i]
		b := &p.bodies[f.body]
		around = append(around[:0], make([]int32, len(b.parts))...)
		for j := len(b.parts) - 1; j >= 0; j-- {
			x := &b.parts[j]
			at := f.first + int32(j)
			if p.cells[at].dead {
				around[j] = impossible
			}
			switch x.kind {
			case either:
				for _, kid := range b.kids[x.a:x.b] {
					around[kid] = around[j]
				}
			case both:
				around[x.a] = min(impossible, around[j]+p.least[(f.first+x.b)*p.vectors])
				around[x.b] = min(impossible, around[j]+p.least[(f.first+x.a)*p.vectors])
			case many:
				around[x.a] = around[j]
			case reference:
				if c := p.cells[at]; c.below >= 0 && around[j] < impossible {
					p.edges[c.below] = append(p.edges[c.below], link{int32(i), around[j] + x.weight, c.outcome})
				}
			}
		}
	}
}

// findGoals finds the goals that each cell can contribute to at all.
func (p *problem) findGoals() {
	p.can = make([]uint64, len(p.cells))
	ends := make([]uint64, len(p.minus))
	for mask, outcome := range p.outcome {
		ends[outcome] = mask
	}
	queue := make([]int32, 0, len(p.frames))
	queued := make([]bool, len(p.frames))
	for i := len(p.frames) - 1; i >= 0; i-- {
		queue = append(queue, int32(i))
		queued[i] = true
	}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		queued[i] = false
		f := &p.frames[i]
		before := p.can[f.last]
		p.collectGoals(f, ends)
		if p.can[f.last] == before {
			continue
		}
		for _, a := range p.above[i] {
			if !queued[a] {
				queued[a] = true
				queue = append(queue, a)
			}
		}
	}
}

// collectGoals finds the goals of a frame's cells, given those of others.
func (p *problem) collectGoals(f *frame, ends []uint64) {
	b := &p.bodies[f.body]
	for j := range b.parts {
		x := &b.parts[j]
		at := f.first + int32(j)
		c := &p.cells[at]
		can := uint64(0)
		switch {
		case c.dead:
		case x.kind == symbol || x.kind == absent:
			can = ends[c.outcome]
		case x.kind == reference:
			can = ends[c.outcome] | p.can[p.frames[c.below].last]
		case x.kind == either:
			for _, kid := range b.kids[x.a:x.b] {
				can |= p.can[f.first+kid]
			}
		case x.kind == both:
			can = p.can[f.first+x.a] | p.can[f.first+x.b]
		case x.kind == many:
			can = p.can[f.first+x.a]
		}
		p.can[at] = can
	}
}

// A costQueue is a heap of frames by cost, then by number.
type costQueue []uint64

func (q *costQueue) push(cost, frame int32) {
	h := append(*q, uint64(cost)<<32|uint64(frame))
	for i := len(h) - 1; i > 0; {
		above := (i - 1) / 2
		if h[above] <= h[i] {
			break
		}
		h[above], h[i] = h[i], h[above]
		i = above
	}
	*q = h
}

func (q *costQueue) pop() (cost, frame int32) {
	h := *q
	top := h[0]
	last := len(h) - 1
	h[0], h = h[last], h[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && h[child+1] < h[child] {
			child++
		}
		if h[i] <= h[child] {
			break
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
	*q = h
	return int32(top >> 32), int32(uint32(top))
}
