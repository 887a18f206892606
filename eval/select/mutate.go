package main

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// A mutant is a file with one change in one function.
type mutant struct {
	file     string // relative to the library, with slashes
	function int    // the line that it begins in
	line     int    // of the change
	what     string
	text     []byte
	diff     string
}

// An edit replaces a part of a function. It keeps the number of lines.
type edit struct {
	function int // the line that it begins in
	from, to int // offsets in the file
	with     string
	what     string
}

// negated turns a condition the other way round.
func negated(text []byte, function, from, to int) edit {
	return edit{function, from, to, "!(" + string(text[from:to]) + ")", "negated"}
}

// leftOut takes a statement away.
func leftOut(text []byte, function, from, to int) edit {
	return edit{function, from, to, strings.Repeat("\n", bytes.Count(text[from:to], []byte("\n"))), "left out"}
}

// replaced puts an operator or a constant in the place of another.
func replaced(text []byte, function, from, to int, with string) edit {
	return edit{function, from, to, with, string(text[from:to]) + " to " + with}
}

// mistaken returns the operator that one is mistaken for. Both languages have
// these.
func mistaken(operator string) (string, bool) {
	other, ok := map[string]string{
		"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&", "+": "-", "-": "+",
	}[operator]
	return other, ok
}

// nextNumber returns the number behind a literal.
func nextNumber(literal string) (string, bool) {
	value, err := strconv.ParseInt(literal, 0, 32)
	return strconv.FormatInt(value+1, 10), err == nil
}

// nextCharacter returns the character behind a literal, if both languages write
// both alike.
func nextCharacter(literal string) (string, bool) {
	c, _, _, err := strconv.UnquoteChar(literal[1:], '\'')
	switch c++; {
	case err != nil || c <= ' ' || c > '~':
		return "", false
	case c == '\'' || c == '\\':
		return `'\` + string(c) + `'`, true
	}
	return "'" + string(c) + "'", true
}

// newMutant makes an edit to a file.
func newMutant(name string, text []byte, e edit) mutant {
	line := bytes.Count(text[:e.from], []byte("\n")) + 1
	last := bytes.Count(text[:e.to], []byte("\n")) + 1
	column := e.from - bytes.LastIndexByte(text[:e.from], '\n')
	m := mutant{file: name, function: e.function, line: line, what: fmt.Sprintf("%s at %d", e.what, column)}
	m.text = slices.Concat(text[:e.from], []byte(e.with), text[e.to:])
	before, after := bytes.Split(text, []byte("\n")), bytes.Split(m.text, []byte("\n"))
	var diff strings.Builder
	n := last - line + 1
	fmt.Fprintf(&diff, "diff --git a/%s b/%s\n--- a/%s\n+++ b/%s\n@@ -%d,%d +%d,%d @@\n", name, name, name, name, line, n, line, n)
	for _, text := range before[line-1 : last] {
		fmt.Fprintf(&diff, "-%s\n", text)
	}
	for _, text := range after[line-1 : last] {
		fmt.Fprintf(&diff, "+%s\n", text)
	}
	m.diff = diff.String()
	return m
}

// sortMutants puts them into an order that does not depend on how they were
// found.
func sortMutants(mutants []mutant) {
	slices.SortFunc(mutants, func(a, b mutant) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.what, b.what))
	})
}

// draw puts mutants into the order to try them in: one of each function after
// the other, so that long functions do not count for more.
func draw(mutants []mutant, r *rand.Rand) {
	r.Shuffle(len(mutants), func(i, j int) { mutants[i], mutants[j] = mutants[j], mutants[i] })
	seen := map[string]int{}
	round := map[string]int{}
	key := func(m mutant) string { return fmt.Sprintf("%s:%d %d:%s", m.file, m.function, m.line, m.what) }
	for _, m := range mutants {
		f := fmt.Sprintf("%s:%d", m.file, m.function)
		round[key(m)] = seen[f]
		seen[f]++
	}
	slices.SortStableFunc(mutants, func(a, b mutant) int { return round[key(a)] - round[key(b)] })
}
