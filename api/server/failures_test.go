package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/server"
)

// uploadTo uploads observations of a commit of calc.
func (s *service) uploadTo(t *testing.T, commit string, lines ...string) {
	t.Helper()
	resp, body := s.send(t, http.MethodPost, observations+"?commit="+commit, ndjson, strings.NewReader(strings.Join(lines, "\n")))
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s", resp.Status, body)
	}
}

// failed returns an observation that did not end with ok.
func failed(input, outcome, stack string) string {
	text, _ := json.Marshal(map[string]any{ // strings can be encoded
		"input": input, "methods": []string{"m"}, "outcome": outcome, "failure": map[string]string{"type": "E", "message": "of " + input, "stack": stack},
	})
	return string(text)
}

func TestFailures(t *testing.T) {
	s := start(t)
	s.uploadTo(t, "old", `{"input":"1","methods":[]}`)
	s.uploadTo(t, "new",
		`{"input":"1","methods":["m"]}`,
		failed("long input", "crash", "s1"), failed("short", "crash", "s1"), failed("x", "crash", "s2"),
		failed("y", "failure", "s1"), `{"input":"slow","outcome":"timeout"}`, `{"input_base64":"/w==","outcome":"failure"}`)
	crash1 := openapi.ProgramFailure{Count: 2, Outcome: openapi.CrashOutcome, Type: "E", Message: "of short", Stack: "s1", Input: new("short")}
	crash2 := openapi.ProgramFailure{Count: 1, Outcome: openapi.CrashOutcome, Type: "E", Message: "of x", Stack: "s2", Input: new("x")}
	slow := openapi.ProgramFailure{Count: 1, Outcome: openapi.TimeoutOutcome, Input: new("slow")}
	bytes := openapi.ProgramFailure{Count: 1, Outcome: openapi.FailedOutcome, InputBase64: new("/w==")}
	failure := openapi.ProgramFailure{Count: 1, Outcome: openapi.FailedOutcome, Type: "E", Message: "of y", Stack: "s1", Input: new("y")}
	all := openapi.ProgramFailureList{Subject: "calc", Commit: "new", Observations: 7, Outcomes: openapi.OutcomeCounts{Ok: 1, Failure: 2, Crash: 3, Timeout: 1}}
	cursor := func(offset int) string { return api.NewCursor("failures", strconv.Itoa(offset), "7") }
	for _, c := range []struct {
		query    string
		distinct int
		next     string
		want     []openapi.ProgramFailure
	}{
		{"", 5, "", []openapi.ProgramFailure{crash1, crash2, slow, bytes, failure}},
		{"?limit=2", 5, cursor(2), []openapi.ProgramFailure{crash1, crash2}},
		{"?limit=2&cursor=" + cursor(2), 5, cursor(4), []openapi.ProgramFailure{slow, bytes}},
		{"?limit=2&cursor=" + cursor(4), 5, "", []openapi.ProgramFailure{failure}},
		{"?cursor=" + cursor(9), 5, "", []openapi.ProgramFailure{}},
		{"?outcome=timeout&outcome=crash", 3, "", []openapi.ProgramFailure{crash1, crash2, slow}},
	} {
		want := all
		want.Distinct, want.Next, want.Failures = c.distinct, c.next, c.want
		var got openapi.ProgramFailureList
		s.get(t, "/v1/subjects/calc/failures"+c.query, &got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.query, diff)
		}
	}
	var old openapi.ProgramFailureList
	s.get(t, "/v1/subjects/calc/failures?commit=old", &old)
	if old.Commit != "old" || old.Observations != 1 || old.Distinct != 0 || old.Failures == nil {
		t.Errorf("the other commit has %+v", old)
	}
	if p := s.problem(t, http.MethodGet, "/v1/subjects/other/failures", "", nil); p.Status != http.StatusNotFound {
		t.Errorf("an unknown program: %+v", p)
	}
	var subject openapi.Subject
	s.get(t, "/v1/subjects/calc", &subject)
	if diff := cmp.Diff(&all.Outcomes, subject.Commits[0].Outcomes); diff != "" {
		t.Errorf("outcomes of the commit (-want +got):\n%s", diff)
	}
}

// A page of failures ends after 8 MiB of inputs, and has at least one failure.
func TestLargeFailures(t *testing.T) {
	s := start(t)
	large := strings.Repeat("x", 5<<20)
	for i := range 3 {
		s.uploadTo(t, "c", failed(large, "crash", fmt.Sprint("s", i)))
	}
	cursor := ""
	for page := range 3 {
		var got openapi.ProgramFailureList
		s.get(t, "/v1/subjects/calc/failures?cursor="+cursor, &got)
		if cursor = got.Next; len(got.Failures) != 1 || (cursor == "") != (page == 2) {
			t.Errorf("page %d: %d failures and next %q", page, len(got.Failures), cursor)
		}
	}
}

// Failures that take more memory than one request may have are a limit.
func TestTooManyFailures(t *testing.T) {
	s := start(t, func(c *server.Config) { c.MaxBodies = 8 << 20 })
	for i := range 30 {
		s.uploadTo(t, "c", failed(strings.Repeat("x", 100<<10), "crash", fmt.Sprint("s", i)))
	}
	p := s.problem(t, http.MethodGet, "/v1/subjects/calc/failures", "", nil)
	if p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Detail, "distinct failures: limit of 2097152 bytes reached") {
		t.Errorf("got %+v", p)
	}
}

func TestSubjectPages(t *testing.T) {
	s := start(t)
	for _, name := range []string{"b", "a", "c"} {
		s.send(t, http.MethodPost, "/v1/subjects/"+name+"/observations", ndjson, strings.NewReader(`{"input":"1"}`))
	}
	for _, c := range []struct{ query, want, next string }{
		{"", "[a b c]", ""},
		{"?limit=2", "[a b]", api.NewCursor("subjects", "b")},
		{"?limit=2&cursor=" + api.NewCursor("subjects", "b"), "[c]", ""},
		{"?limit=2&cursor=" + api.NewCursor("subjects", "aa"), "[b c]", ""},
		{"?cursor=" + api.NewCursor("subjects", "x"), "[]", ""},
	} {
		var got openapi.SubjectList
		s.get(t, "/v1/subjects"+c.query, &got)
		names := []string{}
		for _, subject := range got.Subjects {
			names = append(names, subject.Name)
		}
		if fmt.Sprint(names) != c.want || got.Next != c.next {
			t.Errorf("%s: %v and next %q, want %s and %q", c.query, names, got.Next, c.want, c.next)
		}
	}
}
