package atn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/limit"
)

// A Machine parses inputs by one grammar.
type Machine struct {
	names     *derivation.Names
	trivia    []int32 // by lexer rule: its occurrence as trivia
	lexer     *lexer
	parser    *network
	predictor *predictor
	wholes    wholes
	runtime   func() *runtime
	dissector func() *dissector
	runs      sync.Pool
}

// Build makes the machine of a grammar.
func Build(spec *Spec, names *derivation.Names) *Machine {
	m := &Machine{names: names, trivia: spec.Trivia, lexer: newLexer(lexerNetwork(spec)), parser: parserNetwork(spec)}
	m.predictor = newPredictor(newWalk(m.parser), maxPredictSize)
	m.runtime = runtimeOf(m.parser)
	m.dissector = sync.OnceValue(func() *dissector { return newDissector(spec) })
	return m
}

// Serialized returns the lexer's and the parser's network in the form that the
// ANTLR tool writes into .interp files.
func (m *Machine) Serialized() (lexer, parser []int32) {
	return m.lexer.net.serialize(), m.parser.serialize()
}

// LimitCaches makes the lexer, the predictor and the dissector keep no more than
// about that many bytes each of what they found out. The machine must not be in use.
func (m *Machine) LimitCaches(bytes int) {
	m.lexer.most, m.predictor.most = int64(bytes), bytes/8
	m.dissector().knife.most = int64(bytes)
	m.predictor.cache.Store(newPredictCache(m.predictor.walk, m.predictor.most))
}

// Classes returns how many classes of characters the lexer tells apart. It takes
// some for others if there are more than fit into 16 bits.
func (m *Machine) Classes() int { return m.lexer.classes.count }

// Limits bounds the work of one parse. All fields must be set, but for a run
// that has all the time.
type Limits struct {
	Steps  int // of lexer, parser and prediction together
	Depth  int // of rules inside each other
	Tokens int
	Nodes  int // of the tree
	Time   time.Duration
}

// ErrTime tells that a parse was given up because it took too long.
var ErrTime = errors.New("out of time")

// A SyntaxError tells where an input leaves the grammar.
type SyntaxError struct {
	Offset   int     // in bytes
	Token    int32   // the type of the unexpected token
	Text     string  // its text, or the characters that are no token
	Lexical  bool    // no token begins here
	Reason   string  // where a token is matched and refused, why
	Expected []int32 // the types of tokens that could have stood here, in order
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("syntax error at byte %d", e.Offset) }

// A PredicateError tells that a parse came to a predicate, and where.
type PredicateError struct {
	Predicate Predicate
	Offset    int // in bytes
}

func (e *PredicateError) Error() string { return fmt.Sprintf("predicate at byte %d", e.Offset) }

// Options say how an input is parsed.
type Options struct {
	Rule   int  // the parser rule to begin with, by index
	Whole  bool // the whole input must be derived; else what follows the rule's end is left alone, as ANTLR leaves it
	ANTLR  bool // let the ANTLR runtime predict
	Strict bool // fail where a predicate counts
	Limits Limits
	// Ambiguous is called for what is ambiguous in the input, unless the runtime
	// predicts; nil if nobody wants to know.
	Ambiguous func(Ambiguity)
}

// Parse derives the input.
func (m *Machine) Parse(ctx context.Context, input []byte, opt Options) (tree *derivation.Tree, err error) {
	p := m.predictor
	if opt.Whole && !opt.ANTLR {
		p = m.wholes.of(p, opt.Rule)
	}
	r := m.run(ctx, input, p, opt.Limits)
	defer m.release(r)
	r.ambiguous = opt.Ambiguous
	if opt.ANTLR {
		r.antlr = newRuntimeRun(r, m.runtime())
	}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case stop:
			tree, err = nil, e.err
		case *limit.Error:
			tree, err = nil, e
		default:
			panic(e)
		}
	}()
	r.lex()
	// Prediction without the whole stack is far cheaper and, where it parses all
	// of the input, gives the same tree. It can fail where the full one would
	// not, and it can end early: it takes the rule's end for a place where
	// whatever follows the rule anywhere may come.
	var failed *SyntaxError
	if r.parse(opt.Rule, false, opt.Whole) != nil || r.next() != derivation.EOF {
		failed = r.parse(opt.Rule, true, opt.Whole)
	}
	if opt.Strict {
		if err := r.unhandled(); err != nil {
			return nil, err
		}
	}
	if failed != nil {
		return nil, failed
	}
	if r.lexError != nil {
		return nil, r.lexError
	}
	tokens := r.tokens
	if len(tokens) > maxCopied {
		r.tokens = nil // it is the tree's, and nobody keeps the rest
		r.visible, r.types = nil, nil
	} else {
		tokens = slices.Clone(tokens)
	}
	tree = r.tree.Tree(input, tokens, m.names)
	return tree.WithInside(m, slices.Clone(r.pieces)), nil
}

// maxCopied is how many tokens are copied to keep the memory for later.
const maxCopied = 1 << 20

// run returns a run to use, maybe one that was used before.
func (m *Machine) run(ctx context.Context, input []byte, p *predictor, limits Limits) *run {
	r, ok := m.runs.Get().(*run)
	if !ok {
		r = &run{m: m}
	}
	r.ctx, r.limits, r.input, r.predictor, r.cache = ctx, limits, input, p, p.cache.Load()
	if limits.Time != 0 {
		r.deadline = time.Now().Add(limits.Time)
	}
	r.steps, r.glance = 0, min(glanceEvery, limits.Steps+1)
	return r
}

// maxKept bounds the tokens, and the like, that a run has room for when it is kept.
const maxKept = 1 << 20

// release keeps a run for later, unless it has grown large.
func (m *Machine) release(r *run) {
	if max(cap(r.tokens), cap(r.pieces), cap(r.stack), cap(r.modes), r.tree.Cap()) > maxKept {
		return
	}
	*r = run{
		m: m, modes: r.modes[:0], tokens: r.tokens[:0], pieces: r.pieces[:0], visible: r.visible[:0], types: r.types[:0],
		stack: r.stack[:0], tree: r.tree, popped: r.popped[:0],
	}
	m.runs.Put(r)
}

// Dissect returns what derives the tokens of an input from their lexer rules.
func (m *Machine) Dissect(input []byte) func(*derivation.Token, []derivation.Piece) (*derivation.Tree, error) {
	return m.dissector().dissect(input).inside
}

// TriviaOccurrence returns the node that trivia matched by a lexer rule is an
// instance of.
func (m *Machine) TriviaOccurrence(rule int32) derivation.Occurrence {
	return derivation.Occurrence(m.trivia[rule])
}

// TokenRule returns the lexer rule, by index, that a text is a token of in a
// mode, or -1 if the text is not one token or that would take long to find out.
func (m *Machine) TokenRule(mode int, text string) (rule int) {
	r := m.run(context.Background(), []byte(text), m.predictor, Limits{Steps: 1 << 20, Time: time.Minute})
	defer m.release(r)
	defer func() {
		switch e := recover().(type) {
		case nil:
		case stop, *limit.Error:
			rule = -1
		default:
			panic(e)
		}
	}()
	r.mode = mode
	s, end := r.match(m.lexer)
	if end != len(text) {
		return -1
	}
	return int(s.rule)
}

// stop unwinds a parse, from inside the runtime too.
type stop struct{ err error }

// glanceEvery is how many steps are taken between two looks at the clock and
// the context.
const glanceEvery = 1 << 12

// step charges n steps.
func (r *run) step(n int) {
	if r.steps += n; r.steps >= r.glance {
		r.look()
	}
}

// look gives up if a bound was reached.
func (r *run) look() {
	if r.steps > r.limits.Steps {
		panic(&limit.Error{What: "parser steps", Value: strconv.Itoa(r.limits.Steps), Option: "max_steps"})
	}
	if err := context.Cause(r.ctx); err != nil {
		panic(stop{err})
	}
	if !r.deadline.IsZero() && time.Now().After(r.deadline) {
		panic(stop{ErrTime})
	}
	r.glance = min(r.steps+glanceEvery, r.limits.Steps+1)
}
