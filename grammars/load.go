package grammars

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/grammars/internal/atn"
)

// A Source is the text of one grammar file.
type Source struct {
	Name string // used in diagnostics
	Text string
}

// Load loads one grammar from its files: a combined grammar, or a parser
// grammar and its lexer grammar, with their imports. If the grammar is
// unusable, the error is a [g4.Diagnostics] with all errors and warnings.
func Load(sources ...Source) (*Grammar, error) { return LoadFrom("", sources...) }

// LoadFrom is like [Load], but start replaces the first parser rule as the
// start rule. It affects the checks and the default of [Grammar.Parse], not the
// node numbers or the digest.
func LoadFrom(start string, sources ...Source) (*Grammar, error) {
	l := &loader{start: start}
	for _, s := range sources {
		file, found := g4.Parse(s.Name, s.Text)
		l.found = append(l.found, found...)
		l.files = append(l.files, file)
	}
	steps := []func(){l.merge, l.assignTypes, l.checkNames, l.buildGraph, l.checkGraph, l.buildMachine}
	for len(steps) > 0 && !l.found.Failed() {
		steps[0]()
		steps = steps[1:]
	}
	if l.found.Failed() {
		return nil, l.sorted()
	}
	l.grammar.Warnings = l.sorted()
	return l.grammar, nil
}

// A loader builds a Grammar from its files.
type loader struct {
	start   string // the requested start rule, or ""
	files   []*g4.File
	found   g4.Diagnostics
	grammar *Grammar

	// Set by merge.
	parser, lexer *unit

	// Set by assignTypes.
	spec       *atn.Spec
	tokenNames []string          // by type: '+' or ID
	implicit   map[*g4.Rule]bool // lexer rules of literals in parser rules

	nodes *graphBuilder
}

func (l *loader) errorf(at g4.Pos, format string, args ...any) {
	l.found = append(l.found, g4.Diagnostic{Pos: at, Severity: g4.Error, Message: fmt.Sprintf(format, args...)})
}

func (l *loader) warnf(at g4.Pos, format string, args ...any) {
	l.found = append(l.found, g4.Diagnostic{Pos: at, Severity: g4.Warning, Message: fmt.Sprintf(format, args...)})
}

// sorted returns the diagnostics by file, in the order given, then by position.
func (l *loader) sorted() g4.Diagnostics {
	order := map[string]int{}
	for i, f := range l.files {
		order[f.File] = i
	}
	slices.SortStableFunc(l.found, func(a, b g4.Diagnostic) int {
		return cmp.Or(cmp.Compare(order[a.File], order[b.File]), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return l.found
}

// buildMachine builds the automata and uses them to find tokens that can never
// match.
func (l *loader) buildMachine() {
	g := l.grammar
	g.machine = atn.Build(l.spec, g.names)
	classes, positions := g.machine.Classes(), l.charPositions()
	switch {
	case classes > maxClasses:
		l.errorf(l.lexer.Pos, "lexer of grammar %s distinguishes %d character classes; the limit is %d", g.Name, classes, maxClasses)
	case classes*positions > maxLexer:
		l.errorf(l.lexer.Pos, "lexer of grammar %s is too large: %d character classes times %d positions; the limit is %d", g.Name, classes, positions, maxLexer)
	default:
		l.checkShadowed()
	}
}

// charPositions counts the positions in lexer rules that consume a character.
func (l *loader) charPositions() int {
	positions := 0
	for _, n := range l.grammar.Nodes {
		switch {
		case n.Rule == nil || n.Rule.Kind == ParserRule:
		case n.Kind == Literal:
			positions += len(n.Value)
		case n.Kind == CharSet:
			positions++
		}
	}
	return positions
}

func newNames(rules []*g4.Rule, tokens []string) *derivation.Names {
	names := &derivation.Names{Tokens: tokens}
	for _, r := range rules {
		names.Rules = append(names.Rules, r.Name)
	}
	return names
}
