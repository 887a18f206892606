package observe

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

// goLines knows the functions of Go sources by where their bodies begin. The
// toolchain's table has only bodies, and no receivers of generic types.
type goDecls map[goPosition]goDecl

type goPosition struct {
	file         string // its base name
	line, column int
}

type goDecl struct {
	name       string
	start, end int // lines, from the keyword to the closing brace
}

// addFolder takes in all Go files of a folder. One that cannot be read costs
// its functions some lines and nothing else.
func (l goDecls) addFolder(dir string) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return // only a folder with brackets in its name
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
	file, _ := parser.ParseFile(set, name, text, parser.SkipObjectResolution) // what can be read of it
	if file == nil {
		return
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		// Places follow line directives, as those in the toolchain's table do.
		body := set.Position(f.Body.Lbrace)
		decl := goDecl{goName(f), set.Position(f.Pos()).Line, set.Position(f.Body.Rbrace).Line}
		at := goPosition{path.Base(filepath.ToSlash(body.Filename)), body.Line, body.Column}
		l[at] = decl
		if len(f.Body.List) == 0 { // then the first block begins behind the brace
			at.column++
			l[at] = decl
		}
	}
}

// goName is what Go itself calls a method, without type parameters.
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

// unit describes a function as well as it is known: by its source, or else by
// its blocks alone. It has no ID yet.
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

// goUnits is the table of a program, and where in it the functions of the
// meta-data stand: index[package][function] is the number of the function's own
// unit, behind which its blocks follow if there are any; -1 if it is left out.
type goUnits struct {
	units  []observation.Unit
	index  [][]int
	blocks bool
}

// newGoUnits makes the table. The folder of a package and the name under which
// its files are known are asked of locate; without a name the package is left out.
func newGoUnits(meta *goMeta, blocks bool, locate func(pkg string) (dir, name string)) *goUnits {
	t := &goUnits{blocks: blocks}
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
			if index[i] = -1; known == "" || len(f.blocks) == 0 {
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
	assignIDs(methods)
	for i, u := range methods {
		t.units = append(t.units, u)
		if blocks {
			t.units = append(t.units, functions[i].blockUnits(u)...)
		}
	}
	return t
}

// blockUnits are the units of a function's blocks but for the first, which is
// executed whenever the function is entered.
func (f *goFunction) blockUnits(u observation.Unit) []observation.Unit {
	var units []observation.Unit
	for _, b := range f.blocks[1:] {
		units = append(units, observation.Unit{
			ID:   fmt.Sprintf("%s:%d.%d", u.ID, b.startLine, b.startColumn),
			Kind: observation.KindBlock, Name: fmt.Sprintf("%s:%d.%d", u.Name, b.startLine, b.startColumn), File: u.File,
			Start: b.startLine, End: max(b.startLine, b.endLine),
		})
	}
	return units
}

// executed returns the units that counters say were executed, and how often.
func (t *goUnits) reached(counters []byte) (methods []string, counts []int, err error) {
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
