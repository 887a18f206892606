package solve

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strconv"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/grammars/refine"
)

// A problem is a constraint on the trees of a shape, refined by the automaton so
// that only sums of costs and counts are left to compute.
//
// Its first cells are the cells of the shape, in state 0 of the automaton. Then each
// frame adds the cells that differ from those. If depth is limited, every frame has its
// own copy of all cells of its body, and there are no others.
type problem struct {
	*shape
	*goals
	automaton *automaton
	depth     int32 // the limit on the depth, or 0

	cells     []cell
	top       int32          // the cell of the whole tree
	ownKids   []refine.Kid   // of the cells of frames
	ownRounds []refine.Round // of the cells of frames
	spans     []span         // all cells, from the bottom up

	costs []cost  // by cell: the least cost for any vector
	least []int32 // by row, then by vector
	steps int

	*workspace // nil once the costs are measured
}

// A frame is the body of a reference in its context: the automaton's state above it,
// and the depth that is left.
type frame struct {
	body  int32 // the cell of the body in the shape
	state int32
	depth int32 // the depth left; 0 if depth is not limited
}

// A span is a range of cells, each after the cells that it consists of.
type span struct{ from, to int32 }

// Limits on the memory of one problem.
const (
	maxCells = 1 << 22
	maxLeast = 1 << 25 // cells times vectors
)

// A refiner finds the cells of a problem.
type refiner struct {
	*problem
	index  map[frame]int32
	frames []frame
	tops   []int32 // by frame: the cell of the whole body
	spans  []span  // by frame: its cells
}

// refine finds the cells that are reachable from the top.
func (p *problem) refine(ctx context.Context) error {
	r := &refiner{problem: p, index: map[frame]int32{}}
	p.here, p.linked, p.refined = reuse(p.here, len(p.free)), p.linked[:0], p.refined[:0]
	if p.depth == 0 {
		p.cells = append(make([]cell, 0, len(p.free)+len(p.free)/8), p.free...)
		p.top = p.whole
		r.symbols()
	} else {
		r.enter(frame{body: p.whole, depth: p.depth})
	}
	for i := 0; i < len(r.frames); i++ {
		if err := p.checkSize(); err != nil {
			return err
		}
		if i%1024 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r.frame(r.frames[i])
	}
	for _, at := range r.linked {
		p.cells[at].below = r.tops[p.cells[at].below]
	}
	if p.depth > 0 {
		p.top = r.tops[0]
	} else {
		p.findOwnUsers()
	}
	p.spans = r.bottomUp()
	return p.checkSize()
}

func (p *problem) checkSize() error {
	switch {
	case len(p.cells) > maxCells:
		return &limit.Error{What: "cells of the constraint", Value: strconv.Itoa(maxCells), Advice: "ask for fewer or shorter paths, or a smaller depth"}
	case len(p.cells)*int(p.vectors) > maxLeast:
		return &limit.Error{What: "costs kept for the constraint", Value: strconv.Itoa(maxLeast), Advice: "ask for fewer or shorter paths, or smaller counts"}
	default:
		return nil
	}
}

// enter returns the number of a frame, which it adds on first use.
func (r *refiner) enter(f frame) int32 {
	i, ok := r.index[f]
	if !ok {
		i = int32(len(r.frames))
		r.index[f] = i
		r.frames = append(r.frames, f)
	}
	return i
}

// symbols refines, in state 0, the symbols that are on any path.
func (r *refiner) symbols() {
	for o, known := range r.automaton.known {
		if !known {
			continue
		}
		for _, at := range r.places[grammars.Occurrence(o)] {
			r.symbol(&r.cells[at], at, frame{})
			r.refined = append(r.refined, at)
		}
	}
}

// symbol refines the cell of a symbol in a frame.
func (r *refiner) symbol(c *cell, at int32, f frame) {
	node := r.symbolOf(c).node
	state := r.automaton.step(f.state, node.ID)
	if c.dead = c.dead || r.automaton.dead[state] || r.depth > 0 && node.Depth > int(f.depth); c.dead {
		return
	}
	c.outcome = r.after(r.automaton.ends[state])
	state = r.automaton.relevant(state)
	if c.kind == refine.Reference && (state != 0 || r.depth > 0) {
		below := frame{body: c.below, state: state}
		if r.depth > 0 {
			below.depth = f.depth - 1
		}
		c.below = r.enter(below)
		r.linked = append(r.linked, at)
	}
}

// frame adds the cells of a frame.
func (r *refiner) frame(f frame) {
	from := int32(len(r.cells))
	for _, at := range r.within[f.body] {
		r.here[at] = at
		if r.depth == 0 && !r.differs(at, f) {
			continue
		}
		c := r.free[at]
		next := int32(len(r.cells))
		switch c.kind {
		case refine.Symbol, refine.Absent, refine.Reference:
			r.symbol(&c, next, f)
		case refine.Either:
			kids := r.kids[c.a:c.b]
			c.a = int32(len(r.ownKids))
			for _, kid := range kids {
				r.ownKids = append(r.ownKids, refine.Kid{Part: r.here[kid.Part], Choice: kid.Choice})
			}
			c.own, c.b = true, int32(len(r.ownKids))
		case refine.Both:
			c.a, c.b = r.here[c.a], r.here[c.b]
		case refine.Many:
			first := at - c.states + 1
			for i := first; i < at; i++ {
				r.cells = append(r.cells, r.many(r.free[i], next-first))
			}
			c = r.many(c, next-first)
			next += at - first
		}
		r.here[at] = next
		r.cells = append(r.cells, c)
	}
	r.tops = append(r.tops, r.here[f.body])
	r.spans = append(r.spans, span{from, int32(len(r.cells))})
}

// differs reports whether a cell of the shape differs in a frame from the cell in
// state 0, given the cells that it consists of.
func (r *refiner) differs(at int32, f frame) bool {
	c := &r.free[at]
	switch c.kind {
	case refine.Symbol, refine.Absent, refine.Reference:
		o := r.symbolOf(c).node.ID
		return !c.dead && r.automaton.step(f.state, o) != r.automaton.step(0, o)
	default:
		for i := range r.parts(at) {
			if r.here[i] != i {
				return true
			}
		}
		return false
	}
}

// many returns the copy of a repetition's cell for the present frame. shift is the
// distance from the cell of the shape to the copy.
func (r *refiner) many(c cell, shift int32) cell {
	rounds := r.rounds[c.a:c.b]
	c.a = int32(len(r.ownRounds))
	for _, round := range rounds {
		round.Part = r.here[round.Part]
		if round.Next >= 0 {
			round.Next += shift
		}
		r.ownRounds = append(r.ownRounds, round)
	}
	c.own, c.b = true, int32(len(r.ownRounds))
	return c
}

// bottomUp returns all cells in an order in which references follow the cells below
// them, except where they are recursive.
func (r *refiner) bottomUp() []span {
	if r.depth > 0 { // frames are entered from the top down
		slices.Reverse(r.spans)
		return r.spans
	}
	order := make([]int32, len(r.frames))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(r.frames[a].body, r.frames[b].body), cmp.Compare(b, a))
	})
	var out []span
	done := int32(0)
	for _, i := range order { // a frame is as high as its body
		body := r.frames[i].body
		out = append(out, span{done, body + 1}, r.spans[i])
		done = body + 1
	}
	return append(out, span{done, int32(len(r.free))})
}

// all yields all cells, from the bottom up.
func (p *problem) all() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for _, s := range p.spans {
			for at := s.from; at < s.to; at++ {
				if !yield(at) {
					return
				}
			}
		}
	}
}

// kidsOf returns the options of an [refine.Either] cell.
func (p *problem) kidsOf(c *cell) []refine.Kid {
	if c.own {
		return p.ownKids[c.a:c.b]
	}
	return p.kids[c.a:c.b]
}

// roundsOf returns the rounds of a [refine.Many] cell.
func (p *problem) roundsOf(c *cell) []refine.Round {
	if c.own {
		return p.ownRounds[c.a:c.b]
	}
	return p.rounds[c.a:c.b]
}

// loops reports whether a [refine.Many] cell repeats a single cell any number of
// times.
func (p *problem) loops(at int32) bool {
	rounds := p.roundsOf(&p.cells[at])
	return len(rounds) == 1 && rounds[0].Ends && rounds[0].Next == at
}

// findOwnUsers finds the users that are not in the shape: the cells of frames, and the
// references that lead to frames.
func (p *problem) findOwnUsers() {
	for at := len(p.free); at < len(p.cells); at++ {
		p.refined = append(p.refined, int32(at))
	}
	p.ownUsers.clear(len(p.cells))
	for _, at := range p.refined {
		c := &p.cells[at]
		switch c.kind {
		case refine.Reference:
			if !c.dead {
				p.ownUsers.add(c.below, at)
			}
		case refine.Either:
			for _, kid := range p.kidsOf(c) {
				p.ownUsers.add(kid.Part, at)
			}
		case refine.Both:
			p.ownUsers.add(c.a, at)
			p.ownUsers.add(c.b, at)
		case refine.Many:
			for i := at - c.states + 1; i <= at; i++ {
				for _, round := range p.roundsOf(&p.cells[i]) {
					p.ownUsers.add(round.Part, at)
				}
			}
		}
	}
}

// usersOf yields the cells that a cell is a direct part of, and the references that
// lead to it. For a repetition, it yields the last cell only.
func (p *problem) usersOf(at int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		if int(at) < len(p.free) {
			for _, user := range p.users[p.usersFrom[at]:p.usersFrom[at+1]] {
				if c := &p.cells[user]; c.kind == refine.Reference && c.below != at {
					continue // it leads to a frame now
				}
				if !yield(user) {
					return
				}
			}
		}
		if len(p.ownUsers.first) == 0 {
			return
		}
		for i := p.ownUsers.first[at]; i > 0; i = p.ownUsers.list[i-1].next {
			if !yield(p.ownUsers.list[i-1].user) {
				return
			}
		}
	}
}

// userLists are lists of users by cell.
type userLists struct {
	first []int32 // by cell: its first entry in list, counted from 1, or 0
	list  []struct{ user, next int32 }
}

// clear makes the lists of a number of cells empty.
func (l *userLists) clear(cells int) { l.first, l.list = reuse(l.first, cells), l.list[:0] }

func (l *userLists) add(cell, user int32) {
	l.list = append(l.list, struct{ user, next int32 }{user, l.first[cell]})
	l.first[cell] = int32(len(l.list))
}
