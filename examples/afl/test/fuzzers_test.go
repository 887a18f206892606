package test

import (
	"bytes"
	"context"
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
			t.Skipf("%s not found", tool)
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

// libFuzzer runs mutants in the grammar, and goes on with its own if inroad is missing.
func TestLibFuzzer(t *testing.T) {
	need(t, "go", "clang")
	dir := t.TempDir()
	fuzz := filepath.Join(dir, "fuzz")
	cmd := exec.CommandContext(t.Context(), "clang", "-Wall", "-Wextra", "-Werror", "-fsanitize=fuzzer", "../../libfuzzer/inroad_mutator.c", "testdata/fuzz.c", "-o", fuzz)
	if out, err := cmd.CombinedOutput(); err != nil {
		if bytes.Contains(out, []byte("libclang_rt.fuzzer")) {
			t.Skip("clang has no libFuzzer")
		}
		t.Fatalf("%v\n%s", err, out)
	}
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

// AFL++ runs with the mutator, takes in what inroad fuzz exports, and inroad fuzz takes in
// what AFL++ finds.
func TestAFL(t *testing.T) {
	need(t, "go", "cc", "clang", "afl-fuzz", "afl-clang-fast")
	dir := t.TempDir()
	library, fuzz, inroad := filepath.Join(dir, "inroad_mutator.so"), filepath.Join(dir, "fuzz"), build(t)
	must(t, nil, "cc", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "../inroad_mutator.c", "-o", library)
	must(t, []string{"AFL_QUIET=1"}, "afl-clang-fast", "-fsanitize=fuzzer", "testdata/fuzz.c", "-o", fuzz)
	out := filepath.Join(dir, "out")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	start := func(env []string, args ...string) (end func() string) {
		var printed bytes.Buffer
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Env = append(cmd.Environ(), env...)
		cmd.Stdout, cmd.Stderr = &printed, &printed
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.WaitDelay = time.Minute
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return func() string {
			cancel()
			_ = cmd.Wait() // it is interrupted
			return printed.String()
		}
	}
	endCampaign := start(nil, inroad, "fuzz", "--grammar", "json", "--c", "$CC $CFLAGS "+absolute(t, "testdata/fuzz.c")+" $LIB_FUZZING_ENGINE -o $OUT/fuzz",
		"--sources", absolute(t, "testdata"), "--units", "block", "--out", filepath.Join(dir, "seen.ndjson"), "--export", filepath.Join(out, "inroad"), "--layout", "afl", "--watch")
	found := func(pattern string) bool {
		names, err := filepath.Glob(filepath.Join(out, pattern))
		return err == nil && len(names) > 0
	}
	wait := func(what string, end func() string, until func() bool) {
		t.Helper()
		for began := time.Now(); !until(); time.Sleep(50 * time.Millisecond) {
			if time.Since(began) > 2*time.Minute {
				t.Fatalf("%s: not within two minutes\n%s", what, end())
			}
		}
	}
	wait("inroad fuzz exports", endCampaign, func() bool { return found("inroad/queue/id:000001*") })
	endAFL := start([]string{
		"AFL_NO_UI=1", "AFL_SKIP_CPUFREQ=1", "AFL_NO_AFFINITY=1", "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1",
		"AFL_CUSTOM_MUTATOR_LIBRARY=" + library, "INROAD_GRAMMAR=json", "INROAD=" + inroad,
	}, "afl-fuzz", "-M", "main", "-i", write(t, filepath.Join(dir, "seeds"), "1"), "-o", out, "--", fuzz)
	wait("AFL++ reads the exported inputs", endAFL, func() bool {
		last, err := os.ReadFile(filepath.Join(out, "main", ".synced", "inroad")) // number of the next input
		return err == nil && len(last) == 4 && binary.LittleEndian.Uint32(last) > 1
	})
	wait("inroad fuzz takes in", endCampaign, func() bool {
		text, err := os.ReadFile(filepath.Join(dir, "seen.ndjson"))
		return err == nil && bytes.Contains(text, []byte(`{"name":"main/queue/id:`))
	})
	endAFL()
	endCampaign()
}

func absolute(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
