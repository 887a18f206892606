package solve

import (
	"context"
	"math"
	"strconv"

	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/grammars/refine"
)

// impossible is the cost of a part without a derivation. Adding a few does not
// overflow.
const impossible = math.MaxInt32 / 4

// A link leads from a frame to a frame that refers to it. Its weight is the least
// cost of everything else in the referring frame.
type link struct {
	from    int32
	weight  int32
	outcome int32
}

// maxSteps limits the work on one problem: the sums that are compared.
const maxSteps = 4_000_000_000

// measure computes, for every cell and every vector, the least cost of a
// derivation that contributes at least the vector.
//
// Vectors are processed in ascending order. The cost of a vector depends on the
// costs of smaller vectors, which are known by then, and on its own cost where one
// reference contributes all of it; that is a shortest-path problem over frames.
// For the empty vector, Knuth's generalisation of Dijkstra's algorithm finds the
// costs in ascending order.
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

// measureEmpty computes the least cost of each cell for the empty vector. The
// costs without the constraint are known, and most are the same with it. A frame
// is raised if the constraint forbids all its derivations of that cost from frames
// that are not raised. Only raised frames are measured anew.
func (p *problem) measureEmpty() {
	raised := make([]bool, len(p.frames))
	var work []int32
	for i := range p.frames {
		p.setRoot(int32(i), 0, p.unconstrained[p.frames[i].body])
		work = append(work, int32(i))
	}
	changed := false
	for ; len(work) > 0; work = work[1:] {
		i := work[0]
		if raised[i] || p.evaluate(i, 0, true) <= p.unconstrained[p.frames[i].body] {
			continue
		}
		raised[i], changed = true, true
		p.setRoot(i, 0, impossible)
		work = append(work, p.above[i]...)
	}
	if !changed {
		return
	}
	p.measureRaised(raised)
	for i := range p.frames {
		p.evaluate(int32(i), 0, true)
	}
}

// measureRaised computes the least costs of the raised frames, given those of all
// others.
func (p *problem) measureRaised(raised []bool) {
	cost := make([]int32, len(p.frames))
	var queue costQueue
	try := func(i int32) {
		c := p.evaluate(i, 0, true)
		p.setRoot(i, 0, impossible) // until its cost is final
		if c < cost[i] {
			cost[i] = c
			queue.push(c, i)
		}
	}
	for i := range cost {
		if cost[i] = impossible; raised[i] {
			try(int32(i))
		}
	}
	for len(queue) > 0 {
		c, i := queue.pop()
		if !raised[i] || c != cost[i] {
			continue
		}
		raised[i] = false
		p.setRoot(i, 0, c)
		for _, a := range p.above[i] {
			if raised[a] {
				try(a)
			}
		}
	}
}

// measureVector computes the least costs for one vector and returns the frames
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
				continue // the reference itself contributes: part of a split
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

// root returns the least cost of a frame for a vector.
func (p *problem) root(frame, v int32) int32 { return p.least[p.frames[frame].last*p.vectors+v] }

// evaluate computes the costs of a frame's cells for a vector and returns that of
// the frame. If known is false, the costs of other frames for the same vector are
// not known yet, and only proper splits of the vector are considered. If known is
// true, the results of the splits are kept and combined with the costs of other
// frames.
func (p *problem) evaluate(frame, v int32, known bool) int32 {
	f := &p.frames[frame]
	b := &p.Bodies[f.body]
	weights := p.weights[f.body]
	all := p.vectors
	for i := range b.Parts {
		x := &b.Parts[i]
		at := f.first + int32(i)
		if v > 0 && p.support[v]&^p.can[at] != 0 {
			continue // stays impossible
		}
		cost := int32(impossible)
		switch x.Kind {
		case refine.End:
			if v == 0 {
				cost = 0
			}
		case refine.Symbol, refine.Absent:
			if c := &p.cells[at]; !c.dead && p.rest(c.outcome, v) == 0 {
				cost = weights[i]
			}
		case refine.Reference:
			c := &p.cells[at]
			if c.dead {
				break
			}
			if rest := p.rest(c.outcome, v); rest >= 0 && (rest != v || known) {
				cost = weights[i] + p.root(c.below, rest)
			}
		case refine.Either:
			for _, kid := range b.Kids[x.A:x.B] {
				cost = min(cost, p.least[(f.first+kid.Part)*all+v])
			}
		case refine.Both:
			cost = p.pair(f.first+x.A, f.first+x.B, v, known)
			if known && v > 0 {
				cost = min(cost, p.least[at*all+v])
			}
		case refine.Many:
			if !b.Loops(int32(i)) {
				p.rounds(f, int32(i), v, known)
				continue
			}
			cost = p.repeated(at, f.first+b.Rounds[x.A].Part, v, known)
		}
		if p.cells[at].dead {
			cost = impossible
		}
		p.least[at*all+v] = min(cost, impossible)
	}
	return p.root(frame, v)
}

// pair returns the least cost of two cells in sequence. If known is true, the splits
// of the vector were compared before.
func (p *problem) pair(left, right, v int32, known bool) int32 {
	l, r := p.costs(left), p.costs(right)
	cost := min(l[v]+r[0], l[0]+r[v])
	if v == 0 || known {
		return cost
	}
	return min(cost, p.split(left, right, v))
}

// split returns the least cost of two cells in sequence that both contribute to a
// vector. It compares only the splits that the goals of the cells allow.
func (p *problem) split(left, right, v int32) int32 {
	l, r := p.costs(left), p.costs(right)
	support := p.support[v]
	lefts, rights := p.can[left]&support, p.can[right]&support
	cost := int32(impossible)
	switch {
	case lefts == 0 || rights == 0:
	case lefts != support:
		most := p.restrict(v, lefts)
		p.steps += len(p.splits[most]) + 1
		cost = l[most] + r[v-most]
		for _, part := range p.splits[most] {
			cost = min(cost, l[part]+r[v-part])
		}
	case rights != support:
		most := p.restrict(v, rights)
		p.steps += len(p.splits[most]) + 1
		cost = l[v-most] + r[most]
		for _, part := range p.splits[most] {
			cost = min(cost, l[v-part]+r[part])
		}
	default:
		p.steps += len(p.splits[v])
		for _, part := range p.splits[v] {
			cost = min(cost, l[part]+r[v-part])
		}
	}
	return cost
}

// repeated returns the least cost of a repetition. Every round contributes
// something, unless the vector is empty.
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

// rounds computes the costs of a repetition whose rounds change the lexer mode, given
// its last part. A round that contributes nothing can be needed to reach a mode.
func (p *problem) rounds(f *frame, last, v int32, known bool) {
	b := &p.Bodies[f.body]
	first := last - b.Parts[last].States + 1
	for i := first; i <= last; i++ {
		own := p.costs(f.first + i)
		if v == 0 || !known {
			own[v] = impossible
		}
		if !p.cells[f.first+i].dead {
			own[v] = min(own[v], p.round(f, &b.Parts[i], v, known))
		}
	}
	for changed := true; changed; {
		changed = false
		for i := first; i <= last; i++ {
			x, own := &b.Parts[i], p.costs(f.first+i)
			for _, r := range b.Rounds[x.A:x.B] {
				if r.Next < 0 || p.cells[f.first+i].dead {
					continue
				}
				if cost := p.costs(f.first + r.Part)[0] + p.costs(f.first + r.Next)[v]; cost < own[v] {
					own[v], changed = cost, true
				}
			}
		}
	}
}

// round returns the least cost of a round and the rounds after it, if the round
// contributes something or is the last.
func (p *problem) round(f *frame, x *refine.Part, v int32, known bool) int32 {
	cost := int32(impossible)
	for _, r := range p.Bodies[f.body].Rounds[x.A:x.B] {
		c := p.costs(f.first + r.Part)
		if r.Ends {
			cost = min(cost, c[v])
		}
		if r.Next < 0 || v == 0 {
			continue
		}
		if cost = min(cost, c[v]+p.costs(f.first + r.Next)[0]); !known {
			cost = min(cost, p.split(f.first+r.Part, f.first+r.Next, v))
		}
	}
	return cost
}

// costs returns the least costs of a cell by vector.
func (p *problem) costs(cell int32) []int32 { return p.least[cell*p.vectors : (cell+1)*p.vectors] }

// findLinks finds the links between frames.
func (p *problem) findLinks() {
	p.edges = make([][]link, len(p.frames))
	var around []int32 // by part: the least cost of the rest of the body
	for i := range p.frames {
		f := &p.frames[i]
		b := &p.Bodies[f.body]
		around = around[:0]
		for range b.Parts {
			around = append(around, impossible)
		}
		around[len(around)-1] = 0
		for j := len(b.Parts) - 1; j >= 0; j-- {
			x := &b.Parts[j]
			at := f.first + int32(j)
			if p.cells[at].dead || around[j] >= impossible {
				continue
			}
			nearer := func(part, cost int32) { around[part] = min(around[part], around[j]+cost) }
			switch x.Kind {
			case refine.Either:
				for _, kid := range b.Kids[x.A:x.B] {
					nearer(kid.Part, 0)
				}
			case refine.Both:
				nearer(x.A, p.costs(f.first + x.B)[0])
				nearer(x.B, p.costs(f.first + x.A)[0])
			case refine.Many:
				if b.Loops(int32(j)) {
					nearer(b.Rounds[x.A].Part, 0)
				} else {
					p.aroundRounds(f, int32(j), nearer)
				}
			case refine.Reference:
				if c := p.cells[at]; c.below >= 0 {
					p.edges[c.below] = append(p.edges[c.below], link{int32(i), around[j] + p.weights[f.body][j], c.outcome})
				}
			}
		}
	}
}

// aroundRounds computes, for each round of a repetition, the least cost of the
// other rounds.
func (p *problem) aroundRounds(f *frame, last int32, nearer func(part, cost int32)) {
	b := &p.Bodies[f.body]
	first := last - b.Parts[last].States + 1
	before := make([]int32, last-first+1) // by state: the least cost of the rounds that lead to it
	for i := range before {
		before[i] = impossible
	}
	before[last-first] = 0
	for changed := true; changed; {
		changed = false
		for i := range before {
			x := &b.Parts[first+int32(i)]
			for _, r := range b.Rounds[x.A:x.B] {
				if r.Next < 0 {
					continue
				}
				if cost := before[i] + p.costs(f.first + r.Part)[0]; cost < before[r.Next-first] {
					before[r.Next-first], changed = cost, true
				}
			}
		}
	}
	for i := range before {
		x := &b.Parts[first+int32(i)]
		for _, r := range b.Rounds[x.A:x.B] {
			after := int32(impossible)
			if r.Next >= 0 {
				after = p.costs(f.first + r.Next)[0]
			}
			if r.Ends {
				after = 0
			}
			nearer(r.Part, min(impossible, before[i]+after))
		}
	}
}

// findGoals finds the goals that each cell can contribute to. Those of frames are
// found first, by passing the goals of symbols on to the frames above.
func (p *problem) findGoals() {
	p.can = make([]uint64, len(p.cells))
	ends := make([]uint64, len(p.minus))
	for mask, outcome := range p.outcome {
		ends[outcome] = mask
	}
	var work []int32
	for i, f := range p.frames {
		own := uint64(0)
		for _, c := range p.cells[f.first : f.last+1] {
			if !c.dead {
				own |= ends[c.outcome]
			}
		}
		if p.can[f.last] = own; own != 0 {
			work = append(work, int32(i))
		}
	}
	for ; len(work) > 0; work = work[1:] {
		can := p.can[p.frames[work[0]].last]
		for _, a := range p.above[work[0]] {
			if above := &p.can[p.frames[a].last]; *above|can != *above {
				*above |= can
				work = append(work, a)
			}
		}
	}
	for i := range p.frames {
		p.collectGoals(&p.frames[i], ends)
	}
}

// collectGoals finds the goals of a frame's cells, given those of the frames
// below.
func (p *problem) collectGoals(f *frame, ends []uint64) {
	b := &p.Bodies[f.body]
	for j := range b.Parts {
		x := &b.Parts[j]
		at := f.first + int32(j)
		c := &p.cells[at]
		can := uint64(0)
		switch {
		case c.dead:
		case x.Kind == refine.Symbol || x.Kind == refine.Absent:
			can = ends[c.outcome]
		case x.Kind == refine.Reference:
			can = ends[c.outcome] | p.can[p.frames[c.below].last]
		case x.Kind == refine.Either:
			for _, kid := range b.Kids[x.A:x.B] {
				can |= p.can[f.first+kid.Part]
			}
		case x.Kind == refine.Both:
			can = p.can[f.first+x.A] | p.can[f.first+x.B]
		case x.Kind == refine.Many:
			for i := int32(j) - x.States + 1; i <= int32(j); i++ { // any state can lead to any round
				for _, r := range b.Rounds[b.Parts[i].A:b.Parts[i].B] {
					can |= p.can[f.first+r.Part]
				}
			}
			for i := int32(j) - x.States + 1; i < int32(j); i++ {
				p.can[f.first+i] = can
			}
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
