package main

import (
	"context"
	"encoding/json"
	"io"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/model"
)

// explain has a service tell which inputs reach a method.
func (c *client) explain(ctx context.Context, opt *explainOptions) error {
	m, err := c.openModel(ctx, opt.model, opt.stderr)
	if err != nil {
		return err
	}
	units, err := c.findUnits(ctx, m.ID, []string{opt.method})
	if err != nil {
		return err
	}
	params := &openapi.ExplainMethodParams{Format: openapi.ExplainMethodParamsFormat(opt.format), Whole: opt.whole}
	resp, err := c.ExplainMethod(ctx, m.ID, units[0], params)
	if opt.format == "json" {
		e, err := read[openapi.Explanation](ctx, c, resp, err)
		if err != nil {
			return err
		}
		return json.NewEncoder(opt.stdout).Encode(explained(e))
	}
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	out := opt.stdout
	if opt.format == "text" {
		out = &terminalWriter{w: out}
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return c.broken(ctx, err)
	}
	_, err = out.Write(text)
	return err
}

// explained returns what a service explains, as the command has it.
func explained(e openapi.Explanation) explanationJSON {
	out := explanationJSON{
		Model: e.Model, Exact: e.Exact, Method: e.Method, File: e.File, Start: e.Start, End: e.End,
		Reached: e.Entered, All: e.Observations, Conditions: []model.Way{}, Tree: asked(&e.Tree),
	}
	if e.HeldOut > 0 {
		out.HeldOut = &reportFigure{e.Accuracy, e.Precision, e.Recall, e.F1}
	}
	for _, c := range e.Conditions {
		out.Conditions = append(out.Conditions, model.Way{With: c.With, Without: c.Without, Rows: c.Observations, Positives: c.Reached})
	}
	return out
}

// asked returns a tree, which is no deeper than JSON can be.
func asked(q *openapi.Question) *model.Node {
	if q == nil {
		return nil
	}
	return &model.Node{
		Feature: q.Feature, Equal: q.Equal, Rows: q.Observations, Positives: q.Reached, Reached: q.Covered, Probability: q.Probability,
		Absent: asked(q.Absent), Present: asked(q.Present),
	}
}
