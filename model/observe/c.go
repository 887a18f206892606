package observe

import (
	"bytes"
	"cmp"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/inroad/inroad/model/observation"
)

// A CTarget is a fuzz target in C or C++: a program with the function
// LLVMFuzzerTestOneInput.
type CTarget struct {
	Command string   // shell command that builds the program; see [BuildC]
	Dir     string   // folder that the command runs in; default is the current one
	Name    string   // of the executable; needed if the command builds several
	Sources string   // folder of the sources; default is Dir
	Files   []string // patterns of the source files to observe; default is all below Sources
	Blocks  bool     // observe blocks in addition to functions
	Fork    bool     // run each input in a process of its own
	Subject string   // name of the program; default is the name of the executable
	Commit  string   // version of the program; default is the git commit of the sources
}

// ErrSeveralTargets reports that a command builds several fuzz targets, and that the
// target does not name one of them.
var ErrSeveralTargets = errors.New("the command builds several fuzz targets")

// BuildC runs a build command and returns the program that it builds. As on OSS-Fuzz, the
// command finds the compilers in CC and CXX, flags in CFLAGS and CXXFLAGS, the library
// that calls the target in LIB_FUZZING_ENGINE, and the folder for executables in OUT. The
// compilers are clang and instrument the code, even if the command calls them cc or gcc,
// or links with -fsanitize=fuzzer.
//
// A result other than 0 is a failure. Signals, reports of sanitizers and exits are
// crashes.
func BuildC(ctx context.Context, target CTarget) (*Program, error) {
	return buildIn(fmt.Sprintf("%q", target.Command), func(dir string) (*Program, error) {
		b := &cBuild{CTarget: target, tmp: dir}
		if err := b.build(ctx); err != nil {
			return nil, err
		}
		filter, err := newSourceFilter(cmp.Or(b.Sources, b.Dir), b.Files)
		if err != nil {
			return nil, err
		}
		return newNative(ctx, &nativeProgram{tmp: dir, binary: b.binary, fork: b.Fork}, filter, observation.Header{
			Subject: cmp.Or(b.Subject, filepath.Base(b.binary)), Commit: b.Commit,
		}, b.Blocks)
	})
}

// newNative completes a program.
func newNative(ctx context.Context, n *nativeProgram, filter *sourceFilter, header observation.Header, blocks bool) (*Program, error) {
	if err := n.load(ctx, filter, blocks); err != nil {
		return nil, err
	}
	if header.Commit == "" {
		header.Commit = gitCommit(ctx, filter.root)
	}
	header.Units = n.units.units
	return &Program{dir: n.tmp, start: n.start, header: header}, nil
}

// A cBuild is the state of BuildC.
type cBuild struct {
	CTarget
	tmp    string
	binary string
}

func (b *cBuild) build(ctx context.Context) error {
	if strings.TrimSpace(b.Command) == "" {
		return errors.New("must be a shell command that builds a fuzz target")
	}
	if err := needLinux(); err != nil {
		return err
	}
	clang, err := findClang(ctx)
	if err != nil {
		return err
	}
	engine, err := compileHarness(ctx, b.tmp, clang.c)
	if err != nil {
		return err
	}
	if b.Dir, err = filepath.Abs(cmp.Or(b.Dir, ".")); err != nil {
		return err
	}
	env, err := b.environment(clang, engine)
	if err != nil {
		return err
	}
	started := time.Now().Add(-2 * time.Second) // for file systems with coarse times
	cmd := exec.CommandContext(ctx, "sh", "-c", b.Command)
	cmd.Dir, cmd.Env = b.Dir, env
	output := &tail{limit: 64 << 10}
	cmd.Stdout, cmd.Stderr = output, output
	cmd.WaitDelay = exitTimeout
	setProcessGroup(cmd)
	cmd.Cancel = func() error { killGroup(cmd); return nil }
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		text := output.lastLines(30)
		return fmt.Errorf("%w%s\n%s", err, buildHint(text), text)
	}
	b.binary, err = b.find(started)
	return err
}

// needLinux returns an error on other systems, whose object files have another
// format.
func needLinux() error {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("observing C, C++ and Rust needs Linux, not %s", runtime.GOOS)
	}
	return nil
}

// buildHint explains frequent errors of linkers.
func buildHint(output string) string {
	switch {
	case regexp.MustCompile(`undefined (reference to|symbol:) .?main\b`).MatchString(output):
		return ": the command must link the program with $LIB_FUZZING_ENGINE"
	case regexp.MustCompile(`undefined (reference to|symbol:) .?LLVMFuzzerTestOneInput\b`).MatchString(output):
		return `: the program must define LLVMFuzzerTestOneInput, in C++ as extern "C"`
	case strings.Contains(output, "libclang_rt."):
		return ": the sanitizer needs the runtime libraries of clang, such as the package libclang-rt-14-dev"
	}
	return ""
}

// A clang is the pair of compilers.
type clang struct{ c, cpp string }

// findClang finds a clang: CC if it is one, or else clang on the PATH, or else the
// newest clang-NN.
func findClang(ctx context.Context) (clang, error) {
	names := []string{os.Getenv("CC"), "clang"} //nolint:forbidigo // build commands take compilers from there
	const newest, oldest = 30, 10
	for version := newest; version >= oldest; version-- {
		names = append(names, fmt.Sprintf("clang-%d", version))
	}
	for _, name := range names {
		file, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		version, err := exec.CommandContext(ctx, file, "--version").Output()
		if err != nil || !bytes.Contains(version, []byte("clang version")) {
			continue
		}
		dir, base := filepath.Split(file)
		if cpp, err := exec.LookPath(dir + strings.Replace(base, "clang", "clang++", 1)); err == nil {
			return clang{file, cpp}, nil
		}
	}
	return clang{}, errors.New("observing C and C++ needs clang 10 or later: install it (apt-get install clang), or set CC")
}

// compileHarness compiles the harness with a C compiler and returns the library.
func compileHarness(ctx context.Context, dir, compiler string) (engine string, err error) {
	sources := filepath.Join(dir, "harness")
	if err := os.CopyFS(sources, nativeHarness); err != nil {
		return "", err
	}
	for _, name := range []string{"harness", "stubs"} {
		object, archive := filepath.Join(dir, name+".o"), filepath.Join(dir, "libinroad_"+name+".a")
		for _, args := range [][]string{
			{compiler, "-O2", "-fPIC", "-w", "-c", filepath.Join(sources, "nativeharness", name+".c"), "-o", object},
			{"ar", "rcs", archive, object},
		} {
			if out, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput(); err != nil {
				return "", fmt.Errorf("compile the harness: %w\n%s", err, bytes.TrimSpace(out))
			}
		}
	}
	return filepath.Join(dir, "libinroad_harness.a"), nil
}

// cFlags returns the flags of instrumentation. They go to the compiler proper: the
// driver would link a runtime library, which is not always installed.
func cFlags(blocks bool) []string {
	coverage := []string{"-fsanitize-coverage-type=1", "-fsanitize-coverage-trace-pc-guard", "-fsanitize-coverage-pc-table"}
	if blocks {
		coverage[0] = "-fsanitize-coverage-type=2"
		coverage = append(coverage, "-fsanitize-coverage-no-prune")
	}
	flags := []string{
		"-g", "-O0", // optimization would inline functions
		"-fno-lto", "-fno-omit-frame-pointer", "-Wno-error", "-Wno-unused-command-line-argument", "-U_FORTIFY_SOURCE",
	}
	for _, flag := range coverage {
		flags = append(flags, "-Xclang", flag)
	}
	return flags
}

// environment returns the environment of the build command. All usual names of
// compilers stand for a script that adds the flags.
func (b *cBuild) environment(clang clang, engine string) ([]string, error) {
	script, err := nativeHarness.ReadFile("nativeharness/compiler.sh")
	if err != nil {
		return nil, err
	}
	bin, out, work := filepath.Join(b.tmp, "bin"), filepath.Join(b.tmp, "out"), filepath.Join(b.tmp, "work")
	for _, dir := range []string{bin, out, work} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			return nil, err
		}
	}
	flags := strings.Join(cFlags(b.Blocks), " ")
	write := func(compiler string, names ...string) error {
		text := strings.NewReplacer(
			"$INROAD_CLANG", compiler, "$INROAD_FLAGS", flags, "$INROAD_ENGINE", engine,
			"$INROAD_STUBS", filepath.Join(b.tmp, "libinroad_stubs.a"),
		).Replace(string(script))
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o777); err != nil { //nolint:gosec // executable
				return err
			}
		}
		return nil
	}
	if err := errors.Join(
		write(clang.c, "clang", "cc", "gcc", filepath.Base(clang.c)),
		write(clang.cpp, "clang++", "c++", "g++", filepath.Base(clang.cpp)),
	); err != nil {
		return nil, err
	}
	env := append(os.Environ(), //nolint:forbidigo // the build command inherits the environment
		"CC="+filepath.Join(bin, "clang"), "CXX="+filepath.Join(bin, "clang++"),
		"LIB_FUZZING_ENGINE="+engine, "FUZZING_ENGINE=libfuzzer", "OUT="+out, "WORK="+work,
		"PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH")) //nolint:forbidigo // as above
	for name, value := range map[string]string{
		"CFLAGS": "-g -O0", "CXXFLAGS": "-g -O0", "SRC": filepath.Dir(b.Dir), "SANITIZER": "none", "ARCHITECTURE": runtime.GOARCH,
	} {
		if _, ok := os.LookupEnv(name); !ok { //nolint:forbidigo // as above
			env = append(env, name+"="+value)
		}
	}
	return env, nil
}

// find returns the executable with the harness: in OUT, or else below the folder of
// the command.
func (b *cBuild) find(started time.Time) (string, error) {
	var other []string
	for _, dir := range []string{filepath.Join(b.tmp, "out"), b.Dir} {
		targets, rest := findTargets(dir, started)
		other = append(other, rest...)
		if b.Name != "" {
			targets = slices.DeleteFunc(targets, func(file string) bool {
				below, err := filepath.Rel(dir, file)
				return file != b.Name && filepath.Base(file) != b.Name && (err != nil || filepath.Clean(b.Name) != below)
			})
		}
		switch {
		case len(targets) == 1:
			return targets[0], nil
		case len(targets) > 1:
			for i, file := range targets {
				targets[i], _ = filepath.Rel(dir, file)
			}
			return "", fmt.Errorf("%w: must name one of %s", ErrSeveralTargets, strings.Join(targets, ", "))
		}
	}
	switch {
	case b.Name != "":
		return "", fmt.Errorf("the command builds no fuzz target %s", b.Name)
	case len(other) > 0:
		return "", fmt.Errorf("%s is not linked with the harness: add $LIB_FUZZING_ENGINE to the command that links it", other[0])
	}
	return "", errors.New("the command writes no executable: it must build a fuzz target anew, to $OUT or below the current folder")
}

// findTargets returns the executables below a folder that were written after a
// time, with the harness and without it.
func findTargets(dir string, after time.Time) (targets, other []string) {
	seen := 0
	_ = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error { // unreadable folders count as empty
		const maxFiles = 200_000
		if seen++; seen > maxFiles {
			return fs.SkipAll
		}
		if err != nil || entry.IsDir() && entry.Name() == ".git" {
			return fs.SkipDir
		}
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 || info.ModTime().Before(after) {
			return nil
		}
		switch isExecutable, hasHarness := inspectELF(name); {
		case hasHarness:
			targets = append(targets, name)
		case isExecutable:
			other = append(other, name)
		}
		return nil
	})
	return targets, other
}

// inspectELF reports whether a file is an executable, and whether it has the
// harness.
func inspectELF(file string) (isExecutable, hasHarness bool) {
	object, err := elf.Open(file)
	if err != nil {
		return false, false
	}
	defer func() { _ = object.Close() }() // opened for reading only
	isExecutable = object.Entry != 0
	return isExecutable, isExecutable && object.Section("inroad_harness") != nil
}
