package observe

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

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
	b := &nodeBuild{NodeTarget: target, tmp: dir}
	if err := b.prepare(); err != nil {
		return nil, err
	}
	if err := b.scan(ctx); err != nil {
		return nil, err
	}
	p, err := b.start(ctx, Limits{Timeout: startTimeout, Memory: 1 << 30})
	if err != nil {
		return nil, err
	}
	p.stop()
	return &Program{dir: dir, start: b.start, header: observation.Header{Subject: b.Subject, Commit: b.Commit, Units: b.units}}, nil
}

// A nodeBuild is the state of BuildNode.
type nodeBuild struct {
	NodeTarget
	tmp   string
	units []observation.Unit // in the order of the harness
}

func (b *nodeBuild) script(name string) string { return filepath.Join(b.tmp, "nodeharness", name) }

func (b *nodeBuild) copies() string { return filepath.Join(b.tmp, "copies") }

func (b *nodeBuild) tableFile() string { return filepath.Join(b.copies(), "units.json") }

// prepare validates the target, sets defaults and writes the harness.
func (b *nodeBuild) prepare() error {
	b.Interpreter = cmp.Or(b.Interpreter, "node")
	if _, err := exec.LookPath(b.Interpreter); err != nil {
		return fmt.Errorf("observing JavaScript needs Node: %w", err)
	}
	var err error
	if b.Dir, err = filepath.Abs(b.Dir); err != nil {
		return err
	}
	if b.Sources, err = filepath.Abs(cmp.Or(b.Sources, b.Dir)); err != nil {
		return err
	}
	b.Subject = cmp.Or(b.Subject, b.File)
	return errors.Join(os.CopyFS(b.tmp, nodeHarness), os.Mkdir(b.copies(), 0o777))
}

// scan lists the units and writes files with counters. The parser for it is the
// one that is part of Node.
func (b *nodeBuild) scan(ctx context.Context) error {
	blocks := "0"
	if b.Blocks {
		blocks = "1"
	}
	args := []string{
		"--no-warnings", "--expose-internals", "--experimental-import-meta-resolve", "--stack-size=4000", b.script("scan.mjs"),
		b.File, b.Dir, b.Sources, blocks, b.copies(),
	}
	cmd := exec.CommandContext(ctx, b.Interpreter, append(args, b.Packages...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return errors.New(cmp.Or(harnessError(stderr.String()), strings.TrimSpace(stderr.String()), err.Error()))
	}
	table, err := readScriptTable(b.tableFile())
	if err != nil {
		return err
	}
	if b.units = table.units(); len(b.units) == 0 {
		return fmt.Errorf("no function in the JavaScript sources of %s", strings.Join(table.Cover, ","))
	}
	b.Commit = cmp.Or(b.Commit, table.Version)
	if b.Commit == "" {
		b.Commit = gitCommit(ctx, b.Sources)
	}
	return nil
}

func (b *nodeBuild) start(ctx context.Context, limits Limits) (process, error) {
	dir, err := os.MkdirTemp(b.tmp, "run-")
	if err != nil {
		return nil, err
	}
	// Not bound to ctx: the observer stops the process.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), b.Interpreter, "--no-warnings",
		"--max-old-space-size="+strconv.FormatInt(max(1, limits.Memory>>20), 10),
		b.script("run.cjs"), b.File, b.Dir, b.tableFile(), strconv.FormatInt(limits.Timeout.Milliseconds(), 10), strconv.FormatInt(limits.Memory, 10))
	cmd.Dir = dir // files that the function writes are removed with the folder
	p, _, err := startHarness(ctx, cmd, limits.Timeout)
	if err != nil {
		if text := harnessError(err.Error()); text != "" {
			err = errors.New(text)
		}
		return nil, err
	}
	p.cleanup = func() { _ = os.RemoveAll(dir) } // Program.Close removes the rest
	p.reached = func(counters []byte) ([]string, []int, error) { return reachedUnits(b.units, counters) }
	p.crash = nodeCrash
	return p, nil
}

// A scriptTable is the list of units that a scan of Python or JavaScript sources
// writes.
type scriptTable struct {
	Interpreter string
	Version     string   // of the package; empty for sources that have a commit
	Cover       []string // packages and files that were scanned
	Files       []struct {
		Name  string
		Units []observation.Unit
	}
}

func readScriptTable(file string) (*scriptTable, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	table := &scriptTable{}
	if err := json.Unmarshal(data, table); err != nil {
		return nil, fmt.Errorf("scan: %w", err)
	}
	return table, nil
}

// units returns the units with their files and IDs.
func (t *scriptTable) units() []observation.Unit {
	var units []observation.Unit
	for _, f := range t.Files {
		for _, u := range f.Units {
			u.File = f.Name
			units = append(units, u)
		}
	}
	observation.AssignIDs(units)
	return units
}

var nodeFatal = regexp.MustCompile(`(?m)^(?:#\s*)?(?:FATAL ERROR|Fatal error): (.*)$`)

// nodeCrash describes why Node died, from its standard error and exit status.
func nodeCrash(stderr string, end error) *observation.Failure {
	failure := crashFailure("", end)
	if text := harnessError(stderr); text != "" {
		failure.Message = text
	}
	if match := nodeFatal.FindStringSubmatch(stderr); match != nil {
		failure.Type, failure.Message = "fatal error", clip(match[1])
	}
	return failure
}
