package server_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/server"
	"github.com/inroad/inroad/model/observation"
)

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func zstandard(t *testing.T, text string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(w.EncodeAll([]byte(text), nil))
}

const observations = "/v1/subjects/calc/observations"

func TestUpload(t *testing.T) {
	s := start(t)
	text := calc(2000) // several blocks
	for _, c := range []struct {
		name, body, encoding, query string
		want                        openapi.UploadReport
	}{
		{"plain", text, "", "", openapi.UploadReport{Stored: 2000}},
		{"the same again", text, "identity", "", openapi.UploadReport{Duplicates: 2000}},
		{"gzip", gzipped(t, text), "gzip", "?commit=c1", openapi.UploadReport{Commit: "c1", Stored: 2000}},
		{"zstd", zstandard(t, text), "zstd", "?commit=c2", openapi.UploadReport{Commit: "c2", Stored: 2000}},
		{"something else of an input", `{"input":"0","methods":[]}`, "", "", openapi.UploadReport{Stored: 1, Contradictory: 1}},
		{"no header", `{"input":"7","methods":["m"]}` + "\n\n", "", "?commit=c3", openapi.UploadReport{Commit: "c3", Stored: 1}},
		{"a commit in the header", `{"inroad":"observations/1","commit":"c4"}` + "\n" + `{"input":"7"}`, "", "", openapi.UploadReport{Commit: "c4", Stored: 1}},
		{
			"invalid lines", "{\"input\":\"8\"}\nwhat?\n{\"input\":9}\n{\"input\":\"10\"}\n", "", "?commit=c5",
			openapi.UploadReport{Commit: "c5", Stored: 2, Invalid: 2, Errors: []openapi.LineError{{Line: 2}, {Line: 3}}},
		},
	} {
		resp, body := s.send(t, http.MethodPost, observations+c.query, ndjson, strings.NewReader(c.body), "Content-Encoding", c.encoding)
		var got openapi.UploadReport
		if err := json.Unmarshal(body, &got); err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s %s", c.name, resp.Status, body)
			continue
		}
		for i := range got.Errors {
			if got.Errors[i].Message == "" {
				t.Errorf("%s: line %d has no message", c.name, got.Errors[i].Line)
			}
			got.Errors[i].Message = ""
		}
		c.want.Subject = "calc"
		if c.want.Errors == nil {
			c.want.Errors = []openapi.LineError{}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	var subject openapi.Subject
	s.get(t, "/v1/subjects/calc", &subject)
	counts := map[string]int64{}
	for _, c := range subject.Commits {
		counts[c.Commit] = c.Observations
	}
	if diff := cmp.Diff(map[string]int64{"": 2001, "c1": 2000, "c2": 2000, "c3": 1, "c4": 1, "c5": 2}, counts); diff != "" {
		t.Errorf("observations (-want +got):\n%s", diff)
	}
	var all openapi.SubjectList
	s.get(t, "/v1/subjects", &all)
	if len(all.Subjects) != 1 || all.Subjects[0].Name != "calc" {
		t.Errorf("subjects are %+v", all)
	}
}

// What was uploaded can be downloaded, and is the same.
func TestDownload(t *testing.T) {
	s := start(t)
	s.upload(t, 1000)
	_, body := s.send(t, http.MethodGet, observations, "", nil)
	want, got := read(t, calc(1000)), read(t, string(body))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func read(t *testing.T, text string) []observation.Observation {
	t.Helper()
	r := observation.NewReader(strings.NewReader(text))
	var out []observation.Observation
	for {
		o, err := r.Next()
		if err == io.EOF { //nolint:errorlint // as its documentation says
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, o)
	}
}

// Names of subjects are escaped in URLs, and mean what they say.
func TestSubjectNames(t *testing.T) {
	s := start(t)
	for _, name := range []string{"encoding/json", "100%", "a%2Fb", "a b", "ünï", "..", "?x=1#y"} {
		escaped := strings.NewReplacer("%", "%25", "/", "%2F", " ", "%20", "?", "%3F", "#", "%23", "ü", "%C3%BC", "ï", "%C3%AF").Replace(name)
		if name == ".." {
			escaped = "%2E%2E"
		}
		resp, body := s.send(t, http.MethodPost, "/v1/subjects/"+escaped+"/observations", ndjson, strings.NewReader(`{"input":"1","methods":[]}`))
		var report openapi.UploadReport
		if err := json.Unmarshal(body, &report); err != nil || resp.StatusCode != http.StatusOK || report.Subject != name {
			t.Errorf("%s: %s %s", name, resp.Status, body)
		}
		var subject openapi.Subject
		s.get(t, "/v1/subjects/"+escaped, &subject)
		if subject.Name != name {
			t.Errorf("asked for %s, got %s", name, subject.Name)
		}
	}
}

// Uploads that are wrong as a whole are refused, and what came before stays.
func TestUploadRefused(t *testing.T) {
	s := start(t, func(c *server.Config) { c.MaxUpload = 1 << 20 })
	zeros := strings.Repeat(" ", 64<<20)
	line := `{"input":"1","methods":[]}` + "\n"
	for _, c := range []struct {
		name, body, encoding, query string
		status                      int
		detail                      string
	}{
		{"another commit", `{"inroad":"observations/1","commit":"a"}`, "", "?commit=b", 422, `the header has commit "a", the request "b"`},
		{"a later version", `{"inroad":"observations/99"}`, "", "", 422, "observations/99"},
		{"strict", line + "what?\n" + line, "", "?strict=true", 422, "line 2: "},
		{"an unknown encoding", line, "br", "", 415, `Content-Encoding "br": must be gzip or zstd`},
		{"no gzip", line, "gzip", "", 400, "gzip: invalid header"},
		{"no zstd", line, "zstd", "", 400, "magic number mismatch"},
		{"gzip that was cut off", gzipped(t, line)[:30], "gzip", "", 400, "unexpected EOF"},
		{"zstd that was cut off", zstandard(t, strings.Repeat(line, 1000))[:30], "zstd", "", 400, "unexpected EOF"},
		{"too much", zeros[:1<<20+1], "", "", 413, "body too large: must have at most 1048576 bytes"},
		{"gzip that holds too much", gzipped(t, zeros), "gzip", "", 413, "body too large: must have at most 1048576 bytes"},
		{"zstd that holds too much", zstandard(t, zeros), "zstd", "", 413, "body too large: must have at most 1048576 bytes"},
		{"zstd that asks for too much memory", "\x28\xb5\x2f\xfd\x00\xa0\x00", "zstd", "", 400, "window size exceeded"},
	} {
		p := s.problem(t, http.MethodPost, observations+c.query, ndjson, strings.NewReader(c.body), "Content-Encoding", c.encoding)
		if p.Status != c.status || !strings.Contains(p.Detail, c.detail) {
			t.Errorf("%s: %d %q, want %d with %q", c.name, p.Status, p.Detail, c.status, c.detail)
		}
	}
	var subject openapi.Subject
	s.get(t, "/v1/subjects/calc", &subject)
	if len(subject.Commits) != 1 || subject.Commits[0].Observations != 1 {
		t.Errorf("what came before an invalid line is %+v", subject)
	}
}
