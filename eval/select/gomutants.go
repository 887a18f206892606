package main

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
)

func (b *goBench) mutants(_ context.Context, reached map[string]map[int]bool) ([]mutant, error) {
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
			for _, e := range goEdits(f, text, files) {
				out = append(out, newMutant(name, text, e))
			}
		}
	}
	sortMutants(out)
	return out, nil
}

// goEdits returns the edits of a function: negated conditions, replaced operators
// and constants, and removed statements.
func goEdits(f *ast.FuncDecl, text []byte, files *token.FileSet) []edit {
	var out []edit
	function := files.Position(f.Pos()).Line
	offset := func(p token.Pos) int { return files.Position(p).Offset }
	replace := func(from token.Pos, old, with string) {
		out = append(out, replaced(text, function, offset(from), offset(from)+len(old), with))
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			out = append(out, negated(text, function, offset(n.Cond.Pos()), offset(n.Cond.End())))
		case *ast.BinaryExpr:
			if other, ok := replacement(n.Op.String()); ok {
				replace(n.OpPos, n.Op.String(), other)
			}
		case *ast.BasicLit:
			if other, ok := nextNumber(n.Value); ok && n.Kind == token.INT {
				replace(n.Pos(), n.Value, other)
			}
			if other, ok := nextCharacter(n.Value); ok && n.Kind == token.CHAR {
				replace(n.Pos(), n.Value, other)
			}
		case *ast.Ident:
			if n.Name == "true" || n.Name == "false" {
				replace(n.Pos(), n.Name, strconv.FormatBool(n.Name == "false"))
			}
		case *ast.BlockStmt:
			for _, s := range n.List {
				switch s.(type) {
				case *ast.ExprStmt, *ast.IncDecStmt, *ast.AssignStmt:
					out = append(out, leftOut(text, function, offset(s.Pos()), offset(s.End())))
				}
			}
		}
		return true
	})
	return out
}
