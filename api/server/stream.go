package server

import (
	"bufio"
	"context"
	"net/http"
	"time"
)

// A streamWriter writes an answer part by part. A client has so long to take each
// of them.
type streamWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	wait    time.Duration
	buf     *bufio.Writer
}

func (s *Server) stream(w http.ResponseWriter, contentType string) *streamWriter {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	out := &streamWriter{w: w, control: http.NewResponseController(w), wait: s.Stall}
	out.buf = bufio.NewWriterSize(writerFunc(out.write), 32<<10)
	return out
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func (s *streamWriter) write(p []byte) (int, error) {
	_ = s.control.SetWriteDeadline(time.Now().Add(s.wait))
	return s.w.Write(p)
}

// Write writes to the client, sooner or later.
func (s *streamWriter) Write(p []byte) (int, error) { return s.buf.Write(p) }

// line writes a value as a line of JSON.
func (s *streamWriter) line(v any) error {
	_, err := s.buf.Write(append(appendJSON(nil, v), '\n'))
	return err
}

// flush sends what was written.
func (s *streamWriter) flush() error {
	if err := s.buf.Flush(); err != nil {
		return err
	}
	_ = s.control.SetWriteDeadline(time.Now().Add(s.wait))
	return s.control.Flush()
}

// A streamed is an answer that is written as it is made.
type streamed struct {
	ctx   context.Context // of the request
	write func(ctx context.Context, w http.ResponseWriter) error
}

func (r streamed) VisitPredictResponse(w http.ResponseWriter) error { return r.write(r.ctx, w) }

func (r streamed) VisitGetObservationsResponse(w http.ResponseWriter) error { return r.write(r.ctx, w) }

func (r streamed) VisitGenerateInputsResponse(w http.ResponseWriter) error { return r.write(r.ctx, w) }

func (r streamed) VisitSolveConstraintResponse(w http.ResponseWriter) error { return r.write(r.ctx, w) }

func (r streamed) VisitTargetMethodsResponse(w http.ResponseWriter) error { return r.write(r.ctx, w) }

func (r streamed) VisitGetBackupResponse(w http.ResponseWriter) error { return r.write(r.ctx, w) }
func (r streamed) VisitFollowJobResponse(w http.ResponseWriter) error { return r.write(r.ctx, w) }

func (r streamed) VisitGetModelFileResponse(w http.ResponseWriter) error { return r.write(r.ctx, w) }

func (r streamed) VisitListPathsResponse(w http.ResponseWriter) error { return r.write(r.ctx, w) }
