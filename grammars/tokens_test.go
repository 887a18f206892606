package grammars

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/internal/antlrlex"
	"github.com/inroad/inroad/grammars/limit"
)

// tokenGrammar is a parser grammar whose start rule accepts any sequence of
// tokens.
func tokenGrammar(lexer string, types ...string) []Source {
	return []Source{
		{Name: "P.g4", Text: "parser grammar P; options {tokenVocab=L;} s : (" + strings.Join(types, " | ") + " | .)* EOF ;"},
		{Name: "L.g4", Text: lexer},
	}
}

// A lexerWriter generates small lexer grammars.
type lexerWriter struct {
	t     *rapid.T
	depth int
	modes bool
}

func (w *lexerWriter) oneIn(n int) bool { return rapid.IntRange(1, n).Draw(w.t, "one in") == n }

func (w *lexerWriter) pick(label string, of ...string) string {
	return rapid.SampledFrom(of).Draw(w.t, label)
}

// randomLexer returns a lexer grammar with the tokens T0, T1, T2 and X. It may
// be invalid.
func randomLexer(t *rapid.T) string {
	w := &lexerWriter{t: t, modes: rapid.Bool().Draw(t, "modes")}
	var b strings.Builder
	b.WriteString("lexer grammar L; tokens { X }\n")
	if w.oneIn(4) {
		b.WriteString("options { caseInsensitive = true; }\n")
	}
	for i := range 3 {
		fmt.Fprintf(&b, "T%d : %s%s ;\n", i, w.alternatives(), w.commands())
	}
	fmt.Fprintf(&b, "W : %s -> skip ;\n", w.alternatives())
	b.WriteString("fragment F : " + w.alternatives() + " ;\n")
	fmt.Fprintf(&b, "fragment R : %s (%s R)? | %s ;\n", w.elements(1), w.elements(1), w.elements(2))
	if w.oneIn(2) {
		b.WriteString("REST : . -> channel(HIDDEN) ;\n")
	}
	if w.modes {
		fmt.Fprintf(&b, "mode M;\nM0 : %s%s ;\nM1 : . -> type(X)%s ;\n", w.alternatives(), w.commands(), w.pick("back", "", ", popMode", ", mode(DEFAULT_MODE)"))
	}
	return b.String()
}

func (w *lexerWriter) commands() string {
	all := []string{"", "", "", " -> skip", " -> channel(HIDDEN)", " -> channel(7)", " -> more", " -> type(X)", " -> type(T0), channel(HIDDEN)"}
	if w.modes {
		all = append(all, " -> pushMode(M)", " -> mode(M)", " -> popMode", " -> more, mode(M)", " -> more, pushMode(M)", " -> type(X), popMode", " -> skip, mode(DEFAULT_MODE)")
	}
	return w.pick("commands", all...)
}

func (w *lexerWriter) alternatives() string {
	var alts []string
	for range rapid.IntRange(1, 3).Draw(w.t, "alternatives") {
		alts = append(alts, w.elements(3))
	}
	if w.depth > 0 && w.oneIn(8) {
		alts = append(alts, "")
	}
	return strings.Join(alts, " | ")
}

func (w *lexerWriter) elements(most int) string {
	var elements []string
	for range rapid.IntRange(1, most).Draw(w.t, "elements") {
		elements = append(elements, w.element())
	}
	return strings.Join(elements, " ")
}

func (w *lexerWriter) element() string {
	suffix := w.pick("suffix", "", "", "", "", "?", "*", "+", "??", "*?", "+?")
	switch w.pick("element", "literal", "literal", "set", "set", "set", "fragment", "block", "end") {
	case "set":
		return w.pick("set", "[a-c]", "[ab]", "[A-Cx]", "[a-bé]", "'a'..'c'", "~[ab]", "~'a'", ".", "[\\p{Lu}]", "[ \\n]") + suffix
	case "fragment":
		return w.pick("fragment", "F", "R") + suffix
	case "block":
		if w.depth < 2 {
			w.depth++
			text := "(" + w.alternatives() + ")" + suffix
			w.depth--
			return text
		}
	case "end":
		if w.oneIn(6) {
			return "EOF"
		}
	}
	return w.pick("literal", "'a'", "'b'", "'ab'", "'aB'", "'abc'", "'é'", "'x'") + suffix
}

// lexed is a loaded grammar of [randomLexer].
type lexed struct {
	*Grammar
	text  string
	lexer []int32
}

func randomLexers() *rapid.Generator[*lexed] {
	return rapid.Custom(func(t *rapid.T) *lexed {
		text := randomLexer(t)
		g, err := Load(t.Context(), tokenGrammar(text, "T0", "T1", "T2", "X")...)
		if err != nil {
			t.Skip(err) // not a grammar: rapid draws another
		}
		lexer, _ := g.machine.Serialized()
		return &lexed{g, text, lexer}
	})
}

func randomText(t *rapid.T) string {
	chars := []string{"a", "a", "b", "b", "c", "x", "A", "B", "é", "É", " ", "\n", "ab", "abc", "λ"}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(chars), 0, 12).Draw(t, "text"), "")
}

// TestLexersAgreeOnRandomGrammars checks that our lexer finds the same tokens
// and errors as the ANTLR runtime, and that the tree inside each token derives
// it.
func TestLexersAgreeOnRandomGrammars(t *testing.T) {
	lexers := randomLexers()
	rounds := 1
	if flag.Lookup("long").Value.String() == "true" {
		rounds = 300
	}
	lexedWell, all := 0, 0
	for range rounds {
		rapid.Check(t, func(r *rapid.T) {
			g := lexers.Draw(r, "grammar")
			for range 20 {
				text := randomText(r)
				all++
				if compareLexers(r, g, text) {
					lexedWell++
				}
			}
		})
		if t.Failed() {
			return
		}
	}
	t.Logf("%d of %d texts are tokens", lexedWell, all)
	if lexedWell < all/4 {
		t.Errorf("only %d of %d texts are tokens", lexedWell, all)
	}
}

func compareLexers(t *rapid.T, g *lexed, text string) bool {
	want, wantErr := antlrlex.Lex(g.lexer, text)
	tree, err := g.Parse(context.Background(), []byte(text), ParseOptions{Limits: Limits{Time: time.Minute}})
	var syntax *SyntaxError
	var lexical *antlrlex.Error
	var over *limit.Error
	switch {
	case errors.As(err, &over): // hostile enough to be refused; the runtime takes minutes
		return false
	case errors.As(err, &syntax) && errors.As(wantErr, &lexical):
		if syntax.Offset != lexical.Start {
			t.Fatalf("lex %q by\n%s: error at byte %d, ANTLR says %v", text, g.text, syntax.Offset, lexical)
		}
		return false
	case err != nil || wantErr != nil:
		t.Fatalf("lex %q by\n%s: %v, ANTLR says %v %v", text, g.text, err, want, wantErr)
	}
	var got []antlrlex.Token
	for i, token := range tree.Tokens() {
		if !token.Skipped {
			got = append(got, antlrlex.Token{Type: int(token.Type), Channel: int(token.Channel), Start: int(token.Start), End: int(token.End)})
		}
		checkInside(t, g, tree, i)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("lex %q by\n%s (-ANTLR +ours):\n%s", text, g.text, diff)
	}
	return true
}

// checkInside checks that the tree inside a token derives its text, and that
// parents and children are connected in the graph.
func checkInside(t interface{ Fatalf(string, ...any) }, g *lexed, tree *derivation.Tree, token int) {
	of := tree.Tokens()[token]
	if of.Rule < 0 {
		return
	}
	text := string(tree.Input()[of.Start:of.End])
	inside, err := tree.Dissect(token)
	if err != nil || inside == nil {
		t.Fatalf("inside of %q by\n%s: %v, %v", text, g.text, inside, err)
		return
	}
	if inside.String() != text {
		t.Fatalf("inside of %q by\n%s prints as %q", text, g.text, inside)
	}
	top := topOf(g.Grammar, tree, token)
	if top == nil {
		t.Fatalf("%q by\n%s is no token of the grammar", text, g.text)
		return
	}
	if top.Kind == TokenSet {
		return // there is nothing below it in the graph
	}
	way := []*Node{top}
	for depth, n := range inside.All() {
		if depth == 0 {
			continue
		}
		o := n.Occurrence()
		if o < 0 || int(o) >= len(g.Nodes) {
			t.Fatalf("inside of %q by\n%s: %s has occurrence %d", text, g.text, n.Name(), o)
			return
		}
		symbol := g.Nodes[o]
		if above := way[depth-1]; len(above.Children) != 1 || !leadsTo(above.Children[0], symbol) {
			t.Fatalf("inside of %q by\n%s: %s %d is not below %s %d", text, g.text, symbol.Text, o, above.Text, above.ID)
		}
		if !instance(g.Grammar, n, symbol) {
			t.Fatalf("inside of %q by\n%s: %s %q is no instance of %v %s", text, g.text, n.Name(), n.Text(), symbol.Kind, symbol.Text)
		}
		way = append(way[:depth], symbol)
	}
}

// topOf returns the graph node that a token is an instance of.
func topOf(g *Grammar, tree *derivation.Tree, token int) *Node {
	for i, o := range tree.Trivia() {
		if i == token && o >= 0 {
			return g.Nodes[o]
		}
	}
	for _, n := range tree.All() {
		if n.Kind() == derivation.Leaf && n.Token() == tree.Tokens()[token] {
			return g.Nodes[n.Occurrence()]
		}
	}
	return nil
}

// leadsTo reports whether a symbol is reachable from a node without passing
// another symbol.
func leadsTo(from, symbol *Node) bool {
	if from == symbol {
		return true
	}
	if from.Kind.Symbolic() {
		return false
	}
	for _, child := range from.Children {
		if leadsTo(child, symbol) {
			return true
		}
	}
	return false
}

// instance reports whether a tree node can be an instance of a symbol.
func instance(g *Grammar, n derivation.Node, symbol *Node) bool {
	switch n.Kind() {
	case derivation.Rule:
		return symbol.Kind == Reference && symbol.Target == g.Rules[len(g.ParserRules())+n.Rule()] && n.Name() == symbol.Target.Name
	case derivation.Empty:
		return symbol.Kind == Empty
	}
	switch symbol.Kind {
	case End:
		return n.Text() == ""
	case Literal:
		return n.Text() == symbol.Value || symbol.FoldCase && strings.EqualFold(n.Text(), symbol.Value)
	case CharSet:
		char, width := utf8.DecodeRuneInString(n.Text())
		for _, r := range symbol.Chars {
			if r.Lo <= char && char <= r.Hi && width == len(n.Text()) {
				return true
			}
		}
	}
	return false
}

// shown returns the tree inside a token: rules in parentheses, and the text
// that each symbol matched.
func shown(tree *derivation.Tree) string {
	var b strings.Builder
	open := 0
	for depth, n := range tree.All() {
		for ; open > depth; open-- {
			b.WriteByte(')')
		}
		if depth > 0 {
			b.WriteByte(' ')
		}
		switch n.Kind() {
		case derivation.Rule:
			b.WriteString("(" + n.Name())
			open++
		case derivation.Empty:
			b.WriteString(`""`)
		default:
			b.WriteString(n.Name())
			if n.Text() != strings.Trim(n.Name(), "'") {
				b.WriteString("=" + n.Text())
			}
		}
	}
	return b.String() + strings.Repeat(")", open)
}

func TestDissectTokens(t *testing.T) {
	const texts = `lexer grammar L; tokens { STRING } WORD : [a-z]+ ; UP : [A-Z]+ -> type(WORD) ; OPEN : '"' -> more, mode(M) ;
		BLANK : (' ' | '\t')+ -> skip ; NOTE : '#' ~[\n]* -> channel(HIDDEN) ; HALF : '/*' -> more, pushMode(C) ;
		mode M; ESC : '\\' . -> more ; CHAR : ~["\\] -> more ; END : '"' -> type(STRING), mode(DEFAULT_MODE) ;
		mode C; IN : . -> more ; OUT : '*/' -> skip, popMode ;`
	tests := []struct {
		name  string
		lexer string
		input string
		want  []string // a token each
	}{
		{"as much as can be", "lexer grammar L; T : [a-b]* [b-c]? ;", "abc", []string{"(T [a-b]=a [a-b]=b [b-c]=c)"}},
		{"as much as can be, and leave enough", "lexer grammar L; T : [a-b]* [b-c] ;", "abb", []string{"(T [a-b]=a [a-b]=b [b-c]=b)"}},
		{"as little as can be", "lexer grammar L; T : [a-b]*? [b-c]+ ;", "abbc", []string{"(T [a-b]=a [b-c]=b [b-c]=b [b-c]=c)"}},
		{"an option that is taken", "lexer grammar L; T : [a-b]? [a-c]? 'd' ;", "ad", []string{"(T [a-b]=a 'd')"}},
		{"an option that is not taken", "lexer grammar L; T : [a-b]?? [a-c]? 'd' ;", "ad", []string{"(T [a-c]=a 'd')"}},
		{"an option that must be taken", "lexer grammar L; T : [a-b]?? [a-c]? 'd' ;", "aad", []string{"(T [a-b]=a [a-c]=a 'd')"}},
		{"as few as can be, but one", "lexer grammar L; T : [a-b]+? [b-c]* 'd' ;", "abbd", []string{"(T [a-b]=a [b-c]=b [b-c]=b 'd')"}},
		{"the first alternative that will do", "lexer grammar L; T : ([a-b] | [b-c])+ ;", "abc", []string{"(T [a-b]=a [a-b]=b [b-c]=c)"}},
		{"the first alternative that leads to the end", "lexer grammar L; T : ('a' | 'ab') ('c' | 'bcd')? ;", "abc", []string{"(T 'ab' 'c')"}},
		{"the first alternative that leads to the end, too", "lexer grammar L; T : ('a' | 'ab') ('c' | 'bcd')? ;", "abcd", []string{"(T 'a' 'bcd')"}},
		{"items of a set", `lexer grammar L; T : [a-cx\-\p{Lu}]+ ;`, "bx-Q", []string{`(T [a-c]=b [x]=x [\-]=- [\p{Lu}]=Q)`}},
		{"items that overlap", `lexer grammar L; T : [a-cb-dc]+ ;`, "acd", []string{"(T [a-c]=a [a-c]=c [b-d]=d)"}},
		{"a set of alternatives", `lexer grammar L; T : ('a' | 'b'..'d' | 'e')+ ;`, "ace", []string{"(T 'a' 'b'..'d'=c 'e')"}},
		{"a negated set", `lexer grammar L; T : ~[ab] . ;`, "xa", []string{"(T ~[ab]=x .=a)"}},
		{"either case", "lexer grammar L; options {caseInsensitive=true;} T : 'ab' [x-z] ('q' | 'r') ;", "aBYR", []string{"(T 'ab'=aB [x-z]=Y 'r'=R)"}},
		{"the end of the input", "lexer grammar L; T : 'a' ('b' | EOF) ;", "aba", []string{"(T 'a' 'b')", "(T 'a' EOF=)"}},
		{"empty alternatives", "lexer grammar L; T : 'a' ('b' | ) ( | 'c') ;", "aab", []string{`(T 'a' "" "")`, `(T 'a' 'b' "")`}},
		{"fragments", "lexer grammar L; T : F F? ; fragment F : 'a' G | G ; fragment G : [0-9] G? ;", "a12a3", []string{"(T (F 'a' (G [0-9]=1 (G [0-9]=2))) (F 'a' (G [0-9]=3)))"}},
		{"literals of several characters", "lexer grammar L; T : 'aé' 'λ😀' ;", "aéλ😀", []string{"(T 'aé' 'λ😀')"}},
		{"several rules", texts, `ab"c\""CD`, []string{"(WORD [a-z]=a [a-z]=b)", `(END (OPEN '"') (CHAR ~["\\]=c) (ESC '\\'=\ .=") (END '"'))`, "(UP (UP [A-Z]=C [A-Z]=D))"}},
		{"trivia", texts, "a \t#b!", []string{"(WORD [a-z]=a)", "(BLANK ' ' '\\t'=\t)", `(NOTE '#' ~[\n]=b ~[\n]=!)`}},
		{"trivia over several rules", texts, "a/*b*/ /**/", []string{"(WORD [a-z]=a)", "(OUT (HALF '/*') (IN .=b) '*/')", "(BLANK ' ')", "(OUT (HALF '/*') '*/')"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			types := []string{"T"}
			if test.lexer == texts {
				types = []string{"WORD", "STRING"}
			}
			g, err := Load(t.Context(), tokenGrammar(test.lexer, types...)...)
			if err != nil {
				t.Fatal(err)
			}
			tree, err := g.Parse(t.Context(), []byte(test.input), ParseOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i, token := range tree.Tokens() {
				inside, err := tree.Dissect(i)
				if err != nil {
					t.Fatal(err)
				}
				if (inside == nil) != (token.Type == derivation.EOF) {
					t.Errorf("token %d has %v inside", i, inside)
					continue
				}
				if inside != nil {
					got = append(got, shown(inside))
					checkInside(t, &lexed{Grammar: g, text: test.lexer}, tree, i)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestDissectAmbiguousTokens checks that tokens of highly ambiguous rules are
// derived quickly or not at all.
func TestDissectAmbiguousTokens(t *testing.T) {
	tests := map[string]struct{ rules, input string }{
		"equal alternatives":          {"T : ('a' | 'a')* 'b' ;", strings.Repeat("a", 20_000) + "b"},
		"loops in each other":         {"T : (('a'+)+ 'x'?)+ 'b' ;", strings.Repeat("a", 5_000) + "b"},
		"loops after each other":      {"T : 'a'* 'a'* 'a'* 'a'* 'b' ;", strings.Repeat("a", 5_000) + "b"},
		"options":                     {"T : " + strings.Repeat("'a'? ", 200) + strings.Repeat("'a' ", 200) + ";", strings.Repeat("a", 200)},
		"loops that end early":        {"T : .*? .*? .*? 'b' ;", strings.Repeat("a", 3_000) + "b"},
		"recursion":                   {"T : '(' (T | 'a' | 'a')* ')' ;", strings.Repeat("(a", 900) + strings.Repeat(")", 900)},
		"recursion in many ways":      {"T : F ; fragment F : 'a' F | 'a' F 'a' | 'a' ;", strings.Repeat("a", 300)},
		"recursion into two":          {"T : F 'b' ; fragment F : 'a' | 'a' F | 'a' F F ;", strings.Repeat("a", 60) + "b"},
		"a fragment in a loop, twice": {"T : (F F?)+ 'b' ; fragment F : 'a' | 'aa' | 'a' F ;", strings.Repeat("a", 300) + "b"},
		"nothing in many ways":        {"T : 'a' F F F F F F F F 'b' ; fragment F : G G | ; fragment G : ('x' | )  ;", "ab"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			g, err := Load(t.Context(), tokenGrammar("lexer grammar L; "+test.rules, "T")...)
			if err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			tree, err := g.Parse(t.Context(), []byte(test.input), ParseOptions{Limits: Limits{Time: time.Second}})
			var over *limit.Error
			if err == nil {
				var inside *derivation.Tree
				if inside, err = tree.Dissect(0); err == nil {
					checkInside(t, &lexed{Grammar: g, text: test.rules}, tree, 0)
					if inside.String() != test.input {
						t.Errorf("prints as %q", inside)
					}
				}
			}
			if err != nil && !errors.As(err, &over) {
				t.Errorf("not a limit: %v", err)
			}
			if took := time.Since(begin); took > 10*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

// TestSmallCaches checks that discarding caches repeatedly does not affect
// concurrent parses.
func TestSmallCaches(t *testing.T) {
	load := func() *Grammar {
		g, err := Load(t.Context(), Source{Name: "G.g4", Text: `grammar G; s : (e ';' | i ';')* EOF ;
			e : e '+' e | <assoc=right> e '^' e | '(' e ')' | e '!' | X ; i : 'if' i ('else' i)? | a 'x' | b 'y' ; a : '[' a ']' | N ; b : '[' b ']' | N ;
			X : [a-z]+ ; N : [0-9]+ ('.' [0-9]+)? ; C : '/*' (C | .)*? '*/' -> skip ; S : [ \n]+ -> skip ;`})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	inputs := []string{
		"a+b^c^d!;(a+b)+c;", "if if 1x else 2.5y; [[[1]]]y; [2]x;", "/* a /* b */ c */ q;", strings.Repeat("a+(b^c)!;\n", 50),
		strings.Repeat("if [[3]]x else [4]y;", 20), "a+;", "if [[1]x;", "?", strings.Repeat("/*", 40) + strings.Repeat("*/", 40) + "x;",
	}
	outcome := func(g *Grammar, input string) string {
		tree, err := g.Parse(context.Background(), []byte(input), ParseOptions{Limits: Limits{Time: time.Minute}})
		if err != nil {
			return err.Error()
		}
		var b strings.Builder
		if err := tree.WriteIndented(&b); err != nil {
			t.Error(err)
		}
		return b.String()
	}
	large, small := load(), load()
	small.machine.LimitCaches(4000)
	var want []string
	for _, input := range inputs {
		want = append(want, outcome(large, input))
	}
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := range 3 * len(inputs) {
				at := (worker + i) % len(inputs)
				if got := outcome(small, inputs[at]); got != want[at] {
					t.Errorf("parse %.80q: got %.300s, want %.300s", inputs[at], got, want[at])
				}
			}
		})
	}
	group.Wait()
}
