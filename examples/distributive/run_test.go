package distributive

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The script's output matches the README.
func TestRun(t *testing.T) {
	for _, tool := range []string{"sh", "go", "grep"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " not found")
		}
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `PATH="$0:$PATH" TMPDIR="$1" sh run.sh`, filepath.Dir(build(t)), t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{
		"on held-out observations: precision 1.000, recall 1.000, F1 1.000",
		"inputs with multExpr ('*' | '/' | '%') '(' addExpr ('+' | '-') multExpr ')'",
		`{"input":"x*(x+x)"`,
		"varied inputs reach distributiveRule",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
}

// build builds the inroad command and returns its file name.
func build(t *testing.T) string {
	t.Helper()
	inroad := filepath.Join(t.TempDir(), "inroad")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", inroad, "../../cmd/inroad").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return inroad
}
