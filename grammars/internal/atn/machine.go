package atn

import (
	"context"
	"fmt"

	"github.com/antlr4-go/antlr/v4"

	"github.com/inroad/inroad/grammars/derivation"
)

// A Machine parses inputs by one grammar.
type Machine struct {
	spec   *Spec
	names  *derivation.Names
	lexer  *lexer
	parser *network

	runtime   *antlr.ATN
	decisions []*antlr.DFA
	contexts  *antlr.PredictionContextCache
}

// Build makes the machine of a grammar. The error tells that the ANTLR runtime
// refused the networks.
func Build(spec *Spec, names *derivation.Names) (m *Machine, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("load the automaton: %v", r)
		}
	}()
	m = &Machine{spec: spec, names: names, lexer: newLexer(lexerNetwork(spec)), parser: parserNetwork(spec)}
	m.runtime = antlr.NewATNDeserializer(nil).Deserialize(m.parser.serialize())
	m.contexts = antlr.NewPredictionContextCache()
	for i, d := range m.runtime.DecisionToState {
		m.decisions = append(m.decisions, antlr.NewDFA(d, i))
	}
	return m, nil
}

// Serialized returns the lexer's and the parser's network in the form that the
// ANTLR tool writes into .interp files.
func (m *Machine) Serialized() (lexer, parser []int32) {
	return m.lexer.net.serialize(), m.parser.serialize()
}

// Limits bounds the work of one parse. All fields must be set.
type Limits struct {
	Steps int // of lexer, parser and prediction together
	Depth int // of rules inside each other
}

// A LimitError tells that a parse was given up because it reached a bound.
type LimitError struct {
	What  string
	Bound int
}

func (e *LimitError) Error() string { return fmt.Sprintf("%s: over %d", e.What, e.Bound) }

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

// Parse derives the input from a parser rule, given by its index. Unless the
// whole input is asked for, what follows the rule's end is left alone, as ANTLR
// leaves it.
func (m *Machine) Parse(ctx context.Context, input []byte, rule int, whole bool, limits Limits) (tree *derivation.Tree, err error) {
	r := &run{m: m, ctx: ctx, limits: limits, input: input}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case stop:
			tree, err = nil, e.err
		case *LimitError:
			tree, err = nil, e
		default:
			panic(e)
		}
	}()
	r.lex()
	// Prediction without the whole stack is far cheaper and, where it parses at
	// all, gives the same tree; it can only fail where the full one would not.
	if err := r.parse(rule, antlr.PredictionModeSLL, whole); err != nil {
		if err := r.parse(rule, antlr.PredictionModeLL, whole); err != nil {
			return nil, err
		}
	}
	if r.lexError != nil {
		return nil, r.lexError
	}
	return r.tree.Tree(input, r.tokens, m.names), nil
}

// TokenRule returns the lexer rule, by index, that a text is a token of in a
// mode, or -1 if the text is not one token.
func (m *Machine) TokenRule(mode int, text string) int {
	r := &run{m: m, ctx: context.Background(), limits: Limits{Steps: 1 << 20}, input: []byte(text), mode: mode}
	rule, _, end := r.match(m.lexer)
	if end != len(text) {
		return -1
	}
	return int(rule)
}

// stop unwinds a parse from inside the runtime.
type stop struct{ err error }

// step charges n steps and, now and then, looks at the context.
func (r *run) step(n int) {
	before := r.steps
	r.steps += n
	if r.steps > r.limits.Steps {
		panic(&LimitError{What: "parser steps", Bound: r.limits.Steps})
	}
	if before>>12 != r.steps>>12 {
		if err := context.Cause(r.ctx); err != nil {
			panic(stop{err})
		}
	}
}
