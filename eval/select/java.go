package main

import (
	"archive/zip"
	"bytes"
	"context"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/inroad/inroad/eval/maven"
	"github.com/inroad/inroad/model/observe"
)

// A javaLibrary is a jar with a driver. Its sources are in a second jar.
type javaLibrary struct {
	jar      string // group:artifact:version
	packages string // to observe and mutate
	imports  string // of the driver
	body     string // of String run(String input), which runs the library
}

//go:embed java/*.java
var javaTools embed.FS

// javaDriver is the class that inroad observes and that runs mutants.
const javaDriver = `import %s;

public final class Study {
    public static String run(String input) throws Exception {
        %s
    }
}
`

// A javaBench is a jar with its sources and a driver.
type javaBench struct {
	javaLibrary
	dir       string // temporary folder
	classpath string // of the library and the driver
	worker    *javaWorker
}

func (l javaLibrary) prepare(ctx context.Context, opt options) (bench, error) {
	dir, err := os.MkdirTemp("", "inroad-select-")
	if err != nil {
		return nil, err
	}
	b := &javaBench{javaLibrary: l, dir: dir}
	if err := b.setUp(ctx, opt.maven); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

func (b *javaBench) close() error {
	if b.worker != nil {
		b.worker.stop()
	}
	return os.RemoveAll(b.dir)
}

func (b *javaBench) sources() string { return filepath.Join(b.dir, "sources") }

func (b *javaBench) inputs() string { return filepath.Join(b.dir, "inputs.txt") }

func (b *javaBench) tools() string { return filepath.Join(b.dir, "tools") }

func (b *javaBench) setUp(ctx context.Context, repository string) error {
	jar, err := maven.Fetch(ctx, repository, b.dir, b.jar, "")
	if err != nil {
		return err
	}
	sources, err := maven.Fetch(ctx, repository, b.dir, b.jar, "sources")
	if err != nil {
		return err
	}
	if err := unpack(sources, b.sources()); err != nil {
		return err
	}
	if err := os.CopyFS(b.tools(), javaTools); err != nil {
		return err
	}
	driver := filepath.Join(b.dir, "Study.java")
	if err := os.WriteFile(driver, fmt.Appendf(nil, javaDriver, b.imports, b.body), 0o600); err != nil {
		return err
	}
	classes := filepath.Join(b.dir, "driver")
	b.classpath = jar + string(filepath.ListSeparator) + classes
	if _, err := runTool(ctx, "javac", "-proc:none", "-cp", jar, "-d", classes, driver); err != nil {
		return err
	}
	_, err = runTool(ctx, "javac", "-proc:none", "-d", b.tools(), filepath.Join(b.tools(), "java", "Edits.java"), filepath.Join(b.tools(), "java", "Mutated.java"))
	return err
}

// runTool runs a tool of the JDK and returns its standard output.
func runTool(ctx context.Context, tool string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, tool, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", tool, err, strings.TrimSpace(stderr.String()))
	}
	return stdout.Bytes(), nil
}

func unpack(jar, dir string) (err error) {
	r, err := zip.OpenReader(jar)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return os.CopyFS(dir, r)
}

func (b *javaBench) program(ctx context.Context) (*observe.Program, error) {
	return observe.BuildJava(ctx, observe.JavaTarget{
		Method: "Study#run", Classpath: b.classpath, Packages: []string{b.packages}, Sources: b.sources(), Subject: b.jar, Commit: "before",
	})
}

func (b *javaBench) behaviour(ctx context.Context, m *mutant, inputs [][]byte) ([]string, error) {
	file := ""
	if m != nil {
		file = filepath.Join(b.dir, "Mutant.java")
		if err := os.WriteFile(file, m.text, 0o600); err != nil {
			return nil, err
		}
	}
	var text strings.Builder
	for _, input := range inputs {
		text.WriteString(base64.StdEncoding.EncodeToString(input) + "\n")
	}
	if err := os.WriteFile(b.inputs(), []byte(text.String()), 0o600); err != nil {
		return nil, err
	}
	return persist(len(inputs), func(from int) ([]string, error) { return b.runJava(ctx, file, from, len(inputs)-from) })
}

// runJava runs n inputs from a given index. It stops the worker when an input takes too
// long; the next call starts another.
func (b *javaBench) runJava(ctx context.Context, file string, from, n int) ([]string, error) {
	if b.worker == nil {
		var err error
		if b.worker, err = startJava(ctx, "-cp", b.tools(), "Mutated", b.inputs(), b.classpath); err != nil {
			return nil, err
		}
	}
	lines, err := b.worker.ask(from, file, n)
	if len(lines) < n && !errors.Is(err, errBuild) {
		b.worker.stop()
		b.worker = nil
	}
	return lines, errors.Join(err, context.Cause(ctx))
}
