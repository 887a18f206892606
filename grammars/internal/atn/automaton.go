// Package atn implements lexing and parsing with augmented transition networks.
// Apart from code for tests and evaluations, it is the only package that imports the
// ANTLR runtime.
//
// [Build] turns a resolved grammar into the two networks that the ANTLR tool
// would generate, with the same state and decision numbers. A [Machine] lexes
// the input and walks the parser's network with an explicit stack. Its
// prediction implements ANTLR's adaptive LL(*) algorithm, but can be limited
// and interrupted. The prediction of the ANTLR runtime, which cannot, is
// available for comparison. The nodes of a tree carry the grammar occurrences
// of the edges they came from.
//
// A Machine is safe for concurrent use.
package atn

import (
	"slices"

	"github.com/inroad/inroad/grammars/g4"
)

// stateKind is the kind of a state, numbered as in the serialized format.
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

// edgeKind is the kind of an edge, numbered as in the serialized format.
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

// none is the occurrence of an edge that stands for no symbol.
const none = -1

// eof is the label of the end of the input, both as a token type and as a
// character.
const eof = -1

// A state is a state of a network.
type state struct {
	number    int
	kind      stateKind
	rule      int
	edges     []*edge
	end       *state // of a block start: the block's end
	through   bool   // of a block start: the end is reachable without a rule call
	loopBack  *state // of a loop end: the loop-back state
	decision  int    // its number, or -1
	nonGreedy bool
	leftRec   bool // of a rule start: the rule is left-recursive
	precLoop  bool // of a loop entry: the loop over a left-recursive rule's operators
	removed   bool
}

// An edge connects two states.
type edge struct {
	kind       edgeKind
	target     *state
	follow     *state  // of a rule call: the return state
	lo, hi     int32   // of an atom or a range
	set        ranges  // of a set or a negated set
	rule       int     // of a rule call, predicate or action
	index      int     // of a predicate or action
	precedence int     // of a rule call or precedence edge
	inContext  bool    // of a predicate: it depends on the rule context
	pred       int32   // of a predicate: its number in the network, from 1
	occurrence int32   // in the grammar
	operand    int32   // of a precedence edge: the occurrence of the left operand
	members    []label // of a merged set: the occurrences of its parts
	continues  bool    // it consumes a character of a literal other than the first
}

// A label is the occurrence of a range of symbols.
type label struct {
	lo, hi     int32
	occurrence int32
}

// consumes reports whether the edge consumes a symbol.
func (e *edge) consumes() bool {
	switch e.kind {
	case charRange, atom, set, notSet, wildcard:
		return true
	default:
		return false
	}
}

// matches reports whether a consuming edge matches symbol c.
func (e *edge) matches(c, maxSymbol int32) bool {
	switch e.kind {
	case atom, charRange:
		return e.lo <= c && c <= e.hi
	case set:
		return e.set.contains(c)
	case notSet:
		return 0 <= c && c <= maxSymbol && !e.set.contains(c)
	case wildcard:
		return 0 <= c && c <= maxSymbol
	default:
		return false
	}
}

// occurrenceOf returns the occurrence of symbol c on the edge.
func (e *edge) occurrenceOf(c int32) int32 {
	for _, l := range e.members {
		if l.lo <= c && c <= l.hi {
			return l.occurrence
		}
	}
	return e.occurrence
}

// A network is the augmented transition network of a lexer or a parser.
type network struct {
	lexer     bool
	maxToken  int
	states    []*state
	starts    []*state // by rule
	stops     []*state
	types     []int    // lexer: token types by rule
	modes     []*state // lexer: start states by mode
	decisions []*state
	actions   []lexerAction
	preds     []Predicate
	rules     []string
	classes   *classes // of a scannerless parser: the characters of each token type, which is one more than the class
}

// A Predicate is target-language code that guards an alternative. It counts as
// true.
type Predicate struct {
	g4.Pos
	Rule string
	Text string
}

// A lexerAction is an action of a lexer after it has matched a rule.
type lexerAction struct{ kind, a, b int }

// The kinds of lexer actions, numbered as in the serialized format.
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

// ranges is a set of symbols, as sorted intervals with gaps between them.
type ranges []interval

type interval struct{ lo, hi int32 }

// normal returns the union of the intervals.
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

// A union collects intervals. It merges them now and then, so that it stays small if they
// repeat.
type union struct {
	intervals []interval
	most      int // merge them beyond this number
}

func (u *union) add(more ...interval) {
	if u.intervals = append(u.intervals, more...); len(u.intervals) > u.most {
		u.intervals = normal(u.intervals)
		u.most = 2*len(u.intervals) + 1000
	}
}

func (rs ranges) contains(c int32) bool {
	i, found := slices.BinarySearchFunc(rs, c, func(r interval, c int32) int { return int(r.lo) - int(c) })
	return found || i > 0 && rs[i-1].hi >= c
}
