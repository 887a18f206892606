// Package client sends requests to a service over HTTP.
//
// A [Client] is an [api.Service]: requests are validated here as the service would,
// grammar files are uploaded, and errors of the service read like those of an
// engine in this process.
package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
)

// Maximum numbers of bytes to read from a service.
const (
	maxProblem = 1 << 20
	maxAnswer  = 512 << 20
	maxLine    = 64 << 20
)

// Limits of retries. A request that a busy service rejects is retried after the delay
// in its Retry-After header, but after at most maxDelay.
const (
	maxTries = 4
	maxDelay = 10 * time.Second
)

const ndjson = "application/x-ndjson"

// A Client sends requests to one service. It is safe for concurrent use.
type Client struct {
	generated *openapi.Client
	url, key  string
	http      *http.Client

	mu       sync.Mutex
	uploaded map[string]openapi.Grammar // by the name that requests use
}

var _ api.Service = (*Client)(nil)

// ErrKey is returned for a key that no header can contain. Its text does not contain
// the key.
var ErrKey = errors.New("must be one key, of printable ASCII characters without spaces")

// New returns a client of the service at an address such as
// http://localhost:8080. The key may be empty. White space around it has no meaning.
func New(address, key string) (*Client, error) {
	key = strings.TrimSpace(key)
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, ErrKey
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return nil, errors.New("must be an address such as http://localhost:8080")
	}
	c := &Client{url: u.Scheme + "://" + u.Host + strings.TrimSuffix(u.Path, "/"), key: key, uploaded: map[string]openapi.Grammar{}}
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // nobody sets another
	transport.DialContext = (&net.Dialer{Timeout: 10 * time.Second}).DialContext
	transport.ResponseHeaderTimeout = 2 * time.Minute // longer than the deadline of a request
	c.http = &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the key is for one service
	}
	c.generated, err = openapi.NewClient(c.url, openapi.WithHTTPClient(c))
	return c, err
}

// URL returns the address of the service.
func (c *Client) URL() string { return c.url }

// Do sends a request of the generated client, and retries it while the service is
// busy. It also retries a request with an idempotency key whose answer was lost. Any
// status other than 2xx is returned as an error.
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	for tries := 1; ; tries++ {
		begun := time.Now()
		resp, err := c.send(req)
		problem, ok := errors.AsType[*ProblemError](err)
		if _, lost := errors.AsType[*UnreachableError](err); lost && req.Header.Get("Idempotency-Key") != "" {
			problem, ok = &ProblemError{retry: true, delay: time.Second}, true
		}
		// A request that took long would take as long again, and a streamed body cannot
		// be sent again.
		if !ok || !problem.retry || tries == maxTries || time.Since(begun) > maxDelay || req.Body != nil && req.GetBody == nil {
			return resp, err
		}
		select {
		case <-req.Context().Done():
			return nil, context.Cause(req.Context())
		case <-time.After(min(problem.delay, maxDelay)):
		}
		if req.GetBody != nil {
			if req.Body, err = req.GetBody(); err != nil {
				return nil, err
			}
		}
	}
}

func (c *Client) send(req *http.Request) (*http.Response, error) {
	resp, err := c.http.Do(req)
	if ctx := req.Context(); err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		if of, ok := errors.AsType[*url.Error](err); ok {
			err = of.Err
		}
		return nil, &UnreachableError{URL: c.url, Err: err}
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer func() { _ = resp.Body.Close() }() // it was only read
		return nil, c.problem(resp)
	}
	return resp, nil
}

// invalidAnswer returns the error for an answer that is incomplete or violates the
// contract.
func (c *Client) invalidAnswer(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("%s: incomplete or invalid answer: %w", c.url, err)
}

// read reads an answer that is one object.
func read[V any](ctx context.Context, c *Client, resp *http.Response, err error) (V, error) {
	var out V
	if err != nil {
		return out, err
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(&out); err != nil {
		return out, c.invalidAnswer(ctx, err)
	}
	return out, nil
}

// ask validates a request, sends it, and reads an answer that is one object.
func ask[V any](ctx context.Context, c *Client, req any, send func() (*http.Response, error)) (V, error) {
	if err := openapi.Validate(req); err != nil {
		var none V
		return none, err
	}
	resp, err := send()
	return read[V](ctx, c, resp, err)
}

// each validates a request, sends it, and yields the objects of a streamed answer, one
// per line. It yields an error if the answer is incomplete.
func each[V any](ctx context.Context, c *Client, req any, send func() (*http.Response, error)) iter.Seq2[V, error] {
	return func(yield func(V, error) bool) {
		var none V
		if err := openapi.Validate(req); err != nil {
			yield(none, err)
			return
		}
		resp, err := send()
		if err != nil {
			yield(none, err)
			return
		}
		defer func() { _ = resp.Body.Close() }() // it was only read
		in := bufio.NewReaderSize(resp.Body, 64<<10)
		for read := int64(0); ; read++ {
			line, err := api.ReadLine(in, maxLine)
			if err != nil {
				yield(none, c.invalidAnswer(ctx, truncated(read, err)))
				return
			}
			if last, ok := streamEnd(line); ok {
				if err := c.checkEnd(ctx, last, read); err != nil {
					yield(none, err)
				}
				return
			}
			var value V
			if err := json.Unmarshal(line, &value); err != nil {
				yield(none, c.invalidAnswer(ctx, err))
				return
			}
			if !yield(value, nil) {
				return
			}
		}
	}
}

// truncated returns the error for a stream whose lines cannot be read to the end.
func truncated(read int64, err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("the stream ended after %d lines, without its count line", read)
	}
	return fmt.Errorf("the stream ended after %d lines, without its count line: %w", read, err)
}

// streamEnd decodes the last line of a stream. It reports false for other lines, which
// have no count.
func streamEnd(line []byte) (openapi.StreamEnd, bool) {
	if !bytes.Contains(line, []byte(`"count"`)) {
		return openapi.StreamEnd{}, false
	}
	var last struct {
		Count *int64 `json:"count"`
		Error string `json:"error"`
	}
	if err := json.Unmarshal(line, &last); err != nil || last.Count == nil {
		return openapi.StreamEnd{}, false
	}
	return openapi.StreamEnd{Count: *last.Count, Error: last.Error}, true
}

// checkEnd returns an error unless the last line of a stream says that the stream is
// complete and has the number of lines that were read.
func (c *Client) checkEnd(ctx context.Context, last openapi.StreamEnd, read int64) error {
	switch {
	case last.Error != "":
		return errors.New(last.Error)
	case last.Count != read:
		return c.invalidAnswer(ctx, fmt.Errorf("the stream has %d lines, but its count line says %d", read, last.Count))
	default:
		return nil
	}
}

// A lineBody is the body of a request that is written while it is sent, one JSON
// value per line.
type lineBody struct {
	*io.PipeReader
	cancel context.CancelFunc
	done   chan struct{}
	err    error // of the writer; set when done is closed
}

// newLineBody returns a body with the lines that write writes. Each line is sent
// immediately, because the service may answer it immediately.
func newLineBody(ctx context.Context, write func(ctx context.Context, line func(any) error) error) *lineBody {
	return newBody(ctx, func(ctx context.Context, w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		return write(ctx, encoder.Encode)
	})
}

// newBody returns a body with the lines that write writes to w.
func newBody(ctx context.Context, write func(ctx context.Context, w io.Writer) error) *lineBody {
	ctx, cancel := context.WithCancel(ctx)
	r, w := io.Pipe()
	b := &lineBody{PipeReader: r, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(b.done)
		b.err = write(ctx, w)
		_ = w.CloseWithError(b.err)
	}()
	return b
}

// inputBody returns a body with the inputs of a corpus, one per line.
func inputBody[V any](ctx context.Context, inputs iter.Seq2[V, error]) *lineBody {
	return newLineBody(ctx, func(ctx context.Context, line func(any) error) error {
		for in, err := range inputs {
			if err != nil {
				return &sourceError{err}
			}
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if err := line(in); err != nil {
				return err
			}
		}
		return nil
	})
}

// A sourceError is an error of the source of a request's inputs, not of the service.
type sourceError struct{ err error }

func (e *sourceError) Error() string { return e.err.Error() }

// stop ends the body, waits for its writer, and returns the error to report: the
// error of the source of the inputs, or else err.
func (b *lineBody) stop(err error) error {
	b.cancel()
	_ = b.Close()
	<-b.done
	if source, ok := errors.AsType[*sourceError](b.err); ok {
		return source.err
	}
	return err
}
