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
	function int    // first line of the function
	line     int    // line of the change
	what     string
	text     []byte
	diff     string
}

// An edit replaces a part of a function and keeps the number of lines.
type edit struct {
	function int // first line of the function
	from, to int // offsets in the file
	with     string
	what     string
}

// negated returns the edit that negates a condition.
func negated(text []byte, function, from, to int) edit {
	return edit{function, from, to, "!(" + string(text[from:to]) + ")", "negated"}
}

// leftOut returns the edit that removes a statement.
func leftOut(text []byte, function, from, to int) edit {
	return edit{function, from, to, strings.Repeat("\n", bytes.Count(text[from:to], []byte("\n"))), "left out"}
}

// replaced returns the edit that replaces an operator or a constant.
func replaced(text []byte, function, from, to int, with string) edit {
	return edit{function, from, to, with, string(text[from:to]) + " to " + with}
}

// replacement returns the operator that replaces another one. All these operators exist
// in Go and Java.
func replacement(operator string) (string, bool) {
	other, ok := map[string]string{
		"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&", "+": "-", "-": "+",
	}[operator]
	return other, ok
}

// nextNumber returns the successor of an integer literal.
func nextNumber(literal string) (string, bool) {
	value, err := strconv.ParseInt(literal, 0, 32)
	return strconv.FormatInt(value+1, 10), err == nil
}

// nextCharacter returns the successor of a character literal, if Go and Java write
// it alike.
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

// newMutant applies an edit to a file.
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

// sortMutants sorts mutants by file, line and change.
func sortMutants(mutants []mutant) {
	slices.SortFunc(mutants, func(a, b mutant) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.what, b.what))
	})
}

// draw shuffles mutants and interleaves them by function, so that the first ones
// are spread over all functions.
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
