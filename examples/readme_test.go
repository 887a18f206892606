package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var command = regexp.MustCompile(`(?m)^\$ (.*)$`)

// TestReadmes types the commands of the READMEs and reads what they print.
func TestReadmes(t *testing.T) {
	for _, tc := range []struct {
		dir, tool string
		want      []string
	}{
		{"python", "python3", []string{
			"they reached 9 of 10 methods", "schedule.py#Schedule.weekly_runs: reached by", "{\"input\":\"every week", "to 13 bytes", "outcome failure: ZeroDivisionError",
		}},
		{"node", "node", []string{
			"they reached 9 of 9 methods", "route.js#Route.checkOptional: reached by", "has '?'", "to 3 bytes", "outcome failure: TypeError",
		}},
	} {
		t.Run(tc.dir, func(t *testing.T) {
			for _, tool := range []string{"sh", "go", tc.tool} {
				if _, err := exec.LookPath(tool); err != nil {
					t.Skip(tool + " not found")
				}
			}
			readme, err := os.ReadFile(filepath.Join(tc.dir, "README.md"))
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(tc.dir)); err != nil {
				t.Fatal(err)
			}
			inroad := build(t)
			var out strings.Builder
			for _, match := range command.FindAllStringSubmatch(string(readme), -1) {
				cmd := exec.CommandContext(t.Context(), "sh", "-c", `PATH="$0:$PATH"; `+match[1], filepath.Dir(inroad))
				cmd.Dir = dir
				printed, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v: %s", match[1], err, printed)
				}
				out.Write(printed)
			}
			for _, want := range tc.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("no %q in:\n%s", want, out.String())
				}
			}
		})
	}
}

// build builds the inroad command and returns its file name.
func build(t *testing.T) string {
	t.Helper()
	inroad := filepath.Join(t.TempDir(), "inroad")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", inroad, "../cmd/inroad").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return inroad
}
