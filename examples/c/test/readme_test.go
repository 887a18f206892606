package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadme runs the commands of README.md.
func TestReadme(t *testing.T) {
	if exec.CommandContext(t.Context(), "sh", "-c", "command -v clang || command -v clang-14").Run() != nil {
		t.Skip("there is no clang")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("..")); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "bin", "inroad"), "../../../cmd/inroad").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	script := "set -e\nPATH=$PWD/bin:$PATH\n"
	for _, line := range regexp.MustCompile(`(?m)^\$ (.*)$`).FindAllSubmatch(readme, -1) {
		script += string(line[1]) + "\n"
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{"they reached 14 of 14 methods", "calc.c#negated_variable", "reduced from 12 to 2 bytes"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	observed, err := os.ReadFile(filepath.Join(dir, "calc.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	crashes := map[string]int{}
	for _, failure := range regexp.MustCompile(`"failure":\{"type":"SIG.*?\}`).FindAllString(string(observed), -1) {
		crashes[failure]++
	}
	if len(crashes) != 1 {
		t.Errorf("got crashes %v, want one with several inputs", crashes)
	}
	if small, err := os.ReadFile(filepath.Join(dir, "small")); err != nil || string(small) != "-b" {
		t.Errorf("reduced to %q, %v; want -b", small, err)
	}
}
