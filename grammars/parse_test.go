package grammars_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/grammars/limit"
)

// numbered returns a tree in LISP form, with the occurrence after each node and
// empty alternatives as "".
func numbered(tree *derivation.Tree) string {
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
		case derivation.Leaf:
			b.WriteString(strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(n.Text()))
			if n.Token().Type == derivation.EOF {
				b.WriteString("<EOF>")
			}
		case derivation.Empty:
			b.WriteString(`""`)
		}
		if n.Occurrence() != derivation.None {
			fmt.Fprintf(&b, "#%d", n.Occurrence())
		}
	}
	return b.String() + strings.Repeat(")", open)
}

// lisp returns a tree in LISP form.
func lisp(t *testing.T, tree *derivation.Tree) string {
	t.Helper()
	var b strings.Builder
	if err := tree.WriteLisp(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// without returns a numbered tree without its numbers, as WriteLisp writes it.
func without(numbered string) string {
	out := regexp.MustCompile(`#\d+`).ReplaceAllString(numbered, "")
	out = strings.ReplaceAll(out, ` ""`, "")
	return regexp.MustCompile(`\((\w+)\)`).ReplaceAllString(out, "$1")
}

const (
	// Operators of every kind, from the tightest to the loosest binding.
	operators = `grammar G; start : e EOF ;
		e : e '!' | '-' e | <assoc=right> e '^' e | e ('*' | '/') e | e '+' e | <assoc=right> e '?' e ':' e | '(' e ')' | X ;
		X : [a-z] ; S : ' ' -> skip ;`

	// Tokens that several rules produce.
	texts = "lexer grammar L; tokens { STRING } WORD : [a-z]+ ; UP : [A-Z]+ -> type(WORD) ; RAW : '`' .*? '`' -> type(STRING) ; OPEN : '\"' -> more, mode(M) ; mode M; ESC : '\\\\' . -> more ; C : ~[\"\\\\] -> more ; END : '\"' -> type(STRING), mode(DEFAULT_MODE) ;"
)

type treeCase struct {
	name     string
	grammars []string
	start    string
	input    string
	want     string // by numbered
}

func treeCases() []treeCase {
	return []treeCase{
		{
			"a binary operator takes its left side first",
			[]string{operators},
			"", "a+b+c",
			`(start (e#0 (e#20 (e#20 a#9) +#21 (e#22 b#9)) +#21 (e#22 c#9)) <EOF>#48)`,
		},
		{
			"a tighter operator on the right",
			[]string{operators},
			"", "a+b*c",
			`(start (e#0 (e#20 a#9) +#21 (e#22 (e#17 b#9) *#32 (e#19 c#9))) <EOF>#48)`,
		},
		{
			"a tighter operator on the left",
			[]string{operators},
			"", "a/b+c",
			`(start (e#0 (e#20 (e#17 a#9) /#33 (e#19 b#9)) +#21 (e#22 c#9)) <EOF>#48)`,
		},
		{
			"a right-associative operator",
			[]string{operators},
			"", "a^b^c",
			`(start (e#0 (e#14 a#9) ^#15 (e#16 (e#14 b#9) ^#15 (e#16 c#9))) <EOF>#48)`,
		},
		{
			"a prefix operator",
			[]string{operators},
			"", "--a^b*c",
			`(start (e#0 (e#17 (e#14 -#12 (e#13 -#12 (e#13 a#9))) ^#15 (e#16 b#9)) *#32 (e#19 c#9)) <EOF>#48)`,
		},
		{
			"a suffix operator",
			[]string{operators},
			"", "-a!!+b",
			`(start (e#0 (e#20 -#12 (e#13 (e#10 (e#10 a#9) !#11) !#11)) +#21 (e#22 b#9)) <EOF>#48)`,
		},
		{
			"a ternary operator",
			[]string{operators},
			"", "a?b?c:d:e?f:g",
			`(start (e#0 (e#23 a#9) ?#24 (e#25 (e#23 b#9) ?#24 (e#25 c#9) :#26 (e#27 d#9)) :#26 (e#27 (e#23 e#9) ?#24 (e#25 f#9) :#26 (e#27 g#9))) <EOF>#48)`,
		},
		{
			"brackets",
			[]string{operators},
			"", "(a+b)*(c)",
			`(start (e#0 (e#17 (#28 (e#29 (e#20 a#9) +#21 (e#22 b#9)) )#30) *#32 (e#19 (#28 (e#29 c#9) )#30)) <EOF>#48)`,
		},
		{
			"a rule that is left-recursive in a suffix only",
			[]string{`grammar G; list : list ',' item | item ; item : 'x' | 'y' ;`},
			"", "x,y,x",
			`(list (list#3 (list#3 (item#2 x#7)) ,#4 (item#5 y#8)) ,#4 (item#5 x#7))`,
		},
		{
			"a prefix operator that binds less",
			[]string{`grammar G; s : e EOF ; e : e '+' e | 'not' e | e '=' e | 'x' ; S : ' ' -> skip ;`},
			"", "not x+x=x",
			`(s (e#0 (e#11 not#9 (e#10 (e#6 x#5) +#7 (e#8 x#5))) =#12 (e#13 x#5)) <EOF>#22)`,
		},
		{
			"an operator with brackets",
			[]string{`grammar G; e : e '[' e ']' | e '(' (e (',' e)*)? ')' | 'x' ;`},
			"", "x[x](x,x)()",
			`(e (e#8 (e#8 (e#4 x#3) [#5 (e#6 x#3) ]#7) (#9 (e#13 x#3) ,#16 (e#17 x#3) )#11) (#9 )#11)`,
		},
		{
			"labels make no difference",
			[]string{`grammar G; s : e EOF ; e : l=e op=('+' | '-') r=e # sum | X # name ; X : [a-z] ;`},
			"", "a-b+c",
			`(s (e#0 (e#4 (e#4 a#3) -#9 (e#6 b#3)) +#8 (e#6 c#3)) <EOF>#14)`,
		},
		{
			"a set",
			[]string{`grammar G; a : ('x' | 'y' | 'z') b ; b : X | Y ; X : 'p' ; Y : 'q' ;`},
			"", "yq",
			`(a y#4 (b#2 q#8))`,
		},
		{
			"a set repeated",
			[]string{`grammar G; a : ('x' | 'y')+ ('x' | 'y' 'z')? ;`},
			"", "xyx",
			`(a x#5 y#6 x#5)`,
		},
		{
			"a negated set and the wildcard",
			[]string{`grammar G; a : ~('x' | 'y') . ~'x' ; T : [xyz] ;`},
			"", "zxy",
			`(a z#1 x#2 y#3)`,
		},
		{
			"alternatives that share tokens",
			[]string{`grammar G; a : X Y | X Z | X X* ; X : 'x' ; Y : 'y' ; Z : 'z' ;`},
			"", "xz",
			`(a x#6 z#7)`,
		},
		{
			"the first of alternatives that share all",
			[]string{`grammar G; a : b | c ; b : X X ; c : X X ; X : 'x' ;`},
			"", "xx",
			`(a (b#1 x#5 x#6))`,
		},
		{
			"the same token from several rules",
			[]string{"parser grammar P; options {tokenVocab=L;} s : (WORD | STRING)* EOF ;", texts},
			"", "ab`c`CD\"e\\\"f\"",
			"(s ab#2 `c`#3 CD#2 \"e\\\"f\"#3 <EOF>#32)",
		},
		{
			"an empty alternative",
			[]string{`grammar G; a : b b c ; b : 'x' | ; c : ;`},
			"", "x",
			`(a (b#1 x#6) (b#2 ""#7) (c#3 ""#5))`,
		},
		{
			"nothing but empty alternatives",
			[]string{`grammar G; a : b? c (| 'y') ; b : 'x' ; c : ;`},
			"", "",
			`(a (c#2 ""#5) ""#6)`,
		},
		{
			"an empty alternative among operators",
			[]string{`grammar G; a : '(' e ')' ; e : e '+' e | 'x' | ;`},
			"", "(+x)",
			`(a (#1 (e#2 (e#8 ""#7) +#9 (e#10 x#6)) )#3)`,
		},
		{
			"optional and repeated elements",
			[]string{`grammar G; a : 'x'? b* c+ ('z' 'y')* ; b : 'b' ; c : 'c' ;`},
			"", "bbczyzy",
			`(a (b#6 b#9) (b#6 b#9) (c#7 c#10) z#11 y#12 z#11 y#12)`,
		},
		{
			"a loop that leaves as soon as it can",
			[]string{`grammar G; a : b*? 'x'+? c EOF ; b : 'x' ; c : 'x'* 'y' ;`},
			"", "xxxy",
			`(a x#5 (c#3 x#10 x#10 y#9) <EOF>#14)`,
		},
		{
			"the end of the input",
			[]string{`grammar G; a : b EOF ; b : 'x' EOF? ;`},
			"", "x",
			`(a (b#0 x#2 <EOF>#8) <EOF>#7)`,
		},
		{
			"the end of the input as an alternative",
			[]string{`grammar G; a : line line ; line : 'x' ('\n' | EOF) ;`},
			"", "x\nx",
			`(a (line#1 x#4 \n#6) (line#2 x#4 <EOF>#10))`,
		},
		{
			"a token that ends early",
			[]string{`grammar G; a : C+ X ; C : '/*' .*? '*/' ; X : ~[/]+ ;`},
			"", "/*a*//**/*-",
			`(a /*a*/#3 /**/#3 *-#2)`,
		},
		{
			"modes",
			[]string{
				"parser grammar P; options {tokenVocab=L;} s : (TEXT | OPEN NAME* CLOSE)* EOF ;",
				"lexer grammar L; TEXT : ~'<'+ ; OPEN : '<' -> pushMode(T) ; mode T; CLOSE : '>' -> popMode ; NAME : [a-z]+ ; S : ' '+ -> skip ; IN : '<' -> type(OPEN), pushMode(T) ;",
			},
			"", "a b<c d><>", `(s a b#2 <#5 c#10 d#10 >#7 <#5 >#7 <EOF>#22)`,
		},
		{
			"skipped and hidden tokens",
			[]string{`grammar G; a : X+ EOF ; X : 'x' ; S : ' ' -> skip ; C : '#' ~'\n'* '\n' -> channel(HIDDEN) ;`},
			"", " x #c\n x",
			`(a x#1 x#1 <EOF>#13)`,
		},
		{
			"keywords before names",
			[]string{`grammar G; a : ('if' | N)* ; N : [a-z]+ ; S : ' ' -> skip ;`},
			"", "if iff i",
			`(a if#2 iff#3 i#3)`,
		},
		{
			"case",
			[]string{`grammar G; options {caseInsensitive=true;} a : 'select' N ; N : [a-c] ;`},
			"", "SeLeCtB",
			`(a SeLeCt#1 B#2)`,
		},
		{
			"characters beyond the first plane",
			[]string{`grammar G; a : E+ 'λ' ; E : [\u{1F600}-\u{1F64F}] ;`},
			"", "😀🙏λ",
			`(a 😀#3 🙏#3 λ#2)`,
		},
		{"tabs and line ends in a token", []string{`grammar G; a : S ; S : .+ ;`}, "", "a\tb\nc", `(a a\tb\nc#0)`},
		{"another start rule", []string{operators}, "e", "a+b", `(e (e#20 a#9) +#21 (e#22 b#9))`},
		{
			"predicates count as true and actions as nothing",
			[]string{`grammar G; a : {no()}? 'x' {act();} | 'y' {act();} | {act();} ;`},
			"", "x",
			`(a x#1)`,
		},
		{"an action alone is an empty alternative", []string{`grammar G; a : b* 'x' c ; b : 'y' ; c : {act();} | 'z' ;`}, "", "x", `(a x#2 (c#3 ""#7))`},
		{
			"a rule of one token many times over",
			[]string{`grammar G; a : b b b ; b : c ; c : 'x' ;`},
			"", "xxx",
			`(a (b#1 (c#4 x#5)) (b#2 (c#4 x#5)) (b#3 (c#4 x#5)))`,
		},
		{
			"a token inside a negated one",
			[]string{`grammar G; a : (~'y' | 'y' 'z')* ; T : . ;`},
			"", "ayzb",
			`(a a#2 y#4 z#5 b#2)`,
		},
		{
			"full context is needed",
			[]string{`grammar G; s : 'p' a 'x' 'y' | 'q' a 'y' ; a : b 'x'? ; b : 'i' ;`},
			"", "pixy",
			`(s p#3 (a#4 (b#11 i#13)) x#5 y#6)`,
		},
		{
			"dangling else",
			[]string{`grammar G; s : 'if' s | 'if' s 'else' s | 'x' ; S : ' ' -> skip ;`},
			"", "if if x else x",
			`(s if#4 (s#5 if#6 (s#7 x#3) else#8 (s#9 x#3)))`,
		},
	}
}

func TestTrees(t *testing.T) {
	for _, test := range treeCases() {
		t.Run(test.name, func(t *testing.T) {
			g := grammartest.Load(t, test.grammars...)
			tree, err := g.Parse(t.Context(), []byte(test.input), grammars.ParseOptions{Start: test.start})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, numbered(tree)); diff != "" {
				t.Errorf("parse %q (-want +got):\n%s", test.input, diff)
			}
			if got, want := lisp(t, tree), without(test.want); got != want {
				t.Errorf("WriteLisp gives %s, want %s", got, want)
			}
			checkTree(t, g, tree, test.input)
		})
	}
}

// TestTreesOfExpr checks the trees of Figure 5.1's grammar, node by node.
func TestTreesOfExpr(t *testing.T) {
	g := grammartest.Bundled(t, "expr")
	tests := map[string]string{
		"x": `(expr (addExpr#0 (multExpr#2 (unaryExpr#8 (identifier#16 x#39)))) <EOF>#85)`,
		"x+42": `(expr (addExpr#0 (addExpr#5 (multExpr#2 (unaryExpr#8 (identifier#16 x#39)))) +#10 ` +
			`(multExpr#7 (unaryExpr#8 (decDigits#22 (decDigit#42 4#48) (decDigit#42 2#46))))) <EOF>#85)`,
		"y - z\t- 0": `(expr (addExpr#0 (addExpr#5 (addExpr#5 (multExpr#2 (unaryExpr#8 (identifier#16 y#40)))) -#11 ` +
			`(multExpr#7 (unaryExpr#8 (identifier#16 z#41)))) -#11 (multExpr#7 (unaryExpr#8 (decDigits#22 (decDigit#42 0#44))))) <EOF>#85)`,
		"1*5/7%9": `(expr (addExpr#0 (multExpr#2 (multExpr#13 (multExpr#13 (multExpr#13 (unaryExpr#8 (decDigits#22 (decDigit#42 1#45)))) *#23 ` +
			`(unaryExpr#15 (decDigits#22 (decDigit#42 5#49)))) /#24 (unaryExpr#15 (decDigits#22 (decDigit#42 7#51)))) %#25 ` +
			`(unaryExpr#15 (decDigits#22 (decDigit#42 9#53))))) <EOF>#85)`,
		"+-++--x": `(expr (addExpr#0 (multExpr#2 (unaryExpr#8 +#27 (unaryExpr#28 -#29 (unaryExpr#30 ++#31 (unaryExpr#32 --#33 ` +
			`(unaryExpr#34 (identifier#16 x#39)))))))) <EOF>#85)`,
		"(3)*6": `(expr (addExpr#0 (multExpr#2 (multExpr#13 (unaryExpr#8 (#35 (addExpr#36 (multExpr#2 (unaryExpr#8 (decDigits#22 (decDigit#42 3#47))))) )#37)) *#23 ` +
			`(unaryExpr#15 (decDigits#22 (decDigit#42 6#50))))) <EOF>#85)`,
		"x+8*y": `(expr (addExpr#0 (addExpr#5 (multExpr#2 (unaryExpr#8 (identifier#16 x#39)))) +#10 ` +
			`(multExpr#7 (multExpr#13 (unaryExpr#8 (decDigits#22 (decDigit#42 8#52)))) *#23 (unaryExpr#15 (identifier#16 y#40)))) <EOF>#85)`,
	}
	for input, want := range tests {
		tree := grammartest.Parse(t, g, input)
		if diff := cmp.Diff(want, numbered(tree)); diff != "" {
			t.Errorf("parse %q (-want +got):\n%s", input, diff)
		}
		checkTree(t, g, tree, input)
	}
}

// TestPathsInTheTreeOfTheFigure checks that the tree of x+42 has 12 paths of
// one symbol and 12 of two, as in the dissertation.
func TestPathsInTheTreeOfTheFigure(t *testing.T) {
	tree := grammartest.Parse(t, grammartest.Bundled(t, "expr"), "x+42")
	ones, twos := map[derivation.Occurrence]bool{}, map[[2]derivation.Occurrence]bool{}
	var way []derivation.Occurrence
	for depth, n := range tree.All() {
		way = append(way[:depth], n.Occurrence())
		if depth == 0 || n.Kind() == derivation.Leaf && n.Token().Type == derivation.EOF {
			continue // no symbols
		}
		ones[n.Occurrence()] = true
		if depth > 1 {
			twos[[2]derivation.Occurrence{way[depth-1], n.Occurrence()}] = true
		}
	}
	if len(ones) != 12 || len(twos) != 12 {
		t.Errorf("%d paths of one symbol and %d of two, want 12 and 12: %v, %v", len(ones), len(twos), ones, twos)
	}
}

// TestTriviaAndRulesOfTokens checks that hidden tokens are kept, each with the
// rule that produced it.
func TestTriviaAndRulesOfTokens(t *testing.T) {
	g := grammartest.Load(t, "parser grammar P; options {tokenVocab=L;} s : (WORD | STRING)* EOF ;",
		texts+" mode DEFAULT_MODE; BLANK : ' '+ -> skip ; NOTE : '#' ~[\\n]* -> channel(HIDDEN) ; NL : '\\n' -> channel(3) ;")
	lexerRules := g.Rules[len(g.ParserRules()):]
	tree := grammartest.Parse(t, g, " a \"b\"A#c\n  ")
	var got []string
	for _, token := range tree.Tokens() {
		rule := "-"
		if token.Rule >= 0 {
			rule = lexerRules[token.Rule].Name
		}
		got = append(got, fmt.Sprintf("%q %s trivia=%v skipped=%v channel=%d", tree.Input()[token.Start:token.End], rule, token.Trivia(), token.Skipped, token.Channel))
	}
	want := []string{
		`" " BLANK trivia=true skipped=true channel=0`,
		`"a" WORD trivia=false skipped=false channel=0`,
		`" " BLANK trivia=true skipped=true channel=0`,
		`"\"b\"" END trivia=false skipped=false channel=0`,
		`"A" UP trivia=false skipped=false channel=0`,
		`"#c" NOTE trivia=true skipped=false channel=1`,
		`"\n" NL trivia=true skipped=false channel=3`,
		`"  " BLANK trivia=true skipped=true channel=0`,
		`"" - trivia=false skipped=false channel=0`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWholeInputAndPrefix(t *testing.T) {
	const (
		open   = "grammar G; a : 'x' b? ; b : 'y' | 'z' ; S : ' ' -> skip ;"
		closed = "grammar G; a : 'x' EOF ; S : ' ' -> skip ;"
	)
	tests := []struct {
		name, text, input string
		whole, prefix     string // what each says: a tree or an error
	}{
		{"all of it", open, "xy", `(a x#1 (b#3 y#5))`, `(a x#1 (b#3 y#5))`},
		{"a token more", open, "xyx", "1:3: unexpected \"x\", expected end of input", `(a x#1 (b#3 y#5))`},
		{"nothing but trivia more", open, "xy  ", `(a x#1 (b#3 y#5))`, `(a x#1 (b#3 y#5))`},
		{"a token that cannot follow", open, "xx", "1:2: unexpected \"x\", expected end of input | 'y' | 'z'", `(a x#1)`},
		{"no token more", open, "xy?", `1:3: unexpected "?", expected end of input`, `1:3: unexpected "?"`},
		{"the rule asks for the end", closed, "x x", "1:3: unexpected \"x\", expected end of input", "1:3: unexpected \"x\", expected end of input"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := grammartest.Load(t, test.text)
			for prefix, want := range map[bool]string{false: test.whole, true: test.prefix} {
				tree, err := g.Parse(t.Context(), []byte(test.input), grammars.ParseOptions{Prefix: prefix})
				got := fmt.Sprint(err)
				if err == nil {
					got = numbered(tree)
					checkTree(t, g, tree, test.input)
				}
				if got != want {
					t.Errorf("parse %q with Prefix %v: got  %s\nwant %s", test.input, prefix, got, want)
				}
			}
		})
	}
}

func TestSyntaxErrors(t *testing.T) {
	json, expr := grammartest.Bundled(t, "json"), grammartest.Bundled(t, "expr")
	modes := grammartest.Load(t, "parser grammar P; options {tokenVocab=L;} s : (OPEN | CLOSE | A)* EOF ;",
		"lexer grammar L; OPEN : '<' -> pushMode(M) ; CLOSE : '>' -> popMode ; A : 'a' ; mode M; A2 : 'b' -> type(A) ; C2 : '>' -> type(CLOSE), popMode ;")
	nothing := grammartest.Load(t, "grammar G; s : (A | B)* EOF ; A : 'a' ; B : 'b'* ;")
	operators := grammartest.Load(t, operators)
	tests := []struct {
		name    string
		grammar *grammars.Grammar
		input   string
		want    string
	}{
		{"nothing", json, "", "1:1: unexpected end of input, expected 'true' | 'false' | 'null' | '{' | '[' | STRING | NUMBER"},
		{"nothing but space", json, " \n\t", "2:2: unexpected end of input, expected 'true' | 'false' | 'null' | '{' | '[' | STRING | NUMBER"},
		{"a token that is wrong", json, "]", `1:1: unexpected "]", expected 'true' | 'false' | 'null' | '{' | '[' | STRING | NUMBER`},
		{"one way on", json, `{"a" 1}`, `1:6: unexpected "1", expected ':'`},
		{"two ways on", json, `[1 2]`, `1:4: unexpected "2", expected ',' | ']'`},
		{"a comma too many", json, `[1,]`, `1:4: unexpected "]", expected 'true' | 'false' | 'null' | '{' | '[' | STRING | NUMBER`},
		{"the end of the input", json, `{"a":[1,2`, "1:10: unexpected end of input, expected ',' | ']'"},
		{"more than there should be", json, "{} {}", `1:4: unexpected "{", expected end of input`},
		{"on a later line", json, "[\n 1,\n 2,\r\n x]", `4:2: unexpected "x", expected 'true' | 'false' | 'null' | '{' | '[' | STRING | NUMBER`},
		{"behind characters of several bytes", json, `["ü😀", é]`, `1:8: unexpected "é", expected 'true' | 'false' | 'null' | '{' | '[' | STRING | NUMBER`},
		{"no token", json, `[1, ?]`, `1:5: unexpected "?", expected 'true' | 'false' | 'null' | '{' | '[' | STRING | NUMBER`},
		{"the start of a token", json, `[tru]`, `1:2: unexpected "tru]", expected 'true' | 'false' | 'null' | '{' | '[' | ']' | STRING | NUMBER`},
		{"a string that does not end", json, `["ab`, `1:2: unexpected "\"ab", expected 'true' | 'false' | 'null' | '{' | '[' | ']' | STRING | NUMBER`},
		{"a line end in a string", json, "[\"ab\ncd\"]", `1:2: unexpected "\"ab\n", expected 'true' | 'false' | 'null' | '{' | '[' | ']' | STRING | NUMBER`},
		{"a long string that does not end", json, `"` + strings.Repeat("é", 30), `1:1: unexpected "\"ééééééééééé", expected 'true' | 'false' | 'null' | '{' | '[' | STRING | NUMBER`},
		{"a parse error before a lexical one", json, `[1 2 ?`, `1:4: unexpected "2", expected ',' | ']'`},
		{"bytes that are not UTF-8", json, "[1\xff]", `1:3: unexpected "\xff", expected ',' | ']'`},
		{"operators", expr, "x+*y", `1:3: unexpected "*", expected '+' | '-' | '++' | '--' | '(' | '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' | 'x' | 'y' | 'z'`},
		{"after an operand", expr, "(x y)", `1:4: unexpected "y", expected '+' | '-' | '*' | '/' | '%' | ')'`},
		{"only operators that bind as tightly as they may", operators, "-a b", `1:4: unexpected "b", expected end of input | '!' | '^' | '*' | '/' | '+' | '?'`},
		{"a colon that belongs to nothing", operators, "a?b:c:d", `1:6: unexpected ":", expected end of input | '!' | '^' | '*' | '/' | '+' | '?'`},
		{"a mode to return to", modes, "a<b>>", `1:5: unexpected ">" (popMode in CLOSE with an empty mode stack), expected end of input | '<' | CLOSE | 'a'`},
		{"a token of another mode", modes, "a<a", `1:3: unexpected "a", expected end of input | '<' | CLOSE | 'a'`},
		{"a rule that matches nothing", nothing, "ac", `1:2: unexpected "c" (rule B matches the empty string here), expected end of input | 'a' | B`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tree, err := test.grammar.Parse(t.Context(), []byte(test.input), grammars.ParseOptions{})
			var syntax *grammars.SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("parse %q: %v, %v", test.input, tree, err)
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("parse %q (-want +got):\n%s", test.input, diff)
			}
			if !strings.HasPrefix(test.input[syntax.Offset:], syntax.Unexpected) {
				t.Errorf("at byte %d there is no %q", syntax.Offset, syntax.Unexpected)
			}
		})
	}
}

func TestUnknownStartRule(t *testing.T) {
	g := grammartest.Bundled(t, "json")
	for _, start := range []string{"nowhere", "STRING", "HEX", "T__0"} {
		_, err := g.Parse(t.Context(), []byte("1"), grammars.ParseOptions{Start: start})
		if got, want := fmt.Sprint(err), fmt.Sprintf("grammar json has no parser rule %q", start); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestLimits(t *testing.T) {
	json := grammartest.Bundled(t, "json")
	cancelled, cancel := context.WithCancelCause(t.Context())
	errAsked := errors.New("asked to stop")
	cancel(errAsked)
	nested := strings.Repeat("[", 200) + strings.Repeat("]", 200)
	long := "[" + strings.Repeat("1,", 200_000) + "1]"
	tests := map[string]struct {
		ctx    context.Context
		input  string
		limits grammars.Limits
		want   error
	}{
		"as large as it may be": {t.Context(), "[1,2]", grammars.Limits{Input: 5}, nil},
		"too large":             {t.Context(), "[1,2] ", grammars.Limits{Input: 5}, &limit.Error{What: "input", Value: "5 bytes", Option: "max_input"}},
		"as deep as it may be":  {t.Context(), nested, grammars.Limits{Depth: 401}, nil},
		"too deep":              {t.Context(), nested, grammars.Limits{Depth: 400}, &limit.Error{What: "nesting of rules", Value: "400", Option: "max_depth"}},
		"too much work":         {t.Context(), long, grammars.Limits{Steps: 100_000}, &limit.Error{What: "parser steps", Value: "100000", Option: "max_steps"}},
		"too long":              {t.Context(), long, grammars.Limits{Time: time.Nanosecond}, &limit.Error{What: "time to parse", Value: "1ns", Option: "timeout"}},
		"cancelled":             {cancelled, long, grammars.Limits{}, errAsked},
		"within default limits": {t.Context(), long, grammars.Limits{}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := json.Parse(test.ctx, []byte(test.input), grammars.ParseOptions{Limits: test.limits})
			if fmt.Sprint(err) != fmt.Sprint(test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if want, ok := errors.AsType[*limit.Error](test.want); ok {
				got, _ := errors.AsType[*limit.Error](err)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// TestMillionBrackets checks that nesting is bounded by memory, not by the
// stack of a goroutine.
func TestMillionBrackets(t *testing.T) {
	const depth = 1_000_000
	json := grammartest.Bundled(t, "json")
	input := strings.Repeat("[", depth) + strings.Repeat("]", depth)
	_, err := json.Parse(t.Context(), []byte(input), grammars.ParseOptions{})
	if got, want := fmt.Sprint(err), "nesting of rules: limit of 100000 reached"; got != want {
		t.Errorf("with default limits: %s, want %s", got, want)
	}
	tree, err := json.Parse(t.Context(), []byte(input), grammars.ParseOptions{Limits: grammars.Limits{Depth: 3 * depth, Steps: 1 << 30, Time: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	if tree.String() != input {
		t.Error("the tree does not print as its input")
	}
	deepest := 0
	for d := range tree.All() {
		deepest = max(deepest, d)
	}
	if want := 2*depth + 1; deepest != want { // json, value, array, value, array, ...
		t.Errorf("the tree is %d deep, want %d", deepest, want)
	}
	counts := &bracketCounter{}
	for name, write := range map[string]func(io.Writer) error{"lisp": tree.WriteLisp, "json": tree.WriteJSON} {
		*counts = bracketCounter{}
		if err := write(counts); err != nil {
			t.Error(err)
		}
		if counts.open != counts.closed || counts.open < depth {
			t.Errorf("%s has %d brackets opened and %d closed", name, counts.open, counts.closed)
		}
	}
}

// A bracketCounter counts the parentheses written to it.
type bracketCounter struct{ open, closed int }

func (c *bracketCounter) Write(p []byte) (int, error) {
	for _, b := range p {
		switch b {
		case '(', '[', '{':
			c.open++
		case ')', ']', '}':
			c.closed++
		}
	}
	return len(p), nil
}

// TestInputEndsInsideMore checks that a token left unfinished by `more` at the
// end of the input becomes EOF, as in ANTLR.
func TestInputEndsInsideMore(t *testing.T) {
	g := grammartest.Load(t, "grammar G;\ns : B* EOF ;\nX : 'a' -> more ;\nB : 'b' ;\n")
	for input, want := range map[string]string{"ba": "(s b a)", "bab": "(s b ab <EOF>)", "b": "(s b <EOF>)"} {
		if got := grammartest.Lisp(t, grammartest.Parse(t, g, input)); got != want {
			t.Errorf("%q: %s, want %s", input, got, want)
		}
	}
}

// TestUnlocated checks that a parse that leaves out the position of errors accepts the same
// inputs, with the same trees.
func TestUnlocated(t *testing.T) {
	g := grammartest.Bundled(t, "json")
	for _, input := range []string{`{"a":[1,2]}`, `[1,`, `[1 2]`, "[1,\x01]", ``, `1 1`, `"`} {
		want, wantErr := g.Parse(t.Context(), []byte(input), grammars.ParseOptions{})
		got, err := g.Parse(t.Context(), []byte(input), grammars.ParseOptions{Unlocated: true})
		if (err == nil) != (wantErr == nil) || err == nil && got.String() != want.String() {
			t.Errorf("%q: got %v, %v, want %v, %v", input, got, err, want, wantErr)
		}
		if syntax, ok := errors.AsType[*grammars.SyntaxError](err); err != nil && (!ok || len(syntax.Expected) > 0) {
			t.Errorf("%q: got %v, want a syntax error without expected tokens", input, err)
		}
	}
}
