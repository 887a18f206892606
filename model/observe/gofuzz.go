package observe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A goFuzz is a fuzz target. Test files cannot be imported, so the program is built
// from a copy of the module in which they are ordinary files, and *testing.F is
// replaced by the harness's type.
type goFuzz struct {
	external bool // in package p_test
}

// goExternalTests is the folder of package p_test in the copy of package p.
const goExternalTests = "inroad_external_test"

// path returns the import path of the package that contains the fuzz target.
func (f *goFuzz) path(pkg goPackageInfo) string {
	if f.external {
		return pkg.ImportPath + "/" + goExternalTests
	}
	return pkg.ImportPath
}

// findGoFuzz looks for a fuzz target in the test files of a package. It returns nil
// if there is none of that name.
func findGoFuzz(pkg goPackageInfo, function string) (*goFuzz, error) {
	if !strings.HasPrefix(function, "Fuzz") {
		return nil, nil //nolint:nilnil // documented
	}
	for i, name := range slices.Concat(pkg.TestGoFiles, pkg.XTestGoFiles) {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(pkg.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || f.Name.Name != function || f.Type.Params.NumFields() != 1 {
				continue
			}
			if pkg.Module == nil || !pkg.Module.Main {
				return nil, fmt.Errorf("%s: a fuzz target must be in a module of the current folder", function)
			}
			return &goFuzz{external: i >= len(pkg.TestGoFiles)}, nil
		}
	}
	return nil, nil //nolint:nilnil // documented
}

// goFiles is the output of go list for the files of a package.
type goFiles struct {
	ImportPath string
	Dir        string
	Module     *struct{ Dir string }

	GoFiles, CgoFiles, CFiles, CXXFiles, MFiles, HFiles, FFiles, SFiles, SwigFiles, SwigCXXFiles, SysoFiles []string

	EmbedFiles, TestEmbedFiles, XTestEmbedFiles []string
}

// sources returns the files that are compiled into the package.
func (f *goFiles) sources() []string {
	all := slices.Concat(f.GoFiles, f.CgoFiles, f.CFiles, f.CXXFiles, f.MFiles, f.HFiles, f.FFiles, f.SFiles, f.SwigFiles, f.SwigCXXFiles, f.SysoFiles, f.EmbedFiles)
	return slices.DeleteFunc(all, func(name string) bool { return filepath.IsAbs(name) || strings.HasSuffix(name, "_test.go") })
}

// copyModule copies the parts of the module that the fuzz target needs, and returns
// the folder of the copy.
func (b *goBuild) copyModule(ctx context.Context) (string, error) {
	b.copied = filepath.Join(b.tmp, "module")
	out, err := b.goCommand(ctx, "list", "-test", "-deps",
		"-json=ImportPath,Dir,Module,GoFiles,CgoFiles,CFiles,CXXFiles,MFiles,HFiles,FFiles,SFiles,SwigFiles,SwigCXXFiles,SysoFiles,EmbedFiles,TestEmbedFiles,XTestEmbedFiles",
		"--", b.pkg.ImportPath)
	if err != nil {
		return "", err
	}
	decoder := json.NewDecoder(bytes.NewReader(out))
	for {
		var p goFiles
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return "", fmt.Errorf("go list: %w", err)
		}
		if p.Module == nil || p.Module.Dir != b.root || strings.HasSuffix(p.ImportPath, ".test") {
			continue
		}
		if err := b.copyFiles(p.Dir, "", p.sources()); err != nil {
			return "", err
		}
		if p.ImportPath == b.pkg.ImportPath {
			if err := errors.Join(b.copyFiles(p.Dir, "", p.TestEmbedFiles), b.copyFiles(p.Dir, goExternalTests, p.XTestEmbedFiles)); err != nil {
				return "", err
			}
		}
	}
	if err := b.copyTests(); err != nil {
		return "", err
	}
	return b.copied, b.copyModFile(ctx)
}

// copyFiles copies files of a folder of the module to the same folder of the copy,
// or to one below it.
func (b *goBuild) copyFiles(dir, below string, names []string) error {
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if err := b.writeCopy(filepath.Join(dir, below, name), data); err != nil {
			return err
		}
	}
	return nil
}

// writeCopy writes the copy of a file of the module.
func (b *goBuild) writeCopy(name string, data []byte) error {
	rel, err := filepath.Rel(b.root, name)
	if err != nil {
		return err
	}
	to := filepath.Join(b.copied, rel)
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o666)
}

// copyTests copies the test files of the package as ordinary files.
func (b *goBuild) copyTests() error {
	for below, names := range map[string][]string{"": b.pkg.TestGoFiles, goExternalTests: b.pkg.XTestGoFiles} {
		for _, name := range names {
			text, err := os.ReadFile(filepath.Join(b.pkg.Dir, name))
			if err != nil {
				return err
			}
			if text, err = replaceTestingF(name, text, b.harnessPath+"/goharness"); err != nil {
				return err
			}
			base := "inroad_test_" + strings.TrimSuffix(name, "_test.go") + ".go" // keeps a suffix such as _linux
			text = append([]byte("//line "+name+":1\n"), text...)                 // it still counts as a test file
			if err := b.writeCopy(filepath.Join(b.pkg.Dir, below, base), text); err != nil {
				return err
			}
		}
	}
	return nil
}

// replaceTestingF replaces testing.F in a test file by the type F of the harness.
func replaceTestingF(name string, text []byte, harness string) ([]byte, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	testing := ""
	for _, spec := range file.Imports {
		if imported, err := strconv.Unquote(spec.Path.Value); err == nil && imported == "testing" {
			if testing = imported; spec.Name != nil {
				testing = spec.Name.Name
			}
		}
	}
	var out []byte
	at := 0
	replace := func(from, to token.Pos, with string) {
		out = append(append(out, text[at:set.Position(from).Offset]...), with...)
		at = set.Position(to).Offset
	}
	replace(file.Name.End(), file.Name.End(), fmt.Sprintf("; import inroad_harness %q", harness))
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok || s.Sel.Name != "F" {
			return true
		}
		if x, ok := s.X.(*ast.Ident); ok && x.Name == testing {
			replace(x.Pos(), x.End(), "inroad_harness")
			found = true
		}
		return true
	})
	if !found {
		return text, nil
	}
	out = append(out, text[at:]...)
	return append(out, fmt.Sprintf("\nvar _ %s.TB\n", testing)...), nil // the import stays in use
}

// copyModFile copies go.mod and go.sum. Replacements by relative folders become
// absolute.
func (b *goBuild) copyModFile(ctx context.Context) error {
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(b.root, name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := b.writeCopy(filepath.Join(b.root, name), data); err != nil {
			return err
		}
	}
	file := filepath.Join(b.copied, "go.mod")
	text, err := b.goCommand(ctx, "mod", "edit", "-json", file)
	if err != nil {
		return err
	}
	var mod struct {
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal(text, &mod); err != nil {
		return fmt.Errorf("go mod edit: %w", err)
	}
	for _, r := range mod.Replace {
		if !strings.HasPrefix(r.New.Path, "./") && !strings.HasPrefix(r.New.Path, "../") {
			continue
		}
		old := r.Old.Path
		if r.Old.Version != "" {
			old += "@" + r.Old.Version
		}
		if _, err := b.goCommand(ctx, "mod", "edit", "-replace", old+"="+filepath.Join(b.root, r.New.Path), file); err != nil {
			return err
		}
	}
	return nil
}
