package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
)

// generated posts a request about a grammar, and returns the inputs of the answer
// and the summary after them.
func generated(t *testing.T, s *service, path, body string) ([]openapi.GeneratedInput, openapi.GenerateSummary) {
	t.Helper()
	lines := stream[openapi.GeneratedInput](t, s, "/v1/grammars/"+path, body)
	last := len(lines) - 1
	if last < 0 || lines[last].Summary == nil || lines[last].Summary.Inputs != last || lines[last].Summary.Draws < last {
		t.Fatalf("%s with %s: no summary of the inputs at the end of %+v", path, body, lines)
	}
	return lines[:last], *lines[last].Summary
}

func TestGenerate(t *testing.T) {
	s := start(t)
	json, err := bundled.Load(t.Context(), "json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		body string
		n    int // 0 for any number
	}{
		{`{}`, 10},
		{`{"n":25,"seed":7,"max_depth":12,"spacing":"random"}`, 25},
		{`{"strategy":"shortest","n":3}`, 3},
		{`{"strategy":"kpath","k":2}`, 0},
		{`{"strategy":"kpath","k":3,"n":2,"max_nodes":50}`, 2},
		{`{"start":"array","n":4}`, 4},
		{`{"strategy":"forest","k":1,"n":2}`, 0},
		{`{"strategy":"kpath","one_target":true,"close_off":"least-used","k":1}`, 0},
		{`{"strategy":"common","n":3}`, 3},
		{`{"strategy":"uncommon","expansions":20,"n":3}`, 3},
		{`{"cooldown":0.5,"n":3,"tokens":{"NUMBER":["17"]}}`, 3},
	} {
		first, summary := generated(t, s, "json/inputs", c.body)
		if len(first) == 0 || c.n > 0 && len(first) != c.n {
			t.Errorf("%s: %d inputs, want %d", c.body, len(first), c.n)
		}
		again, _ := generated(t, s, "json/inputs", c.body)
		if diff := cmp.Diff(first, again); diff != "" {
			t.Errorf("%s again generated other inputs:\n%s", c.body, diff)
		}
		if kpath := strings.Contains(c.body, "kpath"); kpath != (summary.Paths > 0) || summary.Covered > summary.Paths || kpath && c.n == 0 && summary.Covered != summary.Paths {
			t.Errorf("%s: summary %+v", c.body, summary)
		}
		for _, line := range first {
			if line.Input == nil {
				t.Errorf("%s: %+v", c.body, line)
				continue
			}
			if _, err := json.Parse(t.Context(), []byte(*line.Input), grammars.ParseOptions{}); err != nil {
				t.Errorf("%s: %s: %v", c.body, *line.Input, err)
			}
		}
	}
}

// The summary says for each path without an input why there is none.
func TestMissingPaths(t *testing.T) {
	s := start(t)
	_, summary := generated(t, s, "expr/inputs", `{"strategy":"kpath","k":2,"n":1,"missing":1000}`)
	missing := summary.Paths - summary.Covered
	if missing == 0 || len(summary.Missing) < missing || summary.Reasons[string(openapi.MissingInputs)] != missing {
		t.Fatalf("summary %+v, want %d paths with the reason %s", summary, missing, openapi.MissingInputs)
	}
	for i, m := range summary.Missing {
		if m.Proved == (i < missing) || len(m.Path) != 2 || m.Pattern == "" || m.Detail == "" {
			t.Errorf("missing path %d: %+v", i, m)
		}
	}
	if _, summary = generated(t, s, "expr/inputs", `{"strategy":"kpath","k":2,"n":1,"missing":3}`); len(summary.Missing) != 3 {
		t.Errorf("%d missing paths, want 3", len(summary.Missing))
	}
}

// A drawn seed is in the summary, and gives the same inputs again.
func TestDrawnSeed(t *testing.T) {
	s := start(t)
	for _, path := range []string{"json/inputs", "json/solutions"} {
		first, summary := generated(t, s, path, `{"seed":0,"n":5}`)
		body, _ := json.Marshal(map[string]any{"seed": summary.Seed, "n": 5})
		again, repeated := generated(t, s, path, string(body))
		if diff := cmp.Diff(first, again); diff != "" || summary.Seed == 0 || repeated.Seed != summary.Seed {
			t.Errorf("%s: seeds %d and %d\n%s", path, summary.Seed, repeated.Seed, diff)
		}
	}
}

// Requests whose probabilities or tokens do not fit are refused.
func TestGenerateRefused(t *testing.T) {
	s := start(t)
	var g openapi.Grammar
	s.post(t, "/v1/grammars", `{"files":[{"name":"ab.g4","text":"grammar ab; tokens { GHOST } s : (A | 'b') EOF ; ghost : GHOST EOF ; A : [ax] ;"}]}`, http.StatusCreated, &g)
	for _, c := range []struct{ path, body, field, want string }{
		{"/inputs", `{"strategy":"common"}`, "strategy", "needs the probabilities of a corpus"},
		{"/inputs", `{"probabilities":{}}`, "probabilities", "must be common, uncommon or failure"},
		{"/inputs", `{"strategy":"common","probabilities":{"grammar":"other"}}`, "probabilities", "probabilities/1"},
		{"/inputs", `{"tokens":{"NONE":["x"]}}`, "tokens", "not a token of grammar ab"},
		{"/inputs", `{"tokens":{"A":["a","c"]}}`, "tokens", `"c" is not read as this token`},
		{"/inputs", `{"start":"ghost"}`, "start", "derives no input"},
		{"/inputs", `{"start":"none"}`, "start", "not a parser rule of grammar ab; its parser rules are s, ghost"},
		{"/solutions", `{"start":"ghost"}`, "start", "derives no input"},
		{"/solutions", `{"style":"varied","probabilities":{}}`, "probabilities", "the style must be natural"},
		{"/solutions", `{"max_nodes":10,"max_chars":10}`, "max_chars", "only one of nodes and characters"},
	} {
		p := s.problem(t, http.MethodPost, "/v1/grammars/"+g.ID+c.path, "application/json", strings.NewReader(c.body))
		if p.Status != http.StatusBadRequest || p.Field != c.field || !strings.Contains(p.Detail, c.want) {
			t.Errorf("%s %s: %+v, want field %s, %s", c.path, c.body, p, c.field, c.want)
		}
	}
	if natural, _ := generated(t, s, g.ID+"/solutions", `{"style":"natural","n":2}`); len(natural) != 2 {
		t.Errorf("%d natural inputs, want 2", len(natural))
	}
}

func TestSolve(t *testing.T) {
	s := start(t)
	for _, c := range []struct{ body, want string }{
		{`{"require":["'true'"]}`, "true"},
		{`{"require":["object > member"],"absent":["array"]}`, `{"":true}`},
		{`{"counts":[{"path":"value > array","min":3,"max":3}],"max_chars":10}`, "[[[]]]"},
	} {
		got, _ := generated(t, s, "json/solutions", c.body)
		if len(got) != 1 || got[0].Input == nil {
			t.Errorf("%s: %+v", c.body, got)
			continue
		}
		if len(*got[0].Input) > len(c.want) {
			t.Errorf("%s: %s is longer than %s", c.body, *got[0].Input, c.want)
		}
	}
	if got, _ := generated(t, s, "json/solutions", `{"forbid":["object"],"n":20,"style":"varied"}`); len(got) != 20 {
		t.Errorf("%d varied inputs, want 20", len(got))
	}
}

func TestSolveRefused(t *testing.T) {
	s := start(t)
	for _, c := range []struct {
		body, kind, detail string
		status             int
	}{
		{`{"require":["object"],"forbid":["value"]}`, "infeasible", "", 422},
		{`{"require":["objekt"]}`, "path", "; did you mean object?", 422},
		{`{"counts":[{"path":"value","min":3,"max":2}]}`, "infeasible", "", 422},
		{`{"start":"none"}`, "bad-request", "start none: not a parser rule of grammar json", 400},
		{`{"require":[1]}`, "bad-request", "require.0", 400},
	} {
		p := s.problem(t, http.MethodPost, "/v1/grammars/json/solutions", "application/json", strings.NewReader(c.body))
		if p.Status != c.status || p.Type != "urn:inroad:problem:"+c.kind || !strings.Contains(p.Detail, c.detail) {
			t.Errorf("%s: %+v, want %d %s", c.body, p, c.status, c.kind)
		}
		if c.kind == "infeasible" && len(p.Conflict) == 0 {
			t.Errorf("%s: no conflict in %+v", c.body, p)
		}
		if c.kind == "path" && len(p.Near) == 0 {
			t.Errorf("%s: no symbols that are near in %+v", c.body, p)
		}
	}
}

func TestLearnProbabilities(t *testing.T) {
	s := start(t)
	const corpus = `{"inputs":[{"input":"[1, 2]"},{"name":"bad","input":"]"},{"input":"[\"<a>\"]"}]}`
	var learned, inverted, collected openapi.Learned
	s.post(t, "/v1/grammars/json/probabilities", corpus, http.StatusOK, &learned)
	if learned.Inputs != 3 || learned.Outside != 1 || len(learned.Rejected) != 1 || learned.Rejected[0].Name != "bad" || learned.Rejected[0].Syntax.Line != 1 {
		t.Errorf("learned %+v", learned)
	}
	s.post(t, "/v1/grammars/json/probabilities?invert=true", corpus, http.StatusOK, &inverted)
	s.post(t, "/v1/grammars/json/probabilities?tokens=true", corpus, http.StatusOK, &collected)
	if diff := cmp.Diff(map[string][]string{"NUMBER": {"1", "2"}, "STRING": {`"<a>"`}}, collected.Tokens); diff != "" || collected.Probabilities != nil {
		t.Errorf("collected %+v\n%s", collected, diff)
	}
	input := func(probabilities json.RawMessage) string {
		body, _ := json.Marshal(openapi.GenerateRequest{Strategy: openapi.Common, N: 20, Probabilities: probabilities})
		var all strings.Builder
		lines, _ := generated(t, s, "json/inputs", string(body))
		for _, line := range lines {
			all.WriteString(*line.Input)
		}
		return all.String()
	}
	if common, uncommon := input(learned.Probabilities), input(inverted.Probabilities); strings.Contains(common, "true") || !strings.Contains(uncommon, "true") {
		t.Errorf("by the probabilities of arrays: %s; inverted: %s", common, uncommon)
	}
}

func TestMutate(t *testing.T) {
	s := start(t)
	const corpus = `{"inputs":[{"input":"[1, 2]"},{"name":"bad","input":"]"}]}`
	mutants, summary := generated(t, s, "json/mutants?n=4&mutations=drop&mutations=swap&seed=3", corpus)
	if summary.Outside != 1 || summary.Seed != 3 {
		t.Errorf("summary %+v", summary)
	}
	found := map[string]bool{}
	for _, m := range mutants {
		found[*m.Input] = true
	}
	if diff := cmp.Diff(map[string]bool{"[1]": true, "[2,1]": true}, found); diff != "" {
		t.Errorf("mutants (-want +got):\n%s", diff)
	}
	for _, c := range []struct {
		path, body string
		status     int
	}{
		{"json/mutants?mutations=splic", corpus, http.StatusBadRequest},
		{"json/mutants", `{"inputs":[{"input":"]"}]}`, http.StatusBadRequest},
		{"json/mutants?start=arry", corpus, http.StatusBadRequest},
		{"none/mutants", corpus, http.StatusNotFound},
	} {
		resp, text := s.send(t, http.MethodPost, "/v1/grammars/"+c.path, "application/json", strings.NewReader(c.body))
		if resp.StatusCode != c.status {
			t.Errorf("%s: %s %.300s, want %d", c.path, resp.Status, text, c.status)
		}
	}
	large := strings.Repeat(`{"input":"1`+strings.Repeat(" ", 6<<20)+`"}`+"\n", 3)
	if resp, text := s.send(t, http.MethodPost, "/v1/grammars/json/mutants", ndjson, strings.NewReader(large)); resp.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a large corpus: %s %.300s", resp.Status, text)
	}
}

// Requests about a grammar that the service does not have.
func TestUnknownGrammar(t *testing.T) {
	s := start(t)
	for path, body := range map[string]string{"inputs": `{}`, "fit": `{"inputs":[{"input":"1"}]}`, "mutants": `{"inputs":[{"input":"1"}]}`} {
		if resp, text := s.send(t, http.MethodPost, "/v1/grammars/none/"+path, "application/json", strings.NewReader(body)); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s %s", path, resp.Status, text)
		}
	}
}
