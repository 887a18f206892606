package grammars_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares a text with a golden file, or rewrites the file.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// TestNumbersAreStable guards the node numbers, which are a format. If it
// fails, stored models and observations become unreadable: NumberingVersion has
// to change.
func TestNumbersAreStable(t *testing.T) {
	for _, name := range []string{"expr", "json"} {
		t.Run(name, func(t *testing.T) {
			golden(t, "testdata/golden/"+name+".graph", graph(grammartest.Bundled(t, name)))
		})
	}
	for _, name := range []string{"operators", "shapes", "tokens"} {
		t.Run(name, func(t *testing.T) {
			paths, err := filepath.Glob("testdata/golden/" + name + "/*.g4")
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			for _, path := range paths {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				texts = append(texts, string(text))
			}
			golden(t, "testdata/golden/"+name+".graph", graph(grammartest.Load(t, texts...)))
		})
	}
}

// graph returns a grammar's nodes, one per line: number, kind, text, enclosing
// rule, children.
func graph(g *grammars.Grammar) string {
	out := []string{fmt.Sprintf("numbering %d, digest %.16s, start %s, trivia %d\n", grammars.NumberingVersion, g.Digest, g.Start, g.Trivia)}
	for _, n := range g.Nodes {
		var b strings.Builder
		rule := "-"
		if n.Rule != nil {
			rule = n.Rule.Name
		}
		fmt.Fprintf(&b, "%3d %-13s %-10s %-20s", n.ID, n.Kind, rule, nodeText(n))
		for i, child := range n.Children {
			if i == 0 {
				b.WriteString(" >")
			}
			fmt.Fprintf(&b, " %d", child.ID)
		}
		out = append(out, strings.TrimRight(b.String(), " ")+"\n")
	}
	return strings.Join(out, "")
}

func nodeText(n *grammars.Node) string {
	switch n.Kind {
	case grammars.Repetition:
		text := fmt.Sprintf("%d..%d", n.Min, n.Max)
		if n.Max < 0 {
			text = fmt.Sprintf("%d..", n.Min)
		}
		if n.NonGreedy {
			text += " non-greedy"
		}
		return text
	case grammars.TokenSet:
		return fmt.Sprintf("%s = %d", n.Text, n.Types)
	default:
		return n.Text
	}
}

// TestNumbersOfTheFigure checks the numbers in Figure 5.1 of Havrikov's
// dissertation.
func TestNumbersOfTheFigure(t *testing.T) {
	g := grammartest.Bundled(t, "expr")
	figure := map[string]string{
		"expr":       "addExpr 0",
		"addExpr":    "multExpr 2, addExpr 5, '+' 10, '-' 11, multExpr 7",
		"multExpr":   "unaryExpr 8, multExpr 13, '*' 23, '/' 24, '%' 25, unaryExpr 15",
		"unaryExpr":  "identifier 16, '+' 27, unaryExpr 28, '-' 29, unaryExpr 30, '++' 31, unaryExpr 32, '--' 33, unaryExpr 34, '(' 35, addExpr 36, ')' 37, decDigits 22",
		"decDigits":  "decDigit 42",
		"decDigit":   "'0' 44, '1' 45, '2' 46, '3' 47, '4' 48, '5' 49, '6' 50, '7' 51, '8' 52, '9' 53",
		"identifier": "'x' 39, 'y' 40, 'z' 41",
	}
	for _, rule := range g.ParserRules() {
		var symbols []string
		for n := range below(g.Nodes[rule.Root]) {
			symbols = append(symbols, fmt.Sprintf("%s %d", n.Text, n.ID))
		}
		if got, want := strings.Join(symbols, ", "), figure[rule.Name]; got != want {
			t.Errorf("%s: got  %s\nwant %s", rule.Name, got, want)
		}
	}
}

// below yields the nearest symbols from a node down, including the node itself,
// in order.
func below(n *grammars.Node) func(yield func(*grammars.Node) bool) {
	return func(yield func(*grammars.Node) bool) { visitSymbols(n, yield) }
}

func visitSymbols(n *grammars.Node, yield func(*grammars.Node) bool) bool {
	if n.Kind.Symbolic() {
		return yield(n)
	}
	for _, child := range n.Children {
		if !visitSymbols(child, yield) {
			return false
		}
	}
	return true
}

// TestPathsOfTheFigure checks the numbers of k-paths that the dissertation
// gives for its expressions.
func TestPathsOfTheFigure(t *testing.T) {
	g := grammartest.Bundled(t, "expr")
	var symbols []*grammars.Node // what the start rule reaches
	for n := range below(g.Nodes[g.Rule(g.Start).Root]) {
		symbols = append(symbols, n)
	}
	next := map[*grammars.Node][]*grammars.Node{}
	for i := 0; i < len(symbols); i++ {
		for _, child := range symbols[i].Children {
			for n := range below(child) {
				next[symbols[i]] = append(next[symbols[i]], n)
				if !slices.Contains(symbols, n) {
					symbols = append(symbols, n)
				}
			}
		}
	}
	paths := map[*grammars.Node]int{} // of k symbols, by the first
	for _, n := range symbols {
		paths[n] = 1
	}
	for k, want := range []int{39, 125, 523, 2331, 10245} {
		total := 0
		longer := map[*grammars.Node]int{}
		for _, n := range symbols {
			total += paths[n]
			for _, m := range next[n] {
				longer[n] += paths[m]
			}
		}
		if total != want {
			t.Errorf("%d paths of %d symbols, want %d", total, k+1, want)
		}
		paths = longer
	}
}

func TestLeastSizes(t *testing.T) {
	doubling := "a0 : 'x' ;"
	for i := range 64 {
		doubling = fmt.Sprintf("a%d : a%d a%d ; ", i+1, i, i) + doubling
	}
	const never = grammars.Unproductive
	tests := map[string]struct {
		rules               string
		size, depth, tokens int // of the first rule's right-hand side
	}{
		"a literal":                        {"a : 'x' ;", 1, 1, 1},
		"an empty alternative is a symbol": {"a : ;", 1, 1, 0},
		"the end of the input is none":     {"a : EOF ;", 0, 0, 0},
		"a sequence":                       {"a : 'x' 'y' EOF ;", 2, 1, 2},
		"a rule":                           {"a : b 'y' ; b : 'x' 'z' ;", 4, 2, 3},
		"a token":                          {"a : T ; T : 'tt' [0-9] [a-z] ;", 4, 2, 1},
		"a token of fragments":             {"a : T U ; T : F F ; fragment F : 'f' ; U : 'u' ;", 5 + 2, 3, 2},
		"optional and repeated":            {"a : 'x'? 'y'* ;", 0, 0, 0},
		"at least once":                    {"a : ('x' 'y')+ ;", 2, 1, 2},
		"the smallest alternative":         {"a : 'x' 'y' 'z' | b ; b : 'x' ;", 2, 1, 1},
		"the flattest need not be it":      {"a : b | 'x' 'y' 'z' 'v' ; b : c ; c : 'x' ;", 3, 1, 1},
		"a token out of many":              {"a : . ~T ; T : 'a' 'b' ;", 2, 1, 2},
		"left recursion":                   {"a : a '+' a | b ; b : 'x' | '(' a ')' ;", 2, 2, 1},
		"a token that two rules make":      {"a : T ; T : 'a' 'b' ; U : 'u' -> type(T) ;", 3, 2, 1},
		"no end":                           {"a : 'x' | b ; b : 'y' b ;", 1, 1, 1},
		"no way out of a sequence":         {"s : 'x' | a ; a : 'x' s b ; b : 'y' b ;", 1, 1, 1},
		"a token that no rule makes":       {"tokens { T } a : T | 'x' b ; b : 'y' ;", 3, 2, 2},
		"too large to count":               {doubling, 1 << 30, 65, 1 << 30},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			g := grammartest.Load(t, "grammar g; "+test.rules)
			root := g.Nodes[g.Rules[0].Root]
			if root.Size != test.size || root.Depth != test.depth || root.Tokens != test.tokens {
				t.Errorf("size %d, depth %d and %d tokens, want %d, %d and %d, of %s", root.Size, root.Depth, root.Tokens, test.size, test.depth, test.tokens, test.rules)
			}
		})
	}

	g := grammartest.Load(t, "grammar g; tokens { T } start : 'x' | a c | d? ; a : 'x' a ; c : T ; d : 'd' | 'e' a | T+ ;")
	unproductive := map[string]bool{"a": true, "c": true, "T": true}
	for _, n := range g.Nodes {
		if n.Kind != grammars.Reference {
			continue
		}
		if got := n.Size == never && n.Depth == never; got != unproductive[n.Text] {
			t.Errorf("%s has size %d and depth %d", n.Text, n.Size, n.Depth)
		}
	}
}

// TestTokensOfSeveralRules checks that a token joined by `more` begins with the
// rules that can precede its last one. Whether it needs any depends on how its
// mode is entered.
func TestTokensOfSeveralRules(t *testing.T) {
	const lexer = "lexer grammar L; tokens { STRING } OPEN : '\"' -> more, mode(M) ; IN : '<' -> mode(M) ; mode M; CHAR : [a-z] -> more ; END : '>' -> type(STRING), mode(DEFAULT_MODE) ;"
	tests := map[string]struct {
		lexer string
		least int
	}{
		"the mode is entered within the token":       {strings.Replace(lexer, "IN : '<' -> mode(M) ;", "IN : '<' ;", 1), 1},
		"the mode is entered before the token, too":  {lexer, 0},
		"the mode is entered by a command with more": {strings.Replace(lexer, "-> mode(M) ; mode", "-> more, mode(M) ; mode", 1), 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			g := grammartest.Load(t, "parser grammar P; options {tokenVocab=L;} s : (IN | STRING)* ;", test.lexer)
			i := slices.IndexFunc(g.Nodes, func(n *grammars.Node) bool { return n.Text == "STRING" })
			parts := g.Nodes[i].Children[0]
			if parts.Kind != grammars.Concatenation || len(parts.Children) != 2 {
				t.Fatalf("STRING is a %v of %d", parts.Kind, len(parts.Children))
			}
			before, last := parts.Children[0], parts.Children[1]
			if before.Kind != grammars.Repetition || before.Min != test.least || before.Max != -1 || last.Text != "END" {
				t.Errorf("before %s there is a %v from %d to %d, want one from %d", last.Text, before.Kind, before.Min, before.Max, test.least)
			}
		})
	}
}

func TestDigestIsOfTheNormalisedGrammar(t *testing.T) {
	const base = `grammar G; options {caseInsensitive=false;} a : a P a | M a? (B | M)* | ; P : 'p' ; M : 'm' 'n'* ; B : [a-c] -> type(M) ; S : '\t' -> skip ;`
	change := func(from, to string) []string {
		if strings.Count(base, from) != 1 {
			t.Fatalf("%q is not in the grammar once", from)
		}
		return []string{strings.Replace(base, from, to, 1)}
	}
	same := map[string][]string{
		"itself":                {base},
		"another name":          change("grammar G", "grammar H"),
		"comments and layout":   {"/* c */" + strings.ReplaceAll(base, " ", " // x\n\t")},
		"no line ends":          {strings.ReplaceAll(base, "; ", ";")},
		"labels on elements":    change("M a? (B | M)*", "x=M y=a? z+=(B | M)*"),
		"labels":                change("a P a | M a? (B | M)* | ;", "a P a # one | M a? (B | M)* # two | # three ;"),
		"options of no meaning": change("caseInsensitive=false;", ""),
		"a parser and a lexer": {
			"parser grammar GP; options {tokenVocab=GL;} a : a P a | M a? (B | M)* | ;",
			`lexer grammar GL; P : 'p' ; M : 'm' 'n'* ; B : [a-c] -> type(M) ; S : '\t' -> skip ;`,
		},
		"an import": {
			"grammar G; import T; a : a P a | M a? (B | M)* | ; P : 'p' ; M : 'm' 'n'* ;",
			`lexer grammar T; B : [a-c] -> type(M) ; S : '\t' -> skip ;`,
		},
		"a set written in another way": change("[a-c]", `[\u0061-c]`),
	}
	other := map[string][]string{
		"an alternative more":             change("| ;", "| | B B ;"),
		"alternatives in another order":   change("a P a | M a? (B | M)*", "M a? (B | M)* | a P a"),
		"another operator":                change("'n'*", "'n'+"),
		"non-greedy":                      change("a?", "a??"),
		"right-associative":               change("a P a", "<assoc=right> a P a"),
		"another literal":                 change("'p'", "'q'"),
		"another set":                     change("[a-c]", "[a-d]"),
		"another command":                 change("skip", "channel(HIDDEN)"),
		"no command":                      change("-> skip", ""),
		"either case":                     change("false", "true"),
		"a fragment":                      change("S :", "fragment S :"),
		"a rule's name":                   {strings.NewReplacer("P", "Q").Replace(base)},
		"a token rule more":               {base + " Z : 'z' ;"},
		"tokens in another order":         change("P : 'p' ; M : 'm' 'n'* ;", "M : 'm' 'n'* ; P : 'p' ;"),
		"a literal in place of its token": change("a P a", "a 'p' a"),
	}
	want := grammartest.Load(t, base)
	for name, texts := range same {
		t.Run(name, func(t *testing.T) {
			g := grammartest.Load(t, texts...)
			if g.Digest != want.Digest || len(g.Nodes) != len(want.Nodes) {
				t.Errorf("digest %s, want %s; graph (-want +got):\n%s", g.Digest, want.Digest, cmp.Diff(graph(want), graph(g)))
			}
		})
	}
	digests := map[string]string{want.Digest: "the grammar"}
	for name, texts := range other {
		t.Run(name, func(t *testing.T) {
			g := grammartest.Load(t, texts...)
			if twin, taken := digests[g.Digest]; taken {
				t.Errorf("%s has the digest of %s", texts, twin)
			}
			digests[g.Digest] = name
		})
	}
}
