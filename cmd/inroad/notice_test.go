package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNotice compares the modules in NOTICE with those that are linked into the program.
func TestNotice(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "NOTICE"))
	if err != nil {
		t.Fatal(err)
	}
	always, optional, ok := strings.Cut(string(text), "\nModules of the golearn learner")
	if !ok {
		t.Fatal("NOTICE has no section for the golearn learner")
	}
	without, with := linkedModules(t, "nogolearn"), linkedModules(t, "")
	maps.DeleteFunc(with, func(module string, _ bool) bool { return without[module] })
	for _, section := range []struct {
		name   string
		text   string
		linked map[string]bool
	}{
		{"in every build", always, without},
		{"left out by -tags nogolearn", optional, with},
	} {
		if diff := cmp.Diff(slices.Sorted(maps.Keys(section.linked)), noticed(section.text)); diff != "" {
			t.Errorf("modules %s: -linked +in NOTICE:\n%s", section.name, diff)
		}
	}
	if !strings.Contains(optional, "military purposes") {
		t.Error("NOTICE does not quote the clause of dataframe-go")
	}
}

// noticed returns the modules that a text lists with a licence.
func noticed(text string) []string {
	const license = `(?:LicenseRef-)?[\w.-]+`
	var out []string
	for _, m := range regexp.MustCompile(`(?m)^  (\S+ v\S+) `+license+`(?: AND `+license+`)*$`).FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// linkedModules returns the modules that the program contains on the systems it is built for.
func linkedModules(t *testing.T, tags string) map[string]bool {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skipf("go list tells which modules are linked: %v", err)
	}
	out := map[string]bool{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		const format = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}"
		cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags="+tags, "-f", format, ".")
		cmd.Env = append(cmd.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		text, err := cmd.Output()
		if err != nil {
			t.Fatal(fmt.Errorf("go list for %s: %w", system, err))
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" {
				out[line] = true
			}
		}
	}
	return out
}
