package grammars_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/grammars/internal/inplace"
)

// TestDiagnosticsInPlace checks that each grammar in testdata/bad, a file or a
// folder of files, has exactly the diagnostics that its comments announce.
func TestDiagnosticsInPlace(t *testing.T) {
	entries, err := os.ReadDir("testdata/bad")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		t.Run(entry.Name(), func(t *testing.T) {
			paths := []string{filepath.Join("testdata/bad", entry.Name())}
			if entry.IsDir() {
				if paths, err = filepath.Glob(paths[0] + "/*.g4"); err != nil {
					t.Fatal(err)
				}
			}
			var sources []grammars.Source
			texts := map[string]string{}
			for _, path := range paths {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				sources = append(sources, grammars.Source{Name: path, Text: string(text)})
				texts[path] = string(text)
			}
			inplace.Check(t, texts, diagnose(t, sources...))
		})
	}
}

// diagnose loads a grammar and returns its diagnostics.
func diagnose(t *testing.T, sources ...grammars.Source) g4.Diagnostics {
	t.Helper()
	g, err := grammars.Load(t.Context(), sources...)
	if err == nil {
		if g.Warnings.Failed() {
			t.Errorf("a grammar was loaded in spite of errors:\n%v", g.Warnings)
		}
		return g.Warnings
	}
	var found g4.Diagnostics
	if !errors.As(err, &found) || !found.Failed() {
		t.Fatalf("not an error with diagnostics: %v", err)
	}
	return found
}

func TestNoGrammarFile(t *testing.T) {
	_, err := grammars.Load(t.Context())
	if got, want := fmt.Sprint(err), "grammar:1:1: no grammar file was given"; got != want {
		t.Errorf("Load() = %q, want %q", got, want)
	}
}

func TestTooManyNodes(t *testing.T) {
	load := func(n int) error {
		_, err := grammars.LoadWith(t.Context(), grammars.LoadOptions{Limits: grammars.LoadLimits{Nodes: 1000}},
			grammars.Source{Name: "f.g4", Text: "grammar A; a : " + strings.Repeat("B ", n) + "; B : 'b' ;"})
		return err
	}
	// The concatenation, the literal of B and the trivia are nodes as well.
	if err := load(997); err != nil {
		t.Error(err)
	}
	if got, want := fmt.Sprint(load(998)), "nodes of a grammar: limit of 1000 reached; shorten the grammar, or load a part of it"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestDiagnosticsAreInOrder checks that diagnostics are ordered by file, as
// given, and by position.
func TestDiagnosticsAreInOrder(t *testing.T) {
	parser := grammars.Source{Name: "p.g4", Text: "parser grammar P; options {tokenVocab=L;}\na : x\n | y A; b : ;"}
	lexer := grammars.Source{Name: "l.g4", Text: "lexer grammar L;\nA : B; C : D;"}
	tests := map[string]struct {
		sources []grammars.Source
		want    string
	}{
		"the parser first": {[]grammars.Source{parser, lexer}, `p.g4:2:5: undefined rule x
p.g4:3:4: undefined rule y
l.g4:2:5: undefined lexer rule B
l.g4:2:12: undefined lexer rule D`},
		"the lexer first": {[]grammars.Source{lexer, parser}, `l.g4:2:5: undefined lexer rule B
l.g4:2:12: undefined lexer rule D
p.g4:2:5: undefined rule x
p.g4:3:4: undefined rule y`},
		"the notation comes before what it means": {
			[]grammars.Source{{Name: "a.g4", Text: "grammar A; a : b"}, {Name: "b.g4", Text: "grammar B; c : 'x' 5 ;"}},
			"a.g4:1:17: missing \";\" after rule a, before the end of the file\nb.g4:1:20: expected \";\" or another element of rule c, found \"5\"",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, diagnose(t, test.sources...).Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestExact(t *testing.T) {
	tests := map[string]struct {
		text string
		want bool
	}{
		"pure":                       {"grammar A; a : 'x' ;", true},
		"a header":                   {"grammar A; @header {import x;} a : 'x' ;", true},
		"arguments and returns":      {"grammar A; a[int i] returns [int j] locals [int k] @init {x} @after {y} : 'x' ;", true},
		"members":                    {"grammar A; @members {int i;} a : 'x' ;", false},
		"a predicate":                {"grammar A; a : {x}? 'x' ;", false},
		"an action":                  {"grammar A; a : 'x' {x} ;", false},
		"an action in a lexer rule":  {"grammar A; a : X ; X : 'x' {x} ;", false},
		"a predicate in a fragment":  {"grammar A; a : X ; X : Y ; fragment Y : {y}? 'y' ;", false},
		"a superclass":               {"grammar A; options {superClass=Base;} a : 'x' ;", false},
		"options of another purpose": {"grammar A; options {language=Go;} a : 'x' ;", true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			g, err := grammars.Load(t.Context(), grammars.Source{Name: "f.g4", Text: test.text})
			if err != nil {
				t.Fatal(err)
			}
			if got := g.Exact(); got != test.want {
				t.Errorf("Exact() = %v, want %v; code: %v", got, test.want, g.Code)
			}
		})
	}
}

// TestImportsAddAndDoNotReplace checks that a grammar's own definitions precede
// imported ones, and that imported code keeps its positions.
func TestImportsAddAndDoNotReplace(t *testing.T) {
	g, err := grammars.Load(t.Context(),
		grammars.Source{Name: "dir/Main.g4", Text: "grammar Main; import More, Words; a : b W V {m} ; V : 'v' ;"},
		grammars.Source{Name: "dir/More.g4", Text: "parser grammar More; import Deep, Main; tokens { Q } b : 'x' | c {n}? ; a : b ;"},
		grammars.Source{Name: "dir/Deep.g4", Text: "parser grammar Deep; c : V Q? ; b : 'never' ;"},
		grammars.Source{Name: "dir/Words.g4", Text: "lexer grammar Words; V : 'never' ; W : 'w' ;"},
	)
	if err != nil {
		t.Fatal(err)
	}
	var rules, code []string
	for _, r := range g.Rules {
		rules = append(rules, r.Name)
	}
	for _, c := range g.Code {
		code = append(code, fmt.Sprintf("%v %s %s", c.Pos, c.Rule, c.Text))
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "T__0", "V", "W"}, rules); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"dir/Main.g4:1:45 a m", "dir/More.g4:1:66 b n"}, code); diff != "" {
		t.Errorf("code (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"", "'x'", "'v'", "'w'", "Q"}, g.Tokens()); diff != "" {
		t.Errorf("tokens (-want +got):\n%s", diff)
	}
}

// TestImportByFileName checks that a file is found by the name of its grammar,
// or else by its file name.
func TestImportByFileName(t *testing.T) {
	g, err := grammars.Load(t.Context(),
		grammars.Source{Name: "Main.g4", Text: "grammar Main; import Words; a : W ;"},
		grammars.Source{Name: "dir/Words.g4", Text: "lexer grammar Other; W : 'w' ;"},
	)
	if err != nil {
		t.Fatal(err)
	}
	if w := g.Rule("W"); w == nil || w.File != "dir/Words.g4" {
		t.Errorf("rule W is %v", w)
	}
}

// TestTokenVocabulary checks that tokenVocab names the lexer grammar, with or without its
// folder.
func TestTokenVocabulary(t *testing.T) {
	for _, vocabulary := range []string{"Right", "'Right'", "'folder/Right'", "'../other/folder/Right'"} {
		found := diagnose(t,
			grammars.Source{Name: "folder/Wrong.g4", Text: "lexer grammar Wrong; A : 'x' ;"},
			grammars.Source{Name: "folder/Right.g4", Text: "lexer grammar Right; A : 'a' ;"},
			grammars.Source{Name: "P.g4", Text: "parser grammar P; options { tokenVocab = " + vocabulary + "; } s : 'a' EOF ;"})
		if want := "folder/Wrong.g4:1:15: warning: grammar Wrong is not used by any other file"; len(found) != 1 || found[0].String() != want {
			t.Errorf("tokenVocab = %s: got %v, want %s", vocabulary, found, want)
		}
	}
}

// TestLoadFromAnotherRule checks that another start rule changes the checks and
// where parsing begins, but no numbers.
func TestLoadFromAnotherRule(t *testing.T) {
	source := grammars.Source{Name: "two.g4", Text: "grammar two;\na : 'x' b EOF ;\nb : 'y' ;\n"}
	first, err := grammars.Load(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	other, err := grammars.LoadWith(t.Context(), grammars.LoadOptions{Start: "b"}, source)
	if err != nil {
		t.Fatal(err)
	}
	if other.Start != "b" || other.Digest != first.Digest || len(other.Warnings) == len(first.Warnings) {
		t.Errorf("from b: start %s, digest equal %t, warnings %v; want b, true and others than %v",
			other.Start, other.Digest == first.Digest, other.Warnings, first.Warnings)
	}
	if _, err := grammars.LoadWith(t.Context(), grammars.LoadOptions{Start: "c"}, source); err == nil || err.Error() != "two.g4:1:9: grammar two has no parser rule c to start from" {
		t.Errorf("from c: %v", err)
	}
}

// TestTooManyNeededSymbols checks the limit on needed symbols, which are
// represented as bits.
func TestTooManyNeededSymbols(t *testing.T) {
	var text strings.Builder
	text.WriteString("grammar G;\ns :")
	for i := range 65 {
		fmt.Fprintf(&text, " r%d", i)
	}
	text.WriteString(" EOF ;\n")
	for i := range 65 {
		fmt.Fprintf(&text, "// inroad: needs r%d\nr%d : 'x%d' ;\n", i, i, i)
	}
	found := diagnose(t, grammars.Source{Name: "G.g4", Text: text.String()})
	if want := `G.g4:131:1: note "needs r64": rules need more than 64 different symbols`; len(found) != 1 || found[0].String() != want {
		t.Errorf("got %v, want %s", found, want)
	}
}
