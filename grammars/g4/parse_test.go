package g4_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/grammars/g4"
)

// TestRules compares the parsed rules with their printed form.
func TestRules(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"references, tokens and literals": {
			"a : b C 'd' EOF ;",
			`a : b C "d" EOF`,
		},
		"empty alternatives": {
			"a : | B | ( | C ) | () ;",
			`a : ε | B | ( ε | C ) | ( ε )`,
		},
		"suffixes, greedy and not": {
			"a : B? C* D+ E?? F*? G + ? (H)* ;",
			`a : B? C* D+ E?? F*? G+? ( H )*`,
		},
		"a suffix holds the label": {
			"a : x=B* y+='c'? z=(D | E)+ w=. ;",
			`a : {x=B}* {y="c"}? {z=( D | E )}+ {w=.}`,
		},
		"labels of alternatives": {
			"a : B # One | C # two ;",
			`a : B #One | C #two`,
		},
		"associativity belongs to the alternative": {
			"e : <assoc=right> e '^' e | <assoc=left> e '*' e | <x> I ;",
			`e : <right> e "^" e | e "*" e | I`,
		},
		"options of elements mean nothing": {
			"a : B<x> c[1]<y.z>* 'd'<e=3,f='g'>? .<h> ~I<j> {k}<l> ;",
			`a : B c* "d"? . ~I {k}`,
		},
		"negated tokens": {
			"a : ~B ~'c' ~(D | 'e')* ;",
			`a : ~B ~"c" ~(D "e")*`,
		},
		"actions and predicates": {
			"a : {p}? B {c} ( {x ? y} ) ;",
			`a : {p}? B {c} ( {x ? y} )`,
		},
		"actions with braces in braces, strings and comments": {
			"a : {{}} {'}'} {\"\\\"}\"} {// }\n} {/* } */} {\\}} ;",
			"a : {{}} {'}'} {\"\\\"}\"} {// }\n} {/* } */} {\\}}",
		},
		"arguments with brackets in brackets and strings": {
			"a[int[] x] returns [int y] : b[c[0]] b[\"]\"] b['['] D ;",
			`a : b b b D`,
		},
		"everything before a rule's colon": {
			"a[int x] returns [int y] throws E, F.G locals [int z] options {o=p;} @init {i} @after {j} : B ; catch [k] {l} catch [m] {n} finally {q}",
			`a {o=p} : B`,
		},
		"options of a group": {
			"a : (options {o=1; q={r};} : B) (@init {x} : C) (: D) ;",
			`a : ( {o=1 q=r} B ) ( C ) ( D )`,
		},
		"words that open blocks only before a brace": {
			"a : tokens options channels ; tokens : B ; options : C ; channels : D ;",
			"a : tokens options channels\ntokens : B\noptions : C\nchannels : D",
		},
		"modifiers are skipped, and can be names": {
			"public a : private ; private : B ; protected public c : D ; private fragment E : 'e' ;",
			"a : private\nprivate : B\nc : D\nfragment E@DEFAULT_MODE : \"e\"",
		},
		"ranges and sets": {
			"A : 'a'..'z' [b] [\\n\\u0041-Z] ~[c-d] ~('e' | 'f'..'g' | [h]) . ;",
			`A@DEFAULT_MODE : 'a'..'z' [b] [\n \u0041-Z] ~[c-d] ~("e" 'f'..'g' [h]) .`,
		},
		"lexer commands": {
			"A : 'a' -> type(B), mode(C), pushMode(3), popMode, CHANNEL(D) ; E : -> skip ;",
			"A@DEFAULT_MODE : \"a\" ->type(B) ->mode(C) ->pushMode(3) ->popMode ->channel(D)\n" +
				"E@DEFAULT_MODE : ε ->skip",
		},
		"options of lexer rules": {
			"A options { caseInsensitive = true; } : (options {x=y;} : 'a') ;",
			`A@DEFAULT_MODE {caseInsensitive=true} : ( {x=y} "a" )`,
		},
		"names with letters of all scripts": {
			"größe : Ä_1 变量 ; Ä_1 : 'x' ; 变量 : ;",
			"größe : Ä_1 变量\nÄ_1@DEFAULT_MODE : \"x\"\n变量 : ε",
		},
		"comments anywhere": {
			"/** doc */ a /* b */ : // c\n B /**/ ; // d",
			`a : B`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			file, diagnostics := parse("f.g4", "grammar G; "+test.text)
			if diagnostics.Failed() {
				t.Fatalf("Parse(%q):\n%v", test.text, diagnostics)
			}
			var rules []string
			for _, r := range file.Rules {
				rules = append(rules, showRule(r))
			}
			if diff := cmp.Diff(test.want, strings.Join(rules, "\n")); diff != "" {
				t.Errorf("Parse(%q) (-want +got):\n%s", test.text, diff)
			}
		})
	}
}

func TestDeclarations(t *testing.T) {
	file, diagnostics := parse("f.g4", "\uFEFF"+`/** A lexer. */
lexer grammar Some;
options { superClass = a.B; tokenVocab='C'; n = 3; }
import D, e = F;
tokens { G, H }
channels { I, J }
@header { k }
@lexer::members { l }
@m::n { o }
P : 'p' {q}? {r} ;
mode S;
T : 't' ;
mode DEFAULT_MODE;
U : 'u' ;
mode V;
W : 'w' ;
mode S;
X : 'x' ;
`)
	if diagnostics != nil {
		t.Fatal(diagnostics)
	}
	at := func(line, column int) g4.Pos { return g4.Pos{File: "f.g4", Line: line, Column: column} }
	file.Options[0].Pos = g4.Pos{}
	want := &g4.File{
		Pos:  at(2, 15),
		Kind: g4.Lexer,
		Name: "Some",
		Options: []g4.Option{
			{Name: "superClass", Value: "a.B"},
			{Pos: at(3, 29), Name: "tokenVocab", Value: "C"},
			{Pos: at(3, 45), Name: "n", Value: "3"},
		},
		Imports:  []g4.Name{{Pos: at(4, 8), Text: "D"}, {Pos: at(4, 15), Text: "F"}},
		Tokens:   []g4.Name{{Pos: at(5, 10), Text: "G"}, {Pos: at(5, 13), Text: "H"}},
		Channels: []g4.Name{{Pos: at(6, 12), Text: "I"}, {Pos: at(6, 15), Text: "J"}},
		Modes:    []g4.Name{{Pos: at(11, 6), Text: "S"}, {Pos: at(15, 6), Text: "V"}},
		Code: []g4.Code{
			{Pos: at(3, 11), Kind: g4.SuperClass, Text: "a.B"},
			{Pos: at(7, 1), Kind: g4.Header, Text: " k "},
			{Pos: at(8, 1), Kind: g4.Members, Text: " l "},
			{Pos: at(9, 1), Kind: g4.Members, Text: " o "},
			{Pos: at(10, 9), Kind: g4.Predicate, Rule: "P", Text: "q"},
			{Pos: at(10, 14), Kind: g4.Action, Rule: "P", Text: "r"},
		},
	}
	var modes []string
	for _, r := range file.Rules {
		modes = append(modes, r.Name+" in "+r.Mode)
	}
	wantModes := []string{"P in DEFAULT_MODE", "T in S", "U in DEFAULT_MODE", "W in V", "X in S"}
	if diff := cmp.Diff(wantModes, modes); diff != "" {
		t.Errorf("modes (-want +got):\n%s", diff)
	}
	file.Rules = nil
	if diff := cmp.Diff(want, file); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
}

func TestKinds(t *testing.T) {
	tests := map[string]g4.Kind{
		"grammar A; a : B;":        g4.Combined,
		"parser grammar A; a : B;": g4.Parser,
		"lexer grammar A; B : C;":  g4.Lexer,
	}
	for text, want := range tests {
		if file, diagnostics := parse("f.g4", text); file.Kind != want || diagnostics != nil {
			t.Errorf("Parse(%q): kind %v, want %v; %v", text, file.Kind, want, diagnostics)
		}
	}
}

// TestCodeIsInFileOrder checks that all code of a rule is listed in file order.
func TestCodeIsInFileOrder(t *testing.T) {
	file, diagnostics := parse("f.g4", `grammar G;
a [1] returns [2] throws t3 locals [4] @init {5} : {6}? b[7] {x8} (@init {9} : {10}) ;
catch [11] {12} finally {13}
b : {14} ;`)
	if diagnostics != nil {
		t.Fatal(diagnostics)
	}
	var got []string
	for _, c := range file.Code {
		got = append(got, fmt.Sprintf("%s %d %s %d", c.Rule, c.Kind, c.Text, c.Line))
	}
	want := []string{
		"a 4 1 2", "a 4 2 2", "a 4 t3 2", "a 4 4 2", "a 4 5 2", "a 0 6 2", "a 4 7 2", "a 1 x8 2", "a 4 9 2", "a 1 10 2",
		"a 4 11 3", "a 4 12 3", "a 4 13 3", "b 1 14 4",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestUnbalancedQuotes checks that a quote in an action does not hide the
// following rules.
func TestUnbalancedQuotes(t *testing.T) {
	file, diagnostics := parse("f.g4", "grammar G;\na : {don't {}} B ;\nb : {\"}\" {}} C ;\nc : d[\"] D ;")
	if diagnostics.Failed() || len(diagnostics) != 1 {
		t.Errorf("diagnostics: %v", diagnostics)
	}
	var got []string
	for _, r := range file.Rules {
		got = append(got, showRule(r))
	}
	want := []string{"a : {don't {}} B", "b : {\"}\" {}} C", "c : d D"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPositionsOfElements(t *testing.T) {
	file, diagnostics := parse("f.g4", "grammar G;\na : x=b* | ( C | ~D ) {e} ;")
	if diagnostics != nil {
		t.Fatal(diagnostics)
	}
	rule := file.Rules[0]
	second := rule.Body.Alts[1]
	repeat := rule.Body.Alts[0].Elements[0].(*g4.Repeat)
	got := map[string]int{
		"rule":        rule.Column,
		"body":        rule.Body.Column,
		"alternative": second.Column,
		"repeat":      repeat.Column,
		"labeled":     repeat.Body.Position().Column,
		"reference":   repeat.Body.(*g4.Labeled).Body.Position().Column,
		"group":       second.Elements[0].Position().Column,
		"negation":    second.Elements[0].(*g4.Block).Alts[1].Elements[0].Position().Column,
		"action":      second.Elements[1].Position().Column,
	}
	want := map[string]int{
		"rule": 1, "body": 3, "alternative": 12, "repeat": 5, "labeled": 5, "reference": 7,
		"group": 12, "negation": 18, "action": 23,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
}

func showRule(r *g4.Rule) string {
	s := r.Name
	if r.Fragment {
		s = "fragment " + s
	}
	if r.Mode != "" {
		s += "@" + r.Mode
	}
	return s + showOptions(r.Options) + " : " + showAlts(r.Body)
}

func showOptions(options []g4.Option) string {
	if len(options) == 0 {
		return ""
	}
	var parts []string
	for _, o := range options {
		parts = append(parts, o.Name+"="+o.Value)
	}
	return " {" + strings.Join(parts, " ") + "}"
}

func showAlts(b *g4.Block) string {
	var alts []string
	for _, alt := range b.Alts {
		alts = append(alts, showAlt(alt))
	}
	return strings.Join(alts, " | ")
}

func showAlt(alt *g4.Alt) string {
	var parts []string
	if alt.RightAssoc {
		parts = append(parts, "<right>")
	}
	if len(alt.Elements) == 0 {
		parts = append(parts, "ε")
	}
	for _, e := range alt.Elements {
		parts = append(parts, showElement(e))
	}
	for _, c := range alt.Commands {
		arg := ""
		if c.Arg != "" {
			arg = "(" + c.Arg + ")"
		}
		parts = append(parts, "->"+c.Name+arg)
	}
	if alt.Label != "" {
		parts = append(parts, "#"+alt.Label)
	}
	return strings.Join(parts, " ")
}

func showElement(e g4.Element) string {
	switch e := e.(type) {
	case *g4.Ref:
		return e.Name
	case *g4.Literal:
		return fmt.Sprintf("%q", e.Value)
	case *g4.Range:
		return e.Text
	case *g4.CharSet:
		var items []string
		for _, item := range e.Items {
			items = append(items, item.Text)
		}
		return "[" + strings.Join(items, " ") + "]"
	case *g4.Not:
		if len(e.Items) == 1 {
			return "~" + showElement(e.Items[0])
		}
		var items []string
		for _, item := range e.Items {
			items = append(items, showElement(item))
		}
		return "~(" + strings.Join(items, " ") + ")"
	case *g4.Dot:
		return "."
	case *g4.Block:
		return "(" + showOptions(e.Options) + " " + showAlts(e) + " )"
	case *g4.Repeat:
		if e.NonGreedy {
			return showElement(e.Body) + string(e.Op) + "?"
		}
		return showElement(e.Body) + string(e.Op)
	case *g4.Labeled:
		return "{" + e.Label + "=" + showElement(e.Body) + "}"
	case *g4.Embedded:
		if e.Kind == g4.Predicate {
			return "{" + e.Text + "}?"
		}
		return "{" + e.Text + "}"
	}
	return fmt.Sprintf("<%T>", e)
}

func TestNotes(t *testing.T) {
	file, found := parse("N.g4", "grammar N;\n// inroad: same  B\n// Why.\n  // inroad:needs C // as it is\na : B ;\nb : C ; // inroad: same C\nfragment D : 'd' ;\n")
	if found.Failed() {
		t.Fatal(found)
	}
	got := map[string][]string{}
	for _, r := range file.Rules {
		for _, n := range r.Notes {
			got[r.Name] = append(got[r.Name], fmt.Sprintf("%d:%d %s", n.Line, n.Column, n.Text))
		}
	}
	want := map[string][]string{"a": {"2:1 same B", "4:3 needs C"}, "D": {"6:9 same C"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
