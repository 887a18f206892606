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

// A Machine lexes and parses inputs with one grammar.
type Machine struct {
	names           *derivation.Names
	trivia          []int32 // by lexer rule: the occurrence of its trivia
	lexer           *lexer
	chars           *classes    // of a scannerless grammar; nil otherwise
	predicates      []Predicate // of the parser
	emptyRounds     bool        // repetitions of the parser can have empty rounds
	predictor       *predictor
	startPredictors startPredictors
	parser          func() *network // built again on each call: the predictor does not need it
	runtime         func() *runtime
	dissector       func() *dissector
	symbols         func() []symbol // of the lexer
	maxCache        int             // bytes of each cache, or 0 for the default
	runs            sync.Pool
}

// Build returns the machine of a grammar.
func Build(spec *Spec, names *derivation.Names) *Machine {
	m := &Machine{names: names, trivia: spec.Trivia, lexer: newLexer(lexerNetwork(spec))}
	net := parserNetwork(spec)
	m.predicates, m.chars, m.emptyRounds = net.preds, net.classes, spec.EmptyRounds
	m.predictor = newPredictor(flatten(spec, net), maxPredictSize)
	m.parser = func() *network { return parserNetwork(spec) }
	m.runtime = runtimeOf(m.parser)
	m.symbols = sync.OnceValue(func() []symbol { return symbolsOf(m.lexer.net, m.lexer.classes) })
	m.dissector = sync.OnceValue(func() *dissector {
		d := newDissector(spec)
		if m.maxCache != 0 {
			d.dfa.maxSize = int64(m.maxCache)
		}
		return d
	})
	return m
}

// Serialized returns the lexer's and the parser's network in the format of the
// ANTLR tool's .interp files.
func (m *Machine) Serialized() (lexer, parser []int32) {
	return m.lexer.net.serialize(), m.parser().serialize()
}

// LimitCaches limits the caches of the lexer, the predictor and the dissector
// to about the given number of bytes each. The machine must not have been used.
func (m *Machine) LimitCaches(bytes int) {
	m.maxCache, m.lexer.maxSize, m.predictor.maxSize = bytes, int64(bytes), bytes/8
	m.predictor.cache.Store(newPredictCache(m.predictor.locals, m.predictor.maxSize))
}

// Classes returns the number of character classes that the lexer distinguishes.
// If it exceeds 16 bits, the classes are not reliable.
func (m *Machine) Classes() int {
	if m.chars != nil {
		return m.chars.count
	}
	return m.lexer.classes.count
}

// Limits bound the work of one parse. All fields must be set, except that a
// zero Time means no time limit.
type Limits struct {
	Steps  int // of lexing, parsing and prediction
	Depth  int // of nested rules
	Tokens int
	Nodes  int // of the tree
	Time   time.Duration
}

// ErrTime is the error of a parse that exceeded its time limit.
var ErrTime = errors.New("out of time")

// A SyntaxError is the first position where an input does not match the
// grammar.
type SyntaxError struct {
	Offset   int     // in bytes
	Token    int32   // the type of the unexpected token
	Text     string  // its text, or the characters that form no token
	Lexical  bool    // no token begins here
	Reason   string  // why a matched token was rejected
	Expected []int32 // the token types allowed here, in order
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("syntax error at byte %d", e.Offset) }

// A PredicateError reports that a strict parse depends on a predicate.
type PredicateError struct {
	Predicate Predicate
	Offset    int // in bytes
}

func (e *PredicateError) Error() string { return fmt.Sprintf("predicate at byte %d", e.Offset) }

// Options control a parse.
type Options struct {
	Rule   int  // index of the start rule
	Whole  bool // the start rule must derive the whole input; otherwise the rest is ignored, as in ANTLR
	ANTLR  bool // predict with the ANTLR runtime
	Strict bool // fail where the parse depends on a predicate
	// Unlocated leaves out the position and the expected tokens of a syntax error.
	Unlocated bool
	Limits    Limits
	// Ambiguous, if not nil, is called for each ambiguity, except with ANTLR.
	Ambiguous func(Ambiguity)
}

// Parse returns the derivation tree of the input.
func (m *Machine) Parse(ctx context.Context, input []byte, opt Options) (tree *derivation.Tree, err error) {
	p := m.predictor
	if opt.Whole && !opt.ANTLR {
		p = m.startPredictors.of(p, opt.Rule)
	}
	r := m.run(ctx, input, p, opt.Limits)
	defer m.release(r)
	r.ambiguous = opt.Ambiguous
	if opt.ANTLR && m.emptyRounds {
		return nil, errors.New("the ANTLR runtime cannot parse repetitions of an element that can be empty")
	}
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
	if m.chars != nil {
		r.lexChars()
	} else {
		r.lex()
	}
	if opt.Unlocated && opt.Whole && !opt.Strict && r.lexError != nil {
		return nil, r.lexError
	}
	// SLL prediction is far cheaper than full-context prediction and, if it parses
	// the whole input, yields the same tree. But it can fail where full-context
	// prediction succeeds, and it can end early: at the end of the start rule it
	// expects whatever follows the rule anywhere in the grammar.
	var failed *SyntaxError
	if !r.parse(opt.Rule, false, opt.Whole) || r.next() != derivation.EOF {
		if !r.parse(opt.Rule, true, opt.Whole) {
			if failed = (&SyntaxError{}); !opt.Unlocated {
				failed = r.syntaxError()
			}
		}
	}
	if opt.Strict {
		if err := r.firstPredicate(); err != nil {
			return nil, err
		}
	}
	if failed != nil {
		return nil, failed
	}
	if r.lexError != nil {
		return nil, r.lexError
	}
	if m.chars != nil {
		tokens := r.tree.JoinTokens(r.tokens, int(r.visible[r.pos]))
		return r.tree.Tree(input, tokens, m.names), nil
	}
	tokens := r.tokens
	if len(tokens) > maxCopied {
		r.tokens = nil // now owned by the tree
		r.visible, r.types = nil, nil
	} else {
		tokens = slices.Clone(tokens)
	}
	tree = r.tree.Tree(input, tokens, m.names)
	return tree.WithTokenDeriver(m, slices.Clone(r.pieces)), nil
}

// maxCopied is the largest number of tokens that are copied so that the run
// keeps its memory.
const maxCopied = 1 << 20

// run returns a run from the pool, or a new one.
func (m *Machine) run(ctx context.Context, input []byte, p *predictor, limits Limits) *run {
	r, ok := m.runs.Get().(*run)
	if !ok {
		r = &run{m: m}
	}
	r.ctx, r.limits, r.input, r.predictor, r.cache = ctx, limits, input, p, p.cache.Load()
	if limits.Time != 0 {
		r.deadline = time.Now().Add(limits.Time)
	}
	r.steps, r.nextCheck = 0, min(checkInterval, limits.Steps+1)
	return r
}

// maxPooled is the largest capacity, of tokens and the like, of a run that
// returns to the pool.
const maxPooled = 1 << 20

// release returns a run to the pool, unless it has grown large.
func (m *Machine) release(r *run) {
	if max(cap(r.tokens), cap(r.pieces), cap(r.stack), cap(r.modes), r.tree.Cap()) > maxPooled {
		return
	}
	*r = run{
		m: m, modes: r.modes[:0], tokens: r.tokens[:0], pieces: r.pieces[:0], visible: r.visible[:0], types: r.types[:0],
		stack: r.stack[:0], tree: r.tree, popped: r.popped[:0],
	}
	m.runs.Put(r)
}

// Dissect returns a function that derives the tokens of an input from their
// lexer rules.
func (m *Machine) Dissect(input []byte) func(*derivation.Token, []derivation.Piece) (*derivation.Tree, error) {
	return m.dissector().dissect(input).derive
}

// TriviaOccurrence returns the occurrence of trivia that a lexer rule matched.
func (m *Machine) TriviaOccurrence(rule int32) derivation.Occurrence {
	return derivation.Occurrence(m.trivia[rule])
}

// TokenRules returns a function that finds the index of the lexer rule that matches
// text as a single token in a mode, -1 if text is not a single token. The error is a
// [*limit.Error] if all calls together take more than the given number of steps, or
// the cause of ctx's cancellation. The machine's own caches do not change.
func (m *Machine) TokenRules(ctx context.Context, steps int) func(mode int, text string) (rule int, err error) {
	l := &lexer{net: m.lexer.net, classes: m.lexer.classes, maxSize: maxCheckSize}
	l.cache.Store(l.newCache())
	used := 0
	return func(mode int, text string) (rule int, err error) {
		r := m.run(ctx, []byte(text), m.predictor, Limits{Steps: steps})
		r.steps, r.mode = used, mode
		defer m.release(r)
		defer func() {
			used = r.steps
			switch e := recover().(type) {
			case nil:
			case stop:
				rule, err = -1, e.err
			case *limit.Error:
				rule, err = -1, e
			default:
				panic(e)
			}
		}()
		r.step(1 + len(text))
		s, end := r.match(l)
		if end != len(text) {
			return -1, nil
		}
		return int(s.rule), nil
	}
}

// maxCheckSize is the maximum size in bytes of a cache that only checks a grammar.
const maxCheckSize = 16 << 20

// A stop is the panic value that ends a parse, even from inside the ANTLR
// runtime.
type stop struct{ err error }

// checkInterval is the number of steps between two checks of the clock and the
// context.
const checkInterval = 1 << 12

// step counts n steps.
func (r *run) step(n int) {
	if r.steps += n; r.steps >= r.nextCheck {
		r.checkLimits()
	}
}

// checkLimits panics if a limit was exceeded or the context ended.
func (r *run) checkLimits() {
	if r.steps > r.limits.Steps {
		panic(&limit.Error{What: "parser steps", Value: strconv.Itoa(r.limits.Steps), Option: "max_steps"})
	}
	if err := context.Cause(r.ctx); err != nil {
		panic(stop{err})
	}
	if !r.deadline.IsZero() && time.Now().After(r.deadline) {
		panic(stop{ErrTime})
	}
	r.nextCheck = min(r.steps+checkInterval, r.limits.Steps+1)
}
