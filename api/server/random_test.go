package server_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/inroad/inroad/api/server"
)

var long = flag.Bool("long", false, "run what takes minutes, too")

// TestRandomRequests sends requests that are drawn from the contract, whole and
// broken. None is the service's fault, and every answer is what the contract says.
func TestRandomRequests(t *testing.T) {
	n := 300
	if *long {
		n = 10_000
	}
	const seed = 1
	s := start(t, func(c *server.Config) { c.MaxQueue = 3; c.Timeout = 10 * time.Second })
	model := s.trained(t)
	d := &drawer{
		Rand:  rand.New(rand.NewPCG(seed, 0)),
		names: []string{"json", "expr", "calc", "latest", "calc@latest", "stable", model, "add", "calc.go#mul", "none", "value", "array > value", "1", "2"},
	}
	doc := document(t)
	var ops []operation
	for _, path := range slices.Sorted(maps.Keys(doc.Paths.Map())) {
		item := doc.Paths.Value(path)
		for _, method := range slices.Sorted(maps.Keys(item.Operations())) {
			ops = append(ops, operation{method, path, item.Operations()[method], item.Parameters})
		}
	}
	statuses := map[string]int{}
	for i := range n {
		op := ops[d.IntN(len(ops))]
		path, contentType, body, headers := d.request(op)
		resp, text := s.send(t, op.method, path, contentType, strings.NewReader(body), headers...)
		statuses[fmt.Sprint(resp.StatusCode)]++
		if resp.StatusCode >= http.StatusInternalServerError {
			t.Fatalf("request %d of seed %d: %s %s with %s %.500s: %s %s", i, seed, op.method, path, contentType, body, resp.Status, text)
		}
	}
	t.Logf("answers: %v", statuses)
	for _, status := range []string{"200", "400", "404", "415", "422"} {
		if statuses[status] == 0 {
			t.Errorf("of %d answers none is %s: %v", n, status, statuses)
		}
	}
}

type operation struct {
	method, path string
	*openapi3.Operation
	shared openapi3.Parameters
}

// A drawer draws requests. One in four is broken in some way.
type drawer struct {
	*rand.Rand
	names []string // that mean something to the service
}

func (d *drawer) request(op operation) (path, contentType, body string, headers []string) {
	path = op.path
	query := url.Values{}
	for _, ref := range append(slices.Clone(op.shared), op.Parameters...) {
		p := ref.Value
		value := d.text(d.value(p.Schema.Value, 0))
		switch {
		case p.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(cmp.Or(value, "x")))
		case d.IntN(2) == 0:
			query.Set(p.Name, value)
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	if op.RequestBody == nil {
		return path, "", "", nil
	}
	types := slices.Sorted(maps.Keys(op.RequestBody.Value.Content))
	contentType = types[d.IntN(len(types))]
	if contentType == ndjson {
		for range d.IntN(5) {
			line, _ := json.Marshal(map[string]any{"input": d.words(), "methods": []string{"calc.go#add"}})
			body += string(line) + "\n"
		}
	} else {
		text, _ := json.Marshal(d.value(op.RequestBody.Value.Content[contentType].Schema.Value, 0))
		body = string(text)
	}
	if d.IntN(4) > 0 {
		return path, contentType, body, nil
	}
	switch d.IntN(4) { // broken
	case 0:
		contentType = d.pick("", "text/plain", "application/json", ndjson, "application/json; charset=utf-8", ";")
	case 1:
		headers = []string{"Content-Encoding", d.pick("gzip", "zstd", "br", "identity", "gzip, gzip")}
	case 2:
		body = body[:d.IntN(len(body)+1)]
	case 3:
		at := d.IntN(len(body) + 1)
		body = body[:at] + d.pick("\x00", "\xff", "{", "}", `"`, "1e999", "null", "[[") + body[at:]
	}
	return path, contentType, body, headers
}

func (d *drawer) pick(from ...string) string { return from[d.IntN(len(from))] }

// words draws a text that may mean something.
func (d *drawer) words() string {
	switch d.IntN(6) {
	case 0:
		return d.pick("1+2", "[1,{}]", "", "\x00", "日本", "[[[[", strings.Repeat("(", 2000), "a%2Fb", "../..", "<svg>")
	case 1:
		return "grammar g; a : 'x' a? | b ; b : [0-9]+ ;"
	default:
		return d.pick(d.names...)
	}
}

// value draws what a schema says, and now and then something else.
func (d *drawer) value(schema *openapi3.Schema, depth int) any {
	if d.IntN(25) == 0 {
		return []any{nil, -1, 1.5, "", true, []any{}, map[string]any{}, 1 << 40, strings.Repeat("x", 3000)}[d.IntN(9)]
	}
	switch {
	case len(schema.Enum) > 0:
		return schema.Enum[d.IntN(len(schema.Enum))]
	case schema.Type.Is("object"):
		out := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
			if slices.Contains(schema.Required, name) && d.IntN(30) > 0 || d.IntN(3) == 0 {
				out[name] = d.value(schema.Properties[name].Value, depth+1)
			}
		}
		if d.IntN(30) == 0 {
			out["unknown"] = 1
		}
		return out
	case schema.Type.Is("array"):
		out := []any{}
		for range 1 + d.IntN(3) {
			out = append(out, d.value(schema.Items.Value, depth+1))
		}
		return out
	case schema.Type.Is("integer"):
		return d.IntN(8)
	case schema.Type.Is("boolean"):
		return d.IntN(2) == 0
	default:
		return d.words()
	}
}

// The server and these tests read schemas as 3.0, because that is fast; who reads
// the contract as 3.1 comes to the same verdict on every body.
func TestReadingsAgree(t *testing.T) {
	d := &drawer{Rand: rand.New(rand.NewPCG(1, 0)), names: []string{"json", "calc", "latest"}}
	doc := document(t)
	valid, invalid := 0, 0
	for _, name := range slices.Sorted(maps.Keys(doc.Components.Schemas)) {
		schema := doc.Components.Schemas[name].Value
		for range 20 {
			var body any
			text, _ := json.Marshal(d.value(schema, 0))
			if err := json.Unmarshal(text, &body); err != nil {
				t.Fatal(err)
			}
			as30, as31 := schema.VisitJSON(body), schema.VisitJSON(body, openapi3.EnableJSONSchema2020())
			if (as30 == nil) != (as31 == nil) {
				t.Errorf("%s %s: as 3.0 %v, as 3.1 %v", name, text, as30, as31)
			}
			if as30 == nil {
				valid++
			} else {
				invalid++
			}
		}
	}
	if valid < 50 || invalid < 50 {
		t.Errorf("%d bodies were valid and %d were not: too few to tell", valid, invalid)
	}
}

func (d *drawer) text(v any) string {
	if v, ok := v.(string); ok {
		return v
	}
	text, _ := json.Marshal(v)
	return string(text)
}

// Uploads, trainings, predictions and backups do not get in each other's way.
func TestConcurrency(t *testing.T) {
	rounds := 6
	if *long {
		rounds = 300
	}
	s := start(t)
	model := s.trained(t)
	s.send(t, http.MethodPost, observations+"?commit=c0", ndjson, strings.NewReader(calc(50)))
	work := []func(i int) (string, string, string, string){
		func(i int) (string, string, string, string) {
			return http.MethodPost, fmt.Sprintf("/v1/subjects/calc/observations?commit=c%d", i%3), ndjson, calc(50 + i)
		},
		func(i int) (string, string, string, string) {
			return http.MethodPost, "/v1/models", "application/json", fmt.Sprintf(`{"subject":"calc","commit":"c0","grammar":"expr","options":{"seed":%d}}`, i)
		},
		func(int) (string, string, string, string) {
			return http.MethodPost, "/v1/models/" + model + "/predictions", "application/json", `{"inputs":[{"input":"1+2"},{"input":"3*4"}]}`
		},
		func(int) (string, string, string, string) { return http.MethodGet, "/v1/backup", "", "" },
		func(int) (string, string, string, string) {
			return http.MethodPost, "/v1/grammars", "application/json", lists
		},
		func(int) (string, string, string, string) { return http.MethodGet, "/v1/jobs", "", "" },
		func(int) (string, string, string, string) {
			return http.MethodPost, "/v1/keys", "application/json", `{"name":"test","scopes":["read"]}`
		},
		func(i int) (string, string, string, string) {
			return http.MethodPut, fmt.Sprintf("/v1/aliases/name%d", i%5), "application/json", `{"model":"` + model + `"}`
		},
		func(i int) (string, string, string, string) {
			return http.MethodPost, "/v1/models/" + model + "/inputs", "application/json", fmt.Sprintf(`{"methods":["add"],"seed":%d,"style":"varied"}`, i)
		},
		func(int) (string, string, string, string) {
			return http.MethodPost, "/v1/grammars/expr/inputs", "application/json", `{"n":5}`
		},
	}
	done := make(chan struct{})
	for _, draw := range work {
		go func() {
			defer func() { done <- struct{}{} }()
			for i := range rounds {
				method, path, contentType, body := draw(i)
				req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
				if err != nil {
					t.Error(err)
					return
				}
				req.Header.Set("Content-Type", contentType)
				resp, err := s.http.Do(req)
				if err != nil {
					t.Errorf("%s %s: %v", method, path, err)
					return
				}
				text, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				if full := path == "/v1/models" && resp.StatusCode == http.StatusTooManyRequests; resp.StatusCode >= 300 && !full {
					t.Errorf("%s %s: %s %.300s", method, path, resp.Status, text)
				}
			}
		}()
	}
	for range work {
		<-done
	}
	r, err := s.store.Check(t.Context())
	if err != nil || len(r.Faults) > 0 || r.Keys != rounds || r.Grammars != 1 || r.Observations != int64(100+3*50+3*(rounds-2)) {
		t.Errorf("the store after %d rounds: %+v, %v", rounds, r, err)
	}
}
