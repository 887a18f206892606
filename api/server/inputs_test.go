package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/model"
)

// stream posts JSON and returns the lines of the answer, without the line that ends it.
func stream[V any](t *testing.T, s *service, path, body string) []V {
	t.Helper()
	resp, text := s.send(t, http.MethodPost, path, "application/json", strings.NewReader(body))
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != ndjson {
		t.Fatalf("%s with %s: %s %s", path, body, resp.Status, text)
	}
	var out []V
	for line := range bytes.Lines(complete(t, text)) {
		var v V
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// complete returns the lines of a stream that has ended as the contract says.
func complete(t *testing.T, text []byte) []byte {
	t.Helper()
	at := bytes.LastIndexByte(bytes.TrimSuffix(text, []byte("\n")), '\n') + 1
	if want := fmt.Sprintf("{\"count\":%d}\n", bytes.Count(text[:at], []byte("\n"))); string(text[at:]) != want {
		t.Fatalf("the last line is %q, want %q", text[at:], want)
	}
	return text[:at]
}

func TestTarget(t *testing.T) {
	s := start(t)
	s.trained(t)
	got := stream[openapi.TargetAnswer](t, s, "/v1/models/latest/inputs", `{"methods":["add","mul","never"]}`)
	reached := map[string]bool{}
	for _, line := range got {
		for _, m := range line.Methods {
			reached[m] = true
		}
		if line.Missed != "" {
			reached[string(line.Verdict)+": "+line.Missed] = true
		}
	}
	if diff := cmp.Diff(map[string]bool{"calc.go#add": true, "calc.go#mul": true, "never-observed: calc.go#never": true}, reached); diff != "" {
		t.Errorf("%+v\n%s", got, diff)
	}
	got = stream[openapi.TargetAnswer](t, s, "/v1/models/latest/inputs", `{"methods":["mul"],"avoid":["mul"]}`)
	if len(got) != 2 || got[0].Missed != "calc.go#mul" || got[0].Verdict != openapi.VerdictInfeasible {
		t.Errorf("a method both to reach and to avoid: %+v", got)
	}
	got = stream[openapi.TargetAnswer](t, s, "/v1/models/latest/inputs", `{"methods":["mul"],"n":3000,"max_nodes":15}`)
	if short := got[len(got)-1].Summary.Short; len(short) != 1 || short[0].Method != "calc.go#mul" || short[0].Inputs != len(got)-1 || short[0].Tried == 0 {
		t.Errorf("fewer inputs than requested: %+v", short)
	}
	p := s.problem(t, http.MethodPost, "/v1/models/latest/inputs", "application/json", strings.NewReader(`{"n":2}`))
	if p.Status != http.StatusBadRequest || p.Field != "methods" || p.Detail != "methods: give methods to reach, an outcome, or both" {
		t.Errorf("neither methods nor an outcome: %+v", p)
	}
	for _, line := range stream[openapi.TargetAnswer](t, s, "/v1/models/latest/inputs", `{"methods":["mul"],"avoid":["add"],"n":5,"style":"varied","seed":3}`) {
		if line.Summary != nil {
			continue
		}
		if line.Input == nil {
			t.Errorf("%+v", line)
			continue
		}
		body, _ := json.Marshal(openapi.InputList{Inputs: []openapi.Input{{Input: line.Input}}})
		var got openapi.PredictAnswer
		s.post(t, "/v1/models/latest/predictions?method=add&method=mul", string(body), http.StatusOK, &got)
		if m := got.Answers[0].Methods; m[0].Reached || !m[1].Reached {
			t.Errorf("%s is predicted to do %+v", *line.Input, m)
		}
	}
}

func TestCoverage(t *testing.T) {
	s := start(t)
	var got openapi.Coverage
	s.post(t, "/v1/grammars/json/coverage?k=1&missing=3", `{"inputs":[{"input":"[true]"},{"input":"["}]}`, http.StatusOK, &got)
	if got.K != 1 || got.Inputs != 2 || got.Outside != 1 || got.Covered == 0 || len(got.Missing) != 3 || len(got.Missing[0].Path) != 1 || got.Missing[0].Pattern == "" {
		t.Errorf("got %+v", got)
	}
	// An input that reaches a limit is counted like one outside the grammar.
	var costly openapi.Grammar // whose token has many derivations
	s.post(t, "/v1/grammars", `{"files":[{"name":"costly.g4","text":"grammar costly; s : T EOF ; T : `+strings.Repeat("F ", 60)+`'b' | 'a'* 'c' ; fragment F : `+
		strings.Repeat("'a'* ", 10)+`;"}]}`, http.StatusCreated, &costly)
	got = openapi.Coverage{}
	s.post(t, "/v1/grammars/"+costly.ID+"/coverage?k=1", `{"inputs":[{"input":"`+strings.Repeat("a", 3500)+`c"},{"input":"c"}]}`, http.StatusOK, &got)
	if got.Inputs != 2 || got.Outside != 1 || got.Covered == 0 || !strings.HasPrefix(got.Rejected[0].Message, "steps to derive a token: limit of ") {
		t.Errorf("got %+v", got)
	}
	// The inputs of kpath cover all paths, streamed back as they come.
	made, _ := generated(t, s, "json/inputs", `{"strategy":"kpath","k":3}`)
	var corpus strings.Builder
	for _, m := range made {
		line, _ := json.Marshal(m)
		corpus.Write(append(line, '\n'))
	}
	resp, text := s.send(t, http.MethodPost, "/v1/grammars/json/coverage?k=3&missing=10", ndjson, strings.NewReader(corpus.String()))
	var all openapi.Coverage
	if err := json.Unmarshal(text, &all); err != nil || resp.StatusCode != http.StatusOK || len(all.Missing) != 0 || all.Inputs != len(made) {
		t.Errorf("%s %s", resp.Status, text)
	}
	p := s.problem(t, http.MethodPost, "/v1/grammars/json/coverage", ndjson, strings.NewReader("{\"input\":\"1\"}\nwhat?\n"))
	if p.Status != http.StatusBadRequest || !strings.Contains(p.Detail, "line 2") {
		t.Errorf("got %+v", p)
	}
}

func TestMethods(t *testing.T) {
	s := start(t)
	s.trained(t)
	var list openapi.MethodList
	s.get(t, "/v1/models/latest/methods", &list)
	if len(list.Methods) != 4 || list.Methods[0].ID != "calc.go#add" || list.Methods[0].Reached != 50 || list.Methods[0].Status != openapi.MethodLearned || list.Methods[3].Reached != 0 {
		t.Errorf("methods are %+v", list)
	}
	var never openapi.MethodList
	s.get(t, "/v1/models/latest/methods?sort=reached&descending=true&status=never&status=always&limit=1", &never)
	if len(never.Methods) != 1 || never.Methods[0].Status != openapi.MethodAlways || never.Total != 2 || never.Next == "" {
		t.Errorf("a page of constant methods: %+v", never)
	}
	var e openapi.Explanation
	s.get(t, "/v1/models/latest/methods/calc.go%23add", &e)
	if e.Method != "calc.go#add" || e.HeldOut.F1 < .99 || e.Tree.Feature == "" || e.Tree.Present == nil || len(e.Conditions) == 0 {
		t.Errorf("explained as %+v", e)
	}
	for format, want := range map[string]struct{ kind, begins string }{
		"text": {"text/plain", "calc.go#add"}, "dot": {"text/vnd.graphviz", "digraph"}, "svg": {"image/svg+xml", "<svg"},
	} {
		resp, text := s.send(t, http.MethodGet, "/v1/models/latest/methods/add?format="+format, "", nil)
		if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), want.kind) || !bytes.HasPrefix(text, []byte(want.begins)) {
			t.Errorf("%s: %s %s %.100s", format, resp.Status, resp.Header.Get("Content-Type"), text)
		}
	}
	p := s.problem(t, http.MethodGet, "/v1/models/latest/methods/adt", "", nil)
	if p.Status != http.StatusNotFound || p.Detail != "method adt: not found; did you mean add?" {
		t.Errorf("a method that is not there: %+v", p)
	}
}

func TestAliases(t *testing.T) {
	s := start(t)
	id := s.trained(t)
	put := func(alias, model string) *http.Response {
		resp, _ := s.send(t, http.MethodPut, "/v1/aliases/"+alias, "application/json", strings.NewReader(`{"model":"`+model+`"}`))
		return resp
	}
	for _, c := range []struct {
		alias, model string
		status       int
	}{
		{"stable", "latest", 200},
		{"calc@stable", "stable", 200},
		{"stable", "none", 404},
		{"latest", id, 422},
		{"calc@latest", id, 422},
		{"9" + id[1:], id, 400},
		{"a" + id[1:], id, 422},
		{"9", id, 400},
	} {
		if resp := put(c.alias, c.model); resp.StatusCode != c.status {
			t.Errorf("%s for %s: %s, want %d", c.alias, c.model, resp.Status, c.status)
		}
	}
	var list openapi.AliasList
	s.get(t, "/v1/aliases", &list)
	if diff := cmp.Diff([]openapi.Alias{{Alias: "calc@stable", Model: id}, {Alias: "stable", Model: id}}, list.Aliases); diff != "" {
		t.Error(diff)
	}
	var m openapi.Model
	s.get(t, "/v1/models/calc@stable", &m)
	if m.ID != id {
		t.Errorf("calc@stable is %s", m.ID)
	}
	if resp, _ := s.send(t, http.MethodDelete, "/v1/aliases/stable", "", nil); resp.StatusCode != http.StatusNoContent {
		t.Errorf("delete: %s", resp.Status)
	}
	if p := s.problem(t, http.MethodDelete, "/v1/aliases/stable", "", nil); p.Status != http.StatusNotFound || p.Detail != "alias stable: not found" {
		t.Errorf("delete again: %+v", p)
	}
}

func TestCompare(t *testing.T) {
	s := start(t)
	before := s.trained(t)
	// Another program: what added does not any more.
	changed := strings.ReplaceAll(calc(100), `,"calc.go#add"]`, `]`)
	changed = strings.ReplaceAll(changed, `"calc.go#add","calc.go#mul"`, `"calc.go#mul"`)
	if resp, text := s.send(t, http.MethodPost, observations+"?commit=next", ndjson, strings.NewReader(changed)); resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s", resp.Status, text)
	}
	var j openapi.Job
	s.post(t, "/v1/models", `{"subject":"calc","commit":"next","grammar":"expr"}`, http.StatusAccepted, &j)
	s.follow(t, j.ID)
	var c openapi.Comparison
	s.post(t, "/v1/comparisons", `{"before":"`+before+`","after":"latest"}`, http.StatusOK, &c)
	if len(c.Changes) != 1 || c.Changes[0].Method != "calc.go#add" || c.Changes[0].Kind != openapi.ChangeKind(model.Vanished) || c.Inputs == 0 || c.Skew != nil {
		t.Fatalf("got %+v", c)
	}
	if change := c.Changes[0]; !slices.Equal(change.FoundBy, []openapi.ChangeFoundBy{openapi.ByPredictions, openapi.ByRates}) ||
		*change.RateBefore != (openapi.Rate{Count: 50, Observations: 100}) || *change.RateAfter != (openapi.Rate{Observations: 100}) || *change.RateChance > 1e-10 {
		t.Errorf("found by %v with rates %+v and %+v, by chance %v", change.FoundBy, change.RateBefore, change.RateAfter, change.RateChance)
	}
	s.post(t, "/v1/models", `{"subject":"calc","grammar":"json"}`, http.StatusAccepted, &j)
	s.follow(t, j.ID)
	if p := s.problem(t, http.MethodPost, "/v1/comparisons", "application/json", strings.NewReader(`{"before":"`+before+`","after":"latest"}`)); p.Status != http.StatusUnprocessableEntity || p.Type != "urn:inroad:problem:conflict" {
		t.Errorf("models of two grammars: %+v", p)
	}
	var same openapi.Comparison
	s.post(t, "/v1/comparisons", `{"before":"`+before+`","after":"`+before+`","inputs":[{"input":"1+1"},{"input":"+"}]}`, http.StatusOK, &same)
	if p := s.problem(t, http.MethodPost, "/v1/comparisons", "application/json", strings.NewReader(`{"before":"`+before+`","after":"nosuch"}`)); p.Status != http.StatusNotFound {
		t.Errorf("compare with a model that does not exist: %+v", p)
	}
	if len(same.Changes) != 0 || same.Inputs != 1 || same.Outside != 1 {
		t.Errorf("got %+v", same)
	}
}
