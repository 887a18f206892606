package atn

import (
	"fmt"
	"slices"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// TestClasses checks that every character is in the class whose span contains
// it, also on pages with several classes.
func TestClasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		near := rapid.OneOf(rapid.Int32Range(1, 0x300), rapid.Int32Range(0xFF00, 0x10100), rapid.Int32Range(1, unicode.MaxRune))
		bounds := append(rapid.SliceOfN(near, 0, 20).Draw(t, "bounds"), 0, utf8.RuneSelf)
		slices.Sort(bounds)
		bounds = slices.Compact(bounds)
		c := newClasses(bounds)
		for class := range c.count {
			lo, hi := c.span(class)
			for _, char := range []rune{lo, (lo + hi) / 2, hi} {
				if !utf8.ValidRune(char) {
					continue
				}
				if got, _ := c.decode(utf8.AppendRune(nil, char)); int(got) != class {
					t.Fatalf("with bounds %v %U is of class %d, want %d", bounds, char, got, class)
				}
				if char < utf8.RuneSelf && int(c.ascii[char]) != class {
					t.Fatalf("with bounds %v %U is of class %d, want %d", bounds, char, c.ascii[char], class)
				}
			}
		}
		if lo, _ := c.span(0); lo != 0 {
			t.Fatalf("classes begin at %U", lo)
		}
		if _, hi := c.span(c.count - 1); hi != unicode.MaxRune {
			t.Fatalf("classes end at %U", hi)
		}
	})
}

// TestClassesOfNetworks checks that the characters of a class match the same
// edges and, in finer classes, the same parts of sets.
func TestClassesOfNetworks(t *testing.T) {
	spec := specOf(t, "lexer grammar G; A : [a-cb-eé] ~[x-z] . ; B : 'q' | 'b'..'d' | [\\p{Lu}] ;")
	net := rawLexerNetwork(spec)
	for name, classes := range map[string]*classes{"coarse": classesOf(net), "fine": finerClasses(net)} {
		for _, s := range net.states {
			for _, e := range s.edges {
				if !e.consumes() {
					continue
				}
				takes := classes.of(e)
				for class := range classes.count {
					lo, hi := classes.span(class)
					for char := lo; char <= min(hi, lo+300); char++ {
						if e.matches(char, unicode.MaxRune) != takes.has(int32(class)) {
							t.Fatalf("%s: %U is not like the others of class %d", name, char, class)
						}
						if name == "fine" && e.matches(char, unicode.MaxRune) && e.occurrenceOf(char) != e.occurrenceOf(lo) {
							t.Fatalf("%s: %U is in another part of a set than %U", name, char, lo)
						}
					}
				}
			}
		}
	}
}

// TestLexerCacheIsBounded checks that the size of the DFA is limited, and that
// the limit does not change the tokens.
func TestLexerCacheIsBounded(t *testing.T) {
	const text = "grammar G; s : (T | L)* EOF ; T : [ab]* 'a' [ab] [ab] [ab] [ab] [ab] [ab] [ab] [ab] 'c' ; L : [abc] ;"
	input := make([]byte, 20_000)
	state := uint32(1)
	for i := range input {
		state = state*1664525 + 1013904223
		input[i] = 'a' + byte(state>>24)&1
	}
	input = append(input, "abbbbbbbbcab"...)
	tokens := func(m *Machine) string {
		tree, err := m.parse(string(input))
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(tree.Tokens())
	}
	large, small := machineOf(t, text), machineOf(t, text)
	const most = 50_000
	small.lexer.maxSize = most
	if tokens(large) != tokens(small) {
		t.Error("tokens differ")
	}
	if size := large.lexer.cache.Load().size.Load(); size < 4*most {
		t.Fatalf("all that there is to hold takes %d bytes: nothing was thrown away", size)
	}
	if size := small.lexer.cache.Load().size.Load(); size > most+10_000 {
		t.Errorf("it holds %d bytes, want about %d at most", size, most)
	}
}
