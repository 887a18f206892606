package main

import (
	"context"
	"errors"
	"iter"
	"maps"

	"github.com/inroad/inroad/api/openapi"
)

// predictAll has a service answer for all inputs, each as soon as it is sent.
func (c *client) predictAll(ctx context.Context, opt *predictOptions, p *predictPrinter) error {
	m, err := c.openModel(ctx, opt.model, opt.stderr)
	if err != nil {
		return err
	}
	methods, err := c.findUnits(ctx, m.ID, opt.methods)
	if err != nil {
		return err
	}
	asked := make(chan question, 1024)
	body := sendLines(ctx, func(ctx context.Context, line func(any) error) error {
		defer close(asked)
		return opt.ask(ctx, asked, line)
	})
	defer body.end()
	params := &openapi.PredictParams{Reasons: true}
	if opt.format != "text" { // which counts all methods
		params.Method = methods
	}
	resp, err := c.PredictWithBody(ctx, m.ID, params, "application/x-ndjson", body)
	next, stop := iter.Pull2(each[openapi.Answer](ctx, c, resp, err))
	defer stop()
	for q := range asked {
		switch {
		case q.broken != nil:
			return q.broken
		case q.err != nil:
			p.fail(q.file, q.err)
			continue
		}
		answer, err, ok := next()
		switch {
		case !ok:
			return c.broken(ctx, errors.New("an answer is missing"))
		case err != nil:
			return err
		case answer.Error != "":
			p.fail(q.file, errors.New(answer.Error))
			continue
		}
		if err := p.print(answered(&m, q.file, methods, answer)); err != nil {
			return err
		}
	}
	_, err, ok := next()
	if ok || err != nil {
		return err // there was no input, and the request itself was wrong
	}
	return context.Cause(ctx)
}

// A question is an input that was sent, or why it was not.
type question struct {
	file   string
	err    error
	broken error // there are no more
}

// ask sends the inputs, and tells which.
func (opt *predictOptions) ask(ctx context.Context, asked chan<- question, line func(any) error) error {
	tell := func(q question) error {
		select {
		case asked <- q:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	for file, err := range opt.files() {
		if err != nil {
			return tell(question{broken: err})
		}
		input, err := readSent(ctx, file, opt.stdin)
		if err := tell(question{file: file, err: err}); err != nil {
			return err
		}
		if err != nil {
			continue
		}
		in := openapi.Input{}
		in.Input, in.InputBase64 = sent(input)
		if err := line(in); err != nil {
			return err
		}
	}
	return nil
}

// answered returns what a service answers for an input, as the command has it:
// for some methods, or for all if none is named.
func answered(m *openapi.Model, name string, methods []string, a openapi.Answer) *answerJSON {
	out := &answerJSON{Input: name, Model: m.ID, Exact: m.Exact, known: m.Methods}
	if s := a.Outside.Syntax; s.Message != "" {
		out.Outside = &outsideJSON{
			Error: newFailure(name, &beyondError{s}), Rows: a.Outside.Observations, Outcomes: map[string]int{}, Methods: []reachedJSON{}, message: s.Message,
		}
		maps.Copy(out.Outside.Outcomes, a.Outside.Outcomes)
		for _, r := range among(a.Outside.Methods, methods, func(r openapi.Reached) string { return r.Method }) {
			out.Outside.Methods = append(out.Outside.Methods, reachedJSON(r))
		}
		return out
	}
	if a.Unseen != nil {
		out.Unseen = *a.Unseen
	}
	out.Outcomes = []outcomeJSON{}
	for _, o := range a.Outcomes {
		out.Outcomes = append(out.Outcomes, outcomeJSON(o))
	}
	for _, p := range a.Methods {
		if p.Covered {
			out.reaches++
		}
	}
	for _, p := range among(a.Methods, methods, func(p openapi.Prediction) string { return p.Method }) {
		reasons := []reasonJSON{}
		for _, r := range p.Reasons {
			reasons = append(reasons, reasonJSON(r))
		}
		out.Methods = append(out.Methods, predictionJSON{
			p.Method, p.Covered, p.Probability, p.Low, p.High, int32(p.Observations), int32(p.Reached), reasons,
		})
	}
	return out
}

// among returns what is told of methods in the order that they are named in, or
// all of it if none is.
func among[V any](told []V, names []string, nameOf func(V) string) []V {
	if len(names) == 0 {
		return told
	}
	byName := map[string]V{}
	for _, v := range told {
		byName[nameOf(v)] = v
	}
	var out []V
	for _, name := range names {
		if v, ok := byName[name]; ok {
			out = append(out, v)
		}
	}
	return out
}
