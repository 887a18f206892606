package g4_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/grammars/internal/inplace"
)

// TestDiagnosticsInPlace checks that each grammar in testdata has exactly the
// diagnostics that its comments announce.
func TestDiagnosticsInPlace(t *testing.T) {
	files, err := filepath.Glob("testdata/*.g4")
	if err != nil || len(files) == 0 {
		t.Fatalf("no grammars in testdata: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, diagnostics := parse(file, string(text))
			inplace.Check(t, map[string]string{file: string(text)}, diagnostics)
		})
	}
}

func TestDiagnosticsCountCharactersFromOne(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"at the very start":               {"x", `f.g4:1:1: expected "grammar" at the start of the file, found "x"`},
		"behind a byte order mark":        {"\uFEFFx", `f.g4:1:2: expected "grammar" at the start of the file, found "x"`},
		"behind characters of many bytes": {"grammar é; /* 語 */ 3;", `f.g4:1:20: expected a rule, found "3"`},
		"behind carriage returns":         {"grammar a;\r\n\r\n 3;", `f.g4:3:2: expected a rule, found "3"`},
		"inside a literal":                {"lexer grammar A; B : 'é\\x';", `f.g4:1:24: invalid escape \x`},
		"inside a set":                    {"lexer grammar A; B : [é\\x];", `f.g4:1:24: invalid escape \x`},
		"behind an action of many lines":  {"grammar a; @x {\n{é} \"}\"\n} 3;", `f.g4:3:3: expected a rule, found "3"`},
		"long tokens are cut short": {
			"grammar a; " + strings.Repeat("x", 50) + " 3;",
			`f.g4:1:63: expected ":" after the rule's name, found "3"`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, diagnostics := parse("f.g4", test.text)
			if diff := cmp.Diff(test.want, diagnostics.Error()); diff != "" {
				t.Errorf("Parse(%q) (-want +got):\n%s", test.text, diff)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	nested := func(n int) string {
		return "grammar A; a : " + strings.Repeat("(", n) + "B" + strings.Repeat(")", n) + "; b : C;"
	}
	tests := map[string]struct {
		text string
		want string
	}{
		"text at the limit": {"grammar A; a : B;" + strings.Repeat(" ", 1<<20-17), ""},
		"too much text": {
			"grammar A; a : B;" + strings.Repeat(" ", 1<<20),
			"f.g4:1:1: grammar file too long: must be at most 1048576 bytes",
		},
		"parentheses at the limit":              {nested(500), ""},
		"parentheses too deep":                  {nested(501), "f.g4:1:516: parentheses are nested more than 500 deep"},
		"parentheses far too deep":              {nested(500_000), "f.g4:1:516: parentheses are nested more than 500 deep"},
		"brackets in actions nest freely":       {"grammar A; a : " + strings.Repeat("{", 100_000) + strings.Repeat("}", 100_000) + ";", ""},
		"text that is not UTF-8":                {"grammar A; // é\na : B \xff\xfe ;", "f.g4:2:7: text is not valid UTF-8"},
		"the replacement character is no error": {"grammar A; // \uFFFD\na : B;", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			file, diagnostics := parse("f.g4", test.text)
			if file == nil {
				t.Fatal("no file")
			}
			if diff := cmp.Diff(test.want, diagnostics.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDiagnosticsBeyondTheLimitAreCounted(t *testing.T) {
	warnings := "lexer grammar A; B : [" + strings.Repeat("aa", 700) + "];"
	tests := map[string]struct {
		text string
		want g4.Diagnostic
	}{
		"warnings only": {
			warnings,
			g4.Diagnostic{Severity: g4.Warning, Message: "399 further diagnostics are not shown"},
		},
		"an error among them": {
			warnings + " C : ; d : ;",
			g4.Diagnostic{Severity: g4.Error, Message: "400 further diagnostics are not shown"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, diagnostics := parse("f.g4", test.text)
			if len(diagnostics) != 1001 {
				t.Fatalf("%d diagnostics, want 1001", len(diagnostics))
			}
			got := diagnostics[1000]
			got.Pos = g4.Pos{}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestRuleWithErrorsIsDefined checks that an error in a rule causes no further
// errors: references to the rule resolve, and the rest of the file is parsed.
func TestRuleWithErrorsIsDefined(t *testing.T) {
	file, diagnostics := parse("f.g4", "grammar A; a : b ) C ; b : C ; c : C\nd : C ;")
	if got, want := len(diagnostics), 2; got != want {
		t.Errorf("%d diagnostics, want %d:\n%v", got, want, diagnostics)
	}
	var names []string
	for _, r := range file.Rules {
		names = append(names, r.Name)
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "d"}, names); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
}
