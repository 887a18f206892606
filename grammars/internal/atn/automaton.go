// Package atn is the automaton behind parsing, and the one place for the ANTLR
// runtime.
//
// [Build] makes of a resolved grammar the two augmented transition networks
// that the ANTLR tool would make, with the same state and decision numbers. A
// [Machine] cuts input into tokens and walks the parser's network on a stack of
// its own. Which way to go it decides as ANTLR's adaptive prediction does, with
// an engine that can be bounded and interrupted; the runtime's own, which
// cannot, is there for comparison. What it finds is tagged with the grammar
// occurrence that each edge came from.
//
// A Machine is safe for concurrent use.
package atn

import (
	"slices"

	"github.com/inroad/inroad/grammars/g4"
)

// stateKind is a kind of state; the numbers are those of the serialised form.
type stateKind uint8

const (
	basic          stateKind = 1
	ruleStart      stateKind = 2
	blockStart     stateKind = 3
	plusBlockStart stateKind = 4
	starBlockStart stateKind = 5
	tokensStart    stateKind = 6
	ruleStop       stateKind = 7
	blockEnd       stateKind = 8
	starLoopBack   stateKind = 9
	starLoopEntry  stateKind = 10
	plusLoopBack   stateKind = 11
	loopEnd        stateKind = 12
)

// edgeKind is a kind of edge; the numbers are those of the serialised form.
type edgeKind uint8

const (
	epsilon    edgeKind = 1
	charRange  edgeKind = 2
	ruleCall   edgeKind = 3
	predicate  edgeKind = 4
	atom       edgeKind = 5
	action     edgeKind = 6
	set        edgeKind = 7
	notSet     edgeKind = 8
	wildcard   edgeKind = 9
	precedence edgeKind = 10
)

// none marks an edge that stands for no occurrence.
const none = -1

// eof is the label of the end of the input, among tokens and characters alike.
const eof = -1

// A state is a place in a network.
type state struct {
	number    int
	kind      stateKind
	rule      int
	edges     []*edge
	end       *state // of a block start: where the block ends
	through   bool   // of a block start: the end is reached without a rule call
	loopBack  *state // of a loop end: where the loop turns
	decision  int    // -1: none
	nonGreedy bool
	leftRec   bool // of a rule start: the rule is left-recursive
	precLoop  bool // of a loop entry: the loop is a left-recursive rule's operators
	removed   bool
}

// An edge leads from a state to another.
type edge struct {
	kind       edgeKind
	target     *state
	follow     *state  // of a rule call: where it returns to
	lo, hi     int32   // of an atom or a range
	set        ranges  // of a set or a negated set
	rule       int     // of a rule call, predicate or action
	index      int     // of a predicate or action
	precedence int     // of a rule call or precedence edge
	inContext  bool    // of a predicate: it depends on the rule it is in
	asks       int32   // of a predicate: its number among the network's, from 1
	occurrence int32   // what it came from in the grammar
	operand    int32   // of a precedence edge: the occurrence of the left operand
	members    []label // of a collapsed set: what each of its parts came from
	continues  bool    // it takes a later character of a literal
}

// A label is the occurrence that a range of symbols came from.
type label struct {
	lo, hi     int32
	occurrence int32
}

// consumes reports whether the edge takes a symbol of the input.
func (e *edge) consumes() bool {
	switch e.kind {
	case charRange, atom, set, notSet, wildcard:
		return true
	default:
		return false
	}
}

// matches reports whether a consuming edge takes symbol c, where the highest symbol is most.
func (e *edge) matches(c, most int32) bool {
	switch e.kind {
	case atom, charRange:
		return e.lo <= c && c <= e.hi
	case set:
		return e.set.contains(c)
	case notSet:
		return 0 <= c && c <= most && !e.set.contains(c)
	case wildcard:
		return 0 <= c && c <= most
	default:
		return false
	}
}

// occurrenceOf returns the occurrence that taking symbol c is an instance of.
func (e *edge) occurrenceOf(c int32) int32 {
	for _, l := range e.members {
		if l.lo <= c && c <= l.hi {
			return l.occurrence
		}
	}
	return e.occurrence
}

// A network is an augmented transition network: a lexer's or a parser's.
type network struct {
	lexer     bool
	maxToken  int
	states    []*state
	starts    []*state // by rule
	stops     []*state
	types     []int    // lexer: the token type that each rule makes
	modes     []*state // lexer: where each mode starts
	decisions []*state
	actions   []lexerAction
	asks      []Predicate
	rules     []string
}

// A Predicate is code of the target language that would decide whether an
// alternative can be taken. It counts as true.
type Predicate struct {
	g4.Pos
	Rule string
	Text string
}

// A lexerAction is what a lexer does when it has matched a rule.
type lexerAction struct{ kind, a, b int }

// The kinds of lexer actions, numbered as in the serialised form.
const (
	actChannel  = 0
	actCustom   = 1
	actMode     = 2
	actMore     = 3
	actPopMode  = 4
	actPushMode = 5
	actSkip     = 6
	actType     = 7
)

// ranges is a set of symbols: sorted, apart from each other by at least one.
type ranges []interval

type interval struct{ lo, hi int32 }

// normal returns the set of all the intervals' symbols.
func normal(in []interval) ranges {
	in = slices.Clone(in)
	slices.SortFunc(in, func(a, b interval) int { return int(a.lo) - int(b.lo) })
	out := in[:0]
	for _, r := range in {
		if n := len(out); n > 0 && r.lo <= out[n-1].hi+1 {
			out[n-1].hi = max(out[n-1].hi, r.hi)
			continue
		}
		out = append(out, r)
	}
	return ranges(out)
}

func (rs ranges) contains(c int32) bool {
	i, found := slices.BinarySearchFunc(rs, c, func(r interval, c int32) int { return int(r.lo) - int(c) })
	return found || i > 0 && rs[i-1].hi >= c
}
