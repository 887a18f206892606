package observe

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/inroad/inroad/model/coverage"
	"github.com/inroad/inroad/model/observation"
)

// A GoTarget is a function of a Go package.
type GoTarget struct {
	Dir      string   // folder of the module; default is the current one
	Function string   // PKG.FUNC with a package pattern of the go command, or a fuzz target PKG.FuzzXxx; without PKG, a function of the package in Dir
	Packages []string // patterns of the packages to observe; default is the function's package and its subpackages
	Blocks   bool     // observe blocks in addition to functions
	Subject  string   // name of the program; default is the function's
	Commit   string   // version of the program; default is the git commit or the module version
}

//go:embed goharness
var goHarness embed.FS

// BuildGo builds a program that calls a function. The function takes the input
// as []byte, string or io.Reader. BuildGo uses the module's toolchain and
// writes nothing to the module's folders.
//
// An error among the function's results is a failure, and a panic is a crash. A
// fuzz target is a function FuzzXxx(*testing.F) in a test file; a failed test and a
// skipped input are failures.
func BuildGo(ctx context.Context, target GoTarget) (*Program, error) {
	return buildIn(target.Function, func(dir string) (*Program, error) { return buildGo(ctx, target, dir) })
}

func buildGo(ctx context.Context, target GoTarget, dir string) (*Program, error) {
	b := &goBuild{GoTarget: target, tmp: dir}
	if err := b.find(ctx); err != nil {
		return nil, err
	}
	if err := b.build(ctx); err != nil {
		return nil, err
	}
	if err := b.list(ctx); err != nil {
		return nil, err
	}
	program := &Program{dir: dir, start: b.start}
	p, meta, err := b.startRaw(ctx, Limits{Timeout: startTimeout, Memory: 1 << 30})
	if err != nil {
		return nil, err
	}
	p.stop()
	if b.units, err = coverage.ReadGoUnits(meta, target.Blocks, b.locate); err != nil {
		return nil, err
	}
	if len(b.units.Units()) == 0 {
		return nil, fmt.Errorf("the program uses no function of packages %s", strings.Join(b.Packages, ","))
	}
	program.header = observation.Header{Subject: b.Subject, Commit: b.Commit, Units: b.units.Units()}
	return program, nil
}

// A goBuild is the state of BuildGo.
type goBuild struct {
	GoTarget
	tmp         string
	function    string
	pkg         goPackageInfo
	fuzz        *goFuzz // the fuzz target; nil for another function
	root        string  // folder of the function's module, if it is a main module
	copied      string  // folder of the copy of the module; empty if there is none
	harnessPath string  // import path of the harness
	workspace   string  // go.work file with the harness and the user's modules; empty until written
	packages    map[string]goPackageInfo
	units       *coverage.GoUnits
}

// goPackageInfo is the output of go list for a package.
type goPackageInfo struct {
	ImportPath string
	Name       string
	Dir        string
	Standard   bool
	Module     *struct {
		Path, Version, Dir string
		Main               bool
	}
	TestGoFiles, XTestGoFiles []string
}

// goCommand runs the go command and returns its standard output. If it fails,
// the error contains its standard error.
func (b *goBuild) goCommand(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = b.Dir
	if b.workspace != "" {
		cmd.Env = append(cmd.Environ(), "GOWORK="+b.workspace)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); ok && stderr.Len() > 0 {
		return nil, fmt.Errorf("go %s: %s", args[0], strings.TrimSpace(stderr.String()))
	}
	return stdout.Bytes(), err
}

// find locates the function's package and chooses the import path of the
// harness.
func (b *goBuild) find(ctx context.Context) error {
	pkg, function := ".", b.Function
	if i := strings.LastIndexByte(b.Function, '.'); i >= 0 {
		pkg, function = cmp.Or(b.Function[:i], "."), b.Function[i+1:]
	}
	if !token.IsIdentifier(function) || strings.HasPrefix(pkg, "-") {
		return errors.New("must be PKG.FUNC, such as ./parser.Parse")
	}
	if !token.IsExported(function) {
		return fmt.Errorf("%s: must be exported", function)
	}
	b.function = function
	listed, err := b.listPackages(ctx, "--", pkg)
	if err != nil {
		return err
	}
	if len(listed) != 1 {
		return fmt.Errorf("%s matches %d packages: must match 1", pkg, len(listed))
	}
	b.pkg = listed[0]
	if b.pkg.Name == "main" {
		return errors.New("functions of package main cannot be imported: move the function to another package")
	}
	// Below the function's package, the harness may import internal packages.
	b.harnessPath = "inroad.invalid/observe"
	if b.pkg.Module != nil && b.pkg.Module.Main {
		b.harnessPath, b.root = b.pkg.ImportPath+"/inroad_observe", b.pkg.Module.Dir
	}
	b.describe(ctx)
	b.fuzz, err = findGoFuzz(b.pkg, function)
	return err
}

// describe sets defaults.
func (b *goBuild) describe(ctx context.Context) {
	if b.Subject == "" {
		b.Subject = b.pkg.ImportPath + "." + b.function
	}
	if len(b.Packages) == 0 {
		b.Packages = []string{b.pkg.ImportPath + "/..."}
	}
	if b.Commit != "" {
		return
	}
	switch {
	case b.pkg.Standard:
		out, err := b.goCommand(ctx, "env", "GOVERSION")
		if err == nil {
			b.Commit = strings.TrimSpace(string(out))
		}
	case b.pkg.Module != nil && !b.pkg.Module.Main:
		b.Commit = b.pkg.Module.Version
	default:
		b.Commit = gitCommit(ctx, b.root)
	}
}

// gitCommit returns the commit of the folder's work tree, or "" if there is
// none. The suffix -dirty marks uncommitted changes, which shift the lines of
// units.
func gitCommit(ctx context.Context, dir string) string {
	git := func(args ...string) (string, error) {
		out, err := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...).Output()
		return strings.TrimSpace(string(out)), err
	}
	commit, err := git("rev-parse", "--verify", "--quiet", "HEAD")
	if err != nil {
		return ""
	}
	if changed, err := git("status", "--porcelain", "--untracked-files=no", "--", "."); err != nil || changed != "" {
		commit += "-dirty"
	}
	return commit
}

// build writes the harness and compiles it with the function. The cover tool
// does not support overlays, so the harness is a module of its own, joined with
// the user's modules by a workspace.
func (b *goBuild) build(ctx context.Context) error {
	modules, err := b.goCommand(ctx, "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return err
	}
	harness := filepath.Join(b.tmp, "harness")
	if err := b.writeHarness(harness); err != nil {
		return err
	}
	folders := []string{"work", "init", harness}
	for dir := range strings.Lines(string(modules)) {
		dir = strings.TrimSpace(dir)
		if b.fuzz != nil && dir == b.root {
			if dir, err = b.copyModule(ctx); err != nil {
				return err
			}
		}
		folders = append(folders, dir)
	}
	b.workspace = filepath.Join(b.tmp, "go.work")
	if _, err := b.goCommand(ctx, folders...); err != nil {
		return err
	}
	packages := strings.Join(b.Packages, ",") + "," + b.harnessPath // nothing is counted unless the main package is covered
	_, err = b.goCommand(ctx, "build", goReadOnly, "-cover", "-covermode=atomic", "-coverpkg="+packages, "-o", b.binary(), "--", b.harnessPath)
	return err
}

// writeHarness writes a module with the harness and a main function that calls it.
func (b *goBuild) writeHarness(dir string) error {
	sources, err := fs.Sub(goHarness, "goharness")
	if err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(dir, "goharness"), sources); err != nil {
		return err
	}
	call, subject := fmt.Sprintf("goharness.Main(subject.%s)", b.function), b.pkg.ImportPath
	if b.fuzz != nil {
		call, subject = fmt.Sprintf("goharness.Fuzz(%q, subject.%s)", b.function, b.function), b.fuzz.path(b.pkg)
	}
	for name, text := range map[string]string{
		"go.mod":  fmt.Sprintf("module %s\n\ngo 1.22\n", b.harnessPath),
		"main.go": fmt.Sprintf("package main\n\nimport (\n\t%q\n\tsubject %q\n)\n\nfunc main() { %s }\n", b.harnessPath+"/goharness", subject, call),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// goReadOnly overrides GOFLAGS: workspaces do not support other modes.
const goReadOnly = "-mod=readonly"

func (b *goBuild) binary() string { return filepath.Join(b.tmp, "observed") }

func (b *goBuild) listPackages(ctx context.Context, args ...string) ([]goPackageInfo, error) {
	out, err := b.goCommand(ctx, append([]string{"list", "-json=ImportPath,Name,Dir,Standard,Module,TestGoFiles,XTestGoFiles"}, args...)...)
	if err != nil {
		return nil, err
	}
	var all []goPackageInfo
	decoder := json.NewDecoder(bytes.NewReader(out))
	for {
		var p goPackageInfo
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, p)
	}
}

// list locates all packages of the program.
func (b *goBuild) list(ctx context.Context) error {
	all, err := b.listPackages(ctx, goReadOnly, "-deps", "--", b.harnessPath)
	if err != nil {
		return err
	}
	b.packages = map[string]goPackageInfo{}
	for _, p := range all {
		b.packages[p.ImportPath] = p
	}
	return nil
}

// locate returns the folder of a package and the prefix of its file names:
// relative to the root for the function's module, the import path for other
// modules.
func (b *goBuild) locate(pkg string) (dir, name string) {
	p, ok := b.packages[pkg]
	switch {
	case !ok, pkg == b.harnessPath, strings.HasPrefix(pkg, b.harnessPath+"/"):
		return "", ""
	case p.Module == nil || !p.Module.Main || b.root != "" && p.Module.Dir != cmp.Or(b.copied, b.root):
		return p.Dir, p.ImportPath
	}
	below, err := filepath.Rel(p.Module.Dir, p.Dir)
	if err != nil {
		return p.Dir, p.ImportPath
	}
	return p.Dir, path.Clean(filepath.ToSlash(below))
}

func (b *goBuild) start(ctx context.Context, limits Limits) (process, error) {
	p, _, err := b.startRaw(ctx, limits)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (b *goBuild) startRaw(ctx context.Context, limits Limits) (*harness, []byte, error) {
	left, err := os.MkdirTemp(b.tmp, "left-")
	if err != nil {
		return nil, nil, err
	}
	// Not bound to ctx: the observer stops the process and then reads its exit
	// counters.
	cmd := exec.Command(b.binary(), limits.Timeout.String(), strconv.FormatInt(limits.Memory, 10)) //nolint:noctx // the observer stops it
	cmd.Dir = left                                                                                 // files that the function writes are removed with the folder
	if b.fuzz != nil {
		cmd.Dir = b.pkg.Dir // test files may read testdata
	}
	cmd.Env = append(cmd.Environ(),
		"GOCOVERDIR="+left, // a process that calls os.Exit writes its counters here
		"GOTRACEBACK=single",
		"GOMAXPROCS=2", // one for the function, one for the watchdog
	)
	p, meta, err := startHarness(ctx, cmd, limits.Timeout)
	if err != nil {
		return nil, nil, err
	}
	p.cleanup = func() { _ = os.RemoveAll(left) } // Program.Close removes the rest
	p.exitCounters = func() []byte { return readExitCounters(left) }
	p.reached = func(counters []byte) ([]string, []int, error) { return b.units.Reached(counters) }
	return p, meta, nil
}

// readExitCounters reads the counters that a process wrote on exit.
func readExitCounters(dir string) []byte {
	files, err := filepath.Glob(filepath.Join(dir, "covcounters.*"))
	if err != nil || len(files) == 0 {
		return nil
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		return nil
	}
	return data
}
