package g4_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/grammars/g4"
)

// FuzzParse checks that parsing any text terminates without a panic and is
// deterministic, with all positions inside the text.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.g4")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("grammar G; a : x=b* | <assoc=right> ('c' | ~D) {e}? # f ; D : [a-z\\p{L}] -> skip ;")
	f.Add("lexer grammar L; options {a={b};} channels {C} mode M; A : 'a'..'\\u{10FFFF}' -> mode(X)")
	f.Add("grammar \xff; a[']' : {'")
	f.Fuzz(func(t *testing.T, text string) {
		file, diagnostics := parse("f.g4", text)
		again, diagnosticsAgain := parse("f.g4", text)
		if !reflect.DeepEqual(file, again) { // go-cmp takes too long for fuzzing
			t.Errorf("file differs when read again:\n%s", cmp.Diff(file, again))
		}
		if !slices.Equal(diagnostics, diagnosticsAgain) {
			t.Errorf("diagnostics differ when read again:\n%s", cmp.Diff(diagnostics, diagnosticsAgain))
		}
		lines := strings.Split(text, "\n")
		for _, d := range diagnostics {
			checkPlace(t, lines, d.Pos)
		}
		for _, r := range file.Rules {
			checkPlace(t, lines, r.Pos)
			checkBlock(t, lines, r.Body)
		}
		for _, c := range file.Code {
			checkPlace(t, lines, c.Pos)
		}
	})
}

// checkPlace checks that a position is inside the text or at its end.
func checkPlace(t *testing.T, lines []string, p g4.Pos) {
	t.Helper()
	if p.File != "f.g4" || p.Line < 1 || p.Line > len(lines) || p.Column < 1 ||
		p.Column > utf8.RuneCountInString(lines[p.Line-1])+1 {
		t.Errorf("%v is outside the text", p)
	}
}

func checkBlock(t *testing.T, lines []string, b *g4.Block) {
	t.Helper()
	checkPlace(t, lines, b.Pos)
	for _, alt := range b.Alts {
		checkPlace(t, lines, alt.Pos)
		for _, e := range alt.Elements {
			checkElement(t, lines, e)
		}
	}
}

func checkElement(t *testing.T, lines []string, e g4.Element) {
	t.Helper()
	checkPlace(t, lines, e.Position())
	switch e := e.(type) {
	case *g4.Literal:
		if e.Value == "" {
			t.Errorf("%v: literal %q without a value", e.Pos, e.Text)
		}
	case *g4.Block:
		checkBlock(t, lines, e)
	case *g4.Repeat:
		if _, ok := e.Body.(*g4.Repeat); ok {
			t.Errorf("%v: a repeat of a repeat", e.Pos)
		}
		checkElement(t, lines, e.Body)
	case *g4.Labeled:
		checkElement(t, lines, e.Body)
	case *g4.Not:
		for _, item := range e.Items {
			checkElement(t, lines, item)
		}
	}
}

// TestHostileTextTakesLinearTime parses a megabyte of each kind of text that
// could cause quadratic scanning.
func TestHostileTextTakesLinearTime(t *testing.T) {
	fill := func(head, part string) string {
		return head + strings.Repeat(part, (1<<20-len(head)-2)/len(part))
	}
	tests := map[string]string{
		"unclosed actions":          fill("grammar G; a : ", "{'"),
		"unclosed arguments":        fill("grammar G; a : ", `b["\`),
		"escaped quotes":            fill("grammar G; a : b[", `"\`),
		"unclosed comments":         fill("grammar G; a : ", "{/*"),
		"unclosed properties":       fill("lexer grammar G; A : [", `\p{`),
		"many properties":           fill("lexer grammar G; A : [", `\p{L}`) + "]",
		"many complements":          fill("lexer grammar G; A : [", `\P{L}`) + "]^",
		"repeated characters":       fill("lexer grammar G; A : [", `ab`) + "]",
		"commands":                  fill("lexer grammar G; A : 'a' -> skip", ", skip"),
		"bad characters":            fill("grammar G;", "^"),
		"rules without semicolons":  fill("grammar G;", "a:b "),
		"modes":                     fill("lexer grammar G;", "mode M;"),
		"brackets":                  fill("grammar G; a : ", "("),
		"short rules with brackets": fill("grammar G;", "a:(((;"),
		"suffixes":                  fill("grammar G; a : b", "*"),
		"names with dots":           fill("grammar G; options { a = b", ".c"),
		"bytes that are not UTF-8":  fill("grammar G;", "\xff"),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			if _, diagnostics, err := g4.Parse(t.Context(), "f.g4", text); len(diagnostics) == 0 && err == nil {
				t.Error("no diagnostics, and no limit reached")
			}
			// A busy machine needs seconds; quadratic time would take minutes.
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}
