package observe

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/inroad/inroad/model/observation"
)

// A RustTarget is a fuzz target of cargo-fuzz, or another program with the function
// LLVMFuzzerTestOneInput.
type RustTarget struct {
	Target  string   // DIR/NAME: the folder of a package, usually fuzz, and a binary of the package
	Sources string   // folder of the sources; default is the current one
	Files   []string // patterns of the source files to observe; default is all below Sources
	Blocks  bool     // observe blocks in addition to functions
	Fork    bool     // run each input in a process of its own
	Subject string   // name of the program; default is NAME
	Commit  string   // version of the program; default is the git commit of the sources
}

// BuildRust builds a fuzz target with cargo, in the folder inroad of cargo's target
// folder. It needs a stable toolchain and a C compiler.
//
// A panic, a signal and an exit are crashes. Files of packages from a registry have
// the name and version of the package as their first folder.
func BuildRust(ctx context.Context, target RustTarget) (*Program, error) {
	return buildIn(target.Target, func(dir string) (*Program, error) {
		b := &rustBuild{RustTarget: target, tmp: dir}
		if err := b.build(ctx); err != nil {
			return nil, err
		}
		filter, err := newSourceFilter(b.Sources, b.Files)
		if err != nil {
			return nil, err
		}
		return newNative(ctx, &nativeProgram{tmp: dir, binary: b.binary, fork: b.Fork}, filter, observation.Header{
			Subject: cmp.Or(b.Subject, b.name), Commit: b.Commit,
		}, b.Blocks)
	})
}

// A rustBuild is the state of BuildRust.
type rustBuild struct {
	RustTarget
	tmp    string
	dir    string // of the package
	name   string // of the binary
	target string // cargo's target folder for inroad
	host   string // such as x86_64-unknown-linux-gnu
	binary string
}

func (b *rustBuild) build(ctx context.Context) error {
	if err := needLinux(); err != nil {
		return err
	}
	if b.dir, b.name = filepath.Split(b.Target); b.name == "" || strings.HasPrefix(b.name, "-") {
		return errors.New("must be DIR/NAME, such as fuzz/parse: the folder of a package and a binary of it")
	}
	b.dir = filepath.Clean(b.dir)
	if _, err := os.Stat(filepath.Join(b.dir, "Cargo.toml")); err != nil {
		return fmt.Errorf("%s must be the folder of a package: %w", b.dir, err)
	}
	for _, tool := range []string{"cargo", "cc"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("observing Rust needs cargo and a C compiler: %w", err)
		}
	}
	if err := b.find(ctx); err != nil {
		return err
	}
	engine, err := b.harness(ctx)
	if err != nil {
		return err
	}
	_, err = b.cargo(ctx, b.environment(engine), "build", "--bin", b.name, "--target", b.host, "--target-dir", b.target)
	built := filepath.Join(b.target, b.host, "debug", b.name)
	switch {
	case err != nil && duplicateMain.MatchString(err.Error()):
		return errRustMain
	case err != nil:
		return err
	}
	if _, hasHarness := inspectELF(built); !hasHarness {
		return errRustMain
	}
	b.binary = filepath.Join(b.tmp, b.name) // later builds do not replace the copy
	data, err := os.ReadFile(built)
	if err != nil {
		return err
	}
	return os.WriteFile(b.binary, data, 0o777) //nolint:gosec // executable
}

var (
	duplicateMain = regexp.MustCompile(`duplicate symbol: main\b|multiple definition of .main\b`)
	errRustMain   = errors.New("the program has its own main function: it must be a fuzz target, with fuzz_target! or with #![no_main] and LLVMFuzzerTestOneInput")
)

// cargo runs cargo in the folder of the package, with its toolchain and settings.
func (b *rustBuild) cargo(ctx context.Context, env []string, args ...string) ([]byte, error) {
	return b.run(ctx, env, "cargo", args...)
}

// run runs a tool and returns its standard output. If it fails, the error contains
// the end of its standard error.
func (b *rustBuild) run(ctx context.Context, env []string, tool string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, tool, args...)
	cmd.Dir = b.dir
	cmd.Env = append(cmd.Environ(), env...)
	var stdout bytes.Buffer
	stderr := &tail{limit: 64 << 10}
	cmd.Stdout, cmd.Stderr = &stdout, stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("%s %s: %w\n%s", tool, args[0], err, stderr.lastLines(30))
	}
	return stdout.Bytes(), nil
}

// find asks cargo for the target folder and rustc for the host.
func (b *rustBuild) find(ctx context.Context) error {
	out, err := b.cargo(ctx, nil, "metadata", "--format-version", "1", "--no-deps")
	if err != nil {
		return err
	}
	var metadata struct {
		TargetDirectory string `json:"target_directory"`
	}
	if err := json.Unmarshal(out, &metadata); err != nil {
		return fmt.Errorf("cargo metadata: %w", err)
	}
	b.target = filepath.Join(metadata.TargetDirectory, "inroad")
	version, err := b.run(ctx, nil, "rustc", "-vV")
	if err != nil {
		return err
	}
	match := regexp.MustCompile(`(?m)^host: (\S+)$`).FindSubmatch(version)
	if match == nil {
		return errors.New("rustc -vV prints no host")
	}
	b.host = string(match[1])
	return nil
}

// harness compiles the harness to the target folder. Its name changes with its
// contents, because cargo builds everything again when a flag changes.
func (b *rustBuild) harness(ctx context.Context) (string, error) {
	built, err := compileHarness(ctx, b.tmp, "cc")
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(built)
	if err != nil {
		return "", err
	}
	name := filepath.Join(b.target, fmt.Sprintf("libinroad_%x.a", sha256.Sum256(data))[:len("libinroad_")+16]+".a")
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	if err := os.MkdirAll(b.target, 0o777); err != nil {
		return "", err
	}
	return name, os.WriteFile(name, data, 0o666)
}

// environment returns the variables of the build. A panic aborts, as in fuzz_target!, so
// that its stack is known. libfuzzer-sys links the library in CUSTOM_LIBFUZZER_PATH
// instead of compiling libFuzzer.
//
// Counters are inserted before the code is optimised, so that an inlined function keeps
// its counter. Optimisation merges blocks, so the code is not optimised if blocks are
// observed.
func (b *rustBuild) environment(engine string) []string {
	level, order := "1", []string{"-Copt-level=1", "-Cno-prepopulate-passes", "-Cpasses=sancov-module,default<O1>"}
	if b.Blocks {
		level, order = "2", []string{"-Copt-level=0", "-Cpasses=sancov-module"}
	}
	flags := append(order, "--cfg=fuzzing", "-Clink-arg="+engine, "-Cdebuginfo=2", "-Clto=no", "-Cstrip=none", "-Cpanic=abort")
	for _, flag := range []string{"level=" + level, "trace-pc-guard", "pc-table", "prune-blocks=0"} {
		flags = append(flags, "-Cllvm-args=-sanitizer-coverage-"+flag)
	}
	if given := os.Getenv("RUSTFLAGS"); given != "" { //nolint:forbidigo // cargo reads it
		flags = append(strings.Fields(given), flags...)
	}
	return []string{
		"CARGO_ENCODED_RUSTFLAGS=" + strings.Join(flags, "\x1f"),
		"CUSTOM_LIBFUZZER_PATH=" + engine, "CUSTOM_LIBFUZZER_STD_CXX=none",
	}
}
