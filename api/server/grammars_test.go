package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/api/openapi"
)

const lists = `{"files":[{"name":"list.g4","text":"grammar list; list : '[' (ITEM (',' ITEM)*)? ']' EOF ; ITEM : [a-z]+ ;"}]}`

func TestGrammar(t *testing.T) {
	s := start(t)
	var made, again, got openapi.Grammar
	s.post(t, "/v1/grammars", lists, http.StatusCreated, &made)
	s.post(t, "/v1/grammars", lists, http.StatusOK, &again)
	s.get(t, "/v1/grammars/"+made.ID, &got)
	for what, g := range map[string]openapi.Grammar{"uploaded again": again, "asked for": got} {
		if diff := cmp.Diff(made, g); diff != "" {
			t.Errorf("%s, it differs from what was made:\n%s", what, diff)
		}
	}
	want := openapi.GrammarSummary{
		Name: "list", Start: "list", Digest: made.Report.Summary.Digest, Exact: true,
		ParserRules: 1, LexerRules: 1, Tokens: 4, Nodes: made.Report.Summary.Nodes,
	}
	if diff := cmp.Diff(want, made.Report.Summary); diff != "" || !made.Report.Usable || made.Bundled || made.Created.IsZero() {
		t.Errorf("made %+v\n%s", made, diff)
	}
	var all openapi.GrammarList
	s.get(t, "/v1/grammars", &all)
	bundled, uploaded := false, false
	for _, g := range all.Grammars {
		bundled = bundled || g.ID == "json" && g.Bundled
		uploaded = uploaded || g.ID == made.ID && g.Name == "list" && !g.Bundled
	}
	if !bundled || !uploaded {
		t.Errorf("listed are %+v", all.Grammars)
	}
	var answer openapi.ParseAnswer
	s.post(t, "/v1/grammars/"+made.ID+"/parses", `{"input":"[a,b]"}`, http.StatusOK, &answer)
	if answer.Tree != "(list [ a , b ] <EOF>)" {
		t.Errorf("parsed to %s", answer.Tree)
	}
}

func TestGrammarOfSeveralFiles(t *testing.T) {
	s := start(t)
	body, _ := json.Marshal(openapi.GrammarSource{Start: "b", Files: []openapi.GrammarFile{
		{Name: "P.g4", Text: "parser grammar P; options { tokenVocab = L; } a : X b ; b : {p()}? X EOF ;"},
		{Name: "L.g4", Text: "lexer grammar L; X : 'x' ;"},
	}})
	var g openapi.Grammar
	s.post(t, "/v1/grammars", string(body), http.StatusCreated, &g)
	if g.Report.Summary.Start != "b" || g.Report.Summary.Exact || len(g.Report.Summary.Code) != 1 || g.Report.Summary.Code[0].Kind != openapi.Predicate {
		t.Errorf("made %+v", g.Report.Summary)
	}
	for _, c := range []struct{ body, want string }{
		{`{"input":"x"}`, "(b x <EOF>)"},
		{`{"input_base64":"eHg=","start":"a"}`, "(a x (b x <EOF>))"},
	} {
		var answer openapi.ParseAnswer
		s.post(t, "/v1/grammars/"+g.ID+"/parses", c.body, http.StatusOK, &answer)
		if answer.Tree != c.want || answer.Exact {
			t.Errorf("%s: %+v, want %s", c.body, answer, c.want)
		}
	}
}

func TestCheckGrammar(t *testing.T) {
	s := start(t)
	var bad, good openapi.GrammarReport
	s.post(t, "/v1/grammar-checks", `{"files":[{"name":"bad.g4","text":"grammar bad; a : b ;\nc : d ;"}]}`, http.StatusOK, &bad)
	if bad.Usable || len(bad.Findings) < 2 || bad.Findings[0] != (openapi.Finding{File: "bad.g4", Line: 1, Column: 18, Severity: openapi.Error, Message: "undefined rule b"}) {
		t.Errorf("bad grammar: %+v", bad)
	}
	s.post(t, "/v1/grammar-checks", lists, http.StatusOK, &good)
	if !good.Usable || len(good.Findings) != 0 || good.Summary.Name != "list" {
		t.Errorf("good grammar: %+v", good)
	}
	var all openapi.GrammarList
	s.get(t, "/v1/grammars", &all)
	for _, g := range all.Grammars {
		if !g.Bundled {
			t.Errorf("a check stored %+v", g)
		}
	}
}

func TestParseOutside(t *testing.T) {
	var answer openapi.ParseAnswer
	start(t).post(t, "/v1/grammars/json/parses", `{"input":"[1,\n x]"}`, http.StatusOK, &answer)
	if answer.Tree != "" || answer.Syntax.Line != 2 || answer.Syntax.Column != 2 || answer.Syntax.Offset != 5 || !strings.HasPrefix(answer.Syntax.Message, `2:2: unexpected "x", expected `) {
		t.Errorf("got %+v", answer)
	}
}

// The fit of a grammar counts the inputs that parse, and has the reasons why others
// do not.
func TestFit(t *testing.T) {
	s := start(t)
	var atOnce, streamed openapi.Fit
	s.post(t, "/v1/grammars/json/fit", `{"inputs":[{"input":"[1]"},{"name":"open","input":"[1"}]}`, http.StatusOK, &atOnce)
	if atOnce.Inputs != 2 || atOnce.Parsed != 1 || len(atOnce.Coverage) != 3 || len(atOnce.UnusedRules) == 0 ||
		len(atOnce.Rejections) != 1 || atOnce.Rejections[0].Inputs != 1 || !strings.HasPrefix(atOnce.Rejections[0].Examples[0], "open:1:3") {
		t.Errorf("got %+v", atOnce)
	}
	resp, text := s.send(t, http.MethodPost, "/v1/grammars/json/fit", ndjson, strings.NewReader("{\"input\":\"[1]\"}\n\n{\"name\":\"open\",\"input\":\"[1\"}"))
	decode(t, text, &streamed)
	if diff := cmp.Diff(atOnce, streamed); diff != "" {
		t.Errorf("streamed: %s, and another answer:\n%s", resp.Status, diff)
	}
	p := s.problem(t, http.MethodPost, "/v1/grammars/json/fit", ndjson, strings.NewReader("{\"input\":\"[1]\"}\n\n{"))
	if p.Status != http.StatusBadRequest || !strings.HasPrefix(p.Detail, "body: line 3: ") {
		t.Errorf("an invalid line: %+v", p)
	}
}
