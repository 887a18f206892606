package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars/parallel"
)

// Predict predicts the methods that inputs reach, for a JSON or a streamed body.
func (s *Server) Predict(ctx context.Context, req openapi.PredictRequestObject) (openapi.PredictResponseObject, error) {
	p, err := s.engine.Predictor(ctx, req.Model, req.Params)
	if err != nil {
		return nil, err
	}
	if req.JSONBody == nil {
		return streamResponse(func(w http.ResponseWriter) error { return s.predictStream(ctx, p, req.Body, w) }), nil
	}
	b := &batch{p: p, workers: s.Workers, ctx: ctx, inputs: req.JSONBody.Inputs, text: newText()}
	*b.text = fmt.Appendf(*b.text, `{"model":%q,"exact":%t,"answers":[`, p.Model.Digest, p.Model.Grammar.Exact())
	if err := b.next(); err != nil {
		b.text.free()
		return nil, err
	}
	return b, nil
}

// A batch is the response for the inputs of a JSON body. It is produced in parts,
// because it may be large.
type batch struct {
	p       *api.Predictor
	workers int
	ctx     context.Context // of the request
	inputs  []openapi.Input // to be predicted
	text    *text           // to be written
}

// partSize is the maximum number of inputs in a part of a batch.
const partSize = 64

// next appends the answers of the next part to the text.
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
		*answers[i] = b.p.AppendAnswer(b.ctx, *answers[i], part[i])
	}
	if len(part) == 1 {
		answer(0)
	} else {
		group, _ := parallel.WithContext(b.ctx)
		group.SetLimit(b.workers)
		for i := range part {
			group.Go(func() error {
				answer(i)
				return nil
			})
		}
		_ = group.Wait() // always nil
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

// VisitPredictResponse writes the answers of the first part, then those of each
// further part.
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

// predictStream answers each line of a body with a line, as soon as it is received.
func (s *Server) predictStream(ctx context.Context, p *api.Predictor, body io.Reader, w http.ResponseWriter) error {
	// Otherwise net/http discards the rest of the body at the first write.
	_ = http.NewResponseController(w).EnableFullDuplex()
	out := stream(ctx, w, ndjson)
	in := newLineDecoder(ctx, body)
	for {
		var input openapi.Input
		err := in.next(&input)
		if errors.Is(err, io.EOF) {
			return out.end(nil)
		}
		if err != nil && !invalid(err) {
			return out.end(err)
		}
		if err := exchangeOf(ctx).turn.Load().take(ctx); err != nil {
			return out.end(err)
		}
		answer := newText()
		if err != nil {
			*answer = api.AppendJSON(*answer, openapi.Answer{Error: excerpt(err.Error())})
		} else {
			*answer = p.AppendAnswer(ctx, *answer, input)
		}
		*answer = append(*answer, '\n')
		_, err = out.Write(*answer)
		answer.free()
		if err != nil {
			return err
		}
		if cause := context.Cause(ctx); cause != nil {
			return out.end(cause)
		}
		if !in.Buffered() { // the client may wait for answers before it sends more
			if err := out.flush(); err != nil {
				return err
			}
		}
	}
}

// A text is a pooled buffer.
type text []byte

var texts = sync.Pool{New: func() any { return new(text) }} //nolint:gochecknoglobals // buffers, which all servers may share

func newText() *text { return texts.Get().(*text) }

// free returns a text to the pool, unless it is nil or large.
func (t *text) free() {
	if t == nil || cap(*t) > 1<<20 {
		return
	}
	*t = (*t)[:0]
	texts.Put(t)
}
