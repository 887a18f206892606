package api

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/limit"
)

// Parse implements [Service].
func (e *Engine) Parse(ctx context.Context, grammar string, req openapi.ParseRequest) (openapi.ParseAnswer, error) {
	p, err := e.ParseTree(ctx, grammar, req)
	if err != nil {
		return openapi.ParseAnswer{}, err
	}
	if p.tree == nil || p.format != openapi.JSONTree {
		return p.answer, nil
	}
	var tree, trivia bytes.Buffer
	err = p.writeTree(&tree, &trivia, &p.answer)
	p.answer.Derivation, p.answer.Trivia = tree.Bytes(), trivia.Bytes()
	return p.answer, err
}

// A Parsed is the answer to a parse request whose JSON tree, which can be much
// larger than its input, is not in memory yet.
type Parsed struct {
	answer openapi.ParseAnswer
	tree   *derivation.Tree // nil without a tree
	format openapi.ParseRequestFormat
	inside bool
}

// ParseTree parses an input, for callers that stream the answer.
func (e *Engine) ParseTree(ctx context.Context, grammar string, req openapi.ParseRequest) (*Parsed, error) {
	if err := openapi.Validate(&req); err != nil {
		return nil, err
	}
	if req.Inside && req.Format == openapi.LispTree {
		return nil, openapi.FieldErrorf("inside", "not supported by the format lisp; use tree or json")
	}
	g, err := e.Library.Grammar(ctx, grammar)
	if err != nil {
		return nil, err
	}
	input, err := Decode(req.Input, req.InputBase64)
	if err != nil {
		return nil, err
	}
	start, err := startRule(g.Grammar, req.Start)
	if err != nil {
		return nil, err
	}
	if e.Untrusted && req.Engine == openapi.ANTLREngine {
		if !g.Bundled {
			return nil, &openapi.FieldError{Field: "engine", Value: "antlr", Problem: "a service allows it for bundled grammars only, because the ANTLR runtime cannot be interrupted"}
		}
		req.MaxInput = min(req.MaxInput, maxANTLRInput)
	}
	p := &Parsed{format: req.Format, inside: req.Inside, answer: openapi.ParseAnswer{Name: req.Name, Exact: g.Exact(), Start: start}}
	tree, err := g.Parse(ctx, input, grammars.ParseOptions{
		Start: start, Prefix: req.Prefix, Strict: req.Strict, ANTLR: req.Engine == openapi.ANTLREngine, Limits: e.parseLimits(req),
		Latin1: isLatin1(req.Encoding),
	})
	if syntax, ok := errors.AsType[*grammars.SyntaxError](err); ok {
		p.answer.Syntax = syntaxError(syntax)
		return p, nil
	}
	if predicate, ok := errors.AsType[*grammars.PredicateError](err); ok {
		p.answer.Undecided = &openapi.Undecided{
			Line: predicate.Line, Column: predicate.Column, Offset: predicate.Offset,
			Message: Excerpt(err.Error()), Predicate: predicate.Predicate.Position().String(),
		}
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	p.tree = tree
	return p, p.describe()
}

// isLatin1 reports whether each byte of an input is a character.
func isLatin1(encoding openapi.Encoding) bool {
	return encoding == openapi.Latin1 || encoding == openapi.Bytes
}

// maxANTLRInput is the maximum size in bytes of an input that the ANTLR runtime parses
// for an untrusted request.
const maxANTLRInput = 64 << 10

// parseLimits returns the limits of a parse: the limits of the request, but at most the
// engine's.
func (e *Engine) parseLimits(req openapi.ParseRequest) grammars.Limits {
	limits := grammars.Limits{
		Input: capped(req.MaxInput, e.Limits.Input), Depth: capped(req.MaxDepth, e.Limits.Depth), Steps: capped(req.MaxSteps, e.Limits.Steps),
		Tokens: capped(req.MaxTokens, e.Limits.Tokens), Nodes: capped(req.MaxNodes, e.Limits.Nodes),
		Time: time.Duration(req.TimeoutMs * float64(time.Millisecond)),
	}
	if e.Limits.Time > 0 {
		limits.Time = min(limits.Time, e.Limits.Time)
	}
	return limits
}

// describe sets the fields of the answer that do not need the tree as JSON.
func (p *Parsed) describe() error {
	if token, ok := p.tree.Unread(); ok {
		line, column := derivation.LineColumn(p.tree.Input(), int(token.Start))
		p.answer.Unread = &openapi.Unread{Line: line, Column: column, Offset: p.tree.Offset(int(token.Start))}
	}
	if p.format == openapi.JSONTree {
		return nil
	}
	write := p.tree.WriteLisp
	if p.format == openapi.IndentedTree {
		write = p.tree.WriteIndented
	}
	var text strings.Builder
	err := write(&text)
	p.answer.Tree = text.String()
	return err
}

// writeTree writes the tree and its trivia as JSON. If deriving a token is too costly,
// its derivation is left out and the answer says so.
func (p *Parsed) writeTree(tree, trivia io.Writer, answer *openapi.ParseAnswer) error {
	writeTree, writeTrivia := p.tree.WriteJSON, p.tree.WriteTriviaJSON
	if p.inside {
		writeTree, writeTrivia = p.tree.WriteDeepJSON, p.tree.WriteDeepTriviaJSON
	}
	err := writeTree(tree)
	if tree == trivia {
		fmt.Fprint(trivia, `,"trivia":`)
	}
	err = cmp.Or(err, writeTrivia(trivia))
	if reached, ok := errors.AsType[*limit.Error](err); ok {
		answer.Partial, err = reached.Error(), nil
	}
	return err
}

// WriteJSON writes the answer as JSON without building its tree in memory.
func (p *Parsed) WriteJSON(w io.Writer) error {
	out := bufio.NewWriterSize(w, 64<<10)
	head, err := json.Marshal(p.answer)
	if err != nil {
		return err
	}
	if p.tree == nil || p.format != openapi.JSONTree {
		out.Write(append(head, '\n'))
		return out.Flush()
	}
	fmt.Fprintf(out, `%s,"derivation":`, bytes.TrimSuffix(head, []byte("}")))
	err = p.writeTree(out, out, &p.answer)
	if p.answer.Partial != "" {
		text, _ := json.Marshal(p.answer.Partial) // a string can be encoded
		fmt.Fprintf(out, `,"partial":%s`, text)
	}
	out.WriteString("}\n")
	return errors.Join(err, out.Flush())
}

func syntaxError(e *grammars.SyntaxError) *openapi.SyntaxError {
	return &openapi.SyntaxError{
		Line: e.Line, Column: e.Column, Offset: e.Offset, Message: strings.ToValidUTF8(e.Error(), "�"),
		Unexpected: strings.ToValidUTF8(e.Unexpected, "�"), Expected: append([]string{}, e.Expected...),
	}
}
