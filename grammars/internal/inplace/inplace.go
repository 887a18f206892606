// Package inplace checks diagnostics against comments in test grammars: //
// ERROR "regexp" or // WARNING "regexp" on a line announces a diagnostic of
// that line.
package inplace

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars/g4"
)

// An expectation is an ERROR or WARNING comment.
type expectation struct {
	file     string
	line     int
	severity g4.Severity
	message  *regexp.Regexp
}

func (e expectation) String() string {
	name := map[g4.Severity]string{g4.Error: "ERROR", g4.Warning: "WARNING"}[e.severity]
	return fmt.Sprintf("%s:%d: %s %q", e.file, e.line, name, e.message)
}

func (e expectation) met(d g4.Diagnostic) bool {
	return e.file == d.File && e.line == d.Line && e.severity == d.Severity && e.message.MatchString(d.Message)
}

// Check compares the diagnostics with those that the comments announce. The
// texts are given by file name.
func Check(t *testing.T, texts map[string]string, got g4.Diagnostics) {
	t.Helper()
	var wanted []expectation
	for _, file := range slices.Sorted(maps.Keys(texts)) {
		wanted = append(wanted, expectations(file, texts[file])...)
	}
	for _, d := range got {
		i := slices.IndexFunc(wanted, func(e expectation) bool { return e.met(d) })
		if i < 0 {
			t.Errorf("unexpected diagnostic: %v", d)
			continue
		}
		wanted = slices.Delete(wanted, i, i+1)
	}
	for _, e := range wanted {
		t.Errorf("missing diagnostic: %v", e)
	}
}

func expectations(file, text string) []expectation {
	comment := regexp.MustCompile(`// (ERROR|WARNING) "([^"]*)"`)
	var out []expectation
	for i, line := range strings.Split(text, "\n") {
		for _, m := range comment.FindAllStringSubmatch(line, -1) {
			severity := g4.Error
			if m[1] == "WARNING" {
				severity = g4.Warning
			}
			out = append(out, expectation{file, i + 1, severity, regexp.MustCompile(m[2])})
		}
	}
	return out
}
