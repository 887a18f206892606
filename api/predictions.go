package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model"
)

// Predict answers for inputs, at once or as they come in.
func (s *Server) Predict(ctx context.Context, req openapi.PredictRequestObject) (openapi.PredictResponseObject, error) {
	m, stored, err := s.model(ctx, req.Model)
	if err != nil {
		return nil, err
	}
	p, err := newPredictor(m, req.Params, s.Limits)
	if err != nil {
		return nil, err
	}
	if req.JSONBody == nil {
		return streamed{ctx, func(ctx context.Context, w http.ResponseWriter) error { return s.predictStream(ctx, p, req.Body, w) }}, nil
	}
	answers := make([]openapi.Answer, len(req.JSONBody.Inputs))
	group, work := errgroup.WithContext(ctx)
	group.SetLimit(s.Workers)
	for i, input := range req.JSONBody.Inputs {
		group.Go(func() error {
			answers[i] = p.answer(work, input)
			return context.Cause(work)
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return openapi.Predict200JSONResponse{Model: stored.ID, Exact: m.Grammar.Exact(), Answers: answers}, nil
}

// A predictor answers for inputs.
type predictor struct {
	model   *model.Model
	units   []int
	reasons bool
	limits  grammars.Limits
}

func newPredictor(m *model.Model, params openapi.PredictParams, limits grammars.Limits) (*predictor, error) {
	p := &predictor{model: m, reasons: params.Reasons, limits: limits}
	for _, name := range params.Method {
		unit, err := m.Unit(name)
		if err != nil {
			return nil, err
		}
		p.units = append(p.units, unit)
	}
	if len(p.units) == 0 {
		for unit := range m.Units {
			p.units = append(p.units, unit)
		}
	}
	return p, nil
}

// answer answers for an input. What is wrong with it is its answer.
func (p *predictor) answer(ctx context.Context, in openapi.Input) openapi.Answer {
	out := openapi.Answer{Name: in.Name}
	input, err := bytesOf(in.Input, in.InputBase64)
	if err != nil {
		out.Error = strings.TrimPrefix(err.Error(), "body: ")
		return out
	}
	a, err := p.model.Predict(ctx, input, p.limits)
	switch {
	case err != nil:
		out.Error = excerpt(err.Error())
	case a.Syntax != nil:
		out.Outside = openapi.Outside{Syntax: syntaxOf(a.Syntax), Observations: p.model.Outside.Rows, Outcomes: map[string]int{}}
		maps.Copy(out.Outside.Outcomes, p.model.Outside.Outcomes)
	default:
		p.fill(&out, a)
	}
	return out
}

func (p *predictor) fill(out *openapi.Answer, a *model.Answer) {
	out.Unseen = &a.Unseen
	for _, c := range a.Outcomes {
		out.Outcomes = append(out.Outcomes, openapi.Outcome{Outcome: c.Outcome, Probability: c.Probability})
	}
	out.Methods = make([]openapi.Prediction, len(p.units))
	for i, unit := range p.units {
		m := a.Methods[unit]
		out.Methods[i] = openapi.Prediction{
			Method: p.model.Units[unit].ID, Covered: m.Covered, Probability: m.Probability, Low: m.Low, High: m.High,
			Observations: int(m.Rows), Reached: int(m.Positives),
		}
		if !p.reasons {
			continue
		}
		for _, t := range p.model.Reasons(unit, m) {
			out.Methods[i].Reasons = append(out.Methods[i].Reasons, openapi.Reason{Feature: t.Feature.Describe(p.model.Space()), Present: t.Present})
		}
	}
}

// maxLine bounds a line of a streamed body: an input of 8 MiB, at its worst six
// characters a byte.
const maxLine = 6*model.MaxInput + 1<<16

// predictStream answers each line of a body with a line, as soon as it is there.
func (s *Server) predictStream(ctx context.Context, p *predictor, body io.Reader, w http.ResponseWriter) error {
	// Without this the rest of the body would be thrown away with the first answer.
	_ = http.NewResponseController(w).EnableFullDuplex()
	out := s.stream(w, ndjson)
	in := bufio.NewReaderSize(body, 64<<10)
	for {
		text, err := readLine(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return s.lastLine(out, err)
		}
		if len(bytes.TrimSpace(text)) > 0 {
			if err := out.line(p.line(ctx, text)); err != nil {
				return err
			}
		}
		if cause := context.Cause(ctx); cause != nil {
			return s.lastLine(out, cause)
		}
		if err != nil {
			return out.flush()
		}
		if in.Buffered() == 0 { // the client may wait for what it asked so far
			if err := out.flush(); err != nil {
				return err
			}
		}
	}
}

// lastLine says why no answers follow.
func (s *Server) lastLine(out *streamWriter, err error) error {
	return errors.Join(out.line(openapi.Answer{Error: excerpt(err.Error())}), out.flush())
}

// line answers for an input that is a line of JSON.
func (p *predictor) line(ctx context.Context, text []byte) openapi.Answer {
	var in openapi.Input
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return openapi.Answer{Error: excerpt(err.Error())}
	}
	return p.answer(ctx, in)
}

// readLine reads up to the end of a line or of r.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return nil, fmt.Errorf("a line is over %d bytes", maxLine)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}
