package solve

import (
	"context"
	"slices"
	"strconv"

	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/grammars/refine"
)

// A frame is a body of the refined grammar in its context: the automaton's state
// above it, and the depth that is left.
//
// A state other than 0 determines the reference right above. So without a depth
// limit there are hardly more frames than bodies and states.
type frame struct {
	frameKey
	first, last int32 // its cells, one for each part of the body
}

type frameKey struct {
	body, state int32
	depth       int32 // the depth left; 0 if depth is not limited
}

// A cell is a part of a body in a frame.
type cell struct {
	below   int32 // the frame of a reference, else -1
	outcome int32 // which goals the symbol contributes to
	dead    bool  // whether no solution has it
}

// A problem is a constraint on the trees of a body, refined by the automaton so
// that only sums of costs and counts are left to compute.
type problem struct {
	*shape
	*goals
	automaton *automaton
	frames    []frame
	cells     []cell
	above     []int32 // the frames that refer to each frame, see referring
	aboveFrom []int32 // by frame: where its range in above begins
	depth     int32   // the limit on the depth, or 0

	empty []int32  // by cell: the least cost for the empty vector
	can   []uint64 // by cell: the goals that it can contribute to
	costs []cost   // by cell: the least cost for any vector

	rows    []row
	order   []int32 // the rows, each after the rows that it depends on unless they are recursive
	options []cost  // of all rows
	least   []int32 // by row, then by vector
	steps   int
}

// Limits on the memory of one problem.
const (
	maxCells = 1 << 22
	maxLeast = 1 << 25 // cells times vectors
)

// refine finds the frames that are reachable from a body.
func (p *problem) refine(ctx context.Context, root int32) error {
	index := make(map[frameKey]int32, len(p.Bodies))
	p.frames = make([]frame, 0, len(p.Bodies)+len(p.automaton.next))
	p.cells = make([]cell, 0, p.parts+p.parts/4)
	enter := func(k frameKey) int32 {
		i, ok := index[k]
		if !ok {
			i = int32(len(p.frames))
			index[k] = i
			first := int32(0)
			if i > 0 {
				first = p.frames[i-1].last + 1
			}
			p.frames = append(p.frames, frame{k, first, first + int32(len(p.Bodies[k.body].Parts)) - 1})
		}
		return i
	}
	enter(frameKey{body: root, depth: p.depth})
	for i := 0; i < len(p.frames); i++ {
		f := p.frames[i]
		switch {
		case f.last > maxCells:
			return &limit.Error{What: "cells of the constraint", Value: strconv.Itoa(maxCells), Advice: "ask for fewer or shorter paths, or a smaller depth"}
		case int(f.last)*int(p.vectors) > maxLeast:
			return &limit.Error{What: "costs kept for the constraint", Value: strconv.Itoa(maxLeast), Advice: "ask for fewer or shorter paths, or smaller counts"}
		}
		if i%1024 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		parts := p.Bodies[f.body].Parts
		for j := range parts {
			p.cells = append(p.cells, p.cell(f, &parts[j], enter))
		}
	}
	p.findAbove()
	return nil
}

// findAbove finds the frames that refer to each frame.
func (p *problem) findAbove() {
	p.aboveFrom = make([]int32, len(p.frames)+1)
	for _, c := range p.cells {
		if c.below >= 0 {
			p.aboveFrom[c.below]++
		}
	}
	to := int32(0)
	for i := range p.aboveFrom {
		to += p.aboveFrom[i]
		p.aboveFrom[i] = to
	}
	p.above = make([]int32, to)
	for i, f := range slices.Backward(p.frames) { // fills each range from its end
		for _, c := range p.cells[f.first : f.last+1] {
			if c.below >= 0 {
				p.aboveFrom[c.below]--
				p.above[p.aboveFrom[c.below]] = int32(i)
			}
		}
	}
}

// referring returns the frames that refer to a frame, once for each reference.
func (p *problem) referring(frame int32) []int32 {
	return p.above[p.aboveFrom[frame]:p.aboveFrom[frame+1]]
}

// cell returns the cell of a part in a frame.
func (p *problem) cell(f frame, x *refine.Part, enter func(frameKey) int32) cell {
	c := cell{below: -1, dead: !x.Useful}
	if c.dead || x.Kind != refine.Symbol && x.Kind != refine.Absent && x.Kind != refine.Reference {
		return c
	}
	state := p.automaton.step(f.state, x.Node.ID)
	if p.automaton.dead[state] || p.tooDeep(f, x) {
		c.dead = true
		return c
	}
	c.outcome = p.after(p.automaton.ends[state])
	if x.Kind == refine.Reference {
		k := frameKey{body: x.Below, state: state}
		if p.depth > 0 {
			k.depth = f.depth - 1
		}
		c.below = enter(k)
	}
	return c
}

// tooDeep reports whether every derivation of a symbol exceeds the depth that is
// left.
func (p *problem) tooDeep(f frame, x *refine.Part) bool {
	return p.depth > 0 && x.Node.Depth > int(f.depth)
}
