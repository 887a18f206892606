package observe

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/inroad/inroad/model/observation"
)

// A PythonTarget is a function of a Python module, or a fuzz target for atheris.
type PythonTarget struct {
	Dir         string   // folder to import modules from; default is the current one
	Interpreter string   // default is python3 on the PATH
	Function    string   // MODULE:FUNC or FILE.py:FUNC; MODULE or FILE.py for a fuzz target
	Packages    []string // packages, modules, files or folders to observe; default is the top-level package of the module, or the packages that a fuzz target instruments
	Sources     string   // folder that file names are relative to; default is Dir
	Blocks      bool     // observe blocks in addition to functions
	Subject     string   // name of the program; default is the function's
	Commit      string   // version of the program; default is the git commit, or the version of the package
}

//go:embed pyharness/*.py
var pythonHarness embed.FS

// BuildPython returns a program that calls a function. The function takes the
// input as bytes if its parameter is annotated so, or if its name is
// TestOneInput; otherwise as str, decoded as UTF-8 with surrogateescape. A
// generator that it returns is exhausted, and a coroutine is run.
//
// BuildPython needs Python 3.8 or later and writes nothing to the folders of
// the modules. An exception is a failure, and a MemoryError is a crash.
func BuildPython(ctx context.Context, target PythonTarget) (*Program, error) {
	return buildIn(target.Function, func(dir string) (*Program, error) { return buildPython(ctx, target, dir) })
}

func buildPython(ctx context.Context, target PythonTarget, dir string) (*Program, error) {
	b := &pythonBuild{PythonTarget: target, tmp: dir}
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

// A pythonBuild is the state of BuildPython.
type pythonBuild struct {
	PythonTarget
	tmp   string
	units []observation.Unit // in the order of the harness
}

func (b *pythonBuild) script(name string) string { return filepath.Join(b.tmp, "pyharness", name) }

func (b *pythonBuild) tableFile() string { return filepath.Join(b.tmp, "units.json") }

// prepare validates the target, sets defaults and writes the harness.
func (b *pythonBuild) prepare() error {
	if place, function, _ := strings.Cut(b.Function, ":"); place == "" || strings.HasSuffix(b.Function, ":") || strings.Contains(function, ":") {
		return errors.New("must be MODULE:FUNC, such as json:loads, or the file of a fuzz target")
	}
	b.Interpreter = cmp.Or(b.Interpreter, "python3")
	if _, err := exec.LookPath(b.Interpreter); err != nil {
		return fmt.Errorf("observing Python needs an interpreter: %w", err)
	}
	var err error
	if b.Dir, err = filepath.Abs(b.Dir); err != nil {
		return err
	}
	if b.Sources, err = filepath.Abs(cmp.Or(b.Sources, b.Dir)); err != nil {
		return err
	}
	b.Subject = cmp.Or(b.Subject, b.Function)
	return os.CopyFS(b.tmp, pythonHarness)
}

func (b *pythonBuild) command(ctx context.Context, script string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, b.Interpreter, append([]string{b.script(script)}, args...)...)
	cmd.Env = append(cmd.Environ(),
		"PYTHONDONTWRITEBYTECODE=1", // no files beside the sources
		"PYTHONHASHSEED=0",          // the same order of sets in every process
		"PYTHONSAFEPATH=",           // the harness is imported from its folder
	)
	return cmd
}

// scan lists the units. It replaces the interpreter by the file that is
// executed in the end: a script in front of it would delay each start.
func (b *pythonBuild) scan(ctx context.Context) error {
	blocks := "0"
	if b.Blocks {
		blocks = "1"
	}
	cmd := b.command(ctx, "inroad_scan.py", append([]string{b.Function, b.Dir, b.Sources, blocks, b.tableFile()}, b.Packages...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return errors.New(cmp.Or(harnessError(stderr.String()), strings.TrimSpace(stderr.String()), err.Error()))
	}
	table, err := readScriptTable(b.tableFile())
	if err != nil {
		return err
	}
	b.Interpreter = cmp.Or(table.Interpreter, b.Interpreter)
	if b.units = table.units(); len(b.units) == 0 {
		return fmt.Errorf("no function in the Python sources of %s", strings.Join(table.Cover, ","))
	}
	b.Commit = cmp.Or(b.Commit, table.Version)
	if b.Commit == "" {
		b.Commit = gitCommit(ctx, b.Sources)
	}
	return nil
}

func (b *pythonBuild) start(ctx context.Context, limits Limits) (process, error) {
	dir, err := os.MkdirTemp(b.tmp, "run-")
	if err != nil {
		return nil, err
	}
	shared := dir + ".reached" // outside the folder of the program
	if err := os.WriteFile(shared, make([]byte, len(b.units)), 0o600); err != nil {
		return nil, err
	}
	cmd := b.command(context.WithoutCancel(ctx), "inroad_run.py", b.Function, b.Dir, b.tableFile(), shared,
		strconv.FormatFloat(limits.Timeout.Seconds(), 'f', -1, 64), strconv.FormatInt(limits.Memory, 10))
	cmd.Dir = dir // files that the function writes are removed with the folder
	p, _, err := startHarness(ctx, cmd, limits.Timeout)
	if err != nil {
		if text := harnessError(err.Error()); text != "" {
			err = errors.New(text)
		}
		return nil, err
	}
	p.cleanup = func() { _ = errors.Join(os.RemoveAll(dir), os.Remove(shared)) } // Program.Close removes the rest
	p.reached = func(counters []byte) ([]string, []int, error) { return reachedUnits(b.units, counters) }
	p.exitCounters = func() []byte { return readShared(shared) }
	p.crash = pythonCrash
	return p, nil
}

// readShared returns the counters frame for a file with one byte per unit,
// which a process has mapped into memory.
func readShared(file string) []byte {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	counters := []byte{}
	for i, reached := range data {
		if reached != 0 {
			counters = binary.LittleEndian.AppendUint32(counters, uint32(i))
		}
	}
	return counters
}

// reachedUnits decodes a counters frame of four-byte indices. Executions are
// not counted.
func reachedUnits(units []observation.Unit, counters []byte) (methods []string, counts []int, err error) {
	methods = make([]string, 0, len(counters)/4)
	for ; len(counters) >= 4; counters = counters[4:] {
		i := binary.LittleEndian.Uint32(counters)
		if uint64(i) >= uint64(len(units)) {
			return nil, nil, errors.New("invalid counters from the harness")
		}
		methods = append(methods, units[i].ID)
	}
	return methods, nil, nil
}

var (
	harnessMessage = regexp.MustCompile(`(?m)^.*inroad harness: (.*)$`)
	pythonFatal    = regexp.MustCompile(`(?m)^Fatal Python error: (.*)$`)
	pythonFrame    = regexp.MustCompile(`(?m)^  File "(.*)", line \d+ in (.*)$`)
)

// harnessError returns the message of the harness on standard error, or "".
func harnessError(stderr string) string {
	if match := harnessMessage.FindStringSubmatch(stderr); match != nil {
		return clip(match[1])
	}
	return ""
}

// pythonCrash describes why an interpreter died, from the report of its
// faulthandler.
func pythonCrash(stderr string, end error) *observation.Failure {
	failure := crashFailure("", end)
	if match := harnessMessage.FindStringSubmatch(stderr); match != nil {
		failure.Message = match[1]
	}
	all := pythonFatal.FindAllStringSubmatchIndex(stderr, -1)
	if len(all) == 0 {
		return failure
	}
	last := all[len(all)-1]
	failure.Type = clip(stderr[last[2]:last[3]])
	hash := sha256.New()
	n, before := 0, ""
	for _, match := range pythonFrame.FindAllStringSubmatch(stderr[last[1]:], -1) {
		name := path.Base(match[1]) + ":" + match[2]
		if strings.HasPrefix(name, "inroad_run.py:") || n == digestFrames {
			break
		}
		if name != before { // ignore the depth of recursion
			fmt.Fprintln(hash, name)
			n, before = n+1, name
		}
	}
	failure.Stack = fmt.Sprintf("%x", hash.Sum(nil)[:8])
	return failure
}
