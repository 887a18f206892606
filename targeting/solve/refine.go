package solve

import (
	"context"
	"strconv"

	"github.com/inroad/inroad/grammars/limit"
)

// A frame is a body in its context: what the automaton has read above it, how
// the operands of its rule are bound, and how much depth is left.
//
// A state other than 0 has read the symbol right above, which is a reference,
// and so fixes the body: there are no more frames than bodies and states, but
// for bindings and depths.
type frame struct {
	frameKey
	first, last int32 // its cells, one for each part of the body
}

type frameKey struct {
	body, state int32
	bound       int32 // a class of the body's bindings
	depth       int32 // 0 where depth does not matter
}

// A cell is a part of a body in a frame.
type cell struct {
	below   int32 // the frame of a reference, else -1
	outcome int32 // what the symbol does for the goals
	dead    bool  // whether it must not be there
}

// A problem is a constraint on the trees below a root, refined so that the rest
// of it is about sums alone.
type problem struct {
	*shape
	*goals
	automaton *automaton
	frames    []frame
	cells     []cell
	above     [][]int32 // by frame: the frames with a reference to it
	depth     int32     // the limit, or 0

	least []int32 // by cell, then by vector: what it costs at least
	can   []uint64
	edges [][]link // by frame: where it is the one part that contributes
	steps int
}

// Bounds on the memory of one problem.
const (
	maxCells = 1 << 22
	maxLeast = 1 << 25 // costs: one for each cell and vector
)

// refine finds the frames that are reached from a body.
func (p *problem) refine(ctx context.Context, root int32) error {
	index := map[frameKey]int32{}
	enter := func(k frameKey) int32 {
		i, ok := index[k]
		if !ok {
			i = int32(len(p.frames))
			index[k] = i
			first := int32(0)
			if i > 0 {
				first = p.frames[i-1].last + 1
			}
			p.frames = append(p.frames, frame{k, first, first + int32(len(p.bodies[k.body].parts)) - 1})
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
		for j := range p.bodies[f.body].parts {
			p.cells = append(p.cells, p.cell(f, &p.bodies[f.body].parts[j], enter))
		}
	}
	p.above = make([][]int32, len(p.frames))
	for i, f := range p.frames {
		for _, c := range p.cells[f.first : f.last+1] {
			if c.below < 0 {
				continue
			}
			if a := p.above[c.below]; len(a) == 0 || a[len(a)-1] != int32(i) {
				p.above[c.below] = append(a, int32(i))
			}
		}
	}
	return nil
}

// cell places a part in a frame.
func (p *problem) cell(f frame, x *part, enter func(frameKey) int32) cell {
	c := cell{below: -1}
	if x.isAlt && !p.bodies[f.body].bound.allows(f.bound, x.op) {
		c.dead = true
	}
	if x.kind != symbol && x.kind != absent && x.kind != reference {
		return c
	}
	state := p.automaton.step(f.state, x.node.ID)
	if c.dead || p.automaton.dead[state] || p.tooDeep(f, x) {
		c.dead = true
		return c
	}
	c.outcome = p.after(p.automaton.ends[state])
	if x.kind == reference {
		k := frameKey{body: x.below, state: state}
		if x.op >= 0 {
			k.bound = p.bodies[f.body].bound.operand(f.bound, x.op, x.node.ID)
		}
		if p.depth > 0 {
			k.depth = f.depth - 1
		}
		c.below = enter(k)
	}
	return c
}

// tooDeep reports whether a symbol cannot end within the depth that is left.
func (p *problem) tooDeep(f frame, x *part) bool {
	return p.depth > 0 && x.node.Depth > int(f.depth)
}
