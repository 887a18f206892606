package server_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/server"
	"github.com/inroad/inroad/grammars"
)

// The contract is valid OpenAPI 3.1, its examples included, and would be as 3.0
// but for what only describes it.
func TestContract(t *testing.T) {
	doc := document(t)
	if err := doc.Validate(t.Context()); err != nil {
		t.Error(err)
	}
	doc.OpenAPI, doc.Info.Summary, doc.Info.License.Identifier = "3.0.3", "", ""
	if err := doc.Validate(t.Context()); err != nil {
		t.Errorf("as 3.0: %v", err)
	}
}

// Whatever is sent and answered has an example, but files.
func TestExamples(t *testing.T) {
	see := func(where string, content openapi3.Content) {
		for kind, media := range content {
			if kind != "application/octet-stream" && media.Example == nil && len(media.Examples) == 0 && media.Schema.Value.Example == nil {
				t.Errorf("%s: %s has no example", where, kind)
			}
		}
	}
	for path, item := range document(t).Paths.Map() {
		for method, op := range item.Operations() {
			if op.RequestBody != nil {
				see(method+" "+path, op.RequestBody.Value.Content)
			}
			for status, response := range op.Responses.Map() {
				see(method+" "+path+" "+status, response.Value.Content)
			}
		}
	}
}

func TestContractIsServed(t *testing.T) {
	_, body := start(t).send(t, http.MethodGet, "/openapi.json", "", nil)
	doc, err := openapi3.NewLoader().LoadFromData(body)
	if err != nil || doc.OpenAPI != "3.1.0" || doc.Paths.Len() != document(t).Paths.Len() {
		t.Errorf("served is %.100s: %v", body, err)
	}
}

func TestProblems(t *testing.T) {
	s := start(t, func(c *server.Config) {
		c.MaxBody = 1 << 12
		c.Limits = grammars.Limits{Depth: 50}
	})
	s.trained(t)
	var made openapi.Grammar // whose token KEY is never read
	s.post(t, "/v1/grammars", `{"files":[{"name":"never.g4","text":"grammar never; s : KEY EOF ; NAME : [a-z]+ ; KEY : 'key' ;"}]}`, http.StatusCreated, &made)
	never := made.ID
	s.post(t, "/v1/grammars", `{"files":[{"name":"shadowed.g4","text":"grammar shadowed; s : (first | second) EOF ; first : '(' first ')' | '(' ')' ; second : half ')' ; half : '(' | '(' half ')' ;"}]}`, http.StatusCreated, &made)
	shadowed := made.ID
	s.post(t, "/v1/grammars", manyPaths, http.StatusCreated, &made)
	dense := made.ID
	for _, c := range []struct {
		name, method, path, contentType, body string
		headers                               []string
		status                                int
		kind, detail                          string
	}{
		{"no such path", "GET", "/v2/models", "", "", nil, 404, "endpoint", "endpoint not found"},
		{"no such method", "PUT", "/v1/models", "", "", nil, 405, "method", ""},
		{"no such grammar", "GET", "/v1/grammars/none", "", "", nil, 404, "not-found", "grammar none: not found"},
		{"no such grammar to parse with", "POST", "/v1/grammars/none/parses", "application/json", `{"input":"1"}`, nil, 404, "not-found", "grammar none: not found"},
		{"no such grammar to solve for", "POST", "/v1/grammars/none/solutions", "application/json", `{"require":["a"]}`, nil, 404, "not-found", "grammar none: not found"},
		{"no such grammar to cover", "POST", "/v1/grammars/none/coverage", "application/json", `{"inputs":[{"input":"1"}]}`, nil, 404, "not-found", "grammar none: not found"},
		{"no such subject", "GET", "/v1/subjects/none", "", "", nil, 404, "not-found", "subject none: not found"},
		{"no observations to download", "GET", "/v1/subjects/none/observations", "", "", nil, 404, "not-found", "subject none: not found"},
		{"no such commit", "GET", "/v1/subjects/calc/observations?commit=x", "", "", nil, 404, "not-found", `commit "x" of subject calc: not found`},
		{"no such model", "GET", "/v1/models/none", "", "", nil, 404, "not-found", "model none: not found"},
		{"no file of a model", "GET", "/v1/models/none/file", "", "", nil, 404, "not-found", "model none: not found"},
		{"no model of a subject", "GET", "/v1/models/x@latest", "", "", nil, 404, "not-found", "model x@latest: not found"},
		{"no model to predict with", "POST", "/v1/models/none/predictions", "application/json", `{"inputs":[{"input":"1"}]}`, nil, 404, "not-found", "model none: not found"},
		{"no model to target with", "POST", "/v1/models/none/inputs", "application/json", `{"methods":["add"]}`, nil, 404, "not-found", "model none: not found"},
		{"no such method of the program", "POST", "/v1/models/latest/predictions?method=adt", "application/json", `{"inputs":[{"input":"1"}]}`, nil, 404, "not-found", "ad"},
		{"no such job", "GET", "/v1/jobs/99", "", "", nil, 404, "not-found", "job 99: not found"},
		{"no job to cancel", "DELETE", "/v1/jobs/99", "", "", nil, 404, "not-found", "job 99: not found"},
		{"no job to follow", "GET", "/v1/jobs/99/events", "", "", nil, 404, "not-found", "job 99: not found"},
		{"no subject to train", "POST", "/v1/models", "application/json", `{"subject":"none","grammar":"json"}`, nil, 404, "not-found", "subject none: not found"},
		{"no grammar to train", "POST", "/v1/models", "application/json", `{"subject":"calc","grammar":"none"}`, nil, 404, "not-found", "grammar none: not found"},
		{"no such rule", "POST", "/v1/grammars/json/parses", "application/json", `{"input":"1","start":"none"}`, nil, 400, "bad-request", "start none: not a parser rule of grammar json"},

		{"a job that is no number", "GET", "/v1/jobs/x", "", "", nil, 400, "bad-request", "job x: must be a whole number"},
		{"a limit that is too large", "GET", "/v1/jobs?limit=1001", "", "", nil, 400, "bad-request", "limit 1001: must be between 1 and 1000"},
		{"no JSON", "POST", "/v1/models", "application/json", `{"subject":`, nil, 400, "bad-request", "body: invalid JSON at byte 12: unexpected end, expected a value"},
		{"no body", "POST", "/v1/models", "application/json", ``, nil, 400, "bad-request", "body: empty: must be a JSON object"},
		{"a property that is missing", "POST", "/v1/models", "application/json", `{"subject":"calc"}`, nil, 400, "bad-request", "grammar: required"},
		{"a property that is unknown", "POST", "/v1/models", "application/json", `{"subject":"calc","grammar":"expr","options":{"kay":1}}`, nil, 400, "bad-request", "options.kay: unknown field"},
		{"an option out of its bounds", "POST", "/v1/models", "application/json", `{"subject":"calc","grammar":"expr","options":{"k":9}}`, nil, 400, "bad-request", "options.k 9: must be between 1 and 8"},
		{"too many inputs to keep", "POST", "/v1/models", "application/json", `{"subject":"calc","grammar":"expr","options":{"keep_inputs":50000}}`, nil, 400, "bad-request", "options.keep_inputs 50000: must be between 0 and 10000"},
		{"a balance without weights", "POST", "/v1/models", "application/json", `{"subject":"calc","grammar":"expr","options":{"learner":"golearn","balance":"sqrt"}}`, nil, 400, "bad-request", "options.balance sqrt: golearn cannot weigh classes"},
		{"no such rule to train from", "POST", "/v1/models", "application/json", `{"subject":"calc","grammar":"expr","start":"none"}`, nil, 400, "bad-request", "start none: not a parser rule of grammar expr"},
		{"no model to take trees from", "POST", "/v1/models", "application/json", `{"subject":"calc","grammar":"expr","from":"none"}`, nil, 404, "not-found", "model none: not found"},
		{"no model to evaluate", "POST", "/v1/models/none/evaluations", ndjson, `{"input":"1","methods":[]}`, nil, 404, "not-found", "model none: not found"},
		{"nothing to evaluate", "POST", "/v1/models/latest/evaluations", ndjson, `{"input":"+","methods":[]}`, nil, 422, "observations", "nothing to evaluate: "},
		{"an invalid line to evaluate", "POST", "/v1/models/latest/evaluations?strict=true", ndjson, `what?`, nil, 422, "observations", "line 1: "},
		{"observations to evaluate that break off", "POST", "/v1/models/latest/evaluations", ndjson, gzipped(t, `{"input":"1","methods":[]}`)[:20], []string{"Content-Encoding", "gzip"}, 400, "bad-request", "body: unexpected EOF"},
		{"both kinds of input", "POST", "/v1/grammars/json/parses", "application/json", `{"input":"1","input_base64":"MQ=="}`, nil, 400, "bad-request", "one of input and input_base64"},
		{"no files", "POST", "/v1/grammars", "application/json", `{"files":[]}`, nil, 400, "bad-request", "files: must have between 1 and 100 items"},
		{"a body that is no gzip", "POST", "/v1/models", "application/json", `{}`, []string{"Content-Encoding", "gzip"}, 400, "bad-request", "body: "},

		{"a seed that is too large", "POST", "/v1/grammars/json/inputs", "application/json", `{"seed":18446744073709551615}`, nil, 400, "bad-request", "must be between 0 and 9223372036854775807"},
		{"two values", "POST", "/v1/grammars/json/inputs", "application/json", `{"n":1}{"n":2}`, nil, 400, "bad-request", "body: expected one JSON value, but more follows it"},
		{"text after a value", "POST", "/v1/models", "application/json", `{"subject":"calc","grammar":"expr"}x`, nil, 400, "bad-request", "body: expected one JSON value, but more follows it"},
		{"two values in a line", "POST", "/v1/grammars/json/coverage", ndjson, `{"input":"1"} {"input":"2"}`, nil, 400, "bad-request", "body: line 1: expected one JSON value, but more follows it"},
		{"an unknown property in a line", "POST", "/v1/grammars/json/coverage", ndjson, `{"input":"1"}` + "\n" + `{"input":"1","text":"2"}`, nil, 400, "bad-request", "body: line 2: text: unknown field"},
		{"another type in a line", "POST", "/v1/grammars/json/probabilities", ndjson, `{"input":1}`, nil, 400, "bad-request", "body: line 1: input 1: must be a string"},

		{"another type", "POST", "/v1/models", "text/plain", `{}`, nil, 415, "unsupported-media", `Content-Type "text/plain": must be application/json`},
		{"no type", "POST", "/v1/models/latest/predictions", "", `{}`, nil, 415, "unsupported-media", `Content-Type "": must be application/json or application/x-ndjson`},
		{"another encoding", "POST", "/v1/models", "application/json", `{}`, []string{"Content-Encoding", "br"}, 415, "unsupported-media", `Content-Encoding "br"`},
		{"a body that is too large", "POST", "/v1/grammars/json/parses", "application/json", `{"input":"` + strings.Repeat("1", 1<<12) + `"}`, nil, 413, "too-large", "body too large: must have at most 4096 bytes"},
		{"a body that is too large once unpacked", "POST", "/v1/grammars/json/parses", "application/json", gzipped(t, `{"input":"`+strings.Repeat("1", 1<<12)+`"}`), []string{"Content-Encoding", "gzip"}, 413, "too-large", "body too large: must have at most 4096 bytes"},

		{"a grammar that cannot be used", "POST", "/v1/grammars", "application/json", `{"files":[{"name":"a.g4","text":"grammar a; a : b ;"}]}`, nil, 422, "grammar", "a.g4:1:16: undefined rule b"},
		{"a grammar without the start rule", "POST", "/v1/grammars", "application/json", `{"start":"x","files":[{"name":"a.g4","text":"grammar a; a : 'a' ;"}]}`, nil, 400, "bad-request", "start x: not a parser rule of grammar a"},
		{"a limit", "POST", "/v1/grammars/json/parses", "application/json", `{"input":"` + strings.Repeat("[", 100) + `"}`, nil, 422, "limit", "nesting of rules: limit of "},
		{"more paths than can be listed", "POST", "/v1/grammars/" + dense + "/coverage?k=8&missing=1", "application/json", `{"inputs":[{"input":"a"}]}`, nil, 422, "limit", "paths to list: limit of 5000000 reached"},
		{"inputs of a grammar without texts", "POST", "/v1/grammars/" + never + "/inputs", "application/json", `{"n":1}`, nil, 422, "infeasible", "no text has the tokens of a tree of the grammar"},
		{"a path that the grammar has not", "POST", "/v1/grammars/json/solutions", "application/json", `{"require":["none"]}`, nil, 422, "path", "symbol none not found in grammar json"},
		{"conditions that contradict each other", "POST", "/v1/grammars/json/solutions", "application/json", `{"require":["object > member"],"forbid":["STRING"]}`, nil, 422, "infeasible", "no input has"},
		{"a token without a text", "POST", "/v1/grammars/" + never + "/solutions", "application/json", `{"require":["KEY"]}`, nil, 422, "infeasible", "no text has the tokens of a tree"},
		{"a tree that is read as another", "POST", "/v1/grammars/" + shadowed + "/solutions", "application/json", `{"require":["second"]}`, nil, 422, "unrealised", "no text was found"},

		{"a name that is not UTF-8", "POST", "/v1/subjects/%ff/observations", "application/x-ndjson", `{"input":"1","methods":[]}`, nil, 400, "bad-request", "must be valid UTF-8"},
		{"a commit that is not UTF-8", "POST", "/v1/subjects/p/observations?commit=%ff", "application/x-ndjson", `{"input":"1","methods":[]}`, nil, 400, "bad-request", "must be valid UTF-8"},

		{"another host", "GET", "/v1/models", "", "", []string{"Host", "example.org"}, 403, "forbidden", `host "example.org"`},
		{"another origin", "GET", "/v1/models", "", "", []string{"Origin", "http://example.org"}, 403, "forbidden", `origin "http://example.org"`},
	} {
		p := s.problem(t, c.method, c.path, c.contentType, strings.NewReader(c.body), c.headers...)
		if p.Status != c.status || p.Type != "urn:inroad:problem:"+c.kind || !strings.Contains(p.Detail, c.detail) {
			t.Errorf("%s: %d %s %q, want %d %s %q", c.name, p.Status, p.Type, p.Detail, c.status, c.kind, c.detail)
		}
		if c.kind == "grammar" && len(p.Findings) == 0 {
			t.Errorf("%s: no findings", c.name)
		}
	}
}

// A store that cannot be read is the service's fault, which it does not tell in
// detail. It is not ready then.
func TestClosedStore(t *testing.T) {
	s := start(t)
	s.trained(t)
	if err := s.store.Close(); err != nil {
		t.Fatal(err)
	}
	if p := s.problem(t, http.MethodGet, "/readyz", "", nil); p.Status != http.StatusServiceUnavailable || p.Detail != "the store cannot be read" {
		t.Errorf("ready: %+v", p)
	}
	if p := s.problem(t, http.MethodGet, "/v1/models", "", nil); p.Status != http.StatusInternalServerError || p.Type != "urn:inroad:problem:internal" || p.Detail != "" {
		t.Errorf("models: %+v", p)
	}
	var status openapi.Status
	s.get(t, "/healthz", &status)
}

// While a stream is the only request that may be served, others are rejected.
func TestOverload(t *testing.T) {
	s := start(t, func(c *server.Config) { c.MaxActive, c.Quotas.Active = 1, -1 })
	s.open(t, http.MethodPost, "/v1/grammars/json/inputs", "application/json", strings.NewReader(`{"n":1000000}`)) // nobody reads it to its end
	resp, text := s.send(t, http.MethodGet, "/v1/version", "", nil)
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") != "1" || !strings.Contains(string(text), "limit of 1 concurrent requests exceeded") {
		t.Errorf("got %s %s", resp.Status, text)
	}
	var status openapi.Status
	s.get(t, "/healthz", &status) // is always served
}

// A request that takes too long is ended.
func TestTimeout(t *testing.T) {
	s := start(t, func(c *server.Config) { c.Timeout = time.Nanosecond })
	p := s.problem(t, http.MethodGet, "/v1/grammars/json", "", nil)
	if p.Status != http.StatusServiceUnavailable || p.Detail != "request timed out after 1ns" {
		t.Errorf("got %+v", p)
	}
}

// A client that stops sending does not hold its upload open for ever.
func TestStalledUpload(t *testing.T) {
	s := start(t, func(c *server.Config) { c.Stall = 50 * time.Millisecond })
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "POST "+observations+" HTTP/1.1\r\nHost: localhost\r\nContent-Type: "+ndjson+"\r\nContent-Length: 100\r\n\r\n{\"input\":\"1\",\"methods\":[]}\n")
	answer, err := io.ReadAll(conn) // to the end: the server closes the connection
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 400 ") {
		t.Errorf("got %q, %v", answer, err)
	}
	var subject openapi.Subject
	s.get(t, "/v1/subjects/calc", &subject)
	if subject.Commits[0].Observations != 1 {
		t.Errorf("what was sent is %+v", subject)
	}
}

// Streams end with the service, and it does not wait for them.
func TestEndWithOpenStreams(t *testing.T) {
	s := start(t)
	s.trained(t)
	body, client := io.Pipe()
	defer client.Close()
	go io.WriteString(client, `{"input":"1"}`+"\n")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/models/latest/predictions", body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", ndjson)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answers := bufio.NewReader(resp.Body)
	if line, err := answers.ReadString('\n'); err != nil || !strings.Contains(line, `"methods"`) {
		t.Fatalf("the first answer is %s, %v", line, err)
	}
	s.stop()
	const want = `{"count":1,"error":"the service is shutting down"}` + "\n"
	if rest, err := io.ReadAll(answers); !errors.Is(err, io.ErrUnexpectedEOF) || string(rest) != want {
		t.Errorf("the stream ended with %s, %v; want %s and a connection that is closed", rest, err, want)
	}
}
