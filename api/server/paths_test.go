package server_test

import (
	"bytes"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/api/openapi"
)

// TestPaths counts the paths of the dissertation's example, and lists as many.
func TestPaths(t *testing.T) {
	s := start(t)
	for k, want := range map[int]string{1: "39", 2: "125", 3: "523"} {
		var counted openapi.PathCount
		query := fmt.Sprintf("?k=%d", k)
		s.get(t, "/v1/grammars/expr/path-count"+query, &counted)
		resp, text := s.send(t, http.MethodGet, "/v1/grammars/expr/paths"+query, "", nil)
		listed := bytes.Count(complete(t, text), []byte("\n"))
		if counted.Count != want || resp.StatusCode != http.StatusOK || fmt.Sprint(listed) != want {
			t.Errorf("k=%d: counted %s, listed %d, %s; want %s", k, counted.Count, listed, resp.Status, want)
		}
	}
}

// manyPaths is a small grammar with many paths.
const manyPaths = `{"files":[{"name":"dense.g4","text":"grammar dense; s : r EOF ; r : 'a' | '(' r r r r r r r r r r ')' ;"}]}`

// TestTooManyPaths refuses to list what nobody can want.
func TestTooManyPaths(t *testing.T) {
	s := start(t)
	var g openapi.Grammar
	s.post(t, "/v1/grammars", manyPaths, http.StatusCreated, &g)
	var counted openapi.PathCount
	s.get(t, "/v1/grammars/"+g.ID+"/path-count?k=8", &counted)
	if n, ok := new(big.Int).SetString(counted.Count, 10); !ok || n.Cmp(big.NewInt(5_000_000)) < 0 {
		t.Fatalf("the grammar has %s paths, too few for this test", counted.Count)
	}
	resp, text := s.send(t, http.MethodGet, "/v1/grammars/"+g.ID+"/paths?k=8", "", nil)
	if resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(string(text), "choose a smaller k") {
		t.Errorf("%s %s", resp.Status, text)
	}
}

// TestPresentAndRejected tells which paths inputs have, and which inputs have
// none.
func TestPresentAndRejected(t *testing.T) {
	s := start(t)
	var got openapi.Coverage
	s.post(t, "/v1/grammars/json/coverage?k=1&present=100", `{"inputs":[{"input":"[]"},{"name":"bad","input":"]"}]}`, http.StatusOK, &got)
	var present []string
	for _, p := range got.Present {
		name, _, _ := strings.Cut(p.Path[0], "#")
		present = append(present, name)
	}
	if got.Covered != len(present) || !strings.Contains(strings.Join(present, " "), "array") {
		t.Errorf("of %d paths %q are listed", got.Covered, present)
	}
	if len(got.Rejected) != 1 || got.Rejected[0].Number != 2 || got.Rejected[0].Name != "bad" || got.Rejected[0].Syntax.Unexpected != "]" {
		t.Errorf("rejected: %+v", got.Rejected)
	}
}

// TestParseForms parses the same input in all forms.
func TestParseForms(t *testing.T) {
	s := start(t)
	for _, c := range []struct{ name, body, want string }{
		{"as ANTLR writes it", `{"input":"[]"}`, `"tree":"(json (value (array [ ])) \u003cEOF\u003e)"`},
		{"a node a line", `{"input":"[]","format":"tree"}`, `array #3\n`},
		{"JSON", `{"input":"[]","format":"json"}`, `"derivation":{"`},
		{"JSON with trivia", `{"input":"[ ]","format":"json","inside":true}`, `"trivia":[{`},
		{"what is left unread", `{"input":"[] []","start":"array","prefix":true}`, `"unread":{"column":4,"line":1,"offset":3}`},
		{"the whole of it", `{"input":"[] []","start":"array"}`, `"unexpected":"["`},
	} {
		t.Run(c.name, func(t *testing.T) {
			resp, text := s.send(t, http.MethodPost, "/v1/grammars/json/parses", "application/json", strings.NewReader(c.body))
			if resp.StatusCode != http.StatusOK || !strings.Contains(string(text), c.want) {
				t.Errorf("%s: %s %s, want %s in it", c.body, resp.Status, text, c.want)
			}
		})
	}
}

// TestStrictParse refuses a tree that depends on a predicate.
func TestStrictParse(t *testing.T) {
	s := start(t)
	var g openapi.Grammar
	s.post(t, "/v1/grammars", `{"files":[{"name":"p.g4","text":"grammar p; a : {true}? 'x' EOF | 'y' EOF ;"}]}`, http.StatusCreated, &g)
	var got openapi.ParseAnswer
	s.post(t, "/v1/grammars/"+g.ID+"/parses", `{"input":"x","strict":true}`, http.StatusOK, &got)
	if diff := cmp.Diff("p.g4:1:16", got.Undecided.Predicate); diff != "" || got.Tree != "" {
		t.Errorf("%+v", got)
	}
}
