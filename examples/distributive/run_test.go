package distributive

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The example does what its README says.
func TestRun(t *testing.T) {
	for _, tool := range []string{"sh", "go", "grep"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("there is no " + tool)
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
		"varied inputs execute distributiveRule",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
}

// build builds the command and returns its path.
func build(t *testing.T) string {
	t.Helper()
	inroad := filepath.Join(t.TempDir(), "inroad")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", inroad, "../../cmd/inroad").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return inroad
}
