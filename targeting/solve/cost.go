package solve

import (
	"context"
	"math"
	"strconv"

	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/grammars/refine"
)

// impossible is the cost of a part without a derivation. The sum of a few of these
// costs does not overflow.
const impossible = math.MaxInt32 / 4

// maxSteps limits the work on one problem: the sums that are compared.
const maxSteps = 4_000_000_000

// measure computes the least cost of each cell for each vector: the least cost of a
// derivation that contributes at least the vector.
//
// The costs for the empty vector come first, see measureEmpty. A cell that contributes
// to no goal needs no others. The costs of the other cells are shared in rows, and
// computed one vector at a time, in ascending order: a vector depends on smaller
// vectors, and on itself.
func (p *problem) measure(ctx context.Context) error {
	p.measureEmpty()
	if p.vectors > 1 {
		p.findGoals()
	}
	p.findRows()
	if p.vectors > 1 {
		p.findRowUsers()
	}
	p.now, p.lowered = reuse(p.now, len(p.rows)), reuse(p.lowered, len(p.rows)/64+1)
	for v := int32(1); v < p.vectors; v++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if p.steps > maxSteps {
			return &limit.Error{What: "solver steps", Value: strconv.Itoa(maxSteps), Advice: "ask for fewer paths or smaller counts"}
		}
		p.measureVector(v)
	}
	return nil
}

// measureEmpty computes the least cost of each cell for the empty vector. It starts
// from the known costs without the constraint, most of which do not change. A cell is
// raised if, among the cells that are not raised, the constraint leaves it no
// derivation of its known cost. Only raised cells are measured anew.
func (p *problem) measureEmpty() {
	p.empty = reuse(p.empty, len(p.cells))
	if p.depth > 0 { // no cell contains itself
		for at := range p.all() {
			p.empty[at] = p.evaluate(at)
		}
		return
	}
	copy(p.empty, p.freeCost)
	for i := len(p.free); i < len(p.cells); i++ {
		p.empty[i] = p.freeCost[p.cells[i].free]
	}
	var raised []int32
	p.work.clear(len(p.cells))
	for _, at := range p.refined {
		p.work.add(at)
	}
	for len(p.work.added) > 0 {
		for _, at := range p.work.take() {
			if p.evaluate(at) > p.empty[at] {
				p.empty[at] = impossible
				raised = append(raised, at)
				for user := range p.usersOf(at) {
					p.work.add(user)
				}
			}
		}
	}
	if len(raised) > 0 {
		p.settle(raised)
	}
}

// settle computes the least costs of the raised cells, given the costs of all others. It
// settles cells in ascending order of cost, as Knuth's generalization of Dijkstra's
// algorithm does.
func (p *problem) settle(raised []int32) {
	p.tried = reuse(p.tried, len(p.cells))
	cost := p.tried // by cell: the least cost so far; -1 if the cell is settled
	for i := range cost {
		cost[i] = -1
	}
	var queue costQueue
	try := func(at, c int32) {
		if c < cost[at] {
			cost[at] = c
			queue.push(c, at)
		}
	}
	for _, at := range raised {
		cost[at] = impossible
	}
	for _, at := range raised {
		try(at, p.evaluate(at))
	}
	for len(queue) > 0 {
		c, at := queue.pop()
		if c != cost[at] {
			continue
		}
		p.empty[at], cost[at] = c, -1
		for user := range p.usersOf(at) {
			switch x := &p.cells[user]; {
			case x.kind == refine.Many || cost[user] >= 0 && x.kind != refine.Either:
				try(user, p.evaluate(user))
			case !x.dead:
				try(user, c)
			}
		}
	}
}

// evaluate returns the cost of a cell for the empty vector, given the costs of the
// cells that it consists of. For the last cell of a repetition, it also computes the
// costs of the repetition's other cells.
func (p *problem) evaluate(at int32) int32 {
	c := &p.cells[at]
	cost := int32(impossible)
	switch c.kind {
	case refine.End:
		cost = 0
	case refine.Symbol, refine.Absent:
		cost = c.weight
	case refine.Reference:
		if !c.dead {
			cost = c.weight + p.empty[c.below]
		}
	case refine.Either:
		for _, kid := range p.kidsOf(c) {
			cost = min(cost, p.empty[kid.Part])
		}
	case refine.Both:
		cost = p.empty[c.a] + p.empty[c.b]
	case refine.Many:
		if c.states == 0 {
			return p.empty[at] // computed with the last cell
		}
		cost = p.evaluateRounds(at)
	}
	if c.dead || p.rest(c.outcome, 0) != 0 {
		return impossible
	}
	return min(cost, impossible)
}

// evaluateRounds computes the costs of a repetition's cells for the empty vector. It
// returns the cost of the last cell without storing it.
func (p *problem) evaluateRounds(last int32) int32 {
	first := last - p.cells[last].states + 1
	before := p.empty[last]
	for i := first; i <= last; i++ {
		p.empty[i] = impossible
	}
	for changed := true; changed; {
		changed = false
		for i := first; i <= last; i++ {
			if p.cells[i].dead {
				continue
			}
			for _, r := range p.roundsOf(&p.cells[i]) {
				after := int32(0)
				if !r.Ends {
					after = p.empty[r.Next]
				}
				if cost := p.empty[r.Part] + after; cost < p.empty[i] {
					p.empty[i], changed = cost, true
				}
			}
		}
	}
	cost := p.empty[last]
	p.empty[last] = before
	return cost
}

// findGoals finds the goals that each cell can contribute to, by passing the goals of
// symbols on to their users.
func (p *problem) findGoals() {
	p.can = reuse(p.can, len(p.cells))
	ends := make([]uint64, len(p.minus))
	for mask, outcome := range p.outcome {
		ends[outcome] = mask
	}
	if p.depth > 0 { // no cell contains itself
		for at := range p.all() {
			p.collectGoals(at, ends)
		}
		return
	}
	p.work.clear(len(p.cells))
	for _, at := range p.refined {
		if c := &p.cells[at]; !c.dead && c.outcome != 0 {
			p.can[at] |= ends[c.outcome]
			p.work.add(at)
		}
	}
	for len(p.work.added) > 0 {
		for _, at := range p.work.take() {
			for user := range p.usersOf(at) {
				if p.cells[user].dead || p.can[at]&^p.can[user] == 0 {
					continue
				}
				p.contribute(user, p.can[at]|p.can[user])
				p.work.add(user)
			}
		}
	}
}

// contribute sets the goals that a cell can contribute to. Any state of a repetition
// can lead to any round.
func (p *problem) contribute(at int32, goals uint64) {
	p.can[at] = goals
	for i := at - p.cells[at].states + 1; i < at; i++ {
		p.can[i] = goals
	}
}

// collectGoals finds the goals of a cell, given the goals of the cells that it consists
// of.
func (p *problem) collectGoals(at int32, ends []uint64) {
	c := &p.cells[at]
	can := uint64(0)
	switch {
	case c.dead || c.kind == refine.Many && c.states == 0:
		return
	case c.kind == refine.Symbol || c.kind == refine.Absent:
		can = ends[c.outcome]
	case c.kind == refine.Reference:
		can = ends[c.outcome] | p.can[c.below]
	case c.kind == refine.Either:
		for _, kid := range p.kidsOf(c) {
			can |= p.can[kid.Part]
		}
	case c.kind == refine.Both:
		can = p.can[c.a] | p.can[c.b]
	case c.kind == refine.Many:
		for i := at - c.states + 1; i <= at; i++ {
			for _, r := range p.roundsOf(&p.cells[i]) {
				can |= p.can[r.Part]
			}
		}
	}
	p.contribute(at, can)
}

// A costQueue is a heap of cells by cost, then by number.
type costQueue []uint64

func (q *costQueue) push(cost, at int32) {
	h := append(*q, uint64(cost)<<32|uint64(at))
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

func (q *costQueue) pop() (cost, at int32) {
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
