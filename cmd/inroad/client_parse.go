package main

import (
	"context"
	"io"
	"strconv"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/limit"
)

// parser returns what has a service derive inputs.
func (c *client) parser(g *remoteGrammar, opt *parseOptions) parser {
	return func(ctx context.Context, input []byte) (*parsed, error) {
		if len(input) > opt.limits.Input {
			return nil, &limit.Error{What: "input", Value: strconv.Itoa(opt.limits.Input) + " bytes"}
		}
		body := openapi.ParseRequest{
			Start: opt.start, Format: openapi.ParseRequestFormat(opt.format), Inside: opt.inside, Prefix: true, Strict: opt.strict,
		}
		body.Input, body.InputBase64 = sent(input)
		resp, err := c.ParseInput(ctx, g.id, body)
		answer, err := read[openapi.ParseAnswer](ctx, c, resp, err)
		switch {
		case err != nil:
			return nil, err
		case answer.Syntax.Message != "":
			return nil, &beyondError{answer.Syntax}
		case answer.Undecided.Message != "":
			return nil, undecided(g.Grammar, answer.Undecided)
		}
		out := &parsed{treeWriter: remoteTree(answer), partial: answer.Partial}
		if at := answer.Unread; at.Line > 0 {
			out.unread = &failurePlace{at.Line, at.Column, at.Offset}
		}
		return out, nil
	}
}

// A beyondError tells where an input leaves the grammar, as a service says.
type beyondError struct{ openapi.SyntaxError }

func (e *beyondError) Error() string { return e.Message }

// undecided returns the error of a strict parse that came to a predicate.
func undecided(g *grammars.Grammar, at openapi.Undecided) error {
	e := &grammars.PredicateError{Line: at.Line, Column: at.Column, Offset: at.Offset}
	for _, code := range g.Code {
		if code.Position().String() == at.Predicate {
			e.Predicate = code
		}
	}
	return e
}

// A remoteTree is a tree in the one form that a service was asked for.
type remoteTree openapi.ParseAnswer

func (t remoteTree) WriteLisp(w io.Writer) error { return writeText(w, t.Tree) }

func (t remoteTree) WriteIndented(w io.Writer) error { return writeText(w, t.Tree) }

func (t remoteTree) WriteJSON(w io.Writer) error { return writeText(w, string(t.Derivation)) }

func (t remoteTree) WriteDeepJSON(w io.Writer) error { return writeText(w, string(t.Derivation)) }

func (t remoteTree) WriteTriviaJSON(w io.Writer) error { return writeText(w, string(t.Trivia)) }

func (t remoteTree) WriteDeepTriviaJSON(w io.Writer) error { return writeText(w, string(t.Trivia)) }

func writeText(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}
