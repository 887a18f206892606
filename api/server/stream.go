package server

import (
	"bufio"
	"cmp"
	"context"
	"iter"
	"net/http"
	"time"

	"github.com/inroad/inroad/api"
)

// A streamWriter writes a response in parts. The connection is closed if the client
// does not accept a part within the stall timeout.
type streamWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	stall   time.Duration
	buf     *bufio.Writer
}

func (s *Server) stream(w http.ResponseWriter, contentType string) *streamWriter {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	out := &streamWriter{w: w, control: http.NewResponseController(w), stall: s.Stall}
	out.buf = bufio.NewWriterSize(writerFunc(out.write), 32<<10)
	return out
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func (s *streamWriter) write(p []byte) (int, error) {
	_ = s.control.SetWriteDeadline(time.Now().Add(s.stall))
	return s.w.Write(p)
}

// Write buffers p. Only flush guarantees that it is sent.
func (s *streamWriter) Write(p []byte) (int, error) { return s.buf.Write(p) }

// line writes a value as a line of JSON.
func (s *streamWriter) line(v any) error {
	_, err := s.buf.Write(append(api.AppendJSON(nil, v), '\n'))
	return err
}

func (s *streamWriter) flush() error {
	if err := s.buf.Flush(); err != nil {
		return err
	}
	_ = s.control.SetWriteDeadline(time.Now().Add(s.stall))
	return s.control.Flush()
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
func (r streamResponse) VisitGetModelFileResponse(w http.ResponseWriter) error    { return r(w) }
func (r streamResponse) VisitListPathsResponse(w http.ResponseWriter) error       { return r(w) }

// watchdog returns a context that is cancelled when reset has not been called for the
// request timeout.
func (s *Server) watchdog(ctx context.Context) (watched context.Context, reset, cancel func()) {
	watched, end := context.WithCancelCause(ctx)
	timer := time.AfterFunc(s.Timeout, func() { end(unavailable("no result within %v", s.Timeout)) })
	return watched, func() { timer.Reset(s.Timeout) }, func() { timer.Stop(); end(nil) }
}

// lines responds with one line per value. If the first value is an error, the
// response is a problem. A later error is the last line if failed converts it to a
// value, and closes the connection otherwise.
func lines[V any](ctx context.Context, s *Server, each func(ctx context.Context) iter.Seq2[V, error], failed func(error) V) (streamResponse, error) {
	work, reset, cancel := s.watchdog(ctx)
	next, stop := iter.Pull2(each(work))
	value, err, ok := next()
	if err != nil {
		stop()
		err = cmp.Or(context.Cause(work), err)
		cancel()
		return nil, err
	}
	return func(w http.ResponseWriter) error {
		defer cancel()
		defer stop()
		out := s.stream(w, ndjson)
		for ok {
			if err != nil && failed == nil {
				return cmp.Or(context.Cause(work), err)
			}
			if err != nil {
				value = failed(cmp.Or(context.Cause(work), err))
			}
			if err := out.line(value); err != nil {
				return err
			}
			if failed != nil { // the next value may take a while
				if err := out.flush(); err != nil {
					return err
				}
			}
			reset()
			value, err, ok = next()
		}
		return out.flush()
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
