package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/inroad/inroad/model/observe"
)

// A goLibrary is a Go module with a driver.
type goLibrary struct {
	module, version string
	imports         string // of the driver, besides fmt
	body            string // of func(input []byte) (string, error), which runs the library
}

// goDriver is added to a copy of the module. inroad observes Observe; Behaviour
// returns the visible behaviour.
const goDriver = `package inroadstudy

import (
	"fmt"
	%s
)

func run(input []byte) (string, error) {
	%s
}

func Observe(input []byte) error {
	_, err := run(input)
	return err
}

func Behaviour(input []byte) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint("panic: ", r)
		}
	}()
	out, err := run(input)
	return fmt.Sprint(out, " ", err)
}
`

// goCommand reads a JSON array of base64 inputs, runs the inputs from a given index,
// and prints a digest of the behaviour on each.
const goCommand = `package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	study %q
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var inputs [][]byte
	if err := json.Unmarshal(text, &inputs); err != nil {
		panic(err)
	}
	from, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	out := bufio.NewWriter(os.Stdout)
	for i := from; i < len(inputs); i++ {
		out.Flush()
		sum := sha256.Sum256([]byte(study.Behaviour(inputs[i])))
		fmt.Fprintf(out, "%%x\n", sum[:8])
	}
	out.Flush()
}
`

// A goBench is a copy of a module with a driver.
type goBench struct {
	goLibrary
	dir string // temporary folder
	lib string // the module in it
}

func (l goLibrary) prepare(ctx context.Context, _ options) (bench, error) {
	dir, err := os.MkdirTemp("", "inroad-select-")
	if err != nil {
		return nil, err
	}
	b := &goBench{l, dir, filepath.Join(dir, "lib")}
	if err := b.setUp(ctx); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

func (b *goBench) close() error { return os.RemoveAll(b.dir) }

func (b *goBench) program(ctx context.Context) (*observe.Program, error) {
	return observe.BuildGo(ctx, observe.GoTarget{
		Dir: b.lib, Function: "./inroadstudy.Observe", Packages: []string{b.module + "/..."}, Subject: b.module, Commit: "before",
	})
}

func (b *goBench) setUp(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", b.module+"@"+b.version)
	cmd.Dir = b.dir
	text, err := cmd.Output()
	var module struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(text, &module); jsonErr != nil || module.Error != "" {
		return errors.Join(err, jsonErr, errors.New(module.Error))
	}
	if err := copyModule(module.Dir, b.lib); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(b.lib, "go.mod")); errors.Is(err, fs.ErrNotExist) { // the library predates modules
		if err := os.WriteFile(filepath.Join(b.lib, "go.mod"), []byte("module "+b.module+"\n\ngo 1.21\n"), 0o600); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{
		"inroadstudy/study.go":    fmt.Sprintf(goDriver, b.imports, b.body),
		"inroadstudy/cmd/main.go": fmt.Sprintf(goCommand, b.module+"/inroadstudy"),
	} {
		name = filepath.Join(b.lib, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// copyModule copies the files that a build of the module needs.
func copyModule(from, to string) error {
	return filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		below, relErr := filepath.Rel(from, name)
		if err != nil || relErr != nil {
			return errors.Join(err, relErr)
		}
		target := filepath.Join(to, below)
		if entry.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		base := filepath.Base(name)
		if strings.HasSuffix(base, "_test.go") || !strings.HasSuffix(base, ".go") && base != "go.mod" && base != "go.sum" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o600)
	})
}

func (b *goBench) behaviour(ctx context.Context, m *mutant, inputs [][]byte) ([]string, error) {
	replace := map[string]string{}
	if m != nil {
		file := filepath.Join(b.dir, "mutant.go")
		if err := os.WriteFile(file, m.text, 0o600); err != nil {
			return nil, err
		}
		replace[filepath.Join(b.lib, m.file)] = file
	}
	path, err := b.build(ctx, replace)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(inputs)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(b.dir, "inputs.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	return persist(len(inputs), func(from int) ([]string, error) { return runGo(ctx, path, file, from) })
}

// build builds the command with some files replaced, and returns its file name.
func (b *goBench) build(ctx context.Context, replace map[string]string) (string, error) {
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file, out := filepath.Join(b.dir, "overlay.json"), filepath.Join(b.dir, "mutant")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-mod=mod", "-overlay", file, "-o", out, "./inroadstudy/cmd")
	cmd.Dir = b.lib
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%w: %w: %s", errBuild, err, &stderr)
	}
	return out, nil
}

// runGo runs the command on the inputs from a given index. It kills the command when an
// input takes too long.
func runGo(ctx context.Context, path, file string, from int) ([]string, error) {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(inner, path, file, strconv.Itoa(from))
	cmd.Env = append(cmd.Environ(), "GOMEMLIMIT=256MiB", "GOTRACEBACK=none")
	cmd.WaitDelay = time.Second
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	alarm := time.AfterFunc(patience, cancel)
	var lines []string
	for s := bufio.NewScanner(stdout); s.Scan(); alarm.Reset(patience) {
		lines = append(lines, s.Text())
	}
	alarm.Stop()
	_ = cmd.Wait() // a mutant may crash; its output counts
	return lines, context.Cause(ctx)
}
