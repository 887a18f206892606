package coverage

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/inroad/inroad/model/observation"
)

// goDecls maps the start of function bodies to their declarations. The
// toolchain's meta-data has only the bodies, and lacks the receivers of generic
// types.
type goDecls map[goPosition]goDecl

type goPosition struct {
	file         string // base name
	line, column int
}

type goDecl struct {
	name       string
	start, end int // lines, from the func keyword to the closing brace
}

// addFolder adds the Go files of a folder. It ignores unreadable files, so
// their functions have no declaration line.
func (l goDecls) addFolder(dir string) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return // only if the folder's name contains brackets
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if text, err := os.ReadFile(name); err == nil {
			l.add(name, text)
		}
	}
}

func (l goDecls) add(name string, text []byte) {
	set := token.NewFileSet()
	file, _ := parser.ParseFile(set, name, text, parser.SkipObjectResolution) // partial on error
	if file == nil {
		return
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		// Position applies line directives, as the meta-data does.
		body := set.Position(f.Body.Lbrace)
		decl := goDecl{goName(f), set.Position(f.Pos()).Line, set.Position(f.Body.Rbrace).Line}
		at := goPosition{path.Base(filepath.ToSlash(body.Filename)), body.Line, body.Column}
		l[at] = decl
		if len(f.Body.List) == 0 { // the first block starts after the brace
			at.column++
			l[at] = decl
		}
	}
}

// goName returns the name of a function as the Go runtime prints it, without
// type parameters.
func goName(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) != 1 {
		return f.Name.Name
	}
	t, star := ast.Unparen(f.Recv.List[0].Type), false
	if p, ok := t.(*ast.StarExpr); ok {
		t, star = ast.Unparen(p.X), true
	}
	switch generic := t.(type) {
	case *ast.IndexExpr:
		t = generic.X
	case *ast.IndexListExpr:
		t = generic.X
	}
	receiver := "?"
	if id, ok := t.(*ast.Ident); ok {
		receiver = id.Name
	}
	if star {
		receiver = "(*" + receiver + ")"
	}
	return receiver + "." + f.Name.Name
}

// unit describes a function by its declaration, or by its blocks if there is
// none. It does not set the ID.
func (f *goFunction) unit(file string, lines goDecls) observation.Unit {
	u := observation.Unit{Kind: observation.KindMethod, Name: f.name, File: file}
	for i, b := range f.blocks {
		if i == 0 || b.startLine < u.Start {
			u.Start = b.startLine
		}
		u.End = max(u.Start, u.End, b.endLine)
	}
	if receiver, method, ok := strings.Cut(f.name, "."); ok && strings.HasPrefix(receiver, "*") {
		u.Name = "(" + receiver + ")." + method
	}
	if f.literal {
		u.Name = fmt.Sprintf("func:%d", u.Start)
	}
	if f.name == "init" {
		u.Kind = observation.KindInitializer
	}
	if len(f.blocks) > 0 {
		first := f.blocks[0]
		if d, ok := lines[goPosition{path.Base(file), first.startLine, first.startColumn}]; ok {
			u.Name, u.Start, u.End = d.name, d.start, d.end
		}
	}
	return u
}

// GoUnits are the units of a Go program that was built with -cover. They find the
// units that its counters belong to.
type GoUnits struct {
	// units[index[package][function]] is the unit of a function, followed by the units
	// of its blocks if blocks is set. The index of an omitted function is -1.
	units  []observation.Unit
	index  [][]int
	blocks bool
}

// ReadGoUnits decodes the meta-data of a program. locate returns the folder of a
// package and the prefix of its file names; an empty prefix omits the package. Functions
// of test files are omitted. If blocks is set, the units include the blocks of the
// functions.
func ReadGoUnits(meta []byte, blocks bool, locate func(pkg string) (dir, name string)) (*GoUnits, error) {
	table, err := decodeGoMeta(meta)
	if err != nil {
		return nil, err
	}
	return newGoUnits(table, blocks, locate), nil
}

// Units returns the units, each function before its blocks.
func (t *GoUnits) Units() []observation.Unit { return t.units }

func newGoUnits(meta *goMeta, blocks bool, locate func(pkg string) (dir, name string)) *GoUnits {
	t := &GoUnits{blocks: blocks}
	var functions []*goFunction
	var methods []observation.Unit
	next := 0
	for _, p := range meta.packages {
		index := make([]int, len(p.functions))
		dir, known := locate(p.path)
		lines := goDecls{}
		if dir != "" {
			lines.addFolder(dir)
		}
		for i := range p.functions {
			f := &p.functions[i]
			if index[i] = -1; known == "" || len(f.blocks) == 0 || strings.HasSuffix(f.file, "_test.go") {
				continue
			}
			index[i] = next
			if next++; blocks {
				next += len(f.blocks) - 1
			}
			functions = append(functions, f)
			methods = append(methods, f.unit(path.Join(known, path.Base(filepath.ToSlash(f.file))), lines))
		}
		t.index = append(t.index, index)
	}
	observation.AssignIDs(methods)
	for i, u := range methods {
		t.units = append(t.units, u)
		if blocks {
			t.units = append(t.units, functions[i].blockUnits(u)...)
		}
	}
	return t
}

// blockUnits returns the units of all blocks except the first, which is reached
// whenever the function is.
func (f *goFunction) blockUnits(u observation.Unit) []observation.Unit {
	var units []observation.Unit
	for _, b := range f.blocks[1:] {
		units = append(units, observation.Unit{
			ID:   fmt.Sprintf("%s:%d.%d", u.ID, b.startLine, b.startColumn),
			Kind: observation.KindBlock, Name: fmt.Sprintf("%s:%d.%d", u.Name, b.startLine, b.startColumn), File: u.File,
			Start: b.startLine, End: max(b.startLine, b.endLine), StartColumn: b.startColumn, EndColumn: b.endColumn,
		})
	}
	return units
}

// Reached returns the IDs of the units with nonzero counters, and their counts.
func (t *GoUnits) Reached(counters []byte) (methods []string, counts []int, err error) {
	methods, counts = []string{}, []int{}
	err = decodeGoCounters(counters, func(pkg, function int, counters []uint32) {
		if pkg >= len(t.index) || function >= len(t.index[pkg]) || t.index[pkg][function] < 0 {
			return
		}
		at := t.index[pkg][function]
		for i, n := range counters {
			if n > 0 && (i == 0 || t.blocks) && at+i < len(t.units) {
				methods, counts = append(methods, t.units[at+i].ID), append(counts, int(n))
			}
		}
	})
	return methods, counts, err
}
