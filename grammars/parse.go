package grammars

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/grammars/internal/atn"
	"github.com/inroad/inroad/grammars/limit"
)

// ParseOptions control a parse. The zero value parses the whole input from the
// grammar's start rule within the default limits.
type ParseOptions struct {
	Start  string // the start rule; the grammar's own if empty
	Prefix bool   // stop where the start rule ends, as ANTLR does, and ignore the rest
	// ANTLR predicts with the ANTLR runtime, for comparison. The runtime is slow
	// and can be neither interrupted nor limited: do not use it with untrusted
	// grammars.
	ANTLR bool
	// Strict makes a parse fail with a [*PredicateError] where it evaluates a
	// target-language predicate. Otherwise predicates count as true.
	Strict bool
	// Latin1 parses each byte of the input as a character, U+0000 to U+00FF, instead of
	// UTF-8. The tree has the text of these characters; see [derivation.Tree.Offset].
	Latin1 bool
	// Unlocated leaves out the position and the expected tokens of a [*SyntaxError], which
	// take longer to find than the tree. The error then says only that the input does not match.
	Unlocated bool
	Limits    Limits
	// Ambiguous, if not nil, is called for each ambiguity: several alternatives of
	// a decision derive the same tokens, and the first one wins. Detecting
	// ambiguities slows the parse down.
	Ambiguous func(Ambiguity)
}

// An Ambiguity is a part of an input that has several derivations.
type Ambiguity struct {
	Rule         *Rule
	Alternatives []int // of the decision, from 1; in a greedy repetition, continuing comes before leaving
	Start, End   int   // byte range of the tokens that all of them derive
}

// Limits limit the work of one parse. A zero field means its default, given
// below.
type Limits struct {
	Input  int           // bytes; 8 MiB
	Depth  int           // nested rules; 100,000
	Steps  int           // of lexing, parsing and prediction; 50 million
	Tokens int           // including white space, comments and pieces of tokens; 4 Mi
	Nodes  int           // of the tree; 8 Mi
	Time   time.Duration // 10 seconds
}

// maxCount is the largest count that trees can represent.
const maxCount = 1<<30 - 1

func (l Limits) withDefaults() Limits {
	if l.Input == 0 {
		l.Input = 8 << 20
	}
	if l.Depth == 0 {
		l.Depth = 100_000
	}
	if l.Steps == 0 {
		l.Steps = 50_000_000
	}
	if l.Tokens == 0 {
		l.Tokens = 4 << 20
	}
	if l.Nodes == 0 {
		l.Nodes = 8 << 20
	}
	if l.Time == 0 {
		l.Time = 10 * time.Second
	}
	return l
}

// A SyntaxError is the first position where an input does not match the
// grammar.
type SyntaxError struct {
	Line, Column int      // from 1; columns count characters
	Offset       int      // in bytes, from 0
	Unexpected   string   // the text at the position; "" at the end of the input
	Token        string   // the name of the unexpected token; "" if the text is no token, and at the end of the input
	Reason       string   // further details, or ""
	Expected     []string // the tokens allowed at the position
}

func (e *SyntaxError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d:%d: unexpected ", e.Line, e.Column)
	if e.Unexpected == "" {
		b.WriteString("end of input")
	} else {
		b.WriteString(strconv.Quote(e.Unexpected))
	}
	if e.Reason != "" {
		fmt.Fprintf(&b, " (%s)", e.Reason)
	}
	if len(e.Expected) > 0 {
		fmt.Fprintf(&b, ", expected %s", strings.Join(e.Expected, " | "))
	}
	return b.String()
}

// A PredicateError reports that a strict parse depends on a target-language
// predicate.
type PredicateError struct {
	Predicate    g4.Code
	Line, Column int // in the input, from 1; columns count characters
	Offset       int // in bytes, from 0
}

func (e *PredicateError) Error() string {
	return fmt.Sprintf("%d:%d: the parse depends on a predicate of rule %s, which is not run: %s: %s",
		e.Line, e.Column, e.Predicate.Rule, e.Predicate.Pos, e.Predicate.Text)
}

// Parse returns the derivation tree of an input. The error is a [*SyntaxError]
// if the input does not match the grammar, a [*limit.Error] if a limit was
// reached, a [*PredicateError] if a strict parse depends on a predicate, or
// the cause of ctx's cancellation.
func (g *Grammar) Parse(ctx context.Context, input []byte, opt ParseOptions) (*derivation.Tree, error) {
	if opt.Latin1 {
		return g.parseLatin1(ctx, input, opt)
	}
	start := opt.Start
	if start == "" {
		start = g.Start
	}
	rule := g.ruleByName[start]
	if rule == nil || rule.Kind != ParserRule {
		return nil, fmt.Errorf("grammar %s has no parser rule %q", g.Name, start)
	}
	limits := opt.Limits.withDefaults()
	if err := limits.checkInput(len(input)); err != nil {
		return nil, err
	}
	tree, err := g.machine.Parse(ctx, input, atn.Options{
		Rule: rule.Index, Whole: !opt.Prefix, ANTLR: opt.ANTLR, Strict: opt.Strict, Unlocated: opt.Unlocated, Ambiguous: g.ambiguous(opt.Ambiguous),
		Limits: atn.Limits{
			Steps: limits.Steps, Depth: limits.Depth, Tokens: limits.Tokens, Nodes: min(limits.Nodes, maxCount), Time: limits.Time,
		},
	})
	if errors.Is(err, atn.ErrTime) {
		err = &limit.Error{What: "time to parse", Value: limits.Time.String(), Option: "timeout"}
	}
	return tree, g.explain(input, err)
}

// LimitCaches limits the memory that parses keep for later parses to about the given
// number of bytes each for tokens, predictions and derivations of tokens. The
// defaults are 96, 64 and 32 MiB. Call it before the first parse.
func (g *Grammar) LimitCaches(bytes int) { g.machine.LimitCaches(bytes) }

// ambiguous adapts report to the machine's ambiguities.
func (g *Grammar) ambiguous(report func(Ambiguity)) func(atn.Ambiguity) {
	if report == nil {
		return nil
	}
	return func(a atn.Ambiguity) {
		out := Ambiguity{Rule: g.ParserRules()[a.Rule], Start: a.Start, End: a.End}
		for _, alt := range a.Alts {
			out.Alternatives = append(out.Alternatives, int(alt))
		}
		report(out)
	}
}

// explain translates the machine's errors to those of this package.
func (g *Grammar) explain(input []byte, err error) error {
	var syntax *atn.SyntaxError
	var predicate *atn.PredicateError
	switch {
	case errors.As(err, &syntax):
		e := &SyntaxError{Offset: syntax.Offset, Unexpected: syntax.Text, Reason: syntax.Reason}
		e.Line, e.Column = derivation.LineColumn(input, syntax.Offset)
		if !syntax.Lexical && syntax.Token > 0 {
			e.Token = g.names.Token(int(syntax.Token))
		}
		for _, t := range syntax.Expected {
			name := g.names.Token(int(t))
			if t == derivation.EOF {
				name = "end of input"
			}
			e.Expected = append(e.Expected, name)
		}
		return e
	case errors.As(err, &predicate):
		p := predicate.Predicate
		e := &PredicateError{Predicate: g4.Code{Pos: p.Pos, Kind: g4.Predicate, Rule: p.Rule, Text: p.Text}, Offset: predicate.Offset}
		e.Line, e.Column = derivation.LineColumn(input, e.Offset)
		return e
	default:
		return err
	}
}
