package grammars_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/grammars/limit"
)

// hostileLoads returns grammars that are costly to load, by name. Loading them
// takes steps linear in their size, or ends with the given limit.
func hostileLoads() map[string]struct {
	text  string
	limit string // starts of the error; "" if the grammar loads or has other errors
} {
	const n = 1500
	const merging = "grammar g; options{scannerless=true;mergeLiterals=true;} s:'x' r0;"
	return map[string]struct{ text, limit string }{
		"left recursion with 120,000 operators": {repeated("grammar g; e:", "e'o'e|", 120_000, "'x';")(), limitParts},
		"left recursion with 30,000 operators":  {repeated("grammar g; e:", "e'o'e|", 30_000, "'x';")(), limitNodes},
		"left recursion with operators":         {repeated("grammar g; e:", "e'o'e|", n, "'x';")(), ""},
		"left recursion without a primary":      {repeated("grammar g; e:", "e'o'e|", n, "e;")(), ""},
		"left-recursive rules":                  {counted("grammar g; s:r0;", "r#:r# 'o' r#|r#+;", n, "r1500:'x';")(), ""},
		"a chain of rules":                      {counted("grammar g; s:r0;", "r#:r#+;", n, "r1500:'x';")(), ""},
		"a chain of rules, backwards":           {counted("grammar g; s:q1500;q0:'x';", "q#+:q#;", n, "")(), ""},
		"rules that double":                     {counted("grammar g; s:r0;", "r#:r#+ r#+;", n, "r1500:'x';")(), ""},
		"rules that can all be empty":           {counted("grammar g; s:", "r#? ", n, ";"+counted("", "r#:'x'?;", n, "")())(), ""},
		"a cycle of rules":                      {counted("grammar g; s:'x'|r0;", "r#:'y' r#+;", n, "r1500:'y' r0;")(), ""},
		"a left-recursive cycle of rules":       {counted("grammar g; s:'x'|r0;", "r#:r#+|'z';", n, "r1500:r0;")(), ""},
		"references to rules without end":       {counted("grammar g; s:'x';", "r#:u#;", n, "")(), ""},
		"actions":                               {repeated("grammar g; s:", "{a}", 10_000, "'x';")(), ""},
		"actions in the lexer":                  {repeated("grammar g; s:A;A:", "{a}", 10_000, "'x';")(), ""},
		"predicates":                            {repeated("grammar g; s:", "{a}?'x'|", n, "'x';")(), ""},
		"empty alternatives":                    {repeated("grammar g; s:", "|", 10_000, "'x';")(), ""},
		"empty alternatives, too many":          {repeated("grammar g; s:", "|", 110_000, "'x';")(), limitNodes},
		"nested groups":                         {"grammar g; s:" + strings.Repeat("('b'|", 490) + "'a'" + strings.Repeat(")*", 490) + ";", ""},
		"literals":                              {counted("grammar g; s:", "'#'|", n, "'x';")(), ""},
		"a long literal":                        {"grammar g; s:'" + strings.Repeat("x", 20_000) + "';", ""},
		"literals to merge":                     {counted(merging, "r#:'a' r#+;", 100, "r100:'x';")(), ""},
		"literals to merge, a long chain":       {counted(merging, "r#:'a' r#+;", 5000, "r5000:'x';")(), limitMerge},
		"literals that double when merged":      {counted(merging, "r#:'a' r#+ r#+;", 40, "r40:'x';")(), limitMerge},
		"a literal that is too long":            {"grammar g; s:'" + strings.Repeat("x", 600_000) + "';", limitSize},
		"tokens of one text":                    {counted("grammar g; s:'x';", "A#:'x';", n, "")(), ""},
		"tokens of one type":                    {counted("grammar g; s:"+strings.Repeat("T ", n)+";", "A#:'x#'->type(T);", n, "T:'t';")(), ""},
		"tokens that go on":                     {counted("grammar g; s:T;", "A#:'x#'->more;", n, "T:'t';")(), ""},
		"tokens that go on to many":             {counted("grammar g; s:T;", "A#:'x#'->more;B#:'y#'->type(T);", 1000, "T:'t';")(), limitNodes},
		"declared tokens":                       {counted("grammar g; tokens{", "D#,", n, "Z} s:"+counted("", "D#|", n, "'t';")())(), ""},
		"wildcards over many tokens":            {repeated("grammar g; s:", ". ", 5000, ";"+counted("", "A#:'#';", 3500, "")())(), limitSize},
		"sets over many tokens":                 {repeated("grammar g; s:", "('a'|'b') ", n, ";"+counted("", "A#:'#';", 2*n, "")())(), ""},
		"properties":                            {counted("grammar g; s:A0;", "A#:[\\p{L}\\P{Lu}\\p{N}];", 2500, "")(), limitSize},
		"properties in one set":                 {repeated("grammar g; s:A;A:[", "\\p{L}\\P{Lu}", n, "];")(), ""},
		"properties in one negated set":         {repeated("grammar g; s:A;A:~[", "\\p{L}\\p{N}", n, "];")(), ""},
		"properties in negated sets":            {repeated("grammar g; s:A;A:~(", "[\\p{L}]|", n, "'x');")(), ""},
		"notes":                                 {"grammar g;s:'x';\n" + strings.Repeat("// inroad: needs A\n", n) + "r:" + strings.Repeat("B ", n) + ";A:'a';B:'b';", ""},
		"a note with a long path":               {"grammar g;\n// inroad: same " + strings.Repeat("r/", n) + "A\nr:r A|A;A:'a';", ""},
		"comments":                              {repeated("grammar g; s:'x';", "/* a */", n, "")(), ""},
		"labels":                                {counted("grammar g; s:", "a#=A|", n, "A;A:'a';")(), ""},
		"lexer commands":                        {repeated("grammar g; s:A;A:'a'->skip", ",skip", n, ";")(), ""},
		"fragments":                             {counted("grammar g; s:A;A:F0;", "fragment F#:F#+;", n, "fragment F1500:'x';")(), ""},
	}
}

// TestHostileLoads checks that loading takes linearly many steps, or ends with a
// limit that the error names.
func TestHostileLoads(t *testing.T) {
	for name, test := range hostileLoads() {
		t.Run(name, func(t *testing.T) {
			limits := grammars.LoadLimits{Steps: 1000*len(test.text) + 100_000}
			_, err := grammars.LoadWith(t.Context(), grammars.LoadOptions{Limits: limits}, grammars.Source{Name: "g.g4", Text: test.text})
			var found g4.Diagnostics
			switch over := (*limit.Error)(nil); {
			case errors.As(err, &over):
				if got := "limit: " + over.Error(); test.limit == "" || !strings.HasPrefix(got, test.limit) {
					t.Errorf("got %s, want %q", got, test.limit)
				}
			case test.limit != "":
				t.Errorf("got %.200v, want %s", err, test.limit)
			case err != nil && !errors.As(err, &found):
				t.Errorf("got %v", err)
			case len(found) > 1001:
				t.Errorf("%d diagnostics", len(found))
			}
		})
	}
}

// A countdown is a context that ends after a number of looks at it.
type countdown struct {
	context.Context
	looks int
}

func (c *countdown) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// TestLoadEndsWithItsContext checks that loading stops soon after its context has
// ended, at any time: it looks at the context often, and not again once it has
// ended.
func TestLoadEndsWithItsContext(t *testing.T) {
	for name, test := range hostileLoads() {
		t.Run(name, func(t *testing.T) {
			source := grammars.Source{Name: "g.g4", Text: test.text}
			whole := &countdown{context.Background(), 1 << 30}
			_, _ = grammars.Load(whole, source)
			looks := 1<<30 - whole.looks
			for _, n := range []int{0, looks / 3, looks - 2} {
				ctx := &countdown{context.Background(), max(n, 0)}
				if _, err := grammars.Load(ctx, source); !errors.Is(err, context.Canceled) || ctx.looks < -3 {
					t.Errorf("ended after %d of %d looks: %.100v, and %d looks more", n, looks, err, -1-ctx.looks)
				}
			}
		})
	}
}

// TestLoadLimits checks each limit, and that its error says how to stay below it.
func TestLoadLimits(t *testing.T) {
	source := grammars.Source{Name: "g.g4", Text: counted("grammar g; s:", "A#|", 200, "'x';"+counted("", "A#:'a#';", 200, "")())()}
	for want, limits := range map[string]grammars.LoadLimits{
		"text of a grammar: limit of 1000 bytes reached":         {Text: 1000},
		"nodes of a grammar: limit of 100 reached":               {Nodes: 100},
		"size of a loaded grammar: limit of 10000 bytes reached": {Size: 10_000},
		"steps to load a grammar: limit of 1000 reached":         {Steps: 1000},
	} {
		_, err := grammars.LoadWith(t.Context(), grammars.LoadOptions{Limits: limits}, source)
		if got := fmt.Sprint(err); got != want+"; shorten the grammar, or load a part of it" {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
