package grammars_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
)

func TestChoices(t *testing.T) {
	const shapes = `grammar G;
s : item (',' item)* EOF ;
item : ('a' | 'b' 'c'? | )  N? | ('x' | ('y' 'z'*)+)+ ;
N : [0-9]+ ('.' D*)? ;
fragment D : [0-9] ;
WS : (' ' | '\n')+ -> skip ;
C : '#' ~'\n'* -> channel(HIDDEN) ;
`
	const operators = `grammar G;
s : e EOF ;
e : e '*' e | e '+' e | '-' e | N ;
N : [0-9] ;
`
	const made = `lexer grammar GLexer;
A : 'a'+ ;
B : 'b' -> type(A) ;
Q : '"' -> more, pushMode(S) ;
mode S;
STR : '"' -> popMode ;
CH : [a-z] -> more ;
`
	const makes = `parser grammar GParser;
options { tokenVocab = GLexer; }
s : (A | STR)* EOF ;
`
	for _, c := range []struct {
		name    string
		grammar []string
		input   string
		want    []string // kind, place and choice
	}{
		{
			"repetitions and alternatives",
			[]string{shapes},
			"a,bc",
			[]string{"rep 2:10 1", "alt 3:6 0", "alt 3:8 0", "rep 3:29 0", "alt 3:6 0", "alt 3:8 1", "rep 3:19 1", "rep 3:29 0"},
		},
		{
			"an empty alternative, and loops in loops",
			[]string{shapes},
			",yzzyx",
			[]string{
				"rep 2:10 1", "alt 3:6 0", "alt 3:8 2", "rep 3:29 0",
				"alt 3:6 1", "alt 3:34 1", "rep 3:46 2", "rep 3:46 0", "rep 3:41 2", "alt 3:34 0", "rep 3:34 2",
			},
		},
		{
			"tokens and trivia",
			[]string{shapes},
			"a4. #x\n",
			[]string{
				"rep 2:10 0", "alt 3:6 0", "alt 3:8 0", "rep 3:29 1", "rep 4:5 1", "rep 4:17 0", "rep 4:12 1",
				"alt 0:0 0", "alt 6:6 0", "rep 6:6 1", "alt 0:0 1", "rep 7:9 1", "alt 0:0 0", "alt 6:6 1", "rep 6:6 1",
			},
		},
		{
			"operators",
			[]string{operators},
			"1+-2*3",
			[]string{"alt 3:3 1", "alt 3:3 3", "alt 3:3 2", "alt 3:3 0", "alt 3:3 3", "alt 3:3 3"},
		},
		{
			"tokens that several rules make",
			[]string{makes, made},
			"\"ab\"baa",
			[]string{
				"alt 3:5 1", "alt 3:5 0", "alt 3:5 0", "rep 3:5 3", "alt 6:1 0", "alt 6:1 1",
				"alt 6:1 1", "rep 6:1 3", "alt 0:0 1", "alt 0:0 0", "rep 2:5 2",
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := grammartest.Load(t, c.grammar...)
			if diff := cmp.Diff(c.want, choices(t, g, c.input)); diff != "" {
				t.Errorf("%q: (-want +got)\n%s", c.input, diff)
			}
		})
	}
}

func choices(t *testing.T, g *grammars.Grammar, input string) []string {
	t.Helper()
	var out []string
	err := g.Choices().Each(grammartest.Parse(t, g, input), func(n *grammars.Node, choice int) {
		out = append(out, fmt.Sprintf("%s %d:%d %d", strings.ToLower(n.Kind.String())[:3], n.Line, n.Column, choice))
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRounds(t *testing.T) {
	g := grammartest.Load(t, "grammar G;\ns : ('a' 'b'?)* ('c' | 'd')+ EOF ;\n")
	var got []string
	g.Choices().Rounds(grammartest.Parse(t, g, "abaabdc").Root(), func(n *grammars.Node, from, to int) {
		got = append(got, fmt.Sprintf("%d: %d-%d", n.Column, from, to))
	})
	want := []string{"10: 1-2", "5: 0-2", "5: 2-3", "10: 4-5", "5: 3-5", "17: 5-6", "17: 6-7"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
