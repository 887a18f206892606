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

// maxSteps limits the work on one problem: the sums that are compared.
const maxSteps = 4_000_000_000

// measure computes the least cost of each cell for each vector: the least cost of a
// derivation that contributes at least the vector.
//
// The costs for the empty vector come first, see measureEmpty. They are all that is
// needed of a cell that contributes to no goal. The costs of the others are shared
// in rows, and computed one vector at a time, in ascending order: a vector depends
// on smaller vectors, and on itself.
func (p *problem) measure(ctx context.Context) error {
	p.measureEmpty()
	if p.vectors > 1 {
		p.findGoals()
	}
	p.findRows()
	now, active := make([]int32, len(p.rows)), make([]int32, 0, len(p.rows))
	for v := int32(1); v < p.vectors; v++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if p.steps > maxSteps {
			return &limit.Error{What: "solver steps", Value: strconv.Itoa(maxSteps), Advice: "ask for fewer paths or smaller counts"}
		}
		p.measureVector(v, now, active)
	}
	return nil
}

// measureEmpty computes the least cost of each cell for the empty vector. The
// costs without the constraint are known, and most are the same with it. A frame
// is raised if the constraint forbids all its derivations of that cost from frames
// that are not raised. Only raised frames are measured anew.
func (p *problem) measureEmpty() {
	p.empty = make([]int32, len(p.cells))
	raised := make([]bool, len(p.frames))
	work := newFrameSet(len(p.frames))
	for i := range p.frames {
		p.empty[p.frames[i].last] = p.unconstrained[p.frames[i].body]
		work.add(int32(i))
	}
	changed := false
	for len(work.added) > 0 {
		for _, i := range work.take() {
			if raised[i] || p.evaluate(i) <= p.unconstrained[p.frames[i].body] {
				continue
			}
			raised[i], changed = true, true
			p.empty[p.frames[i].last] = impossible
			work.add(p.referring(i)...)
		}
	}
	if !changed {
		return
	}
	p.measureRaised(raised)
	for i := range p.frames {
		p.evaluate(int32(i))
	}
}

// measureRaised computes the least costs of the raised frames, given those of all
// others.
func (p *problem) measureRaised(raised []bool) {
	cost := make([]int32, len(p.frames))
	var queue costQueue
	try := func(i int32) {
		c := p.evaluate(i)
		p.empty[p.frames[i].last] = impossible // until its cost is final
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
	above := newFrameSet(len(p.frames))
	for len(queue) > 0 {
		// A reference has a cost, so that frames of the same cost do not depend on each
		// other. A frame that refers to many of them is evaluated once.
		for c := queue.least(); len(queue) > 0 && queue.least() == c; {
			_, i := queue.pop()
			if !raised[i] || c != cost[i] {
				continue
			}
			raised[i] = false
			p.empty[p.frames[i].last] = c
			above.add(p.referring(i)...)
		}
		for _, a := range above.take() {
			if raised[a] {
				try(a)
			}
		}
	}
}

// A frameSet is a set of frames in the order in which they were added.
type frameSet struct {
	has   []bool // by frame
	added []int32
}

func newFrameSet(frames int) *frameSet { return &frameSet{has: make([]bool, frames)} }

func (s *frameSet) add(frames ...int32) {
	for _, f := range frames {
		if !s.has[f] {
			s.has[f] = true
			s.added = append(s.added, f)
		}
	}
}

// take empties the set and returns the frames that it had.
func (s *frameSet) take() []int32 {
	out := s.added
	for _, f := range out {
		s.has[f] = false
	}
	s.added = nil
	return out
}

// evaluate computes the costs of a frame's cells for the empty vector, given those
// of the frames below, and returns the cost of the frame.
func (p *problem) evaluate(frame int32) int32 {
	f := &p.frames[frame]
	b := &p.Bodies[f.body]
	weights := p.weights[f.body]
	empty := p.empty[f.first : f.last+1]
	cells := p.cells[f.first : f.last+1]
	for i := range b.Parts {
		x := &b.Parts[i]
		c := &cells[i]
		cost := int32(impossible)
		switch {
		case c.dead:
		case x.Kind == refine.End:
			cost = 0
		case x.Kind == refine.Symbol || x.Kind == refine.Absent:
			if p.rest(c.outcome, 0) == 0 {
				cost = weights[i]
			}
		case x.Kind == refine.Reference:
			if p.rest(c.outcome, 0) == 0 {
				cost = weights[i] + p.empty[p.frames[c.below].last]
			}
		case x.Kind == refine.Either:
			for _, kid := range b.Kids[x.A:x.B] {
				cost = min(cost, empty[kid.Part])
			}
		case x.Kind == refine.Both:
			cost = empty[x.A] + empty[x.B]
		case x.States > 0:
			p.evaluateRounds(f, int32(i))
			continue
		}
		empty[i] = min(cost, impossible)
	}
	return p.empty[f.last]
}

// evaluateRounds computes the costs of a repetition for the empty vector, given its
// last part.
func (p *problem) evaluateRounds(f *frame, last int32) {
	b := &p.Bodies[f.body]
	first := last - b.Parts[last].States + 1
	for i := first; i <= last; i++ {
		p.empty[f.first+i] = impossible
	}
	for changed := true; changed; {
		changed = false
		for i := first; i <= last; i++ {
			if p.cells[f.first+i].dead {
				continue
			}
			for _, r := range b.Rounds[b.Parts[i].A:b.Parts[i].B] {
				after := int32(0)
				if !r.Ends {
					after = p.empty[f.first+r.Next]
				}
				if cost := p.empty[f.first+r.Part] + after; cost < p.empty[f.first+i] {
					p.empty[f.first+i], changed = cost, true
				}
			}
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
		for _, a := range p.referring(work[0]) {
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

// least returns the least cost in the queue.
func (q costQueue) least() int32 { return int32(q[0] >> 32) }

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
