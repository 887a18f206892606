package observe

import (
	"cmp"
	"context"
	"embed"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/inroad/inroad/model/observation"
)

// A NodeTarget is a function of a JavaScript file or package that Node runs.
type NodeTarget struct {
	Dir         string   // folder to find files and packages from; default is the current one
	Interpreter string   // default is node on the PATH
	File        string   // FILE that exports fuzz, or FILE:EXPORT or PACKAGE:EXPORT
	Packages    []string // packages, files or folders to observe; default is the file with all that it loads by relative paths, and the packages that it imports
	Sources     string   // folder that file names are relative to; default is Dir
	Blocks      bool     // observe blocks in addition to functions
	Subject     string   // name of the program; default is File
	Commit      string   // version of the program; default is the git commit, or the version of the package
}

//go:embed nodeharness
var nodeHarness embed.FS

// BuildNode returns a program that calls a function. The function fuzz takes the
// input as a Buffer, and other functions take it as a string. A promise that the
// function returns is awaited.
//
// BuildNode needs Node 20.6 or later and writes nothing to the folders of the
// files. An exception or a rejected promise is a failure, and the end of the
// process is a crash.
func BuildNode(ctx context.Context, target NodeTarget) (*Program, error) {
	return buildIn(target.File, func(dir string) (*Program, error) { return buildNode(ctx, target, dir) })
}

func buildNode(ctx context.Context, target NodeTarget, dir string) (*Program, error) {
	if err := os.CopyFS(dir, nodeHarness); err != nil {
		return nil, err
	}
	script := func(name string) string { return filepath.Join(dir, "nodeharness", name) }
	copies := filepath.Join(dir, "copies") // files with counters
	if err := os.Mkdir(copies, 0o777); err != nil {
		return nil, err
	}
	b := &scriptBuild{
		language: "JavaScript", target: target.File, dir: target.Dir, interpreter: cmp.Or(target.Interpreter, "node"), sources: target.Sources,
		packages: target.Packages, blocks: target.Blocks, subject: target.Subject, commit: target.Commit, tmp: dir, table: filepath.Join(copies, "units.json"),
	}
	scan := func(args []string) *exec.Cmd { // with the parser that is part of Node
		return exec.CommandContext(ctx, b.interpreter, append([]string{
			"--no-warnings", "--expose-internals", "--experimental-import-meta-resolve", "--stack-size=4000", script("scan.mjs"),
		}, args...)...)
	}
	return b.build(ctx, scan, func(ctx context.Context, limits Limits) (process, error) {
		p, err := b.start(ctx, limits, func() *exec.Cmd {
			return exec.CommandContext(context.WithoutCancel(ctx), b.interpreter, "--no-warnings",
				"--max-old-space-size="+strconv.FormatInt(max(1, limits.Memory>>20), 10),
				script("run.cjs"), b.target, b.dir, b.table, strconv.FormatInt(limits.Timeout.Milliseconds(), 10), strconv.FormatInt(limits.Memory, 10))
		})
		if err != nil {
			return nil, err
		}
		p.crash = nodeCrash
		return p, nil
	})
}

var nodeFatal = regexp.MustCompile(`(?m)^(?:#\s*)?(?:FATAL ERROR|Fatal error): (.*)$`)

// nodeCrash describes why Node died, from its standard error and exit status.
func nodeCrash(stderr string, end error) *observation.Failure {
	failure := crashFailure("", end)
	if text := harnessError(stderr); text != "" {
		failure.Type, failure.Message = "exit", text
	}
	if match := nodeFatal.FindStringSubmatch(stderr); match != nil {
		failure.Type, failure.Message = "fatal error", clip(match[1])
	}
	return failure
}
