package server

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
)

// Predict answers for inputs, at once or as they come in.
func (s *Server) Predict(ctx context.Context, req openapi.PredictRequestObject) (openapi.PredictResponseObject, error) {
	m, stored, err := s.loaded(ctx, req.Model)
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
	b := &batch{p: p, workers: s.Workers, ctx: ctx, inputs: req.JSONBody.Inputs, text: newText()}
	*b.text = fmt.Appendf(*b.text, `{"model":%q,"exact":%t,"answers":[`, stored.ID, m.Grammar.Exact())
	if err := b.next(); err != nil {
		b.text.free()
		return nil, err
	}
	return b, nil
}

// A batch is an answer for several inputs. It is made a part at a time, as all of
// it may be large; most have one part.
type batch struct {
	p       *predictor
	workers int
	ctx     context.Context // of the request
	inputs  []openapi.Input // without an answer
	text    *text           // not written yet
}

// partSize is how many inputs a part of a batch has.
const partSize = 64

// next adds the answers for the next part.
func (b *batch) next() error {
	part := b.inputs[:min(partSize, len(b.inputs))]
	b.inputs = b.inputs[len(part):]
	answers := make([]*text, len(part))
	defer func() {
		for _, t := range answers {
			t.free()
		}
	}()
	answer := func(i int) {
		answers[i] = newText()
		*answers[i] = b.p.answer(b.ctx, *answers[i], part[i])
	}
	if len(part) == 1 {
		answer(0)
	} else {
		var group errgroup.Group
		group.SetLimit(b.workers)
		for i := range part {
			group.Go(func() error {
				answer(i)
				return nil
			})
		}
		_ = group.Wait() // no answer fails
	}
	if err := context.Cause(b.ctx); err != nil {
		return err
	}
	for i, t := range answers {
		*b.text = append(*b.text, *t...)
		if len(b.inputs) > 0 || i < len(part)-1 {
			*b.text = append(*b.text, ',')
		}
	}
	if len(b.inputs) == 0 {
		*b.text = append(*b.text, "]}\n"...)
	}
	return nil
}

// VisitPredictResponse writes the answer.
func (b *batch) VisitPredictResponse(w http.ResponseWriter) error {
	defer b.text.free()
	w.Header().Set("Content-Type", "application/json")
	if len(b.inputs) == 0 {
		w.Header().Set("Content-Length", strconv.Itoa(len(*b.text)))
	}
	w.WriteHeader(http.StatusOK)
	for {
		if _, err := w.Write(*b.text); err != nil || len(b.inputs) == 0 {
			return err
		}
		*b.text = (*b.text)[:0]
		if err := b.next(); err != nil {
			return err
		}
	}
}

// A predictor answers for inputs.
type predictor struct {
	model   *loadedModel
	units   []int
	reasons bool
	limits  grammars.Limits
}

func newPredictor(m *loadedModel, params openapi.PredictParams, limits grammars.Limits) (*predictor, error) {
	p := &predictor{model: m, reasons: params.Reasons, limits: limits}
	for _, name := range params.Method {
		unit, err := m.Unit(name)
		if err != nil {
			return nil, err
		}
		p.units = append(p.units, unit)
	}
	if len(p.units) == 0 {
		p.units = m.all
	}
	return p, nil
}

// answer appends the answer for an input to a text. What is wrong with the input
// is its answer.
func (p *predictor) answer(ctx context.Context, text []byte, in openapi.Input) []byte {
	out := openapi.Answer{Name: in.Name}
	input, err := bytesOf(in.Input, in.InputBase64)
	if err != nil {
		out.Error = strings.TrimPrefix(err.Error(), "body: ")
		return appendJSON(text, out)
	}
	a, err := p.model.Predict(ctx, input, p.limits)
	switch {
	case err != nil:
		out.Error = excerpt(err.Error())
		return appendJSON(text, out)
	case a.Syntax != nil:
		out.Outside = openapi.Outside{Syntax: syntaxOf(a.Syntax), Observations: p.model.Outside.Rows, Outcomes: map[string]int{}}
		maps.Copy(out.Outside.Outcomes, p.model.Outside.Outcomes)
		for _, unit := range p.units {
			if p.model.Outside.Rows == 0 {
				break // nothing is known
			}
			out.Outside.Methods = append(out.Outside.Methods, openapi.Reached{Method: p.model.Units[unit].ID, Reached: p.model.Outside.Reached[unit]})
		}
		return appendJSON(text, out)
	default:
		return p.methods(text, in.Name, a)
	}
}

// methods appends an answer that has methods.
func (p *predictor) methods(text []byte, name string, a *model.Answer) []byte {
	text = append(text, '{')
	if name != "" {
		text = append(appendJSON(append(text, `"name":`...), name), ',')
	}
	text = appendNumber(append(text, `"unseen":`...), a.Unseen)
	for i, c := range a.Outcomes {
		text = append(text, cmp.Or(strings.Repeat(`,`, min(i, 1)), `,"outcomes":[`)...)
		text = appendJSON(text, openapi.Outcome{Outcome: c.Outcome, Probability: c.Probability})
	}
	if len(a.Outcomes) > 0 {
		text = append(text, ']')
	}
	text = append(text, `,"methods":[`...)
	for i, unit := range p.units {
		if i > 0 {
			text = append(text, ',')
		}
		text = p.model.phrase(text, unit, a.Methods[unit], p.reasons)
	}
	return append(text, "]}"...)
}

// maxLine bounds a line of a streamed body: an input of 8 MiB, at its worst six
// characters a byte.
const maxLine = 6*observation.MaxInput + 1<<16

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
			answer := newText()
			*answer = append(p.line(ctx, *answer, text), '\n')
			_, err := out.Write(*answer)
			answer.free()
			if err != nil {
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

// line appends the answer for an input that is a line of JSON.
func (p *predictor) line(ctx context.Context, text, line []byte) []byte {
	var in openapi.Input
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return appendJSON(text, openapi.Answer{Error: excerpt(err.Error())})
	}
	return p.answer(ctx, text, in)
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
