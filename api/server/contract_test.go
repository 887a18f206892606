package server_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestStrict sends requests at the edges of the contract. A request is served exactly as
// it was sent, or rejected with the field and the rule that it violates.
func TestStrict(t *testing.T) {
	s := start(t)
	const inputs = "/v1/grammars/json/inputs"
	for _, c := range []struct {
		name, path, body string
		want             string // in the detail of the problem; empty if the request is served
	}{
		{"a whole number with a fraction", inputs, `{"n":1.0}`, ""},
		{"a whole number with an exponent", inputs, `{"n":1e0}`, ""},
		{"a fraction", inputs, `{"n":1.5}`, "n 1.5: must be a whole number between 1 and 1000000"},
		{"a whole number that is too large", inputs, `{"n":1e7}`, "n 10000000: must be between 1 and 1000000"},
		{"a number in quotes", inputs, `{"n":"1"}`, "n 1: must be a whole number between 1 and 1000000"},
		{"null", inputs, `{"n":null}`, "n: must be a whole number between 1 and 1000000"},
		{"text after the body", inputs, `{"n":1} x`, "body: expected one JSON value, but more follows it"},
		{"a second body", inputs, `{"n":1}{"n":2}`, "body: expected one JSON value, but more follows it"},
		{"a field twice", inputs, `{"n":1,"n":2}`, "n: given more than once"},
		{"a field in another case", inputs, `{"N":1}`, "N: unknown field"},
		{"an unknown field", inputs, `{"m":1}`, "m: unknown field"},
		{"no fields where none is required", inputs, `{"n":1}`, ""},
		{"no fields", "/v1/grammars/json/coverage", `{}`, "inputs: required"},
		{"no fields of a key", "/v1/keys", `{}`, "name: required"},
		{"no fields of a grammar", "/v1/grammars", `{}`, "files: required"},
		{"no fields of an item", "/v1/grammars", `{"files":[{}]}`, "files.0.name: required"},
		{"null as the body", inputs, `null`, "body: must be an object"},
		{"a list as the body", inputs, `[]`, "body: must be an object"},
		{"an empty body", inputs, ``, "body: empty: must be a JSON object"},
		{"a body of white space", inputs, " \n", "body: empty: must be a JSON object"},
		{"a body that is cut off", inputs, `{"n":`, "body: invalid JSON at byte 6: unexpected end, expected a value"},
		{"bytes that are not UTF-8", inputs, "{\"start\":\"\xff\"}", "body: invalid JSON at byte 11: not UTF-8"},
		{"half of a surrogate pair", inputs, `{"start":"\ud800"}`, "unpaired surrogate"},

		{"a parameter", "/v1/grammars/json/coverage?k=1", `{"inputs":[{"input":"1"}]}`, ""},
		{"a parameter with a fraction", "/v1/grammars/json/coverage?k=1.0", `{"inputs":[{"input":"1"}]}`, "k 1.0: must be a whole number between 1 and 8"},
		{"a parameter twice", "/v1/grammars/json/coverage?k=1&k=2", `{"inputs":[{"input":"1"}]}`, "k: given more than once"},
		{"an unknown parameter", "/v1/grammars/json/fit?k=1", `{"inputs":[{"input":"1"}]}`, "k: unknown parameter: must be start"},
		{"an unknown parameter where none is known", inputs + "?n=1", `{"n":1}`, "n: unknown parameter: the operation has no parameters"},
		{"parameters that cannot be decoded", "/v1/grammars/json/fit?start=%zz", `{"inputs":[{"input":"1"}]}`, `query: invalid URL escape "%zz"`},
	} {
		resp, text := s.send(t, http.MethodPost, c.path, "application/json", strings.NewReader(c.body))
		if c.want == "" {
			if resp.StatusCode != http.StatusOK {
				t.Errorf("%s: %s %s", c.name, resp.Status, text)
			}
			continue
		}
		if p := s.problem(t, http.MethodPost, c.path, "application/json", strings.NewReader(c.body)); p.Status != http.StatusBadRequest || !strings.Contains(p.Detail, c.want) {
			t.Errorf("%s: %d %q, want %q", c.name, p.Status, p.Detail, c.want)
		}
	}
	p := s.problem(t, http.MethodPost, inputs, "application/json", strings.NewReader(gzipped(t, `{"n":1}`)[:20]), "Content-Encoding", "gzip")
	if p.Detail != "body: unexpected EOF" {
		t.Errorf("a gzip body that is cut off: %+v", p)
	}
}
