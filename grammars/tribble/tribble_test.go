package tribble_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/grammars/tribble"
)

// show writes the rules of a file in the notation of ANTLR.
func show(f *g4.File) string {
	var lines []string
	for _, r := range f.Rules {
		lines = append(lines, r.Name+" : "+block(r.Body)+" ;")
	}
	return strings.Join(lines, "\n")
}

func block(b *g4.Block) string {
	var alts []string
	for _, alt := range b.Alts {
		var parts []string
		for _, e := range alt.Elements {
			parts = append(parts, element(e))
		}
		if alt.HasProbability {
			parts = append(parts, fmt.Sprintf("@@%v", alt.Probability))
		}
		alts = append(alts, strings.Join(parts, " "))
	}
	return strings.Join(alts, " | ")
}

func element(e g4.Element) string {
	switch e := e.(type) {
	case *g4.Ref:
		return e.Name
	case *g4.Literal:
		return e.Quoted()
	case *g4.Range:
		return e.Text
	case *g4.Block:
		return "(" + block(e) + ")"
	case *g4.Repeat:
		if e.Op == '{' {
			return fmt.Sprintf("%s{%d,%d}", element(e.Body), e.Min, e.Max)
		}
		return element(e.Body) + string(e.Op)
	default:
		return fmt.Sprintf("%T", e)
	}
}

func TestParse(t *testing.T) {
	tests := map[string]struct{ rules, want string }{
		"references and literals":      {`'a := 'b ~ "c'\n" ~ 'b, 'b := "x"`, "a : b 'c\\'\\n' b ;\nb : 'x' ;"},
		"alternatives":                 {`'a := "x" | "y" ~ "z" | ""`, "a : 'x' | 'y' 'z' |  ;"},
		"quantifiers":                  {`'a := "x".? ~ "y".rep ~ "z".rep(1) ~ "u".rep(2) ~ "v".rep(1, 3) ~ "w".rep(0,1)`, "a : 'x'? 'y'* 'z'+ 'u'{2,-1} 'v'{1,3} 'w'? ;"},
		"a quantifier of a quantifier": {`'a := "x".rep(1,3).?`, "a : ('x'{1,3})? ;"},
		"groups":                       {`'a := ("x" | "y").rep ~ ("u" ~ ("v" ~ "w"))`, "a : ('x' | 'y')* 'u' 'v' 'w' ;"},
		"nested alternatives are flat": {`'a := ("x" | "y") | "z"`, "a : 'x' | 'y' | 'z' ;"},
		"probabilities":                {`'a := "x" @@ 0.25 | "y" ~ "z" @@ 5e-1 | "u"`, "a : 'x' @@0.25 | 'y' 'z' @@0.5 | 'u' ;"},
		"escapes":                      {`'a := "\"\\\t\u0041\101" ~ """\u0042\n"x""""`, "a : '\"\\\\\\tAA' 'B\\\\n\"x\"' ;"},
		"comments":                     {"/* a */ 'a := // b\n \"x\" /* c */ ~ \"y\",", "a : 'x' 'y' ;"},
		"a small range":                {`'a := "[a-c]".regex`, "a : regex1_0 ;\nregex1_0 : 'a' | 'b' | 'c' ;"},
		"a large range":                {`'a := 'b' -> 'z'`, "a : regex1_0 ;\nregex1_0 : 'b'..'c' | 'd'..'e' | 'f'..'g' | 'h'..'i' | 'j'..'k' | 'l'..'m' | 'n'..'o' | 'p'..'q' | 'r'..'s' | 't'..'u' | 'v'..'w' | 'x'..'y' | 'z' ;"},
		"a regular expression":         {`'a := "x(yz)*".regex`, "a : regex1_0 ;\nregex1_0 : 'x' regex1_1 | 'x' ;\nregex1_1 : 'y' regex1_2 ;\nregex1_2 : 'z' regex1_1 | 'z' ;"},
		"one that can be empty":        {`'a := "x*".regex`, "a : regex1_0 ;\nregex1_0 : 'x' regex1_0 | 'x' |  ;"},
		"characters, not operators":    {`'a := "#@<1-2>".regex`, "a : regex1_0 ;\nregex1_0 : '#' regex1_1 ;\nregex1_1 : '@' regex1_2 ;\nregex1_2 : '<' regex1_3 ;\nregex1_3 : '1' regex1_4 ;\nregex1_4 : '-' regex1_5 ;\nregex1_5 : '2' regex1_6 ;\nregex1_6 : '>' ;"},
		"an intersection":              {`'a := "[a-d]{2}&~(a.|.b)&.[a-b]".regex`, "a : regex1_0 ;\nregex1_0 : ('b' | 'c' | 'd') regex1_1 ;\nregex1_1 : 'a' ;"},
		"names that are taken":         {`'a := "x".regex ~ 'regex1_0, 'regex1_0 := "y"`, "a : regex_1_0 regex1_0 ;\nregex_1_0 : 'x' ;\nregex1_0 : 'y' ;"},
		"merged literals":              {tribble.MergeLiterals + "\n'a := \"x\" ~ \"y\" ~ 'b ~ ('c | \"u\" ~ 'b), 'b := \"z\", 'c := \"v\".rep", "a : 'xyz' (c | 'uz') ;\nc : 'v'* ;"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			file, found, err := tribble.Parse(t.Context(), "f.scala", "import x.y._\nGrammar("+test.rules+")\n")
			if err != nil || len(found) > 0 {
				t.Fatalf("%v, %v", found, err)
			}
			if diff := cmp.Diff(test.want, show(file)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.rules, diff)
			}
		})
	}
}

// Alternatives that lead back to their own rule and derive nothing else are left out.
func TestCycles(t *testing.T) {
	tests := map[string]struct {
		rules, want string
		warnings    []string
	}{
		"of a rule with itself": {`'a := 'a | "x"`, "a : 'x' ;", []string{"f.scala:1:15: warning: alternative a of rule a leads back to the rule and derives nothing else; it is left out"}},
		"by another name": {
			`'a := "x" | ('b), 'b := 'a, 'c := "y" ~ 'b`, "a : 'x' ;\nb : a ;\nc : 'y' b ;",
			[]string{"f.scala:1:21: warning: alternative b of rule a leads back to the rule and derives nothing else; it is left out"},
		},
		"of three rules": {
			`'a := "x" | 'b, 'b := 'c, 'c := 'a | 'b`, "a : 'x' ;\nb : c ;\nc : a ;",
			[]string{
				"f.scala:1:21: warning: alternative b of rule a leads back to the rule and derives nothing else; it is left out",
				"f.scala:1:46: warning: alternative b of rule c leads back to the rule and derives nothing else; it is left out",
			},
		},
		"that both derive texts": {`'a := "x" | 'b, 'b := 'a | "y"`, "a : 'x' | b ;\nb : a | 'y' ;", nil},
		"without a text":         {`'a := 'b, 'b := 'a`, "a : b ;\nb : a ;", nil},
		"that is none":           {`'a := 'b | 'c, 'b := 'c, 'c := "x" ~ 'a | "y"`, "a : b | c ;\nb : c ;\nc : 'x' a | 'y' ;", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			file, found, err := tribble.Parse(t.Context(), "f.scala", "Grammar("+test.rules+")\n")
			var warnings []string
			for _, d := range found {
				warnings = append(warnings, d.String())
			}
			if diff := cmp.Diff(test.want, show(file)); err != nil || diff != "" {
				t.Errorf("%s: %v (-want +got):\n%s", test.rules, err, diff)
			}
			if diff := cmp.Diff(test.warnings, warnings); diff != "" {
				t.Errorf("%s: warnings (-want +got):\n%s", test.rules, diff)
			}
		})
	}
}

// Chains of many rules are left as they are, in linear time.
func TestLongChain(t *testing.T) {
	var rules []string
	for i := range 30_000 {
		rules = append(rules, fmt.Sprintf("'r%d := 'r%d", i, (i+1)%30_000))
	}
	for _, last := range []string{`'r29999 := 'r0`, `'r29999 := "x"`} {
		rules[29_999] = last
		file, found, err := tribble.Parse(t.Context(), "f.scala", "Grammar("+strings.Join(rules, ",")+")")
		if err != nil || len(found) > 0 || len(file.Rules) != 30_000 {
			t.Fatalf("%d rules, %v, %v", len(file.Rules), found, err)
		}
	}
}

func TestErrors(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"no grammar":            {"x", `f.scala:1:1: expected "Grammar(" at the start of the file, found "x"`},
		"no rules":              {"Grammar()", `f.scala:1:1: the grammar has no rules`},
		"a name":                {"Grammar(a := 'b)", `f.scala:1:9: expected the name of a rule, such as 'list, found "a"`},
		"an operator":           {"Grammar(\n  'a := \"é\" \"y\")", `f.scala:2:13: expected ")" or "," after a rule, found "\""`},
		"a string":              {"Grammar('a := \"x\n\")", `f.scala:1:15: string is not closed`},
		"an escape":             {`Grammar('a := "\x")`, `f.scala:1:16: invalid escape \x`},
		"a quantifier":          {`Grammar('a := "x".many)`, `f.scala:1:19: expected "?" or "rep" after ".", found "m"`},
		"bounds":                {`Grammar('a := "x".rep(3,2))`, `f.scala:1:19: rep(3, 2): the second bound must be at least 1 and not below the first`},
		"large bounds":          {`Grammar('a := "x".rep(99999999999999999999))`, `f.scala:1:19: rep: bounds must be at most 1000`},
		"a probability":         {`Grammar('a := "x" @@ 2 | "y")`, `f.scala:1:19: probability "2": must be a number from 0 to 1`},
		"probabilities":         {`Grammar('a := "x" @@ 0.7 | "y" @@ 0.7)`, `f.scala:1:15: the probabilities of the alternatives add up to 1.4: must be at most 1`},
		"a regular expression":  {`Grammar('a := "[b".regex)`, `f.scala:1:15: regular expression "[b": unexpected end`},
		"one that is too large": {`Grammar('a := "(a|b)*a(a|b){15}".regex)`, `f.scala:1:15: regular expression "(a|b)*a(a|b){15}": its automaton is too large`},
		"one without a match":   {`Grammar('a := "a&b".regex)`, `f.scala:1:15: regular expression "a&b" matches nothing`},
		"a long one":            {`Grammar('a := "` + strings.Repeat("a", 101) + `[".regex)`, `f.scala:1:15: regular expression "` + strings.Repeat("a", 100) + `…": unexpected end`},
		"a comment":             {"Grammar(/*", `f.scala:1:9: comment is not closed`},
		"deep nesting":          {"Grammar('a := " + strings.Repeat("(", 501), "f.scala:1:515: parentheses are nested more than 500 deep"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, found, err := tribble.Parse(t.Context(), "f.scala", test.text)
			if err != nil || found.Error() != test.want {
				t.Errorf("Parse(%q): %v, %v\nwant %s", test.text, found, err, test.want)
			}
		})
	}
}

// TestLoad checks that a grammar of the notation parses inputs.
func TestLoad(t *testing.T) {
	const text = `Grammar(
  'list := "[" ~ ('item ~ ",".?).rep ~ "]",
  'item := 'list | "[0-9]+&~(0.+)".regex
)`
	g, err := grammars.Load(t.Context(), grammars.Source{Name: "list.scala", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	tree := grammartest.Parse(t, g, "[10,[0]]")
	const want = "(list [ (item (regex1_0 1 (regex1_2 0))) , (item (list [ (item (regex1_0 0)) ])) ])"
	if got := strings.TrimSpace(grammartest.Lisp(t, tree)); got != want || g.Name != "list" || g.Start != "list" {
		t.Errorf("grammar %s from %s: %s\nwant %s", g.Name, g.Start, got, want)
	}
	if _, err := g.Parse(t.Context(), []byte("[01]"), grammars.ParseOptions{}); err != nil {
		t.Errorf("0 and 1 are two items: %v", err)
	}
}

// FuzzParse checks that parsing any text ends without a panic, with positions inside the
// text.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.scala")
	if err != nil || len(files) == 0 {
		f.Fatalf("no grammars in testdata: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(`Grammar('a := "~(a&[^b-])\"{2,}".regex @@ .5 | ("x".rep(1,2)).? ~ """\u0041""")`)
	f.Fuzz(func(t *testing.T, text string) {
		file, found, err := tribble.Parse(t.Context(), "f.scala", text)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(text, "\n")
		inside := func(p g4.Pos) bool {
			return p.Line >= 1 && p.Line <= len(lines) && p.Column >= 1 && p.Column <= utf8.RuneCountInString(lines[p.Line-1])+1
		}
		for _, d := range found {
			if !inside(d.Pos) {
				t.Errorf("%v is outside the text", d)
			}
		}
		for _, r := range file.Rules {
			if !inside(r.Pos) || len(r.Body.Alts) == 0 && !found.Failed() {
				t.Errorf("rule %s at %v has %d alternatives", r.Name, r.Pos, len(r.Body.Alts))
			}
		}
	})
}
