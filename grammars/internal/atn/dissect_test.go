package atn

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/g4"
)

// An interpreter derives a text from a rule by backtracking: alternatives in
// order, greedily or not, until the end of the text is reached.
type interpreter struct {
	rules map[string]*g4.Rule
	text  string
	steps int
	out   []string
}

const maxInterpreted = 10_000 // steps; there can be very many

func (x *interpreter) derive(rule *g4.Rule, text string) string {
	x.text, x.steps, x.out = text, 0, []string{"(" + rule.Name}
	if !x.block(rule.Body, 0, func(at int) bool { return at == len(text) }) {
		return ""
	}
	return strings.Join(x.out, " ") + ")"
}

func (x *interpreter) block(b *g4.Block, at int, then func(int) bool) bool {
	for _, alt := range b.Alts {
		if x.elements(alt.Elements, at, then) {
			return true
		}
	}
	return false
}

func (x *interpreter) elements(es []g4.Element, at int, then func(int) bool) bool {
	if len(es) == 0 {
		return then(at)
	}
	return x.element(es[0], at, func(at int) bool { return x.elements(es[1:], at, then) })
}

func (x *interpreter) element(e g4.Element, at int, then func(int) bool) bool {
	if x.steps++; x.steps > maxInterpreted {
		return false
	}
	switch e := e.(type) {
	case *g4.Ref:
		rule := x.rules[e.Name]
		return x.kept("("+rule.Name, func() bool {
			return x.block(rule.Body, at, func(at int) bool {
				last := len(x.out) - 1
				before := x.out[last]
				x.out[last] += ")"
				if then(at) {
					return true
				}
				x.out[last] = before
				return false
			})
		})
	case *g4.Literal:
		return strings.HasPrefix(x.text[at:], e.Value) && x.took(e.Quoted(), at, at+len(e.Value), then)
	case *g4.Range:
		return x.char(at, func(c rune) string {
			if e.Lo <= c && c <= e.Hi {
				return e.Text
			}
			return ""
		}, then)
	case *g4.CharSet:
		return x.char(at, func(c rune) string {
			for _, item := range e.Items {
				for _, r := range item.Ranges {
					if r.Lo <= c && c <= r.Hi {
						return "[" + item.Text + "]"
					}
				}
			}
			return ""
		}, then)
	case *g4.Dot:
		return x.char(at, func(rune) string { return "any" }, then)
	case *g4.Block:
		return x.block(e, at, then)
	case *g4.Repeat:
		return x.repeat(e, at, e.Op == '+', then)
	default:
		panic(fmt.Sprintf("%T", e))
	}
}

func (x *interpreter) repeat(e *g4.Repeat, at int, must bool, then func(int) bool) bool {
	again := func() bool {
		return x.element(e.Body, at, func(to int) bool {
			if e.Op == '?' {
				return then(to)
			}
			return to > at && x.repeat(e, to, false, then)
		})
	}
	switch {
	case must:
		return again()
	case e.NonGreedy:
		return then(at) || again()
	default:
		return again() || then(at)
	}
}

func (x *interpreter) char(at int, symbol func(rune) string, then func(int) bool) bool {
	if at == len(x.text) {
		return false
	}
	c, width := utf8.DecodeRuneInString(x.text[at:])
	s := symbol(c)
	return s != "" && x.took(s, at, at+width, then)
}

func (x *interpreter) took(symbol string, from, to int, then func(int) bool) bool {
	return x.kept(symbol+"="+x.text[from:to], func() bool { return then(to) })
}

// empty reports whether an element can match the empty string.
func (x *interpreter) empty(e g4.Element) bool {
	switch e := e.(type) {
	case *g4.Ref:
		return x.empty(x.rules[e.Name].Body)
	case *g4.Block:
		return slices.ContainsFunc(e.Alts, func(alt *g4.Alt) bool {
			return !slices.ContainsFunc(alt.Elements, func(e g4.Element) bool { return !x.empty(e) })
		})
	case *g4.Repeat:
		return e.Op != '+' || x.empty(e.Body)
	default:
		return false
	}
}

// loops reports whether a rule repeats an element that can be empty. Such
// grammars are rejected on loading.
func (x *interpreter) loops(r *g4.Rule) bool {
	for e := range r.Body.Elements() {
		if repeat, ok := e.(*g4.Repeat); ok && repeat.Op != '?' && x.empty(repeat.Body) {
			return true
		}
	}
	return false
}

// kept writes an element, and removes it if the rest fails.
func (x *interpreter) kept(word string, then func() bool) bool {
	n := len(x.out)
	x.out = append(x.out, word)
	if then() {
		return true
	}
	x.out = x.out[:n]
	return false
}

// ruleWriter writes the right-hand side of a random lexer rule.
type ruleWriter struct {
	*rapid.T
	depth int
}

func (w *ruleWriter) pick(of ...string) string { return rapid.SampledFrom(of).Draw(w.T, "pick") }

func (w *ruleWriter) body() string {
	var alts []string
	for range rapid.IntRange(1, 3).Draw(w.T, "alternatives") {
		var elements []string
		for range rapid.IntRange(1, 3).Draw(w.T, "elements") {
			elements = append(elements, w.element())
		}
		alts = append(alts, strings.Join(elements, " "))
	}
	return strings.Join(alts, " | ")
}

func (w *ruleWriter) element() string {
	suffix := w.pick("", "", "", "?", "??", "*", "*?", "+", "+?")
	atom := w.pick("'a'", "'b'", "'ab'", "'é'", "[a-b]", "[b-cé]", "[a-cb-d]", "'a'..'c'", ".", "F", "H", "('a' | 'b'..'d')", "block")
	switch {
	case atom != "block":
		return atom + suffix
	case w.depth == 2:
		return "'c'" + suffix
	}
	w.depth++
	defer func() { w.depth-- }()
	return "(" + w.body() + ")" + suffix
}

// TestDissectFirstDerivation checks that the tree inside a token is the
// first one of its rule, with and without memoization and caches.
func TestDissectFirstDerivation(t *testing.T) {
	texts := []string{"a", "a", "b", "ab", "c", "d", "é"}
	tokens, trees := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := &ruleWriter{T: t}
		grammar := fmt.Sprintf("lexer grammar G; T : %s ; fragment F : %s ; fragment H : 'a' ('b' H)? | [c-d] ;", w.body(), strings.ReplaceAll(w.body(), "F", "H"))
		spec := specOf(t, grammar)
		x := &interpreter{rules: map[string]*g4.Rule{}}
		for _, r := range spec.LexerRules {
			x.rules[r.Name] = r
		}
		if slices.ContainsFunc(spec.LexerRules, x.loops) {
			t.Skip("it repeats what can be nothing: loading refuses it")
		}
		lexer := newLexer(lexerNetwork(spec))
		m := &Machine{lexer: lexer, predictor: &predictor{net: &flatNetwork{}}}
		d := newDissector(spec)
		forgetful := newDissector(spec)
		forgetful.dfa.maxSize = 0
		match := m.TokenRules(context.Background(), 1<<20)
		for range 20 {
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(texts), 1, 8).Draw(t, "text"), "")
			if rule, err := match(0, text); rule != 0 || err != nil {
				continue
			}
			tokens++
			want := x.derive(x.rules["T"], text)
			if x.steps > maxInterpreted {
				continue
			}
			trees++
			for name, got := range map[string]string{
				"careless":  derived(t, d, text, false),
				"careful":   derived(t, d, text, true),
				"forgetful": derived(t, forgetful, text, false),
			} {
				if got != want {
					t.Fatalf("%s\n%s, %s: got %s, want %s", grammar, text, name, got, want)
				}
			}
		}
	})
	t.Logf("%d tokens, %d of them compared", tokens, trees)
	if trees == 0 || trees < tokens/2 { // how many there are depends on chance, and on -short
		t.Errorf("of %d tokens only %d were compared", tokens, trees)
	}
}

// derived derives a token of rule 0 in the middle of an input.
func derived(t failer, d *dissector, text string, careful bool) string {
	t.Helper()
	c := d.dissect([]byte("->" + text + "<-"))
	token := derivation.Token{Type: 1, Start: 2, End: int32(2 + len(text))}
	if !careful {
		tree, err := c.derive(&token, nil)
		if err != nil {
			t.Fatal(err)
		}
		return lisp(tree)
	}
	c.maxSteps, c.maxNodes, c.table = c.stepsLeft, maxTokenNodes, c.dfa.table.Load()
	c.end, c.depth = token.End, 1
	c.tree.Open(0, 0, derivation.None)
	if found, limit := c.search(position{c.dfa.starts[0], token.Start, -1}, true); !found {
		t.Fatalf("nothing found: %v", limit)
	}
	c.tree.CloseFrom(0)
	c.tree.TokenTree(c.input, token.Start, token.End, c.names, &c.out)
	return lisp(&c.out)
}

// TestDissectWithoutChoices checks that a deterministic rule is derived without
// choices, in a few steps per character.
func TestDissectWithoutChoices(t *testing.T) {
	const number = "NUMBER : '-'? INT FRAC? EXP? ; fragment INT : '0' | [1-9] [0-9]* ; fragment FRAC : '.' [0-9]+ ; fragment EXP : [eE] [+\\-]? [0-9]+ ;"
	tests := map[string]struct{ rules, text string }{
		"a number":          {number, "-120.250e+13"},
		"a string":          {`S : '"' (~["\\] | ESC)* '"' ; fragment ESC : '\\' (["\\/] | U) ; fragment U : 'u' H H H H ; fragment H : [0-9a-f] ;`, `"ab\"c\u00e9d"`},
		"a line":            {"L : '//' ~[\\r\\n]* '\\r'? '\\n' ;", "// some words\r\n"},
		"an identifier":     {"I : LETTER (LETTER | DIGIT)* ; fragment LETTER : [a-zA-Z_] ; fragment DIGIT : [0-9] ;", "ab1c_2"},
		"brackets":          {"B : '(' (B | ~[()])* ')' ;", "(a(b)(c(d)))"},
		"letters, not ours": {"W : [\\p{L}]+ ;", "λόγος"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := newDissector(specOf(t, "lexer grammar G; "+test.rules)).dissect([]byte(test.text + " "))
			if _, err := c.derive(&derivation.Token{Type: 1, End: int32(len(test.text))}, nil); err != nil {
				t.Fatal(err)
			}
			if cap(c.choices) > 0 {
				t.Errorf("there was a choice")
			}
			if most := 5 * len(test.text); c.steps > most {
				t.Errorf("%d steps, want at most %d", c.steps, most)
			}
		})
	}
}

// TestDissectLimits checks the step limits for all tokens of an input and for a
// single token.
func TestDissectLimits(t *testing.T) {
	const rules = "lexer grammar G; T : F 'b' ; fragment F : 'a' | 'a' F | 'a' F F | 'a' F F F ;"
	text := strings.Repeat("a", 200) + "c"
	d := newDissector(specOf(t, rules))
	c := d.dissect([]byte(text + " "))
	token := &derivation.Token{Type: 1, End: int32(len(text))} // which it is not: all ways are tried
	_, err := c.derive(token, nil)
	if got, want := fmt.Sprint(err), fmt.Sprintf("steps to derive a token: limit of %d reached", maxTokenSteps+stepsPerByte*len(text)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	c.stepsLeft = 100
	_, err = c.derive(token, nil)
	if got, want := fmt.Sprint(err), fmt.Sprintf("steps to derive tokens: limit of %d reached", maxInputSteps+stepsPerByte*(len(text)+1)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestShortTokens checks that the trees of recurring short tokens are cached,
// by everything that affects them.
func TestShortTokens(t *testing.T) {
	spec := specOf(t, "lexer grammar G; A : [a-z]+ ; B : [a-z] [a-z]* ; E : 'x' EOF? ; WS : ' ' -> skip ;")
	d := newDissector(spec)
	inside := func(input string, rule, start, end int32) (*derivation.Tree, string) {
		tree, err := d.dissect([]byte(input)).derive(&derivation.Token{Type: rule + 1, Rule: rule, Start: start, End: end}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return tree, lisp(tree)
	}
	for round := range 3 {
		tree, got := inside("ab cd", 0, 0, 2)
		if want := "(A [a-z]=a [a-z]=b)"; got != want || tree.CacheID() > 0 != (round == 2) {
			t.Errorf("round %d: got %s, want %s; kept %v", round, got, want, tree.CacheID())
		}
	}
	before, _ := inside("ab cd", 0, 0, 2)
	after, got := inside("no ab, but", 0, 3, 5)
	if before != after || got != "(A [a-z]=a [a-z]=b)" {
		t.Errorf("elsewhere: got %s, which is the same: %v", got, before == after)
	}
	for range 3 {
		if _, got := inside("ab cd", 1, 0, 2); got != "(B [a-z]=a [a-z]=b)" {
			t.Errorf("by another rule: got %s", got)
		}
		if _, got := inside("x ", 2, 0, 1); got != "(E 'x'=x)" {
			t.Errorf("before the end: got %s", got)
		}
		if _, got := inside("x", 2, 0, 1); got != "(E 'x'=x EOF=)" {
			t.Errorf("at the end: got %s", got)
		}
	}
	for _, text := range []string{"", "a", "abcdefgh", "abcdefghi"} {
		_, got := inside(text+"\x00\x00\x00\x00\x00\x00\x00\x00\x00", 0, 0, int32(len(text)))
		if want := strings.Count(got, "[a-z]"); want != len(text) {
			t.Errorf("%q: got %s", text, got)
		}
	}
}

// TestDissectConcurrently checks concurrent derivations while the table is discarded
// repeatedly.
func TestDissectConcurrently(t *testing.T) {
	d := newDissector(specOf(t, "lexer grammar G; T : F+ ; fragment F : [a-c] G? | . ; fragment G : 'x' | 'y' G ;"))
	d.dfa.maxSize = 2000
	texts := []string{"axbyyx", "ccc", "ayyyyx", "éab", "zzayx", "bxbxbxbxbxbxbx"}
	want := make([]string, len(texts))
	for i, text := range texts {
		want[i] = derived(t, d, text, true)
	}
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := range 300 {
				text := (worker + i) % len(texts)
				if got := derived(t, d, texts[text], false); got != want[text] {
					t.Errorf("got %s, want %s", got, want[text])
				}
			}
		})
	}
	group.Wait()
}
