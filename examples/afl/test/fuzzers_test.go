package test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// need skips a test if tools are missing.
func need(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("needs %s, which is not installed", tool)
		}
	}
}

// must runs a command and returns what it prints.
func must(t *testing.T, env []string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Env = append(cmd.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return out
}

// folder has the program that build builds.
var folder string

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "inroad-test-"); err != nil {
		panic(err)
	}
	m.Run()
	_ = os.RemoveAll(folder) // of no use any more
}

// build builds inroad, once for all tests, and returns its file.
func build(t *testing.T) string {
	t.Helper()
	inroad := filepath.Join(folder, "inroad")
	if _, err := os.Stat(inroad); err != nil {
		must(t, nil, "go", "build", "-o", inroad, "github.com/inroad/inroad/cmd/inroad")
	}
	return inroad
}

// write writes a file in a new folder, and returns the folder.
func write(t *testing.T, dir, text string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "first"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A partner is a fuzzer that runs in the background.
type partner struct {
	t       *testing.T
	cmd     *exec.Cmd
	printed string // file
	ended   bool
}

// start starts a fuzzer, which the end of the test ends.
func start(t *testing.T, dir string, env []string, args ...string) *partner {
	t.Helper()
	file, err := os.CreateTemp(dir, "printed-")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cmd := exec.Command(args[0], args[1:]...) //nolint:noctx // it is interrupted, not killed, at the end
	cmd.Env = append(cmd.Environ(), env...)
	cmd.Stdout, cmd.Stderr = file, file
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &partner{t: t, cmd: cmd, printed: file.Name()}
	t.Cleanup(p.end)
	return p
}

// end interrupts the fuzzer and waits for its end.
func (p *partner) end() {
	if !p.ended {
		p.ended = true
		_ = p.cmd.Process.Signal(os.Interrupt) // it may have ended
		_ = p.cmd.Wait()                       // with a status that does not matter
	}
}

// says returns what the fuzzer printed.
func (p *partner) says() string {
	text, err := os.ReadFile(p.printed)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}

// await waits until a condition holds, for two minutes.
func (p *partner) await(what string, until func() bool) {
	p.t.Helper()
	for began := time.Now(); !until(); time.Sleep(50 * time.Millisecond) {
		if time.Since(began) > 2*time.Minute {
			p.end()
			p.t.Fatalf("%s: not within two minutes\n%s", what, p.says())
		}
	}
}

// campaign starts inroad fuzz with --watch, and waits for the first files that match
// a pattern. taken reports whether it has run an input of the other fuzzer.
func campaign(t *testing.T, dir, export, layout, pattern string) (p *partner, taken func() bool) {
	t.Helper()
	sources, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	seen := filepath.Join(dir, "seen.ndjson")
	p = start(t, dir, nil, build(t), "fuzz", "--grammar", "json", "--c", "$CC $CFLAGS "+filepath.Join(sources, "fuzz.c")+" $LIB_FUZZING_ENGINE -o $OUT/fuzz",
		"--sources", sources, "--units", "block", "--out", seen, "--export", export, "--layout", layout, "--watch")
	p.await("inroad fuzz exports", func() bool {
		names, err := filepath.Glob(filepath.Join(export, pattern))
		return err == nil && len(names) > 0
	})
	return p, func() bool {
		text, err := os.ReadFile(seen)
		return err == nil && bytes.Contains(text, []byte("\n{\"name\":"))
	}
}

// buildLibFuzzer builds the target and the mutator for libFuzzer, and returns the program.
func buildLibFuzzer(t *testing.T, dir string) string {
	t.Helper()
	need(t, "go", "clang")
	fuzz := filepath.Join(dir, "fuzz")
	cmd := exec.CommandContext(t.Context(), "clang", "-Wall", "-Wextra", "-Werror", "-fsanitize=fuzzer", "../../libfuzzer/inroad_mutator.c", "testdata/fuzz.c", "-o", fuzz)
	if out, err := cmd.CombinedOutput(); err != nil {
		if bytes.Contains(out, []byte("libclang_rt.fuzzer")) {
			t.Skip("needs the libFuzzer of clang, which is not installed")
		}
		t.Fatalf("%v\n%s", err, out)
	}
	return fuzz
}

// libFuzzer runs mutants in the grammar, and goes on with its own if inroad is missing.
func TestLibFuzzer(t *testing.T) {
	dir := t.TempDir()
	fuzz := buildLibFuzzer(t, dir)
	const first = `[1,{"a":true}]`
	run := func(program, name string) (mutants []string, valid int) {
		cmd := exec.CommandContext(t.Context(), fuzz, "-seed=1", "-runs=300", "-max_len=200", "-reload=0", write(t, filepath.Join(dir, name), first))
		cmd.Env = append(cmd.Environ(), "INROAD="+program, "INROAD_GRAMMAR=json", "INROAD_ONLY=1", "PRINT=1")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for line := range strings.Lines(string(out)) {
			mutants = append(mutants, line)
			if json.Valid([]byte(line)) {
				valid++
			}
		}
		return mutants, valid
	}
	mutants, valid := run(build(t), "corpus")
	distinct := map[string]bool{}
	for _, text := range mutants {
		distinct[text] = true
	}
	if invalid := len(mutants) - valid; len(mutants) < 300 || invalid > 3 || len(distinct) < 100 { // it also tries an empty input
		t.Errorf("%d inputs, %d invalid, %d distinct; want 300 valid ones", len(mutants), invalid, len(distinct))
	}
	if mutants, valid = run(filepath.Join(dir, "nothing"), "other"); len(mutants) < 300 || valid > len(mutants)/2 {
		t.Errorf("without inroad: %d inputs, %d of them valid", len(mutants), valid)
	}
}

// libFuzzer reads what inroad fuzz exports while both run, and inroad fuzz takes in what
// libFuzzer finds.
func TestWatchLibFuzzer(t *testing.T) {
	dir := t.TempDir()
	fuzz, corpus := buildLibFuzzer(t, dir), filepath.Join(dir, "corpus")
	// With the mutator, libFuzzer would find everything before it reads what is exported.
	fuzzer := start(t, dir, []string{"INROAD=nothing", "INROAD_GRAMMAR=json"}, fuzz, "-seed=1", "-artifact_prefix="+corpus+"/", write(t, corpus, "1"))
	ours, taken := campaign(t, dir, corpus, "plain", "*")
	fuzzer.await("libFuzzer reads exported inputs", func() bool { return strings.Contains(fuzzer.says(), "RELOAD") })
	ours.await("inroad fuzz takes in", taken)
}

// AFL++ runs with the mutator, reads what inroad fuzz exports, and inroad fuzz takes in
// what AFL++ finds.
func TestWatchAFL(t *testing.T) {
	need(t, "go", "cc", "clang", "afl-fuzz", "afl-clang-fast")
	dir := t.TempDir()
	library, fuzz, out := filepath.Join(dir, "inroad_mutator.so"), filepath.Join(dir, "fuzz"), filepath.Join(dir, "out")
	must(t, nil, "cc", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "../inroad_mutator.c", "-o", library)
	must(t, []string{"AFL_QUIET=1"}, "afl-clang-fast", "-fsanitize=fuzzer", "testdata/fuzz.c", "-o", fuzz)
	ours, taken := campaign(t, dir, filepath.Join(out, "inroad"), "afl", "queue/id:000001*")
	fuzzer := start(t, dir, []string{
		"AFL_NO_UI=1", "AFL_SKIP_CPUFREQ=1", "AFL_NO_AFFINITY=1", "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1",
		"AFL_CUSTOM_MUTATOR_LIBRARY=" + library, "INROAD_GRAMMAR=json", "INROAD=" + build(t),
	}, "afl-fuzz", "-M", "main", "-i", write(t, filepath.Join(dir, "seeds"), "1"), "-o", out, "--", fuzz)
	fuzzer.await("AFL++ reads exported inputs", func() bool {
		last, err := os.ReadFile(filepath.Join(out, "main", ".synced", "inroad")) // number of the next input
		return err == nil && len(last) == 4 && binary.LittleEndian.Uint32(last) > 1
	})
	ours.await("inroad fuzz takes in", taken)
}
