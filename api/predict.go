package api

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"strings"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model"
)

// Predict implements [Service].
func (e *Engine) Predict(ctx context.Context, name string, req openapi.PredictParams, inputs Inputs) iter.Seq2[openapi.Answer, error] {
	return func(yield func(openapi.Answer, error) bool) {
		p, err := e.Predictor(ctx, name, req)
		if err != nil {
			yield(openapi.Answer{}, err)
			return
		}
		for in, err := range inputs {
			if err == nil {
				err = context.Cause(ctx)
			}
			if err != nil {
				yield(openapi.Answer{}, err)
				return
			}
			if !yield(p.Answer(ctx, in), nil) {
				return
			}
		}
	}
}

// A Predictor answers one predict request for many inputs. It is safe for
// concurrent use.
type Predictor struct {
	Model   *Model
	units   []int
	reasons bool
	limits  grammars.Limits
}

// Predictor returns a predictor for a predict request.
func (e *Engine) Predictor(ctx context.Context, name string, req openapi.PredictParams) (*Predictor, error) {
	if err := openapi.Validate(&req); err != nil {
		return nil, err
	}
	m, err := e.Library.Model(ctx, name)
	if err != nil {
		return nil, err
	}
	p := &Predictor{Model: m, reasons: req.Reasons, limits: e.Limits}
	if p.units, err = m.Resolve(req.Method); err != nil {
		return nil, err
	}
	if len(p.units) == 0 {
		p.units = m.all
	}
	return p, nil
}

// Answer returns the answer for an input. An input that cannot be predicted has an
// answer with an error.
func (p *Predictor) Answer(ctx context.Context, in openapi.Input) openapi.Answer {
	out, a := p.predict(ctx, in)
	if a == nil {
		return out
	}
	out.Unseen, out.Reaches = &a.Unseen, new(reaches(a))
	for _, c := range a.Outcomes {
		out.Outcomes = append(out.Outcomes, openapi.Outcome{Outcome: c.Outcome, Probability: c.Probability})
	}
	out.Refusal = p.refusal(a)
	for _, unit := range p.units {
		out.Methods = append(out.Methods, p.Model.prediction(unit, a.Methods[unit], p.reasons))
	}
	return out
}

// AppendAnswer appends the answer for an input as JSON. It is the encoding of
// [Predictor.Answer], assembled from cached parts.
func (p *Predictor) AppendAnswer(ctx context.Context, text []byte, in openapi.Input) []byte {
	out, a := p.predict(ctx, in)
	if a == nil {
		return AppendJSON(text, out)
	}
	text = append(text, '{')
	if in.Name != "" {
		text = append(AppendJSON(append(text, `"name":`...), in.Name), ',')
	}
	text = appendNumber(append(text, `"unseen":`...), a.Unseen)
	text = appendNumber(append(text, `,"reaches":`...), float64(reaches(a)))
	for i, c := range a.Outcomes {
		text = append(text, cmp.Or(strings.Repeat(`,`, min(i, 1)), `,"outcomes":[`)...)
		text = AppendJSON(text, openapi.Outcome{Outcome: c.Outcome, Probability: c.Probability})
	}
	if len(a.Outcomes) > 0 {
		text = append(text, ']')
	}
	if r := p.refusal(a); r != nil {
		text = AppendJSON(append(text, `,"refusal":`...), r)
	}
	for i, unit := range p.units {
		text = append(text, cmp.Or(strings.Repeat(`,`, min(i, 1)), `,"methods":[`)...)
		text = p.Model.appendCached(text, unit, a.Methods[unit], p.reasons)
	}
	if len(p.units) > 0 {
		text = append(text, ']')
	}
	return append(text, '}')
}

// refusal returns the construct that the program is expected to refuse, or nil.
func (p *Predictor) refusal(a *model.Answer) *openapi.Refusal {
	if a.Refusal == nil {
		return nil
	}
	return &openapi.Refusal{
		Construct: p.Model.Describe(a.Refusal.Feature), Line: a.Stop.Line, Column: a.Stop.Column, Offset: a.Stop.Offset,
		Outcome: a.Refusal.Outcome, Observations: a.Refusal.Rows, Failed: a.Refusal.Failed,
	}
}

// predict returns the prediction for an input, or an answer that says why there is
// none.
func (p *Predictor) predict(ctx context.Context, in openapi.Input) (openapi.Answer, *model.Answer) {
	out := openapi.Answer{Name: in.Name}
	input, err := Decode(in.Input, in.InputBase64)
	if err != nil {
		out.Error = err.Error()
		return out, nil
	}
	a, err := p.Model.Predict(ctx, input, p.limits)
	switch {
	case err != nil:
		out.Error = Excerpt(err.Error())
		return out, nil
	case a.Syntax != nil:
		out.Outside = p.outside(a.Syntax)
		return out, nil
	default:
		return out, a
	}
}

// outside returns the training statistics of inputs outside the grammar.
func (p *Predictor) outside(syntax *grammars.SyntaxError) *openapi.Outside {
	seen := p.Model.Outside
	out := &openapi.Outside{Syntax: *syntaxError(syntax), Observations: seen.Rows, Outcomes: map[string]int{}}
	maps.Copy(out.Outcomes, seen.Outcomes)
	if seen.Rows == 0 {
		return out
	}
	for _, unit := range p.units {
		out.Methods = append(out.Methods, openapi.Reached{Method: p.Model.Units[unit].ID, Reached: seen.Reached[unit]})
	}
	return out
}

// reaches counts the methods that an input is predicted to reach.
func reaches(a *model.Answer) int {
	n := 0
	for _, p := range a.Methods {
		if p.Reached {
			n++
		}
	}
	return n
}

// Resolve returns the units that a request names by ID or by a unique suffix of an
// ID. The error suggests similar names.
func (m *Model) Resolve(names []string) ([]int, error) {
	var out []int
	for _, name := range names {
		unit, err := m.unit(name)
		if err != nil {
			return nil, err
		}
		out = append(out, unit)
	}
	return out, nil
}

// unit returns the unit that a request names. The error suggests similar names.
func (m *Model) unit(name string) (int, error) {
	unit, err := m.Unit(name)
	if unknown, ok := errors.AsType[*model.UnitError](err); ok && len(unknown.Matches) == 0 {
		var known []string
		for _, u := range m.Units {
			known = append(known, u.ID[strings.LastIndex(u.ID, "#")+1:])
		}
		return 0, &NotFoundError{Kind: "method", Name: name, Known: known}
	}
	return unit, err
}
