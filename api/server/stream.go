package server

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"iter"
	"net/http"
	"time"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
)

// A streamWriter writes a response in parts, at the pace of the stream.
type streamWriter struct {
	w        http.ResponseWriter
	control  *http.ResponseController
	exchange *exchange
	buf      *bufio.Writer
	lines    int64 // that were written
}

func stream(ctx context.Context, w http.ResponseWriter, contentType string) *streamWriter {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	out := &streamWriter{w: w, control: http.NewResponseController(w), exchange: exchangeOf(ctx)}
	out.buf = bufio.NewWriterSize(writerFunc(out.write), 32<<10)
	return out
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func (s *streamWriter) write(p []byte) (int, error) {
	return s.exchange.wait(s.control.SetWriteDeadline, func() (int, error) { return s.w.Write(p) })
}

// Write buffers p. Only flush guarantees that it is sent.
func (s *streamWriter) Write(p []byte) (int, error) {
	s.lines += int64(bytes.Count(p, []byte{'\n'}))
	return s.buf.Write(p)
}

// line writes a value as a line of JSON.
func (s *streamWriter) line(v any) error {
	_, err := s.Write(append(api.AppendJSON(nil, v), '\n'))
	return err
}

// end writes the last line of a stream of lines: their number, and the error that ended
// the stream early. It returns this error, which closes the connection.
func (s *streamWriter) end(err error) error {
	last := openapi.StreamEnd{Count: s.lines}
	if err != nil {
		p := problemOf(err)
		last.Error = cmp.Or(p.Detail, p.Title)
	}
	return cmp.Or(err, s.line(last), s.flush())
}

func (s *streamWriter) flush() error {
	if err := s.buf.Flush(); err != nil {
		return err
	}
	_, err := s.exchange.wait(s.control.SetWriteDeadline, func() (int, error) { return 0, s.control.Flush() })
	return err
}

// A streamResponse writes a response while it is produced.
type streamResponse func(w http.ResponseWriter) error

func (r streamResponse) VisitPredictResponse(w http.ResponseWriter) error         { return r(w) }
func (r streamResponse) VisitGetObservationsResponse(w http.ResponseWriter) error { return r(w) }
func (r streamResponse) VisitGenerateInputsResponse(w http.ResponseWriter) error  { return r(w) }
func (r streamResponse) VisitMutateInputsResponse(w http.ResponseWriter) error    { return r(w) }
func (r streamResponse) VisitSolveConstraintResponse(w http.ResponseWriter) error { return r(w) }
func (r streamResponse) VisitTargetMethodsResponse(w http.ResponseWriter) error   { return r(w) }
func (r streamResponse) VisitGetBackupResponse(w http.ResponseWriter) error       { return r(w) }
func (r streamResponse) VisitFollowJobResponse(w http.ResponseWriter) error       { return r(w) }
func (r streamResponse) VisitFollowCampaignResponse(w http.ResponseWriter) error  { return r(w) }
func (r streamResponse) VisitGetModelFileResponse(w http.ResponseWriter) error    { return r(w) }
func (r streamResponse) VisitListPathsResponse(w http.ResponseWriter) error       { return r(w) }

// timeEach returns a function that computes the next value, and one that ends the
// computation. The computation is also cancelled if a value takes longer than the request
// timeout. Each value is computed in a turn of the request.
func timeEach[V any](ctx context.Context, s *Server, each func(ctx context.Context) iter.Seq2[V, error]) (next func() (V, error, bool), cancel func()) {
	work, end := context.WithCancelCause(ctx)
	timer := time.AfterFunc(s.Timeout, func() { end(unavailable("no result within %v", s.Timeout)) })
	timer.Stop()
	pull, stop := iter.Pull2(each(work))
	next = func() (V, error, bool) {
		if err := exchangeOf(ctx).turn.Load().take(work); err != nil {
			var none V
			return none, err, true
		}
		timer.Reset(s.Timeout)
		defer timer.Stop()
		value, err, ok := pull()
		if err != nil {
			err = cmp.Or(context.Cause(work), err)
		}
		return value, err, ok
	}
	return next, func() { stop(); timer.Stop(); end(nil) }
}

// lines responds with one line per value. If immediate is true, each line is sent at
// once. If the first value is an error, the response is a problem.
func lines[V any](ctx context.Context, s *Server, each func(ctx context.Context) iter.Seq2[V, error], immediate bool) (streamResponse, error) {
	next, cancel := timeEach(ctx, s, each)
	value, err, ok := next()
	if err != nil {
		cancel()
		return nil, err
	}
	return func(w http.ResponseWriter) error {
		defer cancel()
		out := stream(ctx, w, ndjson)
		for ; ok; value, err, ok = next() {
			if err != nil {
				return out.end(err)
			}
			if err := out.line(value); err != nil {
				return err
			}
			if immediate {
				if err := out.flush(); err != nil {
					return err
				}
			}
		}
		return out.end(nil)
	}, nil
}

// values yields each element of a list, without errors.
func values[V any](list []V) iter.Seq2[V, error] {
	return func(yield func(V, error) bool) {
		for _, v := range list {
			if !yield(v, nil) {
				return
			}
		}
	}
}
