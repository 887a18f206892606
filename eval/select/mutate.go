package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A mutant is a file with one change in one function.
type mutant struct {
	file     string // relative to the module, with slashes
	function int    // the line that it begins in
	line     int    // of the change
	what     string
	text     []byte
	diff     string
}

// An edit replaces a part of a file.
type edit struct {
	from, to token.Pos
	with     string
	what     string
}

// mutants returns all mutants of functions in the files and lines given: of
// those that inputs reach.
func (b *bench) mutants(reached map[string]map[int]bool) ([]mutant, error) {
	var out []mutant
	for name, lines := range reached {
		text, err := os.ReadFile(filepath.Join(b.lib, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, text, 0)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil || !lines[files.Position(f.Pos()).Line] {
				continue
			}
			for _, e := range edits(f, text, files) {
				out = append(out, newMutant(name, files.Position(f.Pos()).Line, text, files, e))
			}
		}
	}
	slices.SortFunc(out, func(a, b mutant) int {
		return strings.Compare(fmt.Sprintf("%s:%08d:%s", a.file, a.line, a.what), fmt.Sprintf("%s:%08d:%s", b.file, b.line, b.what))
	})
	return out, nil
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

// edits returns the changes that can be made to a function: conditions the other
// way round, operators that are mistaken for each other, numbers off by one,
// statements left out.
func edits(f *ast.FuncDecl, text []byte, files *token.FileSet) []edit {
	var out []edit
	source := func(n ast.Node) string {
		return string(text[files.Position(n.Pos()).Offset:files.Position(n.End()).Offset])
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			out = append(out, edit{n.Cond.Pos(), n.Cond.End(), "!(" + source(n.Cond) + ")", "negated"})
		case *ast.BinaryExpr:
			if other, ok := mistaken()[n.Op]; ok {
				out = append(out, edit{n.OpPos, n.OpPos + token.Pos(len(n.Op.String())), other.String(), n.Op.String() + " to " + other.String()})
			}
		case *ast.BasicLit:
			if value, err := strconv.ParseInt(n.Value, 0, 32); n.Kind == token.INT && err == nil {
				out = append(out, edit{n.Pos(), n.End(), strconv.FormatInt(value+1, 10), n.Value + " plus 1"})
			}
		case *ast.BlockStmt:
			for _, s := range n.List {
				switch s.(type) {
				case *ast.ExprStmt, *ast.IncDecStmt, *ast.AssignStmt:
					out = append(out, edit{s.Pos(), s.End(), strings.Repeat("\n", strings.Count(source(s), "\n")), "left out"})
				}
			}
		}
		return true
	})
	return out
}

func mistaken() map[token.Token]token.Token {
	return map[token.Token]token.Token{
		token.EQL: token.NEQ, token.NEQ: token.EQL, token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ,
		token.GEQ: token.GTR, token.LAND: token.LOR, token.LOR: token.LAND, token.ADD: token.SUB, token.SUB: token.ADD,
	}
}

func newMutant(name string, function int, text []byte, files *token.FileSet, e edit) mutant {
	from, to := files.Position(e.from), files.Position(e.to)
	m := mutant{file: name, function: function, line: from.Line, what: fmt.Sprintf("%s at %d", e.what, from.Column)}
	m.text = slices.Concat(text[:from.Offset], []byte(e.with), text[to.Offset:])
	before, after := bytes.Split(text, []byte("\n")), bytes.Split(m.text, []byte("\n"))
	var diff strings.Builder
	n := to.Line - from.Line + 1
	fmt.Fprintf(&diff, "diff --git a/%s b/%s\n--- a/%s\n+++ b/%s\n@@ -%d,%d +%d,%d @@\n", name, name, name, name, from.Line, n, from.Line, n)
	for _, line := range before[from.Line-1 : to.Line] {
		fmt.Fprintf(&diff, "-%s\n", line)
	}
	for _, line := range after[from.Line-1 : to.Line] {
		fmt.Fprintf(&diff, "+%s\n", line)
	}
	m.diff = diff.String()
	return m
}
