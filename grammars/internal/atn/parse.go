package atn

import (
	"context"
	"strconv"
	"time"

	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/limit"
)

// A run is one parse of one input.
type run struct {
	m        *Machine
	ctx      context.Context
	deadline time.Time
	limits   Limits
	steps    int
	glance   int // the number of steps at which to look at the clock again

	// The lexer's side.
	input    []byte
	at       int // the next byte
	reached  int // one past the last byte looked at
	mode     int
	modes    []int // to return to
	tokens   []derivation.Token
	pieces   []derivation.Piece
	lexError *SyntaxError
	lexAsked asking

	// The parser's side.
	visible   []int32 // the tokens that the parser sees, by index
	types     []int32 // and their types
	pos       int     // the next of these
	stack     []frame
	tree      derivation.Builder
	predictor *predictor
	cache     *predictCache
	crowded   bool // the cache has got more in it than it should
	asked     asking
	full      *simulator  // for decisions that need the whole stack
	antlr     *runtimeRun // for decisions that the ANTLR runtime takes
	ambiguous func(Ambiguity)
	examined  map[[2]int]bool // decisions and places where ambiguities were looked for

	// Where the parser stood after the last token that it took, from which
	// error messages are made.
	last     int32
	lastBase int     // frames of the stack that are as they were then
	popped   []frame // and those that were on top, the topmost first
}

// An asking is the first predicate that was come to.
type asking struct {
	predicate int32 // its number, from 1; 0 if there was none
	at        int32 // where in the input
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
	w := r.predictor.walk
	r.pos, r.asked = 0, asking{}
	r.tree.Reset(2*len(r.visible), r.limits.Nodes)
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
		if s = r.follow(s, &p.arcs[alt-1]); s < 0 {
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
	r.tree.Close(top.node)
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
func (r *run) next() int32 { return r.types[r.pos] }

// follow takes an arc from s and returns where it leads, -1 if the next token
// is not on it.
func (r *run) follow(s int32, a *arc) int32 {
	depth := len(r.stack)
	top := &r.stack[depth-1]
	switch a.kind {
	case atom, set:
		t := r.types[r.pos]
		if !a.takes(t) {
			return -1
		}
		r.grow()
		r.tree.Leaf(depth, r.visible[r.pos], derivation.Occurrence(a.occurrenceOf(t)))
		r.step(1)
		if t != derivation.EOF {
			r.pos++
		}
		r.mark(a.skip)
	case ruleCall:
		if depth >= r.limits.Depth {
			panic(&limit.Error{What: "nesting of rules", Value: strconv.Itoa(r.limits.Depth), Option: "max_depth"})
		}
		r.grow()
		node := r.tree.Open(depth, a.rule, derivation.Occurrence(a.occurrence))
		r.stack = append(r.stack, frame{rule: a.rule, node: node, precedence: a.precedence, call: s, follow: a.follow})
	case precedence:
		if a.precedence < top.precedence {
			return -1
		}
		r.grow()
		r.tree.Wrap(top.node, derivation.Occurrence(a.operand))
	default:
		if a.occurrence != none {
			r.grow()
			r.tree.Empty(depth, derivation.Occurrence(a.occurrence))
		}
	}
	if a.asks != 0 && r.asked.predicate == 0 {
		r.asked = asking{a.asks, r.tokens[r.visible[r.pos]].Start}
	}
	return a.skip
}

// grow gives up if the tree must not have another node.
func (r *run) grow() {
	if r.tree.Size() >= r.limits.Nodes {
		panic(&limit.Error{What: "nodes of the tree", Value: strconv.Itoa(r.limits.Nodes), Option: "max_nodes"})
	}
}

// unhandled returns the first predicate, by its place in the input, that the
// parse came to, nil if there was none. One that was passed over as it belongs to
// an alternative that was not taken could not have changed anything; and tokens
// behind the last one that was looked at do not count.
func (r *run) unhandled() *PredicateError {
	asked, of := r.asked, r.m.parser
	if lex := r.lexAsked; lex.predicate != 0 && lex.at <= r.tokens[r.visible[r.pos]].Start && (asked.predicate == 0 || lex.at <= asked.at) {
		asked, of = lex, r.m.lexer.net
	}
	if asked.predicate == 0 {
		return nil
	}
	return &PredicateError{of.asks[asked.predicate-1], int(asked.at)}
}
