package grammars

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	unitsFlag  = flag.String("units", "", "also compare the automata of the grammars in this list: lines of folder, tab, files joined by commas")
	rootFlag   = flag.String("units-root", "", "where the folders of -units are")
	interpFlag = flag.String("units-interp", "", "where the .interp files of -units are: a folder each, / written as __")
)

// TestAutomataEqualTheTools checks that the automata equal those of the ANTLR
// tool, state by state.
func TestAutomataEqualTheTools(t *testing.T) {
	folders, err := filepath.Glob("testdata/interp/[a-z]*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no grammars: %v", err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join(folder, "*.g4"))
			if err != nil {
				t.Fatal(err)
			}
			if len(files) == 0 {
				files = []string{filepath.Join("bundled", filepath.Base(folder)+".g4")}
			}
			compareAutomata(t, files, folder)
		})
	}
}

// TestAutomataOfUnits compares further grammars, given by flags.
func TestAutomataOfUnits(t *testing.T) {
	if *unitsFlag == "" {
		t.Skip("give -units to compare further grammars")
	}
	list, err := os.ReadFile(*unitsFlag)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		fields := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(fields) < 2 || fields[0] == "folder" {
			continue
		}
		t.Run(fields[0], func(t *testing.T) {
			var files []string
			for file := range strings.SplitSeq(fields[1], ",") {
				files = append(files, filepath.Join(*rootFlag, fields[0], file))
			}
			compareAutomata(t, files, filepath.Join(*interpFlag, strings.ReplaceAll(fields[0], "/", "__")))
		})
	}
}

// compareAutomata loads a grammar and compares its automata and names with the
// two .interp files, of a parser and a lexer, in a folder.
func compareAutomata(t *testing.T, files []string, folder string) {
	t.Helper()
	var sources []Source
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, Source{file, string(text)})
	}
	g, err := Load(t.Context(), sources...)
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(folder, "*.interp"))
	if err != nil || len(paths) != 2 {
		t.Fatalf("%s: %d .interp files, want 2; %v", folder, len(paths), err)
	}
	lexer, parser := g.machine.Serialized()
	kinds := map[bool]int{}
	for _, path := range paths {
		want := readInterp(t, path)
		isLexer := want.automaton[1] == 0
		kinds[isLexer]++
		got, rules := parser, g.ParserRules()
		if isLexer {
			got, rules = lexer, g.Rules[len(rules):]
		}
		if i := difference(got, want.automaton); i >= 0 {
			t.Errorf("%s: %d numbers, want %d; they differ at %d: got %v, want %v", path, len(got), len(want.automaton), i,
				got[i:min(i+12, len(got))], want.automaton[i:min(i+12, len(want.automaton))])
		}
		var names []string
		for _, r := range rules {
			names = append(names, r.Name)
		}
		if !slices.Equal(names, want.rules) {
			t.Errorf("%s: rules are\n%v, want\n%v", path, names, want.rules)
		}
		if !isLexer && !slices.Equal(g.Tokens()[1:], want.tokens) {
			t.Errorf("%s: tokens are\n%q, want\n%q", path, g.Tokens()[1:], want.tokens)
		}
	}
	if kinds[true] != 1 || kinds[false] != 1 {
		t.Errorf("%s: want a parser's and a lexer's .interp file, found %v", folder, paths)
	}
}

// difference returns the first index at which the lists differ, or -1.
func difference(a, b []int32) int {
	if slices.Equal(a, b) {
		return -1
	}
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return i
}

// An interp is an .interp file.
type interp struct {
	rules     []string
	tokens    []string // by type from 1: the literal, or else the name
	automaton []int32
}

func readInterp(t *testing.T, path string) interp {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string][]string{}
	title := ""
	for line := range strings.SplitSeq(string(text), "\n") {
		switch name, isTitle := strings.CutSuffix(line, ":"); {
		case isTitle && name != "'":
			title = name
		case line != "":
			sections[title] = append(sections[title], line)
		}
	}
	out := interp{rules: sections["rule names"]}
	symbolic := sections["token symbolic names"]
	for i, literal := range sections["token literal names"] {
		switch {
		case i == 0:
		case literal == "null":
			out.tokens = append(out.tokens, symbolic[i])
		default:
			out.tokens = append(out.tokens, literal)
		}
	}
	for field := range strings.SplitSeq(strings.Trim(strings.Join(sections["atn"], ""), "[]"), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out.automaton = append(out.automaton, int32(n))
	}
	return out
}
