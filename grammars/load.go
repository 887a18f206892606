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
	Name string // shown in diagnostics
	Text string
}

// Load makes one grammar of all the files: a combined grammar, or a parser and
// its lexer, with whatever they import. If it cannot be used, the error is a
// [g4.Diagnostics] with all that is wrong, warnings included.
func Load(sources ...Source) (*Grammar, error) { return LoadFrom("", sources...) }

// LoadFrom loads a grammar as [Load] does, to begin with the given parser rule
// instead of the first. Numbers and digest stay the same; what is checked, and
// where parsing begins, follows the rule.
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

// A loader carries a grammar from its files to the graph and the machine.
type loader struct {
	start   string // the start rule asked for, if any
	files   []*g4.File
	found   g4.Diagnostics
	grammar *Grammar

	// After merge.
	parser, lexer *unit

	// After assignTypes.
	spec       *atn.Spec
	tokenNames []string          // by type: '+' or ID
	implicit   map[*g4.Rule]bool // lexer rules made for literals of the parser

	nodes *graphBuilder
}

func (l *loader) errorf(at g4.Pos, format string, args ...any) {
	l.found = append(l.found, g4.Diagnostic{Pos: at, Severity: g4.Error, Message: fmt.Sprintf(format, args...)})
}

func (l *loader) warnf(at g4.Pos, format string, args ...any) {
	l.found = append(l.found, g4.Diagnostic{Pos: at, Severity: g4.Warning, Message: fmt.Sprintf(format, args...)})
}

// sorted returns the diagnostics by place, file by file in the order given.
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

// buildMachine makes the automaton, and looks with it for tokens that no text
// can ever be.
func (l *loader) buildMachine() {
	g := l.grammar
	g.machine = atn.Build(l.spec, g.names)
	classes, places := g.machine.Classes(), l.places()
	switch {
	case classes > maxClasses:
		l.errorf(l.lexer.Pos, "lexer rules of grammar %s tell %d classes of characters apart; the limit is %d", g.Name, classes, maxClasses)
	case classes*places > maxLexer:
		l.errorf(l.lexer.Pos, "lexer rules of grammar %s are too large: they tell %d classes of characters apart at %d places", g.Name, classes, places)
	default:
		l.checkShadowed()
	}
}

// places counts the places in lexer rules where a character is taken.
func (l *loader) places() int {
	places := 0
	for _, n := range l.grammar.Nodes {
		switch {
		case n.Rule == nil || n.Rule.Kind == ParserRule:
		case n.Kind == Literal:
			places += len(n.Value)
		case n.Kind == CharSet:
			places++
		}
	}
	return places
}

func newNames(rules []*g4.Rule, tokens []string) *derivation.Names {
	names := &derivation.Names{Tokens: tokens}
	for _, r := range rules {
		names.Rules = append(names.Rules, r.Name)
	}
	return names
}
