package server

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strings"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/g4"
)

// A loadedGrammar is a grammar that is ready for use, and where it came from.
type loadedGrammar struct {
	*grammars.Grammar
	stored  store.Grammar
	bundled bool
}

// grammar returns a grammar by its id, or by its name if it comes with inroad.
func (s *Server) grammar(ctx context.Context, id string) (*loadedGrammar, error) {
	return s.grammars.get(ctx, id, func() (*loadedGrammar, int64, error) {
		stored, isBundled, err := s.sources(id)
		if err != nil {
			return nil, 0, err
		}
		g, err := loadGrammar(stored.Start, stored.Sources)
		if err != nil {
			return nil, 0, err
		}
		// What a parser makes of a grammar as it goes is bounded by its nodes.
		return &loadedGrammar{g, stored, isBundled}, int64(len(g.Nodes))<<12 + 1<<16, nil
	})
}

// sources returns the files of a grammar.
func (s *Server) sources(id string) (g store.Grammar, isBundled bool, err error) {
	if slices.Contains(bundled.Names(), id) {
		files, err := bundled.Sources(id)
		return store.Grammar{ID: id, Name: id, Sources: files}, true, err
	}
	g, err = s.Store.Grammar(id)
	return g, false, err
}

// loadGrammar loads a grammar from a start rule, having seen that there is one.
func loadGrammar(start string, sources []grammars.Source) (*grammars.Grammar, error) {
	g, err := grammars.Load(sources...)
	if err != nil || start == "" {
		return g, err
	}
	if rule := g.Rule(start); rule == nil || rule.Kind != grammars.ParserRule {
		return nil, g4.Diagnostics{{Pos: g4.Pos{File: sources[0].Name}, Severity: g4.Error, Message: "there is no parser rule " + start + " to begin with"}}
	}
	return grammars.LoadFrom(start, sources...)
}

func sourcesOf(upload *openapi.GrammarUpload) []grammars.Source {
	var out []grammars.Source
	for _, f := range upload.Files {
		out = append(out, grammars.Source{Name: f.Name, Text: f.Text})
	}
	return out
}

// ListGrammars lists grammars.
func (s *Server) ListGrammars(context.Context, openapi.ListGrammarsRequestObject) (openapi.ListGrammarsResponseObject, error) {
	out := openapi.ListGrammars200JSONResponse{Grammars: []openapi.GrammarItem{}}
	for _, name := range bundled.Names() {
		out.Grammars = append(out.Grammars, openapi.GrammarItem{ID: name, Name: name, Bundled: true})
	}
	stored, err := s.Store.Grammars()
	for _, g := range stored {
		out.Grammars = append(out.Grammars, openapi.GrammarItem{ID: g.ID, Name: g.Name, Created: g.Created})
	}
	return out, err
}

// CreateGrammar stores a grammar that can be used.
func (s *Server) CreateGrammar(ctx context.Context, req openapi.CreateGrammarRequestObject) (openapi.CreateGrammarResponseObject, error) {
	sources := sourcesOf(req.Body)
	g, err := loadGrammar(req.Body.Start, sources)
	if err != nil {
		return nil, err
	}
	stored, created, err := s.Store.PutGrammar(store.Grammar{Name: g.Name, Start: req.Body.Start, Sources: sources})
	if err != nil {
		return nil, err
	}
	out := grammarOf(&loadedGrammar{g, stored, false})
	if !created {
		return openapi.CreateGrammar200JSONResponse(out), nil
	}
	return openapi.CreateGrammar201JSONResponse{
		Body: out, Headers: openapi.CreateGrammar201ResponseHeaders{Location: "/v1/grammars/" + stored.ID},
	}, nil
}

// CheckGrammar tells what is wrong with a grammar.
func (s *Server) CheckGrammar(_ context.Context, req openapi.CheckGrammarRequestObject) (openapi.CheckGrammarResponseObject, error) {
	g, err := loadGrammar(req.Body.Start, sourcesOf(req.Body))
	if found, ok := errors.AsType[g4.Diagnostics](err); ok {
		return openapi.CheckGrammar200JSONResponse{Findings: findingsOf(found)}, nil
	}
	if err != nil {
		return nil, err
	}
	return openapi.CheckGrammar200JSONResponse(reportOf(g)), nil
}

// GetGrammar returns a grammar.
func (s *Server) GetGrammar(ctx context.Context, req openapi.GetGrammarRequestObject) (openapi.GetGrammarResponseObject, error) {
	g, err := s.grammar(ctx, req.Grammar)
	if err != nil {
		return nil, err
	}
	return openapi.GetGrammar200JSONResponse(grammarOf(g)), nil
}

// ParseInput parses an input.
func (s *Server) ParseInput(ctx context.Context, req openapi.ParseInputRequestObject) (openapi.ParseInputResponseObject, error) {
	g, err := s.grammar(ctx, req.Grammar)
	if err != nil {
		return nil, err
	}
	input, err := bytesOf(req.Body.Input, req.Body.InputBase64)
	if err != nil {
		return nil, err
	}
	start, err := startOf(g.Grammar, req.Body.Start)
	if err != nil {
		return nil, err
	}
	tree, err := g.Parse(ctx, input, grammars.ParseOptions{
		Start: start, Prefix: req.Body.Prefix, Strict: req.Body.Strict, Limits: s.Limits,
	})
	if syntax, ok := errors.AsType[*grammars.SyntaxError](err); ok {
		return openapi.ParseInput200JSONResponse{Exact: g.Exact(), Syntax: syntaxOf(syntax)}, nil
	}
	if predicate, ok := errors.AsType[*grammars.PredicateError](err); ok {
		return openapi.ParseInput200JSONResponse{Exact: g.Exact(), Undecided: openapi.Undecided{
			Line: predicate.Line, Column: predicate.Column, Offset: predicate.Offset,
			Message: excerpt(err.Error()), Predicate: predicate.Predicate.Position().String(),
		}}, nil
	}
	if err != nil {
		return nil, err
	}
	return &treeResponse{tree: tree, exact: g.Exact(), format: req.Body.Format, inside: req.Body.Inside}, nil
}

// bytesOf returns an input that is given in one of two ways.
func bytesOf(text, encoded *string) ([]byte, error) {
	switch {
	case (text == nil) == (encoded == nil):
		return nil, &requestError{"body: one of input and input_base64 is to be given"}
	case text != nil:
		return []byte(*text), nil
	}
	input, err := base64.StdEncoding.DecodeString(*encoded)
	if err != nil {
		return nil, &requestError{"body: input_base64: " + err.Error()}
	}
	return input, nil
}

func syntaxOf(e *grammars.SyntaxError) openapi.SyntaxError {
	return openapi.SyntaxError{
		Line: e.Line, Column: e.Column, Offset: e.Offset,
		Message: strings.ToValidUTF8(e.Error(), "�"), Unexpected: strings.ToValidUTF8(e.Unexpected, "�"), Expected: append([]string{}, e.Expected...),
	}
}

func grammarOf(g *loadedGrammar) openapi.Grammar {
	out := openapi.Grammar{ID: g.stored.ID, Bundled: g.bundled, Created: g.stored.Created, Files: []openapi.GrammarFile{}, Report: reportOf(g.Grammar)}
	for _, f := range g.stored.Sources {
		out.Files = append(out.Files, openapi.GrammarFile{Name: f.Name, Text: f.Text})
	}
	return out
}

func reportOf(g *grammars.Grammar) openapi.GrammarReport {
	parser := len(g.ParserRules())
	summary := openapi.GrammarSummary{
		Name: g.Name, Start: g.Start, Digest: g.Digest, Exact: g.Exact(),
		ParserRules: parser, LexerRules: len(g.Rules) - parser, Tokens: len(g.Tokens()) - 1, Nodes: len(g.Nodes),
	}
	for _, c := range g.Code {
		summary.Code = append(summary.Code, openapi.Code{
			File: c.File, Line: c.Line, Column: c.Column, Kind: codeKind(c.Kind), Rule: c.Rule, Text: c.Text,
		})
	}
	return openapi.GrammarReport{Usable: true, Findings: findingsOf(g.Warnings), Summary: summary}
}

func findingsOf(found g4.Diagnostics) []openapi.Finding {
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
