package server

import (
	"bytes"
	"context"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/model"
)

// ListMethods lists the methods that a model knows.
func (s *Server) ListMethods(ctx context.Context, req openapi.ListMethodsRequestObject) (openapi.ListMethodsResponseObject, error) {
	m, _, err := s.model(ctx, req.Model)
	if err != nil {
		return nil, err
	}
	out := openapi.ListMethods200JSONResponse{Methods: []openapi.Method{}}
	for unit, u := range m.Units {
		entered, rows := m.Support(unit)
		out.Methods = append(out.Methods, openapi.Method{
			ID: u.ID, Kind: u.Kind, Name: u.Name, File: u.File, Start: u.Start, End: u.End,
			Entered: entered, Observations: rows, Trainable: m.Trainable(unit),
		})
	}
	return out, nil
}

// ExplainMethod tells what inputs have that reach a method.
func (s *Server) ExplainMethod(ctx context.Context, req openapi.ExplainMethodRequestObject) (openapi.ExplainMethodResponseObject, error) {
	m, stored, err := s.model(ctx, req.Model)
	if err != nil {
		return nil, err
	}
	unit, err := m.Unit(req.Method)
	if err != nil {
		return nil, err
	}
	e := m.Explain(unit, req.Params.Whole)
	var text bytes.Buffer
	switch req.Params.Format {
	case openapi.Text:
		err = e.WriteText(&text)
		return openapi.ExplainMethod200TextResponse(text.String()), err
	case openapi.Dot:
		err = e.WriteDOT(&text)
		return openapi.ExplainMethod200TextVndGraphvizResponse{Body: &text, ContentLength: int64(text.Len())}, err
	case openapi.Svg:
		err = e.WriteSVG(&text)
		return openapi.ExplainMethod200ImageSvgXMLResponse{Body: &text, ContentLength: int64(text.Len())}, err
	case openapi.JSON, "":
	}
	return openapi.ExplainMethod200JSONResponse{
		Model: stored.ID, Exact: m.Grammar.Exact(), Method: e.Unit.ID, File: e.Unit.File, Start: e.Unit.Start, End: e.Unit.End,
		Entered: e.Reached, Observations: e.Rows, HeldOut: e.HeldOut.Total(),
		Accuracy: e.HeldOut.Accuracy(), Precision: e.HeldOut.Precision(), Recall: e.HeldOut.Recall(), F1: e.HeldOut.F1(),
		Tree: *questionOf(e.Tree), Conditions: conditionsOf(e.Ways),
	}, nil
}

// questionOf translates a tree, which is no deeper than trees are learned.
func questionOf(q *model.Node) *openapi.Question {
	if q == nil {
		return nil
	}
	return &openapi.Question{
		Feature: q.Feature, Equal: q.Equal, Observations: q.Rows, Reached: q.Positives, Covered: q.Reached, Probability: q.Probability,
		Absent: questionOf(q.Absent), Present: questionOf(q.Present),
	}
}

func conditionsOf(conditions []model.Way) []openapi.Condition {
	out := []openapi.Condition{}
	for _, c := range conditions {
		out = append(out, openapi.Condition{
			With: append([]string{}, c.With...), Without: append([]string{}, c.Without...), Observations: c.Rows, Reached: c.Positives,
		})
	}
	return out
}
