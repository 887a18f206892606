package grammars_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/grammars/limit"
)

// checkParse checks that parsing terminates with a tree of the input or with an
// error positioned inside the input.
func checkParse(t failer, g *grammars.Grammar, input string, tree *derivation.Tree, err error) {
	t.Helper()
	var syntax *grammars.SyntaxError
	var over *limit.Error
	switch {
	case err == nil:
		checkTree(t, g, tree, input)
		for _, write := range []func(io.Writer) error{tree.WriteLisp, tree.WriteIndented, tree.WriteJSON, tree.WriteDeepJSON, tree.WriteDeepTriviaJSON} {
			if err := write(io.Discard); err != nil {
				t.Errorf("write the tree of %q: %v", input, err)
			}
		}
	case errors.As(err, &syntax):
		if syntax.Offset > len(input) || !strings.HasPrefix(input[syntax.Offset:], syntax.Unexpected) {
			t.Errorf("error is at byte %d of %q: %v", syntax.Offset, input, err)
			return
		}
		lines := strings.Split(input[:syntax.Offset], "\n")
		if column := 1 + utf8.RuneCountInString(lines[len(lines)-1]); syntax.Line != len(lines) || syntax.Column != column {
			t.Errorf("byte %d of %q is at %d:%d, not at %d:%d", syntax.Offset, input, len(lines), column, syntax.Line, syntax.Column)
		}
	case !errors.As(err, &over):
		t.Errorf("parse %q: %v", input, err)
	}
}

func TestParseAnything(t *testing.T) {
	for name, tokens := range map[string][]string{
		"expr": {"+", "-", "*", "/", "%", "++", "--", "(", ")", "0", "7", "42", "x", "y", "z", " ", "\t", "\r\n", "w", "&", "é", "\xff"},
		"json": {"{", "}", "[", "]", ",", ":", "true", "false", "null", `""`, `"a\u00e9😀"`, "0", "-1.5e+3", " ", "\n", "nul", `"`, `\`, "1.", "語", "\xc3"},
	} {
		t.Run(name, func(t *testing.T) {
			g := grammartest.Bundled(t, name)
			anything := rapid.Custom(func(t *rapid.T) string { return string(rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "bytes")) })
			soup := rapid.Custom(func(t *rapid.T) string {
				return strings.Join(rapid.SliceOfN(rapid.SampledFrom(tokens), 0, 30).Draw(t, "tokens"), "")
			})
			inputs := rapid.OneOf(anything, soup)
			rapid.Check(t, func(r *rapid.T) {
				input := inputs.Draw(r, "input")
				opt := grammars.ParseOptions{Prefix: rapid.Bool().Draw(r, "prefix"), Start: rapid.SampledFrom(g.ParserRules()).Draw(r, "start").Name}
				tree, err := g.Parse(t.Context(), []byte(input), opt)
				checkParse(r, g, input, tree, err)
			})
		})
	}
}

// A leafText is a derived token.
type leafText struct {
	occurrence grammars.Occurrence
	text       string
}

// derive derives random tokens from a node of a parser rule, or random
// characters from a node of a lexer rule. At depth 0 it takes the smallest
// derivation.
func derive(t *rapid.T, n *grammars.Node, depth int) []leafText {
	var out []leafText
	switch n.Kind {
	case grammars.Alternation:
		children := n.Children
		if depth <= 0 {
			children = []*grammars.Node{slices.MinFunc(children, func(a, b *grammars.Node) int { return a.Size - b.Size })}
		}
		return derive(t, rapid.SampledFrom(children).Draw(t, "alternative"), depth)
	case grammars.Concatenation:
		for _, child := range n.Children {
			out = append(out, derive(t, child, depth)...)
		}
	case grammars.Repetition:
		times := n.Min
		if most := 4; depth > 0 {
			if n.Max >= 0 {
				most = n.Max
			}
			times = rapid.IntRange(n.Min, most).Draw(t, "times")
		}
		for range times {
			out = append(out, derive(t, n.Children[0], depth)...)
		}
	case grammars.Reference:
		out = derive(t, n.Children[0], depth-1)
		if n.Token > 0 {
			text := ""
			for _, part := range out {
				text += part.text
			}
			out = []leafText{{n.ID, text}}
		}
	case grammars.Literal:
		out = []leafText{{n.ID, n.Value}}
	case grammars.CharSet:
		r := rapid.SampledFrom(n.Chars).Draw(t, "range")
		char := rapid.Int32Range(r.Lo, r.Hi).Draw(t, "character")
		if !utf8.ValidRune(char) {
			char = r.Lo
		}
		out = []leafText{{n.ID, string(char)}}
	}
	return out
}

// TestDerivedInputsParse checks that inputs derived from the graph parse
// to the occurrences they were derived from. The bundled grammars are
// unambiguous.
func TestDerivedInputsParse(t *testing.T) {
	for _, name := range []string{"expr", "json"} {
		t.Run(name, func(t *testing.T) {
			g := grammartest.Bundled(t, name)
			rapid.Check(t, func(r *rapid.T) {
				var texts []string
				var want []grammars.Occurrence
				for _, leaf := range derive(r, g.Nodes[g.Rule(g.Start).Root], rapid.IntRange(0, 14).Draw(r, "depth")) {
					texts, want = append(texts, leaf.text), append(want, leaf.occurrence)
				}
				input := strings.Join(texts, rapid.SampledFrom([]string{" ", "\n", "\t  "}).Draw(r, "between"))
				tree, err := g.Parse(t.Context(), []byte(input), grammars.ParseOptions{})
				if err != nil {
					r.Fatalf("derived %q: %v", input, err)
				}
				checkTree(r, g, tree, input)
				var got []grammars.Occurrence
				for _, n := range tree.All() {
					if n.Kind() == derivation.Leaf && n.Token().Type != derivation.EOF {
						got = append(got, n.Occurrence())
					}
				}
				if !slices.Equal(got, want) {
					r.Fatalf("%q was derived from %v, and parsed to %v", input, want, got)
				}
			})
		})
	}
}

// FuzzLoad checks that no text of up to three files causes a panic, and that
// loading ends with a grammar within its limits or an error, also if its context
// ends at any time.
func FuzzLoad(f *testing.F) {
	for _, test := range treeCases() {
		f.Add(strings.Join(test.grammars, "\x00"), 20)
	}
	for _, test := range hostileLoads() {
		f.Add(test.text[:min(len(test.text), 300)], 3)
	}
	f.Add("parser grammar P; options {tokenVocab=L;} import Q; s : A+ b ;\x00lexer grammar L; A : 'a' -> more, pushMode(M) ; mode M; B : 'b' -> popMode, type(A) ;\x00parser grammar Q; import P; b : ~A . ;", 5)
	f.Fuzz(func(t *testing.T, text string, looks int) {
		var sources []grammars.Source
		for i, part := range strings.SplitN(text, "\x00", 3) {
			sources = append(sources, grammars.Source{Name: fmt.Sprintf("%d.g4", i), Text: part})
		}
		limits := grammars.LoadLimits{Text: 100_000, Nodes: 2_000, Size: 4 << 20, Steps: 200_000}
		g, err := grammars.LoadWith(context.Background(), grammars.LoadOptions{Limits: limits}, sources...)
		named(t, err)
		if err == nil && len(g.Nodes) > limits.Nodes {
			t.Errorf("%d nodes", len(g.Nodes))
		}
		again, errAgain := grammars.LoadWith(context.Background(), grammars.LoadOptions{Limits: limits}, sources...)
		if fmt.Sprint(err) != fmt.Sprint(errAgain) || err == nil && g.Digest != again.Digest {
			t.Errorf("loading again: %v, before: %v", errAgain, err)
		}
		ctx := &countdown{context.Background(), looks}
		if _, err := grammars.LoadWith(ctx, grammars.LoadOptions{Limits: limits}, sources...); ctx.looks < 0 && !errors.Is(err, context.Canceled) {
			t.Errorf("the context ended, and loading with %v", err)
		}
	})
}

// FuzzLoadAndParse checks that no untrusted grammar and input cause a panic or
// take long.
func FuzzLoadAndParse(f *testing.F) {
	for _, test := range treeCases() {
		if len(test.grammars) == 1 {
			f.Add(test.grammars[0], test.input)
		}
	}
	for _, name := range []string{"expr", "json"} {
		f.Add(bundledText(f, name), "[1, {\"a\": x+(42)}]")
	}
	f.Add("grammar G; a : (b? c?)* ; b : a | ; c : EOF* ;", "x")
	f.Add("grammar G; a : {p()}? B+ ~C | a . a ; B : C* | EOF ; fragment C : [a-z\\p{L}] D? ; D : 'd' -> more ;", "abd")
	f.Fuzz(func(t *testing.T, text, input string) {
		if len(text) > 2000 || len(input) > 200 {
			t.Skip("longer texts only make the fuzzer slower")
		}
		begin := time.Now()
		g, err := grammars.Load(context.Background(), grammars.Source{Name: "f.g4", Text: text})
		if err != nil {
			if fmt.Sprint(err) == "" {
				t.Errorf("an error that says nothing: %#v", err)
			}
			return
		}
		for _, prefix := range []bool{false, true} {
			limits := grammars.Limits{Depth: 200, Steps: 20_000, Time: time.Second}
			tree, err := g.Parse(t.Context(), []byte(input), grammars.ParseOptions{Prefix: prefix, Limits: limits})
			checkParse(t, g, input, tree, err)
			strict, strictErr := g.Parse(t.Context(), []byte(input), grammars.ParseOptions{Prefix: prefix, Strict: true, Limits: limits})
			checkStrict(t, g, input, lispOf(tree, err), lispOf(strict, strictErr), strictErr)
		}
		if took := time.Since(begin); took > 8*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

// lispOf returns the tree of a parse in LISP form, or its error.
func lispOf(tree *derivation.Tree, err error) string {
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	if err := tree.WriteLisp(&b); err != nil {
		return err.Error()
	}
	return b.String()
}

// checkStrict checks that a strict parse has the same result as any parse, or
// names a predicate of the grammar. Step counts depend on the state of the
// caches, so limit errors are ignored.
func checkStrict(t failer, g *grammars.Grammar, input, want, got string, err error) {
	t.Helper()
	predicate, refused := errors.AsType[*grammars.PredicateError](err)
	switch {
	case refused:
		if !slices.Contains(g.Code, predicate.Predicate) {
			t.Errorf("%q: %v is not among the code of the grammar: %v", input, err, g.Code)
		}
		if predicate.Offset > len(input) {
			t.Errorf("%q: %v is at byte %d", input, err, predicate.Offset)
		}
	case got != want && !strings.HasPrefix(got, "limit") && !strings.HasPrefix(want, "limit"):
		t.Errorf("%q: strictly %s, and else %s", input, got, want)
	}
}

// FuzzParse checks that no input causes a panic or takes long with the bundled
// grammars, and that both prediction engines agree.
func FuzzParse(f *testing.F) {
	type loaded struct {
		name    string
		grammar *grammars.Grammar
	}
	var all []loaded
	for _, name := range bundled.Names() {
		all = append(all, loaded{name, grammartest.Bundled(f, name)})
	}
	for _, input := range []string{
		"", "x+42", "(3)*6", "+-++--x", "x y", `{"a":[1,2,{"b":null}],"c":"\u00e9\n"}`, "[1 2]", "[-0.5e+10,true,false]",
		"\xff\xfe", "\x00", `"\ud800"`, `"`, "[[[[", "\ufeff1", "1e999", `{"a":1,"a":2}`,
	} {
		f.Add([]byte(input))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		if len(input) > 10_000 {
			t.Skip("longer inputs only make the fuzzer slower")
		}
		for _, of := range all {
			tree, err := of.grammar.Parse(t.Context(), input, grammars.ParseOptions{})
			checkParse(t, of.grammar, string(input), tree, err)
			if len(input) < 200 {
				compareEngines(t, of.grammar, string(input), grammars.ParseOptions{})
			}
			if err != nil {
				continue
			}
			for i, token := range tree.Tokens() {
				inside, err := tree.Dissect(i)
				if err != nil {
					t.Errorf("%s: inside of token %d of %q: %v", of.name, i, input, err)
				} else if inside != nil && inside.String() != string(input[token.Start:token.End]) {
					t.Errorf("%s: token %d of %q prints as %q", of.name, i, input, inside)
				}
			}
		}
	})
}

func bundledText(tb testing.TB, name string) string {
	tb.Helper()
	sources, err := bundled.Sources(name)
	if err != nil {
		tb.Fatal(err)
	}
	return sources[0].Text
}
