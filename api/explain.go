package api

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/model"
)

// Errors of requests that do not name the method or the outcome to explain.
var (
	ErrNoMethod  = errors.New("no method: give the ID of a method, or a unique part of one")
	ErrNoOutcome = errors.New("no outcome: give an outcome of the model, such as ok")
)

// Explain implements [Service].
func (e *Engine) Explain(ctx context.Context, name, method string, req openapi.ExplainMethodParams) (openapi.Explanation, error) {
	if err := openapi.Validate(&req); err != nil {
		return openapi.Explanation{}, err
	}
	if method == "" {
		return openapi.Explanation{}, ErrNoMethod
	}
	m, err := e.Library.Model(ctx, name)
	if err != nil {
		return openapi.Explanation{}, err
	}
	unit, err := m.unit(method)
	if err != nil {
		return openapi.Explanation{}, err
	}
	return m.explanation(m.Explain(unit, req.Whole), req.Format) //nolint:contextcheck // parses a bounded number of short examples
}

// ExplainOutcome implements [Service].
func (e *Engine) ExplainOutcome(ctx context.Context, name, outcome string, req openapi.ExplainOutcomeParams) (openapi.Explanation, error) {
	if err := openapi.Validate(&req); err != nil {
		return openapi.Explanation{}, err
	}
	if outcome == "" {
		return openapi.Explanation{}, ErrNoOutcome
	}
	m, err := e.Library.Model(ctx, name)
	if err != nil {
		return openapi.Explanation{}, err
	}
	x, ok := m.ExplainOutcome(outcome, req.Whole) //nolint:contextcheck // as above
	if !ok {
		return openapi.Explanation{}, m.outcomeNotFound(outcome)
	}
	return m.explanation(x, req.Format)
}

// outcomeNotFound returns the error for an outcome that the model does not predict.
func (m *Model) outcomeNotFound(outcome string) *NotFoundError {
	if len(m.Outcomes) == 0 {
		return &NotFoundError{Kind: "outcome", Name: outcome, Advice: "the model predicts no outcomes"}
	}
	return &NotFoundError{Kind: "outcome", Name: outcome, Known: m.Outcomes, Listed: "outcomes of the model"}
}

// explanation converts an explanation, and renders it unless the format is JSON.
func (m *Model) explanation(x *model.Explanation, format openapi.ExplanationFormat) (openapi.Explanation, error) {
	out := openapi.Explanation{
		Model: m.Digest, Exact: m.Grammar.Exact(), Method: x.Unit.ID, File: x.Unit.File, Start: x.Unit.Start, End: x.Unit.End, Outcome: x.Outcome,
		Reached: x.Reached, Observations: x.Rows, HeldOut: scores(x.HeldOut), Tree: *treeNode(x.Tree), Conditions: conditions(x.Ways), Refusals: x.Refusals,
	}
	for _, o := range x.Outcomes {
		out.Outcomes = append(out.Outcomes, openapi.OutcomeConditions{Outcome: o.Outcome, Conditions: conditions(o.Ways)})
	}
	if r := x.Regression; r != nil {
		out.Regression = &openapi.Regression{ToReached: r.ToReached, ToNotReached: r.ToNotReached, Bias: r.Bias, Overruled: r.Overruled, Right: r.Right}
		for _, v := range r.Votes {
			out.Regression.Features = append(out.Regression.Features, openapi.FeatureWeight{Feature: m.Describe(*v.Feature), Weight: v.Weight})
		}
	}
	var write func(io.Writer) error
	switch format {
	case openapi.Text:
		write = x.WriteText
	case openapi.Dot:
		write = x.WriteDOT
	case openapi.Svg:
		write = x.WriteSVG
	default:
		return out, nil
	}
	var text strings.Builder
	err := write(&text)
	out.Rendered = text.String()
	return out, err
}

// scores returns the scores of a confusion matrix; nil if it is empty.
func scores(c model.Confusion) *openapi.Scores {
	if c.Total() == 0 {
		return nil
	}
	return &openapi.Scores{Observations: c.Total(), Accuracy: c.Accuracy(), Precision: c.Precision(), Recall: c.Recall(), F1: c.F1()}
}

// treeNode converts a decision tree. It recurses, because the depth of trees is limited.
func treeNode(q *model.Node) *openapi.TreeNode {
	if q == nil {
		return nil
	}
	var examples []openapi.Example
	for _, input := range q.Examples {
		var e openapi.Example
		e.Input, e.InputBase64 = Encode(input)
		examples = append(examples, e)
	}
	return &openapi.TreeNode{
		Feature: q.Feature, Equivalent: q.Equal, Observations: q.Rows, Reached: q.Positives, Predicted: q.Reached, Probability: q.Probability,
		LeftOut: q.LeftOut, Differ: q.Differ, Examples: examples,
		Absent: treeNode(q.Absent), Present: treeNode(q.Present),
	}
}

func conditions(found []model.Way) []openapi.Condition {
	out := []openapi.Condition{}
	for _, c := range found {
		out = append(out, openapi.Condition{
			With: append([]string{}, c.With...), Without: append([]string{}, c.Without...), Observations: c.Rows, Reached: c.Positives,
		})
	}
	return out
}
