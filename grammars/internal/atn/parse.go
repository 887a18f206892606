package atn

import (
	"context"

	"github.com/inroad/inroad/grammars/derivation"
)

// A run is one parse of one input.
type run struct {
	m      *Machine
	ctx    context.Context
	limits Limits
	steps  int

	// The lexer's side.
	input    []byte
	at       int // the next byte
	reached  int // one past the last byte looked at
	mode     int
	modes    []int // to return to
	tokens   []derivation.Token
	visible  []int32 // the tokens that the parser sees, by index
	lexError *SyntaxError

	// The parser's side.
	pos   int // the next token, by index into visible
	stack []frame
	tree  derivation.Builder
	cache *predictCache
	grown bool        // the cache has got more in it
	full  *simulator  // for decisions that need the whole stack
	antlr *runtimeRun // for decisions that the ANTLR runtime takes

	// Where the parser stood after the last token that it took, from which
	// error messages are made.
	last     int32
	lastBase int     // frames of the stack that are as they were then
	popped   []frame // and those that were on top, the topmost first
}

// A frame is a rule being parsed.
type frame struct {
	rule       int32
	node       int32
	precedence int32
	call       int32 // where it was called, and
	follow     int32 // where it returns to; -1 in the start rule
}

// parse walks from the start of a rule to its end. With full it decides with
// the whole stack where it must.
func (r *run) parse(rule int, full, whole bool) *SyntaxError {
	w := r.m.walk
	r.pos = 0
	r.tree.Reset(4 * len(r.visible))
	r.stack = append(r.stack[:0], frame{rule: int32(rule), node: r.tree.Open(0, int32(rule), derivation.None), follow: -1})
	s := w.starts[rule]
	r.mark(s)
	for {
		p := &w.states[s]
		if p.kind == ruleStop {
			if s = r.leave(); s >= 0 {
				continue
			}
			if whole && r.next() != derivation.EOF {
				return r.syntaxError()
			}
			return nil
		}
		alt := int32(1)
		if len(p.arcs) > 1 {
			if alt = r.decide(p, full); alt == 0 {
				return r.syntaxError()
			}
		}
		if s = r.follow(s, p, &p.arcs[alt-1]); s < 0 {
			return r.syntaxError()
		}
	}
}

// decide returns the alternative that a decision takes, from 1, 0 for none.
func (r *run) decide(p *place, full bool) int32 {
	if r.antlr != nil {
		return r.antlr.predict(p, full)
	}
	return r.predict(p, full)
}

// mark remembers that a token has just been taken, or that none has been yet.
func (r *run) mark(s int32) {
	r.last, r.lastBase, r.popped = s, len(r.stack), r.popped[:0]
}

// leave ends the topmost rule and returns where to go on, -1 at the very end.
func (r *run) leave() int32 {
	top := r.stack[len(r.stack)-1]
	if top.follow < 0 {
		return -1
	}
	r.stack = r.stack[:len(r.stack)-1]
	if len(r.stack) < r.lastBase {
		r.popped = append(r.popped, top)
		r.lastBase = len(r.stack)
	}
	return top.follow
}

// next returns the type of the next token.
func (r *run) next() int32 { return r.tokens[r.visible[r.pos]].Type }

// follow takes an arc from s and returns where it leads, -1 if the next token
// is not on it.
func (r *run) follow(s int32, p *place, a *arc) int32 {
	top := &r.stack[len(r.stack)-1]
	switch a.kind {
	case epsilon, action, predicate:
		if a.occurrence != none {
			r.tree.Empty(top.node, derivation.Occurrence(a.occurrence))
		}
		if p.precLoop && r.m.walk.states[a.target].kind != loopEnd {
			r.tree.Wrap(top.node)
		}
		return a.target
	case precedence:
		if a.precedence < top.precedence {
			return -1
		}
		r.tree.Operand(top.node, derivation.Occurrence(a.operand))
		return a.target
	case ruleCall:
		if len(r.stack) >= r.limits.Depth {
			panic(&LimitError{What: "nesting of rules", Bound: r.limits.Depth})
		}
		node := r.tree.Open(top.node, a.rule, derivation.Occurrence(a.occurrence))
		r.stack = append(r.stack, frame{rule: a.rule, node: node, precedence: a.precedence, call: s, follow: a.follow})
		return a.target
	default:
		t := r.next()
		if !a.takes(t) {
			return -1
		}
		r.tree.Leaf(top.node, r.visible[r.pos], derivation.Occurrence(a.occurrenceOf(t)))
		r.step(1)
		if t != derivation.EOF {
			r.pos++
		}
		r.mark(a.target)
		return a.target
	}
}
