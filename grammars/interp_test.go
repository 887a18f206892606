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

// The automata are the ANTLR tool's, state for state. The .interp files are
// what `antlr4 FILE.g4` of version 4.13.1 writes.
func TestAutomataAreTheTools(t *testing.T) {
	interps, err := filepath.Glob("testdata/interp/*.interp")
	if err != nil || len(interps) == 0 {
		t.Fatalf("no .interp files: %v", err)
	}
	for _, path := range interps {
		name := strings.TrimSuffix(filepath.Base(path), ".interp")
		if strings.HasSuffix(name, "Lexer") {
			continue // compared with its parser
		}
		t.Run(name, func(t *testing.T) {
			sources := sourcesOf(t, filepath.Join("testdata/interp", strings.TrimSuffix(name, "Parser")))
			lexer := strings.TrimSuffix(name, "Parser") + "Lexer.interp"
			compareAutomata(t, sources, filepath.Join("testdata/interp", lexer), path)
		})
	}
}

// sourcesOf reads BASE.g4, or BASELexer.g4 and BASEParser.g4, with BASEImport.g4
// if there is one.
func sourcesOf(t *testing.T, base string) []Source {
	t.Helper()
	var out []Source
	for _, suffix := range []string{"", "Lexer", "Parser", "Import"} {
		path := base + suffix + ".g4"
		text, err := os.ReadFile(path)
		if err == nil {
			out = append(out, Source{path, string(text)})
		}
	}
	return out
}

func compareAutomata(t *testing.T, sources []Source, lexerInterp, parserInterp string) {
	t.Helper()
	g, err := Load(sources...)
	if err != nil {
		t.Fatal(err)
	}
	lexer, parser := g.machine.Serialized()
	for _, c := range []struct {
		path string
		got  []int32
	}{{lexerInterp, lexer}, {parserInterp, parser}} {
		if want := readInterp(t, c.path); !slices.Equal(c.got, want) {
			i := 0
			for i < min(len(c.got), len(want)) && c.got[i] == want[i] {
				i++
			}
			t.Errorf("%s: %d numbers, want %d; they differ at %d: got %v, want %v", c.path, len(c.got), len(want), i,
				c.got[i:min(i+12, len(c.got))], want[i:min(i+12, len(want))])
		}
	}
}

// readInterp returns the serialised automaton of an .interp file, its last line.
func readInterp(t *testing.T, path string) []int32 {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	var out []int32
	for field := range strings.SplitSeq(strings.Trim(lines[len(lines)-1], "[]"), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, int32(n))
	}
	return out
}

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
			var sources []Source
			for file := range strings.SplitSeq(fields[1], ",") {
				text, err := os.ReadFile(filepath.Join(*rootFlag, fields[0], file))
				if err != nil {
					t.Fatal(err)
				}
				sources = append(sources, Source{file, string(text)})
			}
			g, err := Load(sources...)
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(*interpFlag, strings.ReplaceAll(fields[0], "/", "__"))
			lexer, parser := g.machine.Serialized()
			all, err := filepath.Glob(filepath.Join(dir, "*.interp"))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range all {
				want := readInterp(t, path)
				got := parser
				if want[1] == 0 {
					got = lexer
				}
				if !slices.Equal(got, want) {
					i := 0
					for i < min(len(got), len(want)) && got[i] == want[i] {
						i++
					}
					t.Errorf("%s: %d numbers, want %d; they differ at %d: got %v, want %v", filepath.Base(path), len(got), len(want), i,
						got[i:min(i+12, len(got))], want[i:min(i+12, len(want))])
				}
			}
		})
	}
}
