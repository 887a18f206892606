package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A subject is a library that is changed.
type subject struct {
	module, version string
	grammar         string
	imports         string // of the driver, beside errors and fmt
	// The body of a function that gives an input []byte to the library and
	// returns what came of it, as (string, error).
	body string
}

func subjects() []subject {
	return []subject{
		{
			"github.com/valyala/fastjson", "v1.6.4", "json", `lib "github.com/valyala/fastjson"`,
			`v, err := lib.ParseBytes(input)
	if err != nil {
		return "", err
	}
	return string(v.MarshalTo(nil)), nil`,
		},
		{
			"github.com/json-iterator/go", "v1.1.12", "json", `lib "github.com/json-iterator/go"`,
			`var v interface{} // the module is older than any
	if err := lib.ConfigCompatibleWithStandardLibrary.Unmarshal(input, &v); err != nil {
		return "", err
	}
	out, err := lib.ConfigCompatibleWithStandardLibrary.Marshal(v)
	return string(out), err`,
		},
		{
			"gopkg.in/ini.v1", "v1.67.0", "ini", `lib "gopkg.in/ini.v1"; "bytes"`,
			`file, err := lib.LoadSources(lib.LoadOptions{AllowBooleanKeys: true}, input)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	for _, s := range file.Sections() {
		for _, k := range s.Keys() {
			fmt.Fprintf(&out, "%s %s %s %v\n", s.Name(), k.Name(), k.Value(), k.MustInt())
		}
	}
	_, err = file.WriteTo(&out)
	return out.String(), err`,
		},
	}
}

// driver is put into a copy of the library's module. Observe is what inroad
// observes; Behaviour tells all that can be seen from outside.
const driver = `package inroadstudy

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

// command runs inputs, given as a JSON array of strings in base64, from the one
// whose number it is given, and prints a digest of each one's behaviour.
const command = `package main

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

// A bench is a copy of a library with a driver.
type bench struct {
	subject
	dir string // of everything
	lib string // of the module
}

// prepare copies a library and adds the driver.
func prepare(ctx context.Context, s subject) (*bench, error) {
	dir, err := os.MkdirTemp("", "inroad-select-")
	if err != nil {
		return nil, err
	}
	b := &bench{s, dir, filepath.Join(dir, "lib")}
	if err := b.fill(ctx); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

func (b *bench) close() error { return os.RemoveAll(b.dir) }

func (b *bench) fill(ctx context.Context) error {
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
	if _, err := os.Stat(filepath.Join(b.lib, "go.mod")); errors.Is(err, fs.ErrNotExist) { // it is older than modules
		if err := os.WriteFile(filepath.Join(b.lib, "go.mod"), []byte("module "+b.module+"\n\ngo 1.21\n"), 0o600); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{
		"inroadstudy/study.go":    fmt.Sprintf(driver, b.imports, b.body),
		"inroadstudy/cmd/main.go": fmt.Sprintf(command, b.module+"/inroadstudy"),
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

// copyModule copies the files of a module that are built.
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

// errBuild tells that a mutant cannot be built.
var errBuild = errors.New("it cannot be built")

// build builds the command, with some files replaced, and returns its path.
func (b *bench) build(ctx context.Context, replace map[string]string) (string, error) {
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
