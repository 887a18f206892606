package server

import (
	"compress/gzip"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/labstack/echo/v4"
)

// escaped has the router see paths as they were sent, so that a name in a path
// may hold a slash or a percent sign.
func escaped(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		u := c.Request().URL
		if strings.Contains(u.Path, "%") {
			u.RawPath = u.EscapedPath()
		}
		return next(c)
	}
}

// observed names each request and logs what became of it.
func (s *Server) observed(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := time.Now()
		id := requestID()
		c.Response().Header().Set(echo.HeaderXRequestID, id)
		c.Response().Header().Set("X-Content-Type-Options", "nosniff")
		if s.Tracer != nil {
			nameSpan(c, id)
		}
		err := next(c)
		if err != nil {
			c.Error(err)
		}
		level := slog.LevelInfo
		if strings.HasSuffix(c.Path(), "z") { // health
			level = slog.LevelDebug
		}
		took := time.Since(start)
		s.metrics.count(c, took)
		ctx := context.WithoutCancel(c.Request().Context())
		s.log(ctx).Log(ctx, level, "request", "method", c.Request().Method, "route", c.Path(), "status", c.Response().Status,
			"took", took, "bytes", c.Response().Size, "remote", c.RealIP(), "key", keyOf(c), "request_id", id)
		return nil
	}
}

// log returns the log with the trace that a request is part of.
func (s *Server) log(ctx context.Context) *slog.Logger {
	if s.Tracer == nil {
		return s.Log
	}
	return s.Log.With("trace_id", traceOf(ctx))
}

func requestID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // does not fail
	return hex.EncodeToString(b[:])
}

// recovered turns a panic of a handler into an error.
func (s *Server) recovered(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			if r := recover(); r != nil {
				if r == http.ErrAbortHandler { //nolint:errorlint // it is the value itself that is thrown
					panic(r)
				}
				err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
			}
		}()
		return next(c)
	}
}

// A forbiddenError tells that a request is not allowed.
type forbiddenError struct{ detail string }

func (e *forbiddenError) Error() string { return e.detail }

// guarded refuses requests that a web page of someone else may have had a browser
// send: to a name that is not the loopback's, or from another origin.
func (s *Server) guarded(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if s.NeedKeys { // which no page of someone else has
			return next(c)
		}
		if !loopbackName(r.Host) {
			return &forbiddenError{fmt.Sprintf("host %q: without keys only loopback addresses are served", excerpt(r.Host))}
		}
		if origin := r.Header.Get(echo.HeaderOrigin); origin != "" {
			if u, err := url.Parse(origin); err != nil || u.Host != r.Host {
				return &forbiddenError{fmt.Sprintf("origin %q: requests from other sites are refused", excerpt(origin))}
			}
		}
		return next(c)
	}
}

// loopbackName reports whether a host, with or without a port, is this machine
// whatever a name server says.
func loopbackName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// A busyError tells that there is too much to do.
type busyError struct {
	status int
	detail string
	after  time.Duration // when to come again; a second if 0
}

func (e *busyError) Error() string { return e.detail }

// admitted bounds how many requests are served at the same time, and refuses some
// when too many come in. Those that ask how the service is are always served.
func (s *Server) admitted(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !strings.HasPrefix(c.Path(), "/v1/") {
			return next(c)
		}
		if after, refused := s.strain.refused(); refused {
			return &busyError{status: http.StatusServiceUnavailable, detail: "there are more requests than can be served", after: after}
		}
		select {
		case s.active <- struct{}{}:
		default:
			return &busyError{status: http.StatusServiceUnavailable, detail: fmt.Sprintf("%d requests are being served already", cap(s.active))}
		}
		defer func() { <-s.active }()
		return next(c)
	}
}

// bounded gives a request its time and its body a bound. A stream may take as
// long as it goes on.
func (s *Server) bounded(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, control := c.Request(), http.NewResponseController(c.Response())
		stream := streams(s.contract.route(c), r)
		most := s.MaxBody
		if mediaType(r) == ndjson {
			most = s.MaxUpload
		}
		// The connection's deadlines are later than the request's, so that it ends for
		// the reason that it took too long. A stream sets its own for each part.
		deadline := time.Now().Add(s.Timeout + s.Grace)
		if stream {
			deadline = time.Time{}
		}
		_ = control.SetReadDeadline(deadline)
		_ = control.SetWriteDeadline(deadline)
		ctx, cancel := s.timed(r.Context(), stream)
		defer cancel()
		if stream {
			// A read that waits is ended with the stream.
			ended := make(chan struct{})
			stop := context.AfterFunc(ctx, func() {
				defer close(ended)
				_ = control.SetReadDeadline(time.Now())
			})
			defer func() { // before ctx is cancelled
				if !stop() {
					<-ended // what it controls is another request's afterwards
				}
			}()
			r.Body = &patientReader{ctx, r.Body, control, s.Stall}
		}
		r = r.WithContext(ctx)
		body, err := decompressed(r, most)
		if err != nil {
			return err
		}
		r.Body = body
		c.SetRequest(r)
		return next(c)
	}
}

// timed returns the context of a request.
func (s *Server) timed(ctx context.Context, stream bool) (context.Context, context.CancelFunc) {
	if stream {
		return s.streaming(ctx)
	}
	return context.WithTimeoutCause(ctx, s.Timeout, &busyError{status: http.StatusServiceUnavailable, detail: fmt.Sprintf("it took longer than %v", s.Timeout)})
}

// A patientReader waits for each part of a body anew, until its context ends.
type patientReader struct {
	ctx     context.Context // of the request
	body    io.ReadCloser
	control *http.ResponseController
	wait    time.Duration
}

func (r *patientReader) Read(p []byte) (int, error) {
	_ = r.control.SetReadDeadline(time.Now().Add(r.wait))
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	n, err := r.body.Read(p)
	_ = r.control.SetReadDeadline(time.Time{}) // or the answer would end with it
	if cause := context.Cause(r.ctx); err != nil && errors.Is(cause, errEnding) {
		err = cause
	}
	return n, err
}

func (r *patientReader) Close() error { return r.body.Close() }

// A bodyError tells that a body broke off or cannot be decompressed.
type bodyError struct{ err error }

func (e *bodyError) Error() string { return "body: " + e.err.Error() }

func (e *bodyError) Unwrap() error { return e.err }

// maxWindow bounds the memory that a compressed body asks for.
const maxWindow = 8 << 20

// decompressed returns the body of a request as it was before it was compressed.
// Both forms have at most so many bytes.
func decompressed(r *http.Request, most int64) (io.ReadCloser, error) {
	sent := http.MaxBytesReader(nil, r.Body, most)
	switch encoding := strings.ToLower(r.Header.Get(echo.HeaderContentEncoding)); encoding {
	case "", "identity":
		return sent, nil
	case "gzip":
		return http.MaxBytesReader(nil, &lazyReader{sent: sent, open: func() (io.Reader, error) { return gzip.NewReader(sent) }}, most), nil
	case "zstd":
		return http.MaxBytesReader(nil, &lazyReader{sent: sent, open: func() (io.Reader, error) {
			d, err := zstd.NewReader(sent, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
			if err != nil {
				return nil, err
			}
			return d.IOReadCloser(), nil
		}}, most), nil
	default:
		return nil, &mediaError{echo.HeaderContentEncoding, excerpt(encoding), "gzip and zstd are"}
	}
}

// A lazyReader opens a compressed body when it is read first: its head may come
// late.
type lazyReader struct {
	sent io.ReadCloser
	open func() (io.Reader, error)
	from io.Reader
	err  error
}

func (r *lazyReader) Read(p []byte) (int, error) {
	if r.from == nil && r.err == nil {
		from, err := r.open()
		if r.err = broken(err); err == nil {
			r.from = from
		}
	}
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.from.Read(p)
	r.err = broken(err)
	return n, r.err
}

// broken says of an error of a connection or of a decompressor that it is the
// body's.
func broken(err error) error {
	_, tooLarge := errors.AsType[*http.MaxBytesError](err)
	if err == nil || tooLarge || err == io.EOF || errors.Is(err, errEnding) { //nolint:errorlint // wrapped it is no end
		return err
	}
	return &bodyError{err}
}

func (r *lazyReader) Close() error {
	if c, ok := r.from.(io.Closer); ok {
		_ = c.Close()
	}
	return r.sent.Close()
}
