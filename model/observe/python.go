package observe

import (
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
	Calls       bool     // observe the order in which units are called first
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
	if place, function, _ := strings.Cut(target.Function, ":"); place == "" || strings.HasSuffix(target.Function, ":") || strings.Contains(function, ":") {
		return nil, errors.New("must be MODULE:FUNC, such as json:loads, or the file of a fuzz target")
	}
	if err := os.CopyFS(dir, pythonHarness); err != nil {
		return nil, err
	}
	b := &scriptBuild{
		language: "Python", target: target.Function, dir: target.Dir, interpreter: cmp.Or(target.Interpreter, "python3"), sources: target.Sources,
		packages: target.Packages, blocks: target.Blocks, calls: target.Calls, subject: target.Subject, commit: target.Commit, tmp: dir, table: filepath.Join(dir, "units.json"),
	}
	command := func(ctx context.Context, script string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, b.interpreter, append([]string{filepath.Join(dir, "pyharness", script)}, args...)...)
		cmd.Env = append(cmd.Environ(),
			"PYTHONDONTWRITEBYTECODE=1", // no files beside the sources
			"PYTHONHASHSEED=0",          // the same order of sets in every process
			"PYTHONSAFEPATH=",           // the harness is imported from its folder
		)
		return cmd
	}
	scan := func(args []string) *exec.Cmd { return command(ctx, "inroad_scan.py", args...) }
	return b.build(ctx, scan, func(ctx context.Context, limits Limits) (process, error) {
		shared, err := sharedFile(dir, len(b.units))
		if err != nil {
			return nil, err
		}
		p, err := b.start(ctx, limits, func() *exec.Cmd {
			return command(context.WithoutCancel(ctx), "inroad_run.py", b.target, b.dir, b.table, shared,
				strconv.FormatFloat(limits.Timeout.Seconds(), 'f', -1, 64), strconv.FormatInt(limits.Memory, 10))
		})
		if err != nil {
			return nil, err
		}
		remove := p.cleanup
		p.cleanup = func() {
			remove()
			_ = os.Remove(shared) // Program.Close removes the rest
		}
		p.exitCounters = func() []byte { return readShared(shared) }
		p.crash = pythonCrash
		return p, nil
	})
}

// sharedFile creates a file with one byte per unit, which a process maps into
// memory.
func sharedFile(dir string, units int) (string, error) {
	file, err := os.CreateTemp(dir, "reached-")
	if err != nil {
		return "", err
	}
	return file.Name(), errors.Join(file.Truncate(int64(units)), file.Close())
}

// readShared returns the counters frame for a file that sharedFile created.
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

var (
	pythonFatal = regexp.MustCompile(`(?m)^Fatal Python error: (.*)$`)
	pythonFrame = regexp.MustCompile(`(?m)^  File "(.*)", line \d+ in (.*)$`)
)

// pythonCrash describes why an interpreter died, from the report of its
// faulthandler.
func pythonCrash(stderr string, end error) *observation.Failure {
	failure := crashFailure("", end)
	if text := harnessError(stderr); text != "" {
		failure.Type, failure.Message = "exit", text
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
