package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/server"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
)

// A service is a real server on a loopback address. Every answer that its client
// gets is checked against the contract.
type service struct {
	url   string
	path  string // of the store
	store store.Store
	http  *http.Client
	*openapi.ClientWithResponses

	stop func()
}

// start starts a service. Tests change its configuration through edits.
func start(tb testing.TB, edits ...func(c *server.Config)) *service {
	tb.Helper()
	return startOn(tb, filepath.Join(tb.TempDir(), "s.db"), edits...)
}

// openStore opens the store at a path, which may be there already. The flag -postgres
// replaces it.
var openStore = func(tb testing.TB, path string) store.Store {
	tb.Helper()
	st, err := bolt.Open(context.WithoutCancel(tb.Context()), path, bolt.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return st
}

// file returns the data file of a service. It skips the test if the service has none.
func (s *service) file(t *testing.T) *bolt.Store {
	t.Helper()
	f, ok := s.store.(*bolt.Store)
	if !ok {
		t.Skip("the test needs a data file; the store is a database")
	}
	return f
}

// isFile reports whether the store of a service is a file.
func (s *service) isFile() bool {
	_, ok := s.store.(*bolt.Store)
	return ok
}

// checkFile checks the data file of a service, if it has one.
func (s *service) checkFile(t *testing.T, check func(r *bolt.Report) bool) {
	t.Helper()
	f, ok := s.store.(*bolt.Store)
	if !ok {
		return
	}
	if r, err := f.Check(t.Context()); err != nil || len(r.Faults) > 0 || !check(r) {
		t.Errorf("the store: %+v, %v", r, err)
	}
}

// startOn starts a service on a store that may be there already.
func startOn(tb testing.TB, path string, edits ...func(c *server.Config)) *service {
	tb.Helper()
	return startWith(tb, path, openStore(tb, path), edits...)
}

// startWith starts a service with an open store.
func startWith(tb testing.TB, path string, st store.Store, edits ...func(c *server.Config)) *service {
	tb.Helper()
	// Whether the machine has much else to do is not what is tested.
	config := server.Config{Store: st, Version: "test", MaxWait: time.Hour}
	for _, edit := range edits {
		edit(&config)
	}
	server, err := server.New(config)
	if err != nil {
		tb.Fatal(err)
	}
	listener, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	ctx, end := context.WithCancel(context.WithoutCancel(tb.Context()))
	s := &service{url: "http://" + listener.Addr().String(), path: path, store: st}
	done := make(chan error)
	go func() { done <- server.Run(ctx, listener) }()
	s.stop = sync.OnceFunc(func() {
		http.DefaultClient.CloseIdleConnections() // a server waits for those that nothing was sent on
		end()
		if err := errors.Join(<-done, st.Close()); err != nil {
			tb.Errorf("the server ended with %v", err)
		}
	})
	tb.Cleanup(s.stop)
	s.http = &http.Client{Transport: newChecked(tb)}
	if s.ClientWithResponses, err = openapi.NewClientWithResponses(s.url, openapi.WithHTTPClient(s.http)); err != nil {
		tb.Fatal(err)
	}
	return s
}

// send sends a request with a body and returns the answer, read to its end.
func (s *service) send(tb testing.TB, method, path, contentType string, body io.Reader, headers ...string) (*http.Response, []byte) {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), method, s.url+path, body)
	if err != nil {
		tb.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
	}
	resp, err := s.http.Do(req)
	if err != nil {
		tb.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		tb.Fatalf("%s %s: %v", method, path, err)
	}
	return resp, text
}

// post sends JSON and reads an answer of a status into out.
func (s *service) post(tb testing.TB, path, body string, status int, out any) {
	tb.Helper()
	resp, text := s.send(tb, http.MethodPost, path, "application/json", strings.NewReader(body))
	if resp.StatusCode != status {
		tb.Fatalf("%s with %s: %s %s", path, body, resp.Status, text)
	}
	if err := json.Unmarshal(text, out); err != nil {
		tb.Fatalf("%s: %v in %s", path, err, text)
	}
}

// get reads an answer into out.
func (s *service) get(t *testing.T, path string, out any) {
	t.Helper()
	resp, text := s.send(t, http.MethodGet, path, "", nil)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %s", path, resp.Status, text)
	}
	if err := json.Unmarshal(text, out); err != nil {
		t.Fatalf("%s: %v in %s", path, err, text)
	}
}

// answers are the statuses of operations, and the types of problems, that tests
// were answered with.
var answers sync.Map

// A checked sends requests, and fails the test when an answer is not what the
// contract says. Like the server it reads the contract as 3.0, because that is
// fast; TestReadingsAgree sees to it that this is the same.
type checked struct {
	tb     testing.TB
	router routers.Router
}

func document(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(openapi.Document)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// routes finds what the contract says of a request.
var routes = sync.OnceValues(func() (routers.Router, error) {
	doc, err := openapi3.NewLoader().LoadFromData(openapi.Document)
	if err != nil {
		return nil, err
	}
	doc.OpenAPI, doc.Info.Summary, doc.Info.License.Identifier = "3.0.3", "", "" // what only 3.1 has
	return legacy.NewRouter(doc)
})

func newChecked(tb testing.TB) *checked {
	tb.Helper()
	router, err := routes()
	if err != nil {
		tb.Fatal(err)
	}
	return &checked{tb, router}
}

func (c *checked) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return resp, err
	}
	if resp.Header.Get("X-Request-Id") == "" {
		c.tb.Errorf("%s %s: the answer has no request id", r.Method, r.URL)
	}
	kind := resp.Header.Get("Content-Type")
	if kind == "text/event-stream" { // ends when the test ends it
		answers.Store(r.Method+" "+eventsPath(r.URL.Path)+" 200", true)
		return resp, nil
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), brokenReader{err}))
		return resp, nil
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	var p openapi.Problem
	if kind == "application/problem+json" && json.Unmarshal(body, &p) == nil {
		answers.Store(p.Type, true)
	}
	// Routes are matched on paths without what is escaped in them, and without a
	// host, as the contract names none.
	plain := r.Clone(r.Context())
	plain.URL = &url.URL{Path: strings.ReplaceAll(r.URL.EscapedPath(), "%", "_"), RawQuery: r.URL.RawQuery}
	route, params, err := c.router.FindRoute(plain)
	if err != nil {
		return resp, nil //nolint:nilerr // the contract says nothing of it
	}
	answers.Store(fmt.Sprintf("%s %s %d", r.Method, route.Path, resp.StatusCode), true)
	if err := checkAnswer(r.Context(), &openapi3filter.RequestValidationInput{Request: plain, PathParams: params, Route: route}, resp, body); err != nil {
		c.tb.Errorf("%s %s: %s is not what the contract says: %v\n%.2000s", r.Method, r.URL, resp.Status, err, body)
	}
	return resp, nil
}

// eventsPath returns the path in the contract of a path whose answers are events.
func eventsPath(path string) string {
	if strings.HasPrefix(path, "/v1/campaigns/") {
		return "/v1/campaigns/{campaign}/events"
	}
	return "/v1/jobs/{job}/events"
}

type brokenReader struct{ err error }

func (r brokenReader) Read([]byte) (int, error) { return 0, r.err }

// checkAnswer checks an answer; a streamed one line by line.
func checkAnswer(ctx context.Context, input *openapi3filter.RequestValidationInput, resp *http.Response, body []byte) error {
	kind := resp.Header.Get("Content-Type")
	streamed := kind == "application/x-ndjson"
	err := openapi3filter.ValidateResponse(ctx, &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: resp.StatusCode, Header: resp.Header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, ExcludeResponseBody: streamed || kind == "application/octet-stream" || kind == "image/svg+xml" || kind == "text/vnd.graphviz"},
	})
	if err != nil || !streamed {
		return err
	}
	schema := input.Route.Operation.Responses.Status(resp.StatusCode).Value.Content[kind].Schema.Value
	for line := range bytes.Lines(body) {
		var value any
		if err := json.Unmarshal(line, &value); err != nil {
			return fmt.Errorf("line %s: %w", line, err)
		}
		if err := schema.VisitJSON(value); err != nil {
			return fmt.Errorf("line %s: %w", line, err)
		}
	}
	return nil
}

// problem sends a request that must be refused.
func (s *service) problem(t *testing.T, method, path, contentType string, body io.Reader, headers ...string) openapi.Problem {
	t.Helper()
	resp, text := s.send(t, method, path, contentType, body, headers...)
	var p openapi.Problem
	if err := json.Unmarshal(text, &p); err != nil || resp.Header.Get("Content-Type") != "application/problem+json" {
		t.Fatalf("%s %s: %s %s is no problem", method, path, resp.Status, text)
	}
	if p.Status != resp.StatusCode || p.RequestID != resp.Header.Get("X-Request-Id") {
		t.Errorf("%s %s: %s %s contradicts itself", method, path, resp.Status, text)
	}
	return p
}

// follow waits for the end of a job and returns all that was sent of it.
func (s *service) follow(tb testing.TB, id int64) []openapi.Job {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), time.Minute)
	defer cancel()
	resp, err := s.FollowJob(ctx, id)
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		tb.Fatal(err)
	}
	var out []openapi.Job
	for event := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		data, ok := strings.CutPrefix(event, "event: job\ndata: ")
		if !ok {
			continue
		}
		var j openapi.Job
		if err := json.Unmarshal([]byte(data), &j); err != nil {
			tb.Fatalf("%v in %q", err, event)
		}
		out = append(out, j)
	}
	if len(out) == 0 {
		tb.Fatalf("no event of job %d: %s", id, text)
	}
	return out
}

// calc is what a small program would do with sums and products.
func calc(n int) string {
	var out strings.Builder
	out.WriteString(`{"inroad":"observations/1","subject":"calc","units":[{"id":"calc.go#add"},{"id":"calc.go#mul"},{"id":"calc.go#main"},{"id":"calc.go#never"}]}` + "\n")
	for i := range n {
		input, methods := fmt.Sprint(i), []string{"calc.go#main"}
		if i%2 == 1 {
			input += "+" + fmt.Sprint(i)
			methods = append(methods, "calc.go#add")
		}
		if i%3 == 1 {
			input += "*2"
			methods = append(methods, "calc.go#mul")
		}
		line, _ := json.Marshal(map[string]any{"input": input, "methods": methods})
		out.Write(append(line, '\n'))
	}
	return out.String()
}

const ndjson = "application/x-ndjson"

// upload uploads observations of calc.
func (s *service) upload(tb testing.TB, n int) {
	tb.Helper()
	if resp, text := s.send(tb, http.MethodPost, "/v1/subjects/calc/observations", ndjson, strings.NewReader(calc(n))); resp.StatusCode != http.StatusOK {
		tb.Fatalf("upload: %s %s", resp.Status, text)
	}
}

// trained uploads observations of calc and returns the id of a model of it.
func (s *service) trained(tb testing.TB) string {
	tb.Helper()
	s.upload(tb, 100)
	var j openapi.Job
	s.post(tb, "/v1/models", `{"subject":"calc","grammar":"expr"}`, http.StatusAccepted, &j)
	events := s.follow(tb, j.ID)
	last := events[len(events)-1]
	if last.State != openapi.Done || last.Model == "" {
		tb.Fatalf("the training ended so: %+v", last)
	}
	return last.Model
}
