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
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/labstack/echo/v4"
)

// routeByRawPath makes the router match the path before it is unescaped, so that a
// name in a path may contain a slash or a percent sign.
func routeByRawPath(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		u := c.Request().URL
		if strings.Contains(u.Path, "%") {
			u.RawPath = u.EscapedPath()
		}
		return next(c)
	}
}

// logRequest gives a request an ID, logs it, and counts it in the metrics. It aborts a
// response that failed after it had begun.
func (s *Server) logRequest(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := time.Now()
		id := requestID()
		c.Response().Header().Set(echo.HeaderXRequestID, id)
		c.Response().Header().Set("X-Content-Type-Options", "nosniff")
		if s.Tracer != nil {
			nameSpan(c, id)
		}
		err := next(c)
		// Part of the response was sent, so the error cannot be. Closing the connection
		// tells the client that the response is incomplete.
		abort := err != nil && c.Response().Committed
		if err != nil {
			c.Error(err)
		}
		level := slog.LevelInfo
		if strings.HasSuffix(c.Path(), "z") { // health checks
			level = slog.LevelDebug
		}
		took := time.Since(start)
		s.metrics.record(c, took)
		ctx := context.WithoutCancel(c.Request().Context())
		s.log(ctx).Log(ctx, level, "request", "method", c.Request().Method, "route", c.Path(), "status", c.Response().Status,
			"took", took, "bytes", c.Response().Size, "remote", c.RealIP(), "key", keyID(c), "request_id", id, "aborted", abort)
		if abort {
			// Before net/http closes the connection, it reads the bytes that the client
			// has sent. Otherwise the client may lose the end of the response.
			_ = http.NewResponseController(c.Response()).SetReadDeadline(time.Now().Add(linger))
			panic(http.ErrAbortHandler)
		}
		return nil
	}
}

// linger is how long an aborted connection stays open for the client to stop sending.
const linger = 500 * time.Millisecond

// log returns the logger with the trace ID of a request.
func (s *Server) log(ctx context.Context) *slog.Logger {
	if s.Tracer == nil {
		return s.Log
	}
	return s.Log.With("trace_id", traceID(ctx))
}

func requestID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// recoverPanic returns a panic of a handler as an error.
func recoverPanic(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			if r := recover(); r != nil {
				if r == http.ErrAbortHandler { //nolint:errorlint // net/http compares the value itself
					panic(r)
				}
				err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
			}
		}()
		return next(c)
	}
}

// checkOrigin rejects requests that another web site may have made a browser send: to
// a host name that is not loopback (DNS rebinding), or from another origin. For some
// requests, such as those for images, a browser names the origin only in
// Sec-Fetch-Site. Links to the page and the documentation may be followed. With keys
// checkOrigin does nothing, because other sites do not have a key.
func (s *Server) checkOrigin(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if s.NeedKeys {
			return next(c)
		}
		if !isLoopback(r.Host) {
			return &authError{http.StatusForbidden, fmt.Sprintf("host %q: must be a loopback address, because the service requires no keys", excerpt(r.Host))}
		}
		if origin := r.Header.Get(echo.HeaderOrigin); origin != "" {
			if u, err := url.Parse(origin); err != nil || u.Host != r.Host {
				return &authError{http.StatusForbidden, fmt.Sprintf("origin %q: must be %q, because the service requires no keys", excerpt(origin), excerpt(r.Host))}
			}
		}
		// Other ports of the same host are the same site, but other origins.
		switch site := r.Header.Get("Sec-Fetch-Site"); {
		case site == "" || site == "none" || site == "same-origin" || opensPage(r):
			return next(c)
		default:
			return &authError{http.StatusForbidden, fmt.Sprintf("Sec-Fetch-Site %q: must be same-origin or none, because the service requires no keys", excerpt(site))}
		}
	}
}

// opensPage reports whether a request follows a link to the page or the documentation,
// whose answers are the same for all.
func opensPage(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" &&
		(r.URL.Path == "/" || r.URL.Path == "/docs")
}

// isLoopback reports whether a host, with or without a port, is localhost or a
// loopback address.
func isLoopback(host string) bool {
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

// A retryError rejects a request that may succeed later.
type retryError struct {
	status int
	detail string
	after  time.Duration // before a retry; at least a second
}

func (e *retryError) Error() string { return e.detail }

func unavailable(format string, args ...any) error {
	return &retryError{status: http.StatusServiceUnavailable, detail: fmt.Sprintf(format, args...)}
}

func tooManyRequests(after time.Duration, format string, args ...any) error {
	return &retryError{http.StatusTooManyRequests, fmt.Sprintf(format, args...), after}
}

// limitLoad limits concurrent requests, and rejects a share of the requests under
// overload. Streams and requests that compute for long leave room for others. Health
// checks are always served, and metrics also under overload.
func (s *Server) limitLoad(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if isHealthCheck(c) {
			return next(c)
		}
		if c.Path() != "/metrics" {
			if after, rejected := s.shedder.reject(); rejected {
				return &retryError{http.StatusServiceUnavailable, "the service is overloaded", after}
			}
		}
		select {
		case s.active <- struct{}{}:
		default:
			return unavailable("limit of %d concurrent requests exceeded", cap(s.active))
		}
		defer func() { <-s.active }()
		if !s.contract.streams(c) && !s.contract.computes(c) {
			return next(c)
		}
		select {
		case s.long <- struct{}{}:
		default:
			return unavailable("limit of %d concurrent streams and requests that compute for long exceeded", cap(s.long))
		}
		defer func() { <-s.long }()
		return next(c)
	}
}

func isHealthCheck(c echo.Context) bool { return c.Path() == "/healthz" || c.Path() == "/readyz" }

// takeTurn makes a request that computes for long wait for its turn. The request
// gives up its turn while it waits for its client.
func (s *Server) takeTurn(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !s.contract.computes(c) {
			return next(c)
		}
		ctx := c.Request().Context()
		t, err := s.turns.enter(ctx, s.quotas.client(c).name, s.Timeout)
		if err != nil {
			return err
		}
		defer t.end()
		exchangeOf(ctx).turn.Store(t)
		return next(c)
	}
}

// An exchange is the state of a request that is a stream or computes for long.
type exchange struct {
	pace *pace
	turn atomic.Pointer[turn]
}

type exchangeKey struct{}

// exchangeOf returns the exchange of a request.
func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// clientOf returns the name of the client of a request that computes for long.
func clientOf(ctx context.Context) string { return exchangeOf(ctx).turn.Load().client }

// wait transfers bytes from or to the client. The request gives up its turn
// meanwhile.
func (x *exchange) wait(setDeadline func(time.Time) error, transfer func() (int, error)) (int, error) {
	x.turn.Load().pause()
	start := time.Now()
	_ = setDeadline(x.pace.deadline(start))
	n, err := transfer()
	x.pace.count(n, time.Since(start))
	return n, err
}

// limitRequest limits the duration of a request and the size of its body. A stream
// may last as long as the client keeps reading and writing.
func (s *Server) limitRequest(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, control := c.Request(), http.NewResponseController(c.Response())
		stream := s.contract.streams(c)
		maxBody := s.MaxBody
		if mediaType(r) == ndjson {
			maxBody = s.MaxUpload
		}
		// The connection's deadlines are later than the request's, so that a timeout can
		// still be reported. A stream sets deadlines for each part.
		deadline := time.Now().Add(s.Timeout + s.Grace)
		if stream {
			deadline = time.Time{}
		}
		_ = control.SetReadDeadline(deadline)
		_ = control.SetWriteDeadline(deadline)
		ctx, cancel := s.requestContext(r.Context(), stream)
		defer cancel()
		if stream || s.contract.computes(c) {
			ctx = context.WithValue(ctx, exchangeKey{}, &exchange{pace: newPace(s.Stall, s.MinRate)})
		}
		body := &trackedBody{ReadCloser: r.Body}
		body.ended.Store(r.Body == http.NoBody)
		r.Body = body
		// Unblock a read when a stream ends, or when the key of a request expires or is
		// revoked. After the body, an expired deadline would end later requests of the
		// connection as well.
		ended := make(chan struct{})
		stop := context.AfterFunc(ctx, func() {
			defer close(ended)
			if !body.ended.Load() && (stream || is[*authError](context.Cause(ctx))) {
				_ = control.SetReadDeadline(time.Now())
			}
		})
		defer func() { // before ctx is cancelled
			if !stop() {
				<-ended // the connection serves another request afterwards
			}
			if stream {
				_ = control.SetReadDeadline(time.Now().Add(s.Stall)) // for the rest of the body
			}
		}()
		if stream {
			r.Body = &stallReader{ctx, r.Body, control}
		}
		r = r.WithContext(ctx)
		plain, err := decompress(r, maxBody)
		if err != nil {
			return err
		}
		r.Body = plain
		c.SetRequest(r)
		return next(c)
	}
}

func (s *Server) requestContext(ctx context.Context, stream bool) (context.Context, context.CancelFunc) {
	if stream {
		return s.streamContext(ctx)
	}
	return context.WithTimeoutCause(ctx, s.Timeout, unavailable("request timed out after %v", s.Timeout))
}

// A trackedBody knows whether the body of a request was read to its end.
type trackedBody struct {
	io.ReadCloser
	ended atomic.Bool
}

func (b *trackedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		b.ended.Store(true)
	}
	return n, err
}

// A stallReader reads the body of a stream until its context ends, at the pace of the
// stream.
type stallReader struct {
	ctx     context.Context // of the request
	body    io.ReadCloser
	control *http.ResponseController
}

func (r *stallReader) Read(p []byte) (int, error) {
	x := exchangeOf(r.ctx)
	n, err := x.wait(r.control.SetReadDeadline, func() (int, error) {
		if r.ctx.Err() != nil { // the end of the context has set a deadline, which was overwritten
			return 0, context.Cause(r.ctx)
		}
		return r.body.Read(p)
	})
	_ = r.control.SetReadDeadline(time.Time{}) // an expired deadline would end the response
	if cause := x.turn.Load().take(r.ctx); cause != nil && err == nil {
		err = cause
	}
	if cause := context.Cause(r.ctx); err != nil && errors.Is(cause, errShutdown) {
		err = cause
	}
	return n, err
}

func (r *stallReader) Close() error { return r.body.Close() }

// A bodyError reports a body that was cut off or cannot be decompressed.
type bodyError struct{ err error }

func (e *bodyError) Error() string { return "body: " + e.err.Error() }

func (e *bodyError) Unwrap() error { return e.err }

// maxWindow limits the memory to decompress a body.
const maxWindow = 8 << 20

// decompress returns the decompressed body of a request. Both the compressed and the
// decompressed body have at most maxBytes.
func decompress(r *http.Request, maxBytes int64) (io.ReadCloser, error) {
	body := http.MaxBytesReader(nil, r.Body, maxBytes)
	lazy := &lazyReader{body: body}
	switch encoding := strings.ToLower(r.Header.Get(echo.HeaderContentEncoding)); encoding {
	case "", "identity":
		return body, nil
	case "gzip":
		lazy.open = func() (io.Reader, error) { return gzip.NewReader(body) }
	case "zstd":
		lazy.open = func() (io.Reader, error) {
			if err := leaseOf(r.Context()).reserveFixed(maxWindow); err != nil {
				return nil, err
			}
			d, err := zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
			if err != nil {
				return nil, err
			}
			return d.IOReadCloser(), nil
		}
	default:
		return nil, &mediaError{echo.HeaderContentEncoding, encoding, []string{"gzip", "zstd"}}
	}
	return http.MaxBytesReader(nil, lazy, maxBytes), nil
}

// A lazyReader opens a decompressor at the first read, because opening it reads the
// header of the body, which may arrive late.
type lazyReader struct {
	body io.ReadCloser
	open func() (io.Reader, error)
	from io.Reader
	err  error
}

func (r *lazyReader) Read(p []byte) (int, error) {
	if r.from == nil && r.err == nil {
		from, err := r.open()
		if r.err = wrapBodyError(err); err == nil {
			r.from = from
		}
	}
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.from.Read(p)
	r.err = wrapBodyError(err)
	return n, r.err
}

// wrapBodyError returns an error of a connection or a decompressor as a [bodyError].
func wrapBodyError(err error) error {
	switch {
	case err == nil, err == io.EOF, errors.Is(err, errShutdown): //nolint:errorlint // a wrapped EOF is an error
	case is[*http.MaxBytesError](err), is[*memoryError](err), is[*retryError](err), is[*bodyError](err):
	case invalid(err):
	default:
		return &bodyError{err}
	}
	return err
}

func (r *lazyReader) Close() error {
	if c, ok := r.from.(io.Closer); ok {
		_ = c.Close()
	}
	return r.body.Close()
}
