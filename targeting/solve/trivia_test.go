package solve_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/solve"
)

const commented = `grammar C;
s : ('let' ID '=' ID ';')+ EOF ;
ID : LETTER+ ;
fragment LETTER : [a-z] ;
BLANK : [ ] -> skip ;
LINE : '//' LETTER* '\n' -> channel(HIDDEN) ;
BLOCK : '/*' (LETTER | '*' [a-z])* '*/' -> channel(HIDDEN) ;
`

// What is asked of trivia is met by what stands between tokens.
func TestTrivia(t *testing.T) {
	g := grammartest.Load(t, commented)
	r := targeting.NewReader(g, "")
	forbid := func(c *targeting.Condition) { c.Min, c.Max = 0, 0 }
	for _, c := range []struct {
		name       string
		paths      map[string]func(*targeting.Condition)
		has, hasNo []string
	}{
		{"a line comment", map[string]func(*targeting.Condition){"LINE": nil}, []string{"//"}, []string{"/*"}},
		{"one of each", map[string]func(*targeting.Condition){"LINE > LETTER": nil, "BLOCK > '*'": nil}, []string{"//", "/**"}, nil},
		{"no blank", map[string]func(*targeting.Condition){"BLANK": forbid}, []string{"let"}, []string{" "}},
		{"no blank, no line", map[string]func(*targeting.Condition){"BLANK": forbid, "LINE": forbid}, []string{"/*"}, []string{" ", "//"}},
		{"a letter in a comment, none in a token twice", map[string]func(*targeting.Condition){
			"trivia > LETTER": nil, "LETTER": func(c *targeting.Condition) { c.Min, c.Max = 2, 2 },
		}, []string{"let"}, nil},
		{"an empty comment", map[string]func(*targeting.Condition){"BLOCK > absent": nil}, []string{"/**/"}, nil},
		{"no empty comment", map[string]func(*targeting.Condition){"LINE": nil, "LINE > absent": forbid}, []string{"//"}, []string{"//\n"}},
		{"three comments", map[string]func(*targeting.Condition){"LINE": func(c *targeting.Condition) { c.Min, c.Max = 3, 3 }}, []string{"//"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var constraint targeting.Constraint
			for text, set := range c.paths {
				cond, err := r.Read(text)
				if err != nil {
					t.Fatal(err)
				}
				if set != nil {
					set(&cond)
				}
				constraint.Conditions = append(constraint.Conditions, cond)
			}
			solution, err := newSolver(t, g).Solve(t.Context(), constraint)
			if err != nil {
				t.Fatal(err)
			}
			smallest, err := solution.Smallest(t.Context(), source(1), 1)
			if err != nil {
				t.Fatal(err)
			}
			varied, err := solution.Varied(t.Context(), source(1), 5)
			if err != nil {
				t.Fatal(err)
			}
			for _, input := range append(smallest, varied...) {
				grammartest.Parse(t, g, string(input.Text))
				for _, text := range c.has {
					if !strings.Contains(string(input.Text), text) {
						t.Errorf("%q has no %q", input.Text, text)
					}
				}
				for _, text := range c.hasNo {
					if strings.Contains(string(input.Text), text) {
						t.Errorf("%q has %q", input.Text, text)
					}
				}
			}
		})
	}

	// Something has to stand between let and a name.
	var constraint targeting.Constraint
	for _, text := range []string{"BLANK", "LINE", "BLOCK"} {
		cond, err := r.Absent(text)
		if err != nil {
			t.Fatal(err)
		}
		constraint.Conditions = append(constraint.Conditions, cond)
	}
	solution, err := newSolver(t, g).Solve(t.Context(), constraint)
	if err != nil {
		t.Fatal(err)
	}
	_, err = solution.Smallest(t.Context(), source(1), 1)
	if unrealised, ok := errors.AsType[*solve.UnrealisedError](err); !ok || unrealised.Misread != unrealised.Tried {
		t.Errorf("without any trivia: %v", err)
	}
}
