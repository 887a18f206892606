package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/web"
)

// TestReportPage runs test/report.mjs on reports that the command writes.
func TestReportPage(t *testing.T) {
	node, chromium := browser(t)
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	dir := t.TempDir()
	inroad := build(ctx, t, dir)
	report(ctx, t, inroad, filepath.Join(dir, "demo"), distributiveObservations(t))
	report(ctx, t, inroad, filepath.Join(dir, "large"), withFailures(t, manyMethods(t)))
	runNode(ctx, t, node, "test/report.mjs", "CHROMIUM="+chromium, "INROAD_REPORTS="+dir)
}

// build builds the program inroad.
func build(ctx context.Context, t *testing.T, dir string) string {
	t.Helper()
	inroad := filepath.Join(dir, "inroad")
	run(t, exec.CommandContext(ctx, "go", "build", "-o", inroad, "../../cmd/inroad"))
	return inroad
}

func run(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
}

// runNode runs the tests of a script with variables.
func runNode(ctx context.Context, t *testing.T, node, script string, variables ...string) {
	t.Helper()
	cmd := exec.CommandContext(ctx, node, "--test", "--test-reporter=spec", script)
	cmd.Env = append(cmd.Environ(), variables...)
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}

// report writes a report about a model of observations to base.html.
func report(ctx context.Context, t *testing.T, inroad, base string, observations []byte) {
	t.Helper()
	if err := os.WriteFile(base+".ndjson", observations, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, exec.CommandContext(ctx, inroad, "train", "--grammar", "expr", "--observations", base+".ndjson", "--out", base+".model"))
	run(t, exec.CommandContext(ctx, inroad, "report", "--model", base+".model", "--observations", base+".ndjson", "--out", base+".html"))
}

// withFailures adds failures whose texts have markup.
func withFailures(t *testing.T, observations []byte) []byte {
	t.Helper()
	failure := map[string]any{"type": endsScript, "message": "<img src=x onerror=alert(1)>\u202e"}
	for _, input := range []string{"x*1", "(2)"} {
		line, err := json.Marshal(map[string]any{"input": input, "methods": []string{"file0.go#m0", "unknown.go#" + endsScript}, "outcome": "failure", "failure": failure})
		if err != nil {
			t.Fatal(err)
		}
		observations = append(append(observations, line...), '\n')
	}
	return observations
}

// endsScript is a text that ends a script in HTML, and begins another one.
const endsScript = "</script><script>alert(1)</script>"

// TestReport checks that names cannot add code to a report.
func TestReport(t *testing.T) {
	r := web.Report{
		Version:  endsScript,
		Model:    openapi.Model{ID: "m", Subject: endsScript, Grammar: endsScript},
		Methods:  []openapi.Method{{ID: endsScript, File: endsScript}},
		Failures: &openapi.ProgramFailureList{Failures: []openapi.ProgramFailure{{Type: endsScript}}},
	}
	var out, again bytes.Buffer
	if err := r.Write(&out); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if got := strings.Count(text, "<script"); got != 2 {
		t.Errorf("got %d scripts, want the data and the code", got)
	}
	if got := strings.Count(text, "</script"); got != 2 {
		t.Errorf("got %d ends of scripts, want 2", got)
	}
	head, _, _ := strings.Cut(text, "<style>")
	if !strings.Contains(head, "<title>&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt; · inroad report</title>") {
		t.Errorf("the title is not escaped:\n%s", head)
	}
	if strings.Contains(head, "unsafe") || !strings.Contains(head, "default-src 'none'; script-src 'sha256-") {
		t.Errorf("the policy allows other code:\n%s", head)
	}
	if err := r.Write(&again); err != nil || again.String() != text {
		t.Errorf("the same report is written in different ways, %v", err)
	}
}
