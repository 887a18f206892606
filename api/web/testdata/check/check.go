// Package check type-checks expressions.
package check

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
)

// Check type-checks and formats an expression.
func Check(input []byte) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "p.go", "package p\nvar x, y, z int\nvar _ = "+string(input), 0)
	if err != nil {
		return err
	}
	if _, err := new(types.Config).Check("p", files, []*ast.File{file}, nil); err != nil {
		return err
	}
	return format.Node(new(bytes.Buffer), files, file)
}
