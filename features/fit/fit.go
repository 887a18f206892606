// Package fit measures how well a grammar fits a corpus.
//
// A [Survey] takes the inputs of the corpus one by one. Its [Report] says how
// many parse and why the others do not, how many k-paths of the grammar they
// cover, which parts of the grammar no input uses, and which inputs are
// ambiguous. [Hints] warns of parts of a grammar that are hard to generate or
// learn from; it needs no corpus.
//
// The same inputs in the same order give the same report.
package fit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/g4"
)

// A Place is a position in an input.
type Place struct {
	Input        string
	Line, Column int // from 1; 0 for the input as a whole
}

func (p Place) String() string {
	if p.Line == 0 {
		return p.Input
	}
	return fmt.Sprintf("%s:%d:%d", p.Input, p.Line, p.Column)
}

// A Report says how well a grammar fits a corpus.
type Report struct {
	Inputs      int
	Parsed      int
	Rejections  []Rejection // by descending number of inputs
	Coverage    []Coverage  // by length of the paths
	UnusedRules []Unused    // in the order of the grammar
	Unused      []Unused    // parts of the rules that are used
	Ambiguities []Ambiguity // by descending number of occurrences
}

// A Rejection is a reason why inputs do not parse.
type Rejection struct {
	Inputs   int
	Reason   string
	Expected []string
	Examples []Place // the first inputs with this reason
}

// A Coverage is the number of paths of a length that the inputs cover.
type Coverage struct {
	K        int
	Covered  int
	Possible *big.Int
}

// An Unused is a rule, or a part of a rule, that no input uses.
type Unused struct {
	Place g4.Pos
	Rule  string
	Part  string // as in the grammar; empty for the whole rule
	// Optional is set if the part can be left out and all inputs leave it out.
	// A part that is not optional is an alternative.
	Optional bool
}

// An Ambiguity is a decision of a rule for which several alternatives derive the same tokens.
type Ambiguity struct {
	Rule         string
	Alternatives []int // counted from 1
	Times        int
	Text         string // the first ambiguous text
	Example      Place
}

// maxExamples is the number of examples of a rejection.
const maxExamples = 3

// maxText is the maximum length of texts in a report, in characters.
const maxText = 60

// A Survey collects the data of a [Report]. It is not safe for concurrent use.
type Survey struct {
	grammar *grammars.Grammar
	start   string
	longest int // length of paths

	space   *features.Space
	extract *features.Extractor
	paths   *features.Set
	choices *grammars.Choices
	taken   map[choice]bool

	report      Report
	rejections  map[string]*Rejection
	ambiguities map[string]*Ambiguity
}

// A choice is an alternative of an alternation, or a repetition (with alt 0).
type choice struct {
	node grammars.Occurrence
	alt  int
}

// New returns a survey of inputs that derive from a start rule, or from the
// grammar's start rule if start is empty. It reports the coverage of paths of
// length 1 to k.
func New(g *grammars.Grammar, start string, k int) *Survey {
	space := features.NewSpace(g, features.Options{Start: start, Possible: true})
	return &Survey{
		grammar: g, start: start, longest: k,
		space: space, extract: features.NewExtractor(space, k), paths: features.NewSet(k),
		choices: g.Choices(), taken: map[choice]bool{},
		rejections: map[string]*Rejection{}, ambiguities: map[string]*Ambiguity{},
	}
}

// Add parses an input and adds it to the survey. It fails only if ctx ends.
func (s *Survey) Add(ctx context.Context, name string, input []byte) error {
	var met []grammars.Ambiguity
	tree, err := s.grammar.Parse(ctx, input, grammars.ParseOptions{
		Start: s.start, Ambiguous: func(a grammars.Ambiguity) { met = append(met, a) },
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s.report.Inputs++
	if err == nil {
		err = s.use(tree)
	}
	if err != nil {
		s.reject(name, err)
		return nil
	}
	s.report.Parsed++
	for _, a := range met {
		s.meet(name, input, a)
	}
	return nil
}

// Reject adds an input that cannot be read.
func (s *Survey) Reject(name string, err error) {
	s.report.Inputs++
	s.reject(name, err)
}

// use records the paths and the choices of a tree.
func (s *Survey) use(tree *derivation.Tree) error {
	if err := s.extract.Add(s.paths, tree); err != nil {
		return err
	}
	return s.choices.Each(tree, func(n *grammars.Node, made int) {
		switch {
		case n.Kind == grammars.Alternation:
			s.taken[choice{n.ID, made}] = true
		case made > 0:
			s.taken[choice{n.ID, 0}] = true
		}
	})
}

// reject records why an input does not parse. Syntax errors with the same
// unexpected and expected tokens have the same reason.
func (s *Survey) reject(name string, err error) {
	place, reason := Place{Input: name}, err.Error()
	var expected []string
	if syntax, ok := errors.AsType[*grammars.SyntaxError](err); ok {
		place.Line, place.Column = syntax.Line, syntax.Column
		reason, expected = unexpected(syntax), syntax.Expected
	}
	key := reason + "\x00" + strings.Join(expected, "\x00")
	r := s.rejections[key]
	if r == nil {
		r = &Rejection{Reason: reason, Expected: expected}
		s.rejections[key] = r
	}
	r.Inputs++
	if len(r.Examples) < maxExamples {
		r.Examples = append(r.Examples, place)
	}
}

// unexpected describes the token of a syntax error by its name, or by its
// characters if they are not a token.
func unexpected(e *grammars.SyntaxError) string {
	switch {
	case e.Token != "":
		return "unexpected " + e.Token
	case e.Unexpected == "":
		return "unexpected end of input"
	default:
		return "no token starts with " + strconv.Quote(cut(e.Unexpected, 10))
	}
}

// meet records an ambiguity.
func (s *Survey) meet(name string, input []byte, a grammars.Ambiguity) {
	key := fmt.Sprint(a.Rule.Name, a.Alternatives)
	if known := s.ambiguities[key]; known != nil {
		known.Times++
		return
	}
	place := Place{Input: name}
	place.Line, place.Column = derivation.LineColumn(input, a.Start)
	text := strings.ToValidUTF8(string(input[a.Start:a.End]), "\uFFFD")
	s.ambiguities[key] = &Ambiguity{
		Rule: a.Rule.Name, Alternatives: a.Alternatives, Times: 1, Text: cut(text, maxText), Example: place,
	}
}

// Report returns the report on the inputs so far.
func (s *Survey) Report() *Report {
	out := s.report
	out.Rejections, out.Ambiguities = []Rejection{}, []Ambiguity{}
	for _, r := range s.rejections {
		out.Rejections = append(out.Rejections, *r)
	}
	slices.SortFunc(out.Rejections, func(a, b Rejection) int {
		return cmp.Or(b.Inputs-a.Inputs, cmp.Compare(a.Reason, b.Reason), slices.Compare(a.Expected, b.Expected))
	})
	for _, a := range s.ambiguities {
		out.Ambiguities = append(out.Ambiguities, *a)
	}
	slices.SortFunc(out.Ambiguities, func(a, b Ambiguity) int {
		return cmp.Or(b.Times-a.Times, cmp.Compare(a.Rule, b.Rule), slices.Compare(a.Alternatives, b.Alternatives))
	})
	for k := 1; k <= s.longest; k++ {
		out.Coverage = append(out.Coverage, Coverage{k, s.paths.Len(k), s.space.Count(k)})
	}
	out.UnusedRules, out.Unused = s.unused()
	return &out
}

// cut shortens a text to a number of characters.
func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}
