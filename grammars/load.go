package grammars

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"slices"
	"strconv"

	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/grammars/internal/atn"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/grammars/tribble"
)

// A Source is the text of one grammar file.
type Source struct {
	Name string // used in diagnostics
	Text string
}

// LoadOptions control how a grammar is loaded. The zero value loads a grammar
// that starts with its first parser rule, within the default limits.
type LoadOptions struct {
	// Start replaces the first parser rule as the start rule. It affects the checks
	// and the default of [Grammar.Parse], not the node numbers or the digest.
	Start  string
	Limits LoadLimits
}

// LoadLimits limit the work to load a grammar and the memory that it takes. A zero
// field means its default, given below. The largest public grammars reach at most a
// quarter of the defaults.
type LoadLimits struct {
	Text  int // bytes of all files together; 2 MiB
	Nodes int // of the graph; 100,000
	Size  int // estimated bytes of the loaded grammar; 128 MiB
	Steps int // of resolving, checking and building; 50 million
}

func (l LoadLimits) withDefaults() LoadLimits {
	return LoadLimits{
		Text: cmp.Or(l.Text, 2<<20), Nodes: cmp.Or(l.Nodes, 100_000),
		Size: cmp.Or(l.Size, 128<<20), Steps: cmp.Or(l.Steps, 50_000_000),
	}
}

// Load loads one grammar from its files: a combined grammar, or a parser
// grammar and its lexer grammar, with their imports. If the grammar is
// unusable, the error is a [g4.Diagnostics] with all errors and warnings. It is
// a [*limit.Error] if the grammar is too large, and the cause of ctx's
// cancellation if ctx ends.
func Load(ctx context.Context, sources ...Source) (*Grammar, error) {
	return LoadWith(ctx, LoadOptions{}, sources...)
}

// LoadWith is like [Load], with options.
func LoadWith(ctx context.Context, opt LoadOptions, sources ...Source) (g *Grammar, err error) {
	defer limit.Catch(&err)
	limits := opt.Limits.withDefaults()
	text := 0
	for _, s := range sources {
		text += len(s.Text)
	}
	if text > limits.Text {
		return nil, &limit.Error{What: "text of a grammar", Value: fmt.Sprintf("%d bytes", limits.Text), Advice: tooLarge}
	}
	release, err := reserve(ctx, text)
	if err != nil {
		return nil, err
	}
	defer release()
	l := &loader{start: opt.Start, limits: limits, meter: limit.NewMeter(ctx, limits.Steps, &limit.Error{
		What: "steps to load a grammar", Value: strconv.Itoa(limits.Steps), Advice: tooLarge,
	})}
	for _, s := range sources {
		parse := g4.Parse
		if path.Ext(s.Name) == tribble.Extension {
			parse = tribble.Parse
		}
		file, found, err := parse(ctx, s.Name, s.Text)
		switch {
		case errors.Is(err, g4.ErrElements):
			err = &limit.Error{What: "elements of a grammar file", Value: strconv.Itoa(g4.MaxElements), Advice: tooLarge}
		case errors.Is(err, g4.ErrMerge):
			err = &limit.Error{What: "steps to merge literals", Value: strconv.Itoa(g4.MaxMergeSteps), Advice: tooLarge}
		}
		if err != nil {
			return nil, err
		}
		l.found = append(l.found, found...)
		l.files = append(l.files, file)
	}
	l.reported = len(l.found)
	steps := []func(){l.merge, l.assignTypes, l.checkNames, l.buildGraph, l.checkGraph, func() { l.buildMachine(ctx) }}
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

// tooLarge is the advice for grammars that reach a limit.
const tooLarge = "shorten the grammar, or load a part of it"

// A loader builds a Grammar from its files.
type loader struct {
	start  string // the requested start rule, or ""
	limits LoadLimits
	meter  *limit.Meter
	size   int // the estimated size of the grammar so far, in bytes
	files  []*g4.File
	found  g4.Diagnostics

	reported int // diagnostics of the notation
	dropped  int // diagnostics beyond the limit
	grammar  *Grammar

	// Set by merge.
	byName        map[string]*g4.File
	parser, lexer *unit

	// Set by assignTypes.
	spec       *atn.Spec
	tokenNames []string          // by type: '+' or ID
	implicit   map[*g4.Rule]bool // lexer rules of literals in parser rules
	modeIndex  map[string]int    // modes by name

	nodes *graphBuilder

	declaredTokens map[string]bool
	byText         map[string][]*Node // symbols of the graph
}

// maxDiagnostics limits the diagnostics beyond those of the notation.
const maxDiagnostics = 1000

func (l *loader) errorf(at g4.Pos, format string, args ...any) {
	l.report(at, g4.Error, format, args...)
}

func (l *loader) warnf(at g4.Pos, format string, args ...any) {
	l.report(at, g4.Warning, format, args...)
}

// report adds a diagnostic. Beyond the limit, an error replaces a warning, so
// that an unusable grammar is never taken for a usable one.
func (l *loader) report(at g4.Pos, severity g4.Severity, format string, args ...any) {
	l.meter.Step(1)
	d := g4.Diagnostic{Pos: at, Severity: severity}
	switch {
	case len(l.found)-l.reported < maxDiagnostics:
		d.Message = fmt.Sprintf(format, args...)
		l.found = append(l.found, d)
	case severity == g4.Error && !l.found.Failed():
		d.Message = fmt.Sprintf(format, args...)
		l.found[len(l.found)-1] = d
		l.dropped++
	default:
		l.dropped++
	}
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
	if n := len(l.found); l.dropped > 0 {
		last := l.found[n-1]
		l.found = append(l.found, g4.Diagnostic{Pos: last.Pos, Severity: last.Severity, Message: fmt.Sprintf("%d further diagnostics are not shown", l.dropped)})
	}
	return l.found
}

// elements yields the elements of a rule, each at the cost of one step.
func (l *loader) elements(r *g4.Rule) iter.Seq[g4.Element] {
	return func(yield func(g4.Element) bool) {
		for e := range r.Body.Elements() {
			if l.meter.Step(1); !yield(e) {
				return
			}
		}
	}
}

// take adds to the estimated size of the grammar.
func (l *loader) take(bytes int) {
	if l.size += bytes; l.size > l.limits.Size {
		limit.Stop(&limit.Error{What: "size of a loaded grammar", Value: fmt.Sprintf("%d bytes", l.limits.Size), Advice: tooLarge})
	}
}

// buildMachine builds the automata and uses them to find tokens that can never
// match.
func (l *loader) buildMachine(ctx context.Context) {
	g := l.grammar
	l.spec.Step, l.spec.Take = l.meter.Step, l.take
	g.machine = atn.Build(l.spec, g.names)
	l.spec.Step, l.spec.Take = nil, nil // from now on, the machine builds only what fits the limits
	classes, positions := g.machine.Classes(), l.charPositions()
	switch {
	case g.Scannerless:
		l.classify()
	case classes > maxClasses:
		limit.Stop(&limit.Error{What: "character classes of a lexer", Value: strconv.Itoa(maxClasses), Advice: "write sets of characters as ranges"})
	case classes*positions > maxLexer:
		limit.Stop(&limit.Error{What: "character classes of a lexer times its positions", Value: strconv.Itoa(maxLexer), Advice: "write sets of characters as ranges"})
	default:
		l.checkShadowed(ctx)
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
