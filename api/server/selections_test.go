package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/api/openapi"
)

// placed trains a model of calc that knows the lines of its methods.
func (s *service) placed(t *testing.T) {
	t.Helper()
	_, observations, _ := strings.Cut(calc(100), "\n")
	const header = `{"inroad":"observations/1","subject":"placed","commit":"v1","units":[` +
		`{"id":"calc.go#add","file":"calc.go","start":10,"end":12},{"id":"calc.go#mul","file":"calc.go","start":14,"end":16},` +
		`{"id":"calc.go#main","file":"calc.go","start":18,"end":20},{"id":"calc.go#never","file":"calc.go","start":22,"end":24}]}` + "\n"
	resp, text := s.send(t, http.MethodPost, "/v1/subjects/placed/observations", ndjson, strings.NewReader(header+observations))
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("upload: %s %s", resp.Status, text)
	}
	var j openapi.Job
	s.post(t, "/v1/models", `{"subject":"placed","grammar":"expr"}`, http.StatusAccepted, &j)
	if events := s.follow(t, j.ID); events[len(events)-1].State != openapi.Done {
		t.Fatalf("training failed: %+v", events)
	}
}

func decode(t *testing.T, text []byte, to any) {
	t.Helper()
	if err := json.Unmarshal(text, to); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

// edit returns a diff that changes a line of calc.go.
func edit(line int) string {
	return fmt.Sprintf(`--- a/calc.go\n+++ b/calc.go\n@@ -%d +%[1]d @@\n-\ta\n+\tb\n`, line)
}

const sums = `{"path":"sum","input":"1+2"},{"path":"one","input":"1"},{"path":"product","input":"2*3"}`

// TestSelect selects inputs, sent at once and streamed.
func TestSelect(t *testing.T) {
	s := start(t)
	s.placed(t)
	for _, c := range []struct {
		name, options, inputs string
		selected, rest        []string
		why                   openapi.SelectReasonKind // of the first
		fallback              string
	}{
		{"those that reach a changed method", `"sample":0,"diff":"` + edit(11) + `"`, sums, []string{"sum"}, []string{"one", "product"}, openapi.WhyReaches, ""},
		{"nothing if nothing changed", `"diff":""`, sums, nil, []string{"sum", "one", "product"}, "", ""},
		{"a sample of the rest", `"sample":1,"diff":"` + edit(11) + `"`, sums, []string{"sum", "one", "product"}, nil, openapi.WhyReaches, ""},
		{
			"what is always run", `"sample":0,"always":["o*"],"diff":"` + edit(11) + `"`, sums,
			[]string{"one", "sum"},
			[]string{"product"},
			openapi.WhyAlways, "",
		},
		{
			"new, edited and failed inputs", `"sample":0`,
			`{"path":"a","input":"1","changed":"new"},{"path":"b","input":"2","changed":"edited"},{"path":"c","input":"3","failed":true},{"path":"d","input":"4"}`,
			[]string{"a", "b", "c"},
			[]string{"d"},
			openapi.WhyNew, "",
		},
		{
			"what inputs reached before, without their content", `"sample":0,"diff":"` + edit(11) + `"`,
			`{"path":"a","digest":"` + strings.Repeat("ab", 32) + `","size":3,"reached":["calc.go#add"]},{"path":"b","input":"1+1","reached":[]}`,
			[]string{"a"},
			[]string{"b"},
			openapi.WhyReached, "",
		},
		{
			"inputs of which nothing is known", `"sample":0,"diff":"` + edit(11) + `"`,
			`{"path":"a","digest":"` + strings.Repeat("ab", 32) + `"}`,
			[]string{"a"},
			nil, openapi.WhyUnknown, "",
		},
		{"no more than so many", `"sample":0,"max":1,"diff":"` + edit(19) + `"`, sums, []string{"sum"}, []string{"one", "product"}, openapi.WhyReaches, ""},
		{
			"no longer than so long", `"sample":0,"budget_ms":60,"diff":"` + edit(19) + `"`,
			`{"path":"a","input":"1","duration_ms":50},{"path":"b","input":"2","duration_ms":70}`,
			[]string{"a"},
			[]string{"b"},
			openapi.WhyReaches, "",
		},
		{"a smallest corpus", `"minimize":true`, sums + `,{"path":"both","input":"1+2*3"}`, []string{"both"}, []string{"sum", "one", "product"}, openapi.WhyNeeded, ""},
		{
			"those that reach a changed function", `"sample":0,"changes":[{"name":"calc.go#add","kind":"function","how":"changed","affected":[{"file":"calc.go","name":"add","first":10,"last":12}]}]`,
			sums,
			[]string{"sum"},
			[]string{"one", "product"},
			openapi.WhyReaches, "",
		},
		{
			"those that reach a function that uses a changed constant", `"sample":0,"changes":[{"name":"calc.go#limit","kind":"value","how":"changed","affected":[{"file":"lib/calc.go","name":"add","first":10,"last":12,"places":[{"line":11,"column":2}]}]}]`,
			sums,
			[]string{"sum"},
			[]string{"one", "product"},
			openapi.WhyReaches, "",
		},
		{
			"those that use values of a function that only runs at load", `"sample":0,"changes":[{"name":"calc.go#never","kind":"function","how":"changed",` +
				`"affected":[{"file":"calc.go","first":22,"last":24}],"at_load":[{"file":"calc.go","name":"add","first":10,"last":12}]}]`,
			sums,
			[]string{"sum"},
			[]string{"one", "product"},
			openapi.WhyReaches, "",
		},
		{"nothing if a method was never observed", `"sample":0,"diff":"` + edit(23) + `"`, sums, nil, []string{"sum", "one", "product"}, "", ""},
		{"all inputs if a line is in no method", `"diff":"` + edit(2) + `"`, sums, []string{"sum", "one", "product"}, nil, openapi.WhyEverything, "unmapped change"},
		{"all inputs if a file affects everything", `"run_all_on":["*.go"],"diff":"` + edit(11) + `"`, sums, []string{"sum", "one", "product"}, nil, openapi.WhyEverything, "file that affects everything"},
		{"all inputs if the client says so", `"fallbacks":[{"cause":"shallow clone","detail":"fetch more"}]`, sums, []string{"sum", "one", "product"}, nil, openapi.WhyEverything, "shallow clone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got openapi.Selection
			s.post(t, "/v1/selections", `{"model":"latest",`+c.options+`,"inputs":[`+c.inputs+`]}`, http.StatusOK, &got)
			selected := []string{}
			for _, in := range got.Inputs {
				selected = append(selected, in.Path)
			}
			slices.Sort(selected)
			slices.Sort(c.selected)
			rest := slices.Sorted(slices.Values(got.Rest))
			slices.Sort(c.rest)
			if !slices.Equal(selected, c.selected) || !slices.Equal(rest, c.rest) {
				t.Fatalf("selected %q and left out %q, want %q and %q: %+v", selected, rest, c.selected, c.rest, got)
			}
			if c.why != "" && !slices.ContainsFunc(got.Inputs[0].Reasons, func(r openapi.SelectReason) bool { return r.Kind == c.why }) {
				t.Errorf("the first was selected for %+v, want %s", got.Inputs[0].Reasons, c.why)
			}
			if got.Everything != (c.fallback != "") || c.fallback != "" && got.Fallbacks[0].Cause != c.fallback {
				t.Errorf("fallbacks %+v, want %q", got.Fallbacks, c.fallback)
			}
			lines := `{"model":"latest",` + c.options + "}\n" + strings.ReplaceAll(c.inputs, "},{", "}\n{") + "\n"
			resp, text := s.send(t, http.MethodPost, "/v1/selections", ndjson, strings.NewReader(lines))
			var streamed openapi.Selection
			decode(t, text, &streamed)
			if diff := cmp.Diff(got, streamed); diff != "" {
				t.Errorf("streamed: %s, and another answer:\n%s", resp.Status, diff)
			}
		})
	}
}

// TestSelectGenerates generates inputs for a changed method that few inputs reach.
func TestSelectGenerates(t *testing.T) {
	s := start(t)
	s.placed(t)
	var got openapi.Selection
	s.post(t, "/v1/selections", `{"model":"latest","sample":0,"generate":3,"diff":"`+edit(11)+`","inputs":[`+sums+`]}`, http.StatusOK, &got)
	if len(got.Inputs) != 3 || got.Inputs[0].Path != "sum" || got.Inputs[0].Input != nil || got.Corpus != 5 || len(got.Missed) > 0 {
		t.Fatalf("got %+v, want the sum and two generated inputs", got)
	}
	for _, in := range got.Inputs[1:] {
		if in.Input == nil || !strings.Contains(*in.Input, "+") || in.Reasons[0].Kind != openapi.WhyGenerated || in.Path != in.Digest[:16]+".expr" {
			t.Errorf("generated %+v, want an input with a +", in)
		}
	}
}

// TestSelectRefused sends requests that are wrong.
func TestSelectRefused(t *testing.T) {
	s := start(t)
	s.placed(t)
	for _, c := range []struct {
		name, body, kind, detail string
	}{
		{"an unknown model", `{"model":"none"}`, "not-found", "model none: not found"},
		{"a damaged diff", `{"model":"latest","diff":"--- a/x\n+++ b/x\n@@ nonsense @@\n"}`, "bad-request", "diff: line 3 of the diff: "},
		{"a bad pattern", `{"model":"latest","always":["["]}`, "bad-request", `always: invalid file pattern "[": unclosed`},
		{"a diff and changes", `{"model":"latest","diff":"` + edit(11) + `","changes":[{"name":"f","kind":"function","how":"added"}]}`, "bad-request", "diff: changes are given too: give one of them"},
		{"a change of another kind", `{"model":"latest","changes":[{"name":"f","kind":"macro","how":"added"}]}`, "bad-request", "kind"},
		{"a share over 1", `{"model":"latest","recall":2}`, "bad-request", "recall 2: must be between 0.000001 and 1"},
		{"an unknown option", `{"model":"latest","goal":1}`, "bad-request", "goal: unknown field"},
		{"no model", `{}`, "bad-request", "model: required"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, kind := range []string{"application/json", ndjson} {
				p := s.problem(t, http.MethodPost, "/v1/selections", kind, strings.NewReader(c.body))
				if p.Type != "urn:inroad:problem:"+c.kind || !strings.Contains(p.Detail, c.detail) {
					t.Errorf("%s as %s: %+v, want %s with %s", c.body, kind, p, c.kind, c.detail)
				}
			}
		})
	}
	for _, c := range []struct{ name, lines, detail string }{
		{"an input without content", "{\"model\":\"latest\"}\n{\"path\":\"a\"}", "inputs: a: one of input, input_base64 and digest is required"},
		{"an input without a path", "{\"model\":\"latest\"}\n{\"path\":\"a\",\"input\":\"1\"}\n{\"input\":\"1\"}", "line 3: path: required"},
		{"inputs in the first line", `{"model":"latest","inputs":[]}`, "line 1: inputs are not allowed here"},
		{"a line that is no JSON", "{\"model\":\"latest\"}\n{", "line 2: "},
		{"nothing", "", "line 1: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := s.problem(t, http.MethodPost, "/v1/selections", ndjson, strings.NewReader(c.lines))
			if p.Status != http.StatusBadRequest || !strings.Contains(p.Detail, c.detail) {
				t.Errorf("%q: %+v, want %s", c.lines, p, c.detail)
			}
		})
	}
}

// TestSelectFromLargeCorpus streams more than a body may contain that is read at once.
func TestSelectFromLargeCorpus(t *testing.T) {
	s := start(t)
	s.placed(t)
	var body strings.Builder
	body.WriteString(`{"model":"latest","sample":0,"diff":"` + edit(11) + "\"}\n")
	blank := strings.Repeat(" ", 1<<20)
	const n = 20
	for i := range n {
		fmt.Fprintf(&body, `{"path":"%d","input":"%s%d"}`+"\n", i, blank, i)
	}
	resp, text := s.send(t, http.MethodPost, "/v1/selections", ndjson, strings.NewReader(body.String()))
	var got openapi.Selection
	decode(t, text, &got)
	if resp.StatusCode != http.StatusOK || got.Corpus != n || len(got.Inputs)+len(got.Rest) != n {
		t.Errorf("%s: %d of %d inputs", resp.Status, len(got.Inputs), got.Corpus)
	}
}
