package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// write writes files below a new folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestFind(t *testing.T) {
	root := write(t, map[string]string{
		// A combined grammar; the pom names the start rule.
		"list/List.g4":             "grammar List; items : list EOF ; list : A* ; A : 'a' ;",
		"list/pom.xml":             "<project><configuration><entryPoint>list</entryPoint><grammarName>List</grammarName></configuration></project>",
		"list/examples/one":        "a",
		"list/examples/sub/two":    "aa",
		"list/examples/bad":        "b",
		"list/examples/bad.errors": "line 1",
		// A parser with a lexer and an import; desc.xml has no entry, so that the rules tell.
		"split/PParser.g4":    "parser grammar PParser; options { tokenVocab = PLexer; } import Rest; part : rest ; file : part EOF ;",
		"split/PLexer.g4":     "lexer grammar PLexer; A : 'a' ;",
		"split/Rest.g4":       "parser grammar Rest; rest : A ;",
		"split/desc.xml":      "<desc><targets>Java</targets><test><inputs>some/*.p</inputs></test></desc>",
		"split/some/one.p":    "a",
		"split/some/one.tree": "(file a)",
		// Two grammars in one folder, one of them with code.
		"two/desc.xml": "<desc><test><grammar-name>Y</grammar-name><entry-point>y</entry-point><file-encoding>latin1</file-encoding></test></desc>",
		"two/X.g4":     "grammar X; x : {p()}? 'x' EOF ;",
		"two/Y.g4":     "grammar Y; z : y EOF ; y : 'y' ;",
		// A folder without a description.
		"none/Z.g4": "grammar Z; z : 'z' ;",
	})
	units, err := find(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, u := range units {
		line := []string{u.Name, strings.Join(u.Files, "+"), u.Start, u.StartFrom, strings.Join(u.Examples, "+")}
		if u.Impure {
			line = append(line, "impure")
		}
		if u.Latin1 {
			line = append(line, "latin1")
		}
		got = append(got, strings.Join(line, " "))
	}
	want := []string{
		"list list/List.g4 list pom.xml list/examples/one+list/examples/sub/two",
		"split split/PParser.g4+split/Rest.g4+split/PLexer.g4 file rules split/some/one.p",
		"two:X two/X.g4 x rules  impure latin1",
		"two:Y two/Y.g4 y desc.xml  latin1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
