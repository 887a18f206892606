package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestAction runs the script of the GitHub action as a workflow does, with names
// that a shell would take for commands.
func TestAction(t *testing.T) {
	for _, program := range []string{"bash", "git"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed")
		}
	}
	action, err := os.ReadFile("../../.github/actions/select/action.yml")
	if err != nil {
		t.Fatal(err)
	}
	scripts := regexp.MustCompile(`(?m)^      run: \|\n((?:        .*\n)+)`).FindAllSubmatch(action, -1)
	if len(scripts) != 2 {
		t.Fatalf("the action has %d scripts, want one that installs and one that selects", len(scripts))
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"corpus/$(touch owned)": "[1]", "corpus/b c": "[2]", "rest/d": "[3]"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", string(scripts[1][1]))
	cmd.Dir = dir
	cmd.Env = append(os.Environ(),
		"MODEL=none", "CORPUS=corpus\nrest", "BASE=$(touch owned)", "RECALL=0.9", "ROOT=.", "MODE=enforce",
		"BUDGET=", "MAX=", "ALWAYS=", "RUN_ALL_ON=go.mod\n*.{h,hpp}", "IGNORE=", "HISTORY=", "INROAD_SERVER=", "INROAD_KEY=",
		"RUNNER_TEMP="+dir, "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary"), "GITHUB_OUTPUT="+filepath.Join(dir, "output"))
	if printed, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	output, err := os.ReadFile(filepath.Join(dir, "output"))
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]string{}
	for line := range strings.Lines(string(output)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		told[name] = value
	}
	if told["count"] != "3" || told["total"] != "3" || told["everything"] != "true" {
		t.Errorf("outputs %q, want all of 3", told)
	}
	paths, err := os.ReadFile(told["paths"])
	if want := "corpus/$(touch owned)\x00corpus/b c\x00rest/d\x00"; err != nil || string(paths) != want {
		t.Errorf("paths %q, %v; want %q", paths, err, want)
	}
	if _, err := os.Stat(filepath.Join(dir, "owned")); err == nil {
		t.Error("a name was run as a command")
	}
}
