package atn

import (
	"context"

	"github.com/antlr4-go/antlr/v4"

	"github.com/inroad/inroad/grammars/derivation"
)

// A run is one parse of one input.
type run struct {
	*antlr.BaseParser // the runtime's simulator wants a parser; what matters of it is overridden below

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
	pos       int // the next token, by index into visible
	stack     []frame
	tree      derivation.Builder
	simulator *antlr.ParserATNSimulator

	// Where the parser stood after the last token that it took, from which
	// error messages are made.
	last     *state
	lastBase int     // frames of the stack that are as they were then
	popped   []frame // and those that were on top, the topmost first
}

// A frame is a rule being parsed.
type frame struct {
	rule       int
	node       int32
	precedence int
	call       *state // where it was called, and
	follow     *state // where it returns to; nil in the start rule
}

// parse walks the parser's network from the start of a rule to its end.
func (r *run) parse(rule int, mode int, whole bool) *SyntaxError {
	r.begin(rule, mode)
	s := r.m.parser.starts[rule]
	r.mark(s)
	for {
		r.step(1)
		if s.kind == ruleStop {
			follow := r.leave()
			if follow == nil {
				if whole && r.next() != derivation.EOF {
					return r.syntaxError()
				}
				return nil
			}
			s = follow
			continue
		}
		alt := 0
		if len(s.edges) > 1 {
			if alt = r.predict(s); alt < 0 {
				return r.syntaxError()
			}
		}
		if s = r.follow(s, s.edges[alt]); s == nil {
			return r.syntaxError()
		}
	}
}

func (r *run) begin(rule, mode int) {
	if r.BaseParser == nil {
		r.BaseParser = antlr.NewBaseParser(nil)
		r.RemoveErrorListeners()
	}
	r.simulator = antlr.NewParserATNSimulator(r, r.m.runtime, r.m.decisions, r.m.contexts)
	r.simulator.SetPredictionMode(mode)
	r.Interpreter = r.simulator
	r.pos = 0
	r.tree.Reset(4 * len(r.visible))
	r.stack = append(r.stack[:0], frame{rule: rule, node: r.tree.Open(0, int32(rule), derivation.None)})
}

// mark remembers that a token has just been taken, or that none has been yet.
func (r *run) mark(s *state) {
	r.last, r.lastBase, r.popped = s, len(r.stack), r.popped[:0]
}

// leave ends the topmost rule and returns where to go on, nil at the very end.
func (r *run) leave() *state {
	top := r.stack[len(r.stack)-1]
	if top.follow == nil {
		return nil
	}
	r.stack = r.stack[:len(r.stack)-1]
	if len(r.stack) < r.lastBase {
		r.popped = append(r.popped, top)
		r.lastBase = len(r.stack)
	}
	return top.follow
}

// predict returns the index of the edge to take from a decision, -1 for none.
func (r *run) predict(s *state) int {
	alt := r.simulator.AdaptivePredict(r.BaseParser, stream{r}, s.decision, &stackContext{run: r, depth: len(r.stack) - 1})
	if r.HasError() {
		r.SetError(nil)
		return -1
	}
	return alt - 1
}

// next returns the type of the next token.
func (r *run) next() int32 { return r.tokens[r.visible[r.pos]].Type }

// follow takes an edge from s and returns where it leads, nil if the next token
// is not on it.
func (r *run) follow(s *state, e *edge) *state {
	top := &r.stack[len(r.stack)-1]
	switch e.kind {
	case epsilon, action, predicate:
		if e.occurrence != none {
			r.tree.Empty(top.node, derivation.Occurrence(e.occurrence))
		}
		if s.precLoop && e.target.kind != loopEnd {
			r.tree.Wrap(top.node)
		}
		return e.target
	case precedence:
		if e.precedence < top.precedence {
			return nil
		}
		r.tree.Operand(top.node, derivation.Occurrence(e.operand))
		return e.target
	case ruleCall:
		if len(r.stack) >= r.limits.Depth {
			panic(&LimitError{What: "nesting of rules", Bound: r.limits.Depth})
		}
		node := r.tree.Open(top.node, int32(e.rule), derivation.Occurrence(e.occurrence))
		r.stack = append(r.stack, frame{rule: e.rule, node: node, precedence: e.precedence, call: s, follow: e.follow})
		return e.target
	default:
		t := r.next()
		if t == 0 || !e.matches(t, int32(r.m.parser.maxToken)) {
			return nil
		}
		r.tree.Leaf(top.node, r.visible[r.pos], derivation.Occurrence(e.occurrenceOf(t)))
		if t != derivation.EOF {
			r.pos++
		}
		r.mark(e.target)
		return e.target
	}
}
