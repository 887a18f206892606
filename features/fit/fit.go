// Package fit tells how well a grammar fits a corpus.
//
// A [Survey] is given inputs one by one. Its [Report] says how many parsed and
// why the others did not, which of the grammar's k-paths they have, which parts
// of the grammar none of them needed, and where they are ambiguous. [Hints] says
// what of a grammar alone makes generating or learning from it poor.
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

// A Place is where something is in an input.
type Place struct {
	Input        string
	Line, Column int // 0 if the whole input is meant
}

func (p Place) String() string {
	if p.Line == 0 {
		return p.Input
	}
	return fmt.Sprintf("%s:%d:%d", p.Input, p.Line, p.Column)
}

// MarshalText writes a place as people read it.
func (p Place) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// A Report is how well a grammar fits a corpus.
type Report struct {
	Inputs      int         `json:"inputs"`
	Parsed      int         `json:"parsed"`
	Rejections  []Rejection `json:"rejections"`   // the commonest first
	Coverage    []Coverage  `json:"coverage"`     // by length
	UnusedRules []Unused    `json:"unused_rules"` // in the order of the grammar
	Unused      []Unused    `json:"unused"`       // of rules that are used
	Ambiguities []Ambiguity `json:"ambiguities"`  // the commonest first
}

// A Rejection is a reason for inputs not to parse.
type Rejection struct {
	Inputs   int      `json:"inputs"`
	Reason   string   `json:"reason"`
	Expected []string `json:"expected,omitempty"`
	Examples []Place  `json:"examples"` // the first ones
}

// A Coverage is how many paths of a length the inputs have.
type Coverage struct {
	K        int      `json:"k"`
	Covered  int      `json:"covered"`
	Possible *big.Int `json:"possible"`
}

// An Unused is a part of the grammar that no input needs.
type Unused struct {
	Place g4.Pos `json:"-"`
	Rule  string `json:"rule"`
	Part  string `json:"part,omitempty"` // as the grammar has it
	// Optional tells that the part can be left out and always is; else it is an
	// alternative.
	Optional bool `json:"optional,omitempty"`
}

// An Ambiguity is a rule that derives the same tokens in several ways.
type Ambiguity struct {
	Rule         string `json:"rule"`
	Alternatives []int  `json:"alternatives"` // of the decision, from 1
	Times        int    `json:"times"`
	Text         string `json:"text"` // that was ambiguous first
	Example      Place  `json:"example"`
}

// maxExamples is how many places are remembered for a reason.
const maxExamples = 3

// maxText bounds the texts of a report, in characters.
const maxText = 60

// A Survey looks at inputs. It is not safe for concurrent use.
type Survey struct {
	grammar *grammars.Grammar
	start   string
	longest int // of the paths

	space   *features.Space
	extract *features.Extractor
	paths   *features.Set
	choices *grammars.Choices
	taken   map[choice]bool

	report      Report
	rejections  map[string]*Rejection
	ambiguities map[string]*Ambiguity
}

// A choice is an alternative of an alternation; of a repetition it is 0 for what
// was there.
type choice struct {
	node grammars.Occurrence
	alt  int
}

// New returns a survey by a grammar from a start rule, the grammar's own if it is
// empty, with the paths of every length up to k.
func New(g *grammars.Grammar, start string, k int) *Survey {
	space := features.NewSpace(g, features.Options{Start: start, Possible: true})
	return &Survey{
		grammar: g, start: start, longest: k,
		space: space, extract: features.NewExtractor(space, k), paths: features.NewSet(k),
		choices: g.Choices(), taken: map[choice]bool{},
		rejections: map[string]*Rejection{}, ambiguities: map[string]*Ambiguity{},
	}
}

// Add looks at an input. It fails only if ctx ends.
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
		err = s.learn(tree)
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

// Reject notes an input that cannot even be read.
func (s *Survey) Reject(name string, err error) {
	s.report.Inputs++
	s.reject(name, err)
}

// learn notes what a tree has.
func (s *Survey) learn(tree *derivation.Tree) error {
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

// reject notes why an input is outside the grammar. Reasons are the same where
// the same kind of token stands in the way of the same others.
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

// unexpected names what stands where an input leaves the grammar: the kind of
// token, or the characters where there is none.
func unexpected(e *grammars.SyntaxError) string {
	switch {
	case e.Token != "":
		return "unexpected " + e.Token
	case e.Unexpected == "":
		return "unexpected end of input"
	default:
		return "no token begins with " + strconv.Quote(cut(e.Unexpected, 10))
	}
}

// meet notes an ambiguity.
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

// Report returns what is known so far.
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

// cut shortens a text.
func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}
