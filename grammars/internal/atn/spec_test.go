package atn

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/g4"
)

// failer is the common interface of tests and properties.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// specOf resolves a grammar of one file, as far as these tests need. A literal
// in a parser rule must be the whole body of a lexer rule.
func specOf(t failer, text string) *Spec {
	t.Helper()
	file, found, _ := g4.Parse(context.Background(), "G.g4", text)
	if found.Failed() {
		t.Fatal(found)
	}
	spec := &Spec{
		Modes: []string{g4.DefaultMode}, Tokens: map[string]int{"EOF": derivation.EOF}, Channels: map[string]int{"HIDDEN": 1},
		Occurrences: map[g4.Element]int32{}, Items: map[*g4.CharSet][]int32{}, Empties: map[*g4.Alt]int32{}, Parts: map[Part]int32{},
	}
	for _, mode := range file.Modes {
		spec.Modes = append(spec.Modes, mode.Text)
	}
	for _, r := range file.Rules {
		if !r.IsLexer() {
			spec.ParserRules = append(spec.ParserRules, r)
			continue
		}
		spec.LexerRules, spec.Trivia = append(spec.LexerRules, r), append(spec.Trivia, none)
		token := 0
		if !r.Fragment {
			spec.MaxToken++
			token = spec.MaxToken
			spec.Tokens[r.Name] = token
			if literal, ok := onlyElement(r).(*g4.Literal); ok {
				spec.Tokens[literal.Quoted()] = token
			}
		}
		spec.RuleTypes = append(spec.RuleTypes, token)
	}
	spec.LexerTokens = spec.MaxToken
	for _, r := range file.Rules {
		spec.number(r.Body)
	}
	return spec
}

func onlyElement(r *g4.Rule) g4.Element {
	if len(r.Body.Alts) != 1 || len(r.Body.Alts[0].Elements) != 1 {
		return nil
	}
	return r.Body.Alts[0].Elements[0]
}

// number assigns an occurrence to each symbol in a block.
func (spec *Spec) number(block *g4.Block) {
	next := func(text string) int32 {
		spec.Symbols = append(spec.Symbols, text)
		return int32(len(spec.Symbols) - 1)
	}
	for e := range block.Elements() {
		switch e := e.(type) {
		case *g4.Ref:
			spec.Occurrences[e] = next(e.Name)
		case *g4.Literal:
			spec.Occurrences[e] = next(e.Quoted())
		case *g4.Range:
			spec.Occurrences[e] = next(e.Text)
		case *g4.Not, *g4.Dot:
			spec.Occurrences[e] = next("any")
		case *g4.CharSet:
			for _, item := range e.Items {
				spec.Items[e] = append(spec.Items[e], next("["+item.Text+"]"))
			}
		}
	}
}

// machineOf builds the machine of a grammar.
func machineOf(t failer, text string) *Machine {
	t.Helper()
	spec := specOf(t, text)
	names := &derivation.Names{Symbols: spec.Symbols, Tokens: make([]string, spec.MaxToken+1)}
	for _, r := range spec.ParserRules {
		names.Rules = append(names.Rules, r.Name)
	}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(spec.Tokens))) { // quotes come first
		if token := spec.Tokens[name]; token > 0 {
			names.Tokens[token] = name
		}
	}
	return Build(spec, names)
}

// parse parses the whole input from the first rule.
func (m *Machine) parse(input string) (*derivation.Tree, error) {
	return m.Parse(context.Background(), []byte(input), Options{Whole: true, Limits: testLimits()})
}

func testLimits() Limits {
	return Limits{Steps: 1_000_000, Depth: 1000, Tokens: 100_000, Nodes: 1_000_000, Time: time.Minute}
}

// lisp returns a tree in LISP form, with the symbols in a tree inside a token.
func lisp(tree *derivation.Tree) string {
	var b strings.Builder
	open := []int{}
	for depth, n := range tree.All() {
		for len(open) > 0 && open[len(open)-1] >= depth {
			b.WriteByte(')')
			open = open[:len(open)-1]
		}
		if depth > 0 {
			b.WriteByte(' ')
		}
		if n.Kind() == derivation.Rule {
			b.WriteString("(" + n.Name())
			open = append(open, depth)
			continue
		}
		b.WriteString(n.Name() + "=" + n.Text())
	}
	return b.String() + strings.Repeat(")", len(open))
}

func TestSpecOf(t *testing.T) {
	m := machineOf(t, "grammar G; s : (A | 'b')* EOF ; A : 'a' F? ; fragment F : [0-9x] ; B : 'b' ; S : ' ' -> skip ;")
	tree, err := m.parse("a1 bax")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := lisp(tree), "(s A=a1 'b'=b A=ax EOF=)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var got []string
	for i := range tree.Tokens() {
		inside, err := tree.Dissect(i)
		if err != nil {
			t.Fatal(err)
		}
		if inside != nil {
			got = append(got, lisp(inside))
		}
	}
	want := []string{"(A 'a'=a (F [0-9]=1))", "(S ' '= )", "(B 'b'=b)", "(A 'a'=a (F [x]=x))"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
