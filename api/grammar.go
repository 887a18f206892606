package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/features/fit"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/g4"
)

// CheckGrammar implements [Service].
func (e *Engine) CheckGrammar(ctx context.Context, req openapi.GrammarSource) (openapi.GrammarReport, error) {
	if err := openapi.Validate(&req); err != nil {
		return openapi.GrammarReport{}, err
	}
	g, err := LoadGrammar(ctx, req.Start, Sources(req))
	if found, ok := errors.AsType[g4.Diagnostics](err); ok {
		return openapi.GrammarReport{Findings: Findings(found)}, nil
	}
	if err != nil {
		return openapi.GrammarReport{}, err
	}
	out := report(g)
	out.Findings = append(out.Findings, Findings(fit.Hints(g))...)
	return out, nil
}

// Grammars implements [Service].
func (e *Engine) Grammars(ctx context.Context) (openapi.GrammarList, error) {
	out := openapi.GrammarList{Grammars: []openapi.GrammarItem{}}
	found, err := e.Library.Grammars(ctx)
	for _, g := range found {
		out.Grammars = append(out.Grammars, openapi.GrammarItem{ID: g.ID, Name: g.Name, Bundled: g.Bundled, Created: g.Created})
	}
	return out, err
}

// Grammar implements [Service].
func (e *Engine) Grammar(ctx context.Context, name string) (openapi.Grammar, error) {
	g, err := e.Library.Grammar(ctx, name)
	if err != nil {
		return openapi.Grammar{}, err
	}
	return g.Answer(), nil
}

// Answer converts the grammar to the type of the contract.
func (g *Grammar) Answer() openapi.Grammar {
	out := openapi.Grammar{ID: g.ID, Bundled: g.Bundled, Created: g.Created, Files: []openapi.GrammarFile{}, Report: report(g.Grammar)}
	for _, s := range g.Sources {
		out.Files = append(out.Files, openapi.GrammarFile{Name: s.Name, Text: s.Text})
	}
	return out
}

// Sources converts the files of a request to sources for package grammars.
func Sources(req openapi.GrammarSource) []grammars.Source {
	var out []grammars.Source
	for _, f := range req.Files {
		out = append(out, grammars.Source{Name: f.Name, Text: f.Text})
	}
	if req.Scannerless || req.MergeLiterals {
		return grammars.Scannerless(out, req.MergeLiterals)
	}
	return out
}

func report(g *grammars.Grammar) openapi.GrammarReport {
	parser, lexer := 0, 0
	for _, r := range g.Rules {
		switch {
		case r.Kind == grammars.ParserRule:
			parser++
		case !r.Literal: // a literal of a parser rule is not a lexer rule of the grammar
			lexer++
		}
	}
	summary := openapi.GrammarSummary{
		Name: g.Name, Start: g.Start, Digest: g.Digest, Exact: g.Exact(),
		ParserRules: parser, LexerRules: lexer, Tokens: len(g.Tokens()) - 1, Nodes: len(g.Nodes),
	}
	for _, c := range g.Code {
		summary.Code = append(summary.Code, openapi.Code{
			File: c.File, Line: c.Line, Column: c.Column, Kind: codeKind(c.Kind), Rule: c.Rule, Text: c.Text,
		})
	}
	return openapi.GrammarReport{Usable: true, Findings: Findings(g.Warnings), Summary: summary}
}

// Findings converts diagnostics to the type of the contract.
func Findings(found g4.Diagnostics) []openapi.Finding {
	out := []openapi.Finding{}
	for _, d := range found {
		severity := openapi.Error
		if d.Severity == g4.Warning {
			severity = openapi.Warning
		}
		out = append(out, openapi.Finding{File: d.File, Line: d.Line, Column: d.Column, Severity: severity, Message: d.Message})
	}
	return out
}

func codeKind(k g4.CodeKind) openapi.CodeKind {
	switch k {
	case g4.Predicate:
		return openapi.Predicate
	case g4.Action:
		return openapi.Action
	case g4.Members:
		return openapi.Members
	case g4.SuperClass:
		return openapi.Superclass
	default:
		return openapi.Other
	}
}

// StartRule returns the parser rule with a name, or the grammar's start rule if the
// name is empty.
func (g *Grammar) StartRule(name string) (string, error) { return startRule(g.Grammar, name) }

// ProductiveRule returns the parser rule that inputs derive from, and an error if it
// derives none.
func (g *Grammar) ProductiveRule(name string) (string, error) {
	start, err := g.StartRule(name)
	if err == nil && g.Nodes[g.Rule(start).Root].Size == grammars.Unproductive {
		err = &openapi.FieldError{Field: "start", Value: start, Problem: fmt.Sprintf("the rule derives no input of grammar %s", g.Name)}
	}
	return start, err
}

// startRule returns the parser rule that a request starts from; the grammar's own
// if it names none.
func startRule(g *grammars.Grammar, name string) (string, error) {
	if name == "" {
		return g.Start, nil
	}
	var rules []string
	for _, r := range g.ParserRules() {
		rules = append(rules, r.Name)
	}
	var problem string
	switch {
	case slices.Contains(rules, name):
		return name, nil
	case g.Rule(name) != nil:
		problem = fmt.Sprintf("a lexer rule of grammar %s; start from a parser rule such as %s", g.Name, g.Start)
	case len(rules) <= 12:
		problem = fmt.Sprintf("not a parser rule of grammar %s; its parser rules are %s", g.Name, strings.Join(rules, ", "))
	default:
		problem = fmt.Sprintf("not a parser rule of grammar %s%s", g.Name,
			cmp.Or(didYouMean(name, rules), "; its first parser rules are "+strings.Join(rules[:12], ", ")))
	}
	return "", &openapi.FieldError{Field: "start", Value: Excerpt(name), Problem: problem}
}
