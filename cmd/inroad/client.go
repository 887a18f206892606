package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/targeting"
)

// serverOptions say which service does the work, if one does. The key is never a
// flag: what stands on a command line, others can read.
type serverOptions struct {
	url string
	key string
}

func (opt *serverOptions) bind(flags *pflag.FlagSet) {
	flags.StringVar(&opt.url, "server", os.Getenv("INROAD_SERVER"),
		"let the service at `URL` do it; INROAD_SERVER is the default, and INROAD_KEY the key")
	opt.key = os.Getenv("INROAD_KEY")
}

// connect returns a client of the service, nil if there is none to do the work.
// It refuses flags that the service has no use for.
func (opt *serverOptions) connect(cmd *cobra.Command, unknown ...string) (*client, error) {
	if opt.url == "" {
		return nil, nil //nolint:nilnil // the command does the work itself
	}
	for _, name := range unknown {
		if cmd.Flags().Changed(name) {
			return nil, fmt.Errorf("--%s: the service has no such option; leave it out, or say --server '' to do it here", name)
		}
	}
	address, err := url.Parse(opt.url)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" || address.User != nil {
		return nil, fmt.Errorf("--server %s: it is an address such as http://localhost:8080", printable(opt.url))
	}
	c := &client{url: address.Scheme + "://" + address.Host + strings.TrimSuffix(address.Path, "/"), key: opt.key}
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // nobody sets another
	transport.DialContext = (&net.Dialer{Timeout: 10 * time.Second}).DialContext
	transport.ResponseHeaderTimeout = 2 * time.Minute // longer than a service takes
	c.http = &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the key is for one service
	}
	c.Client, err = openapi.NewClient(c.url, openapi.WithHTTPClient(c))
	return c, err
}

// A client asks a service. Whatever goes wrong is an error that reads as that of
// the command which does the work itself.
type client struct {
	*openapi.Client
	url, key string
	http     *http.Client
}

// Bounds of what is read from a service.
const (
	maxProblem = 1 << 20
	maxAnswer  = 512 << 20
	maxLine    = 64 << 20
)

// A service that has too much to do is asked so often, and no sooner than it
// says, unless that is longer than anybody waits.
const (
	maxTries = 4
	maxWait  = 10 * time.Second
)

// Do sends a request, for the generated client. An answer is one that is well.
func (c *client) Do(req *http.Request) (*http.Response, error) {
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	for tries := 1; ; tries++ {
		begun := time.Now()
		resp, err := c.send(req)
		problem, ok := errors.AsType[*problemError](err)
		// What took long before it was given up takes as long again, and what was
		// streamed is gone.
		if !ok || !problem.again || tries == maxTries || time.Since(begun) > maxWait || req.Body != nil && req.GetBody == nil {
			return resp, err
		}
		select {
		case <-req.Context().Done():
			return nil, context.Cause(req.Context())
		case <-time.After(min(problem.wait, maxWait)):
		}
		if req.GetBody != nil {
			if req.Body, err = req.GetBody(); err != nil {
				return nil, err
			}
		}
	}
}

// send sends a request once.
func (c *client) send(req *http.Request) (*http.Response, error) {
	resp, err := c.http.Do(req)
	if ctx := req.Context(); err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		if of, ok := errors.AsType[*url.Error](err); ok {
			err = of.Err
		}
		return nil, &unreachableError{c.url, err}
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer func() { _ = resp.Body.Close() }() // it was only read
		return nil, c.problem(resp)
	}
	return resp, nil
}

// An unreachableError tells that a service did not answer.
type unreachableError struct {
	url string
	err error
}

func (e *unreachableError) Error() string {
	return fmt.Sprintf("the service at %s cannot be reached: %v", e.url, e.err)
}

func (e *unreachableError) Unwrap() error { return e.err }

// A problemError is what a service says is wrong.
type problemError struct {
	openapi.Problem
	url   string
	again bool          // it is worth asking again
	wait  time.Duration // after so long
}

// kind is what stands in the documents for the type of a problem.
func (e *problemError) kind() string { return strings.TrimPrefix(e.Type, "urn:inroad:problem:") }

// Verdict returns the verdict of a problem that stands for one, and else none.
func (e *problemError) Verdict() targeting.Verdict {
	switch v := targeting.Verdict(e.kind()); v {
	case targeting.Infeasible, targeting.Unrealised, targeting.Limit:
		return v
	default:
		return ""
	}
}

// Error tells what is wrong in what was asked for as a command would, and names
// the service if something is wrong with it or with the way to it.
func (e *problemError) Error() string {
	switch e.Status {
	case http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusBadRequest, http.StatusRequestEntityTooLarge:
		if e.Detail != "" {
			return e.Detail
		}
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Sprintf("%s: %s; the key is taken from INROAD_KEY", e.url, cmp.Or(e.Detail, e.Title))
	}
	return fmt.Sprintf("%s: %s", e.url, strings.TrimSuffix(e.Title+": "+e.Detail, ": "))
}

// problem reads what is wrong. It may come from something between here and the
// service.
func (c *client) problem(resp *http.Response) error {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	p := &problemError{url: c.url}
	if kind != "application/problem+json" || json.NewDecoder(io.LimitReader(resp.Body, maxProblem)).Decode(&p.Problem) != nil || p.Title == "" {
		return fmt.Errorf("%s: it answers %s, which no service of inroad does", c.url, resp.Status)
	}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds >= 0 {
		p.again, p.wait = true, time.Duration(min(seconds, 3600))*time.Second
	}
	if p.kind() != "grammar" {
		return p
	}
	found := g4.Diagnostics{}
	for _, f := range p.Findings {
		d := g4.Diagnostic{Pos: g4.Pos{File: f.File, Line: f.Line, Column: f.Column}, Severity: g4.Error, Message: f.Message}
		if f.Severity == openapi.Warning {
			d.Severity = g4.Warning
		}
		found = append(found, d)
	}
	return found
}

// broken tells that an answer ended too early, or is none.
func (c *client) broken(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("%s: the answer broke off: %w", c.url, err)
}

// read reads an answer that is one object.
func read[V any](ctx context.Context, c *client, resp *http.Response, err error) (V, error) {
	var out V
	if err != nil {
		return out, err
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(&out); err != nil {
		return out, c.broken(ctx, err)
	}
	return out, nil
}

// each yields the objects of an answer that is streamed, one a line.
func each[V any](ctx context.Context, c *client, resp *http.Response, err error) iter.Seq2[V, error] {
	return func(yield func(V, error) bool) {
		var none V
		if err != nil {
			yield(none, err)
			return
		}
		defer func() { _ = resp.Body.Close() }() // it was only read
		in := bufio.NewReaderSize(resp.Body, 64<<10)
		for {
			line, err := nextLine(in)
			if errors.Is(err, io.EOF) && len(line) == 0 {
				return
			}
			var value V
			if err == nil || errors.Is(err, io.EOF) {
				err = json.Unmarshal(line, &value)
			}
			if err != nil {
				yield(none, c.broken(ctx, err))
				return
			}
			if !yield(value, nil) {
				return
			}
		}
	}
}

// nextLine reads up to the end of a line or of r.
func nextLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return nil, fmt.Errorf("a line is over %d bytes", maxLine)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSuffix(line, []byte("\n")), err
		}
	}
}

// A lineSender is the body of a request that is made as it is sent, a line of
// JSON for each value.
type lineSender struct {
	*io.PipeReader
	cancel context.CancelFunc
	done   chan struct{}
}

// sendLines returns a body with the lines that write hands over. Each is sent at
// once, as the service may answer it at once.
func sendLines(ctx context.Context, write func(ctx context.Context, line func(any) error) error) *lineSender {
	ctx, cancel := context.WithCancel(ctx)
	r, w := io.Pipe()
	s := &lineSender{r, cancel, make(chan struct{})}
	go func() {
		defer close(s.done)
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		_ = w.CloseWithError(write(ctx, encoder.Encode))
	}()
	return s
}

// end ends the sending, if the service wants no more, and waits until it has.
func (s *lineSender) end() {
	s.cancel()
	_ = s.Close()
	<-s.done
}

// sent returns an input as it is sent: as text if it is text.
func sent(input []byte) (text, encoded *string) {
	if utf8.Valid(input) {
		return new(string(input)), nil
	}
	return nil, new(base64.StdEncoding.EncodeToString(input))
}

// received returns an input that was sent so.
func received(text, encoded *string) ([]byte, error) {
	switch {
	case text != nil:
		return []byte(*text), nil
	case encoded != nil:
		return base64.StdEncoding.DecodeString(*encoded)
	default:
		return nil, errors.New("an input is missing")
	}
}
