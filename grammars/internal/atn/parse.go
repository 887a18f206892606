package atn

import (
	"context"
	"strconv"
	"time"

	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/internal/grow"
	"github.com/inroad/inroad/grammars/limit"
)

// A run is one parse of an input.
type run struct {
	m         *Machine
	ctx       context.Context
	deadline  time.Time
	limits    Limits
	steps     int
	nextCheck int // the number of steps at which to check the limits again

	// State of the lexer.
	input        []byte
	at           int // offset of the next byte
	reached      int // end of the bytes looked at
	mode         int
	modes        []int // the mode stack
	tokens       []derivation.Token
	pieces       []derivation.Piece
	lexError     *SyntaxError
	lexFirstPred predicateUse

	// State of the parser.
	visible          []int32 // indexes of the tokens that the parser sees
	types            []int32 // types of the visible tokens
	pos              int     // index of the next visible token
	stack            []frame
	tree             derivation.Builder
	predictor        *predictor
	cache            *predictCache
	cacheFull        bool // the cache has exceeded its size
	firstPred        predicateUse
	full             *simulator  // for full-context prediction
	antlr            *runtimeRun // for prediction by the ANTLR runtime
	ambiguous        func(Ambiguity)
	checkedAmbiguity map[[2]int]bool // by decision and position
	loops            []loop          // the repetitions being parsed, if rounds can be empty

	// The state after the last consumed token, for error messages.
	last     int32
	lastBase int     // frames of the stack unchanged since then
	popped   []frame // frames popped since then, the topmost first
}

// A predicateUse is the first predicate that a parse depends on.
type predicateUse struct {
	predicate int32 // its number, from 1; 0 for none
	at        int32 // offset in the input
}

// A frame is an active rule of the parser's stack.
type frame struct {
	rule       int32
	node       int32
	precedence int32
	call       int32 // the calling state
	follow     int32 // the return state; -1 for the start rule
}

// parse walks the network from the start of a rule to its end. With full, it
// uses full-context prediction where SLL prediction finds a conflict. It reports
// whether the input matches; if not, syntaxError says where.
func (r *run) parse(rule int, full, whole bool) bool {
	w := r.predictor.net
	r.pos, r.firstPred, r.loops = 0, predicateUse{}, r.loops[:0]
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
			return !whole || r.next() == derivation.EOF
		}
		alt := int32(1)
		if len(p.arcs) > 1 {
			if alt = r.leaveLoop(s, p); alt != 0 {
			} else if alt = r.decide(p, full); alt == 0 {
				return false
			}
		}
		if s = r.follow(s, &p.arcs[alt-1]); s < 0 {
			return false
		}
	}
}

// decide returns the alternative to take at a decision, from 1, or 0 for none.
func (r *run) decide(p *flatState, full bool) int32 {
	if r.antlr != nil {
		return r.antlr.predict(p, full)
	}
	return r.predict(p, full)
}

// mark saves the state after the last consumed token, or at the start.
func (r *run) mark(s int32) {
	r.last, r.lastBase, r.popped = s, len(r.stack), r.popped[:0]
}

// leave pops the topmost rule and returns its return state, or -1 for the start
// rule.
func (r *run) leave() int32 {
	top := r.stack[len(r.stack)-1]
	r.tree.Close(top.node)
	if top.follow < 0 {
		return -1
	}
	r.stack = r.stack[:len(r.stack)-1]
	if len(r.stack) < r.lastBase {
		r.popped = grow.Append(r.popped, top)
		r.lastBase = len(r.stack)
	}
	return top.follow
}

// next returns the type of the next token.
func (r *run) next() int32 { return r.types[r.pos] }

// follow takes an arc from s and returns the next state, or -1 if the arc does
// not match.
func (r *run) follow(s int32, a *arc) int32 {
	depth := len(r.stack)
	top := &r.stack[depth-1]
	switch a.kind {
	case atom, set:
		t := r.types[r.pos]
		if !a.takes(t) {
			return -1
		}
		if !a.continues {
			r.grow()
			r.tree.Leaf(depth, r.visible[r.pos], derivation.Occurrence(a.occurrenceOf(t)))
		}
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
		r.stack = grow.Append(r.stack, frame{rule: a.rule, node: node, precedence: a.precedence, call: s, follow: a.follow})
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
	if a.pred != 0 && r.firstPred.predicate == 0 {
		r.firstPred = predicateUse{a.pred, r.tokens[r.visible[r.pos]].Start}
	}
	return a.skip
}

// grow panics if the tree already has the maximum number of nodes.
func (r *run) grow() {
	if r.tree.Size() >= r.limits.Nodes {
		panic(&limit.Error{What: "nodes of the tree", Value: strconv.Itoa(r.limits.Nodes), Option: "max_nodes"})
	}
}

// firstPredicate returns an error for the first predicate, by position in the
// input, that the parse depends on, or nil. Predicates of alternatives that
// were not taken cannot change the parse, and neither can tokens after the last
// one looked at.
func (r *run) firstPredicate() *PredicateError {
	asked, predicates := r.firstPred, r.m.predicates
	if lex := r.lexFirstPred; lex.predicate != 0 && lex.at <= r.tokens[r.visible[r.pos]].Start && (asked.predicate == 0 || lex.at <= asked.at) {
		asked, predicates = lex, r.m.lexer.net.preds
	}
	if asked.predicate == 0 {
		return nil
	}
	return &PredicateError{predicates[asked.predicate-1], int(asked.at)}
}
