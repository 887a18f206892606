package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestKillFuzz kills campaigns at random moments and continues them. At the end they have
// observed the same inputs as campaigns that were not killed, each of them once. Run times
// differ, so the algorithms that depend on them ignore them.
func TestKillFuzz(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs sh")
	}
	for algorithm, flags := range map[string][]string{
		"evogfuzz": {"--population", "20"},
		"guided":   {"--population", "20", "--ignore", "runtime"},
		"fdloop":   {"--calibration", "10", "--ignore", "runtime"},
	} {
		t.Run(algorithm, func(t *testing.T) { killFuzz(t, append(flags, "--algorithm", algorithm)...) })
	}
}

func killFuzz(t *testing.T, flags ...string) {
	t.Helper()
	kills := 3
	if *long {
		kills = 100
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "run.sh")
	if err := os.WriteFile(script, []byte("echo read >$2\ncase $(cat $1) in *\\(*\\(*) exit 3;; *\\**) echo product >>$2;; esac\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	command := func(out string) []string {
		return append([]string{
			"inroad", "fuzz", "--grammar", "expr", "--exec", "sh " + script + " {} {report}", "--subject", "calc", "--commit", "v1",
			"--n", strconv.Itoa(max(40*kills, 160)), "--jobs", "2", "--out", filepath.Join(dir, out), // guided trains after 100 runs
		}, flags...)
	}
	finish := func(out string) []string {
		var stderr bytes.Buffer
		if code := run(t.Context(), command(out)[1:], strings.NewReader(""), io.Discard, &stderr); code != exitDone {
			t.Fatalf("exit code %d: %s", code, &stderr)
		}
		return fuzzed(t, filepath.Join(dir, out))
	}
	began := time.Now()
	want := finish("whole.ndjson")
	took := time.Since(began)
	r := rand.New(rand.NewPCG(1, 0))
	kept := 0
	for range kills {
		output, end := process(t, time.Duration(r.Int64N(2*int64(took)/int64(kills))), command("killed.ndjson")...)
		_, _ = io.Copy(io.Discard, output) // until it is killed
		end()
		now := len(fuzzed(t, filepath.Join(dir, "killed.ndjson")))
		if now < kept {
			t.Fatalf("%d observations after a kill, %d before", now, kept)
		}
		kept = now
	}
	if diff := cmp.Diff(want, finish("killed.ndjson")); diff != "" {
		t.Errorf("after %d kills (-want +got):\n%s", kills, diff)
	}
	t.Logf("%d kills, %d observations before the last run", kills, kept)
}

// fuzzed returns the observations of a file, without their durations, sorted.
func fuzzed(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1] // the last line may be incomplete
	var out []string
	for line := range bytes.Lines(text) {
		var o struct {
			Input   *string  `json:"input"`
			Methods []string `json:"methods"`
			Outcome string   `json:"outcome"`
		}
		if err := json.Unmarshal(line, &o); err != nil {
			t.Fatal(err)
		}
		if o.Input == nil {
			continue // a header
		}
		one, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(one))
	}
	slices.Sort(out)
	return out
}

// TestWatchFuzz feeds a fuzzer of AFL++'s kind and takes in what it finds, across a kill.
// The fuzzer is this test: it writes files as AFL++ does, and also copies the inputs that
// it is fed.
func TestWatchFuzz(t *testing.T) {
	if _, err := exec.LookPath("grep"); err != nil {
		t.Skip("needs grep, which is not installed")
	}
	dir := t.TempDir()
	out, queue := filepath.Join(dir, "seen.ndjson"), filepath.Join(dir, "out", "default", "queue")
	find := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, "out", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// until runs the campaign until the file has observations of all these finds. The
	// program accepts texts with a plus.
	until := func(finds ...string) map[string]string {
		t.Helper()
		output, end := process(t, time.Minute, "inroad", "fuzz", "--grammar", "expr", "--exec", "grep -q [+] {}", "--algorithm", "random",
			"--export", filepath.Join(dir, "out", "inroad"), "--layout", "afl", "--watch", "--out", out)
		defer end()
		for began := time.Now(); time.Since(began) < 50*time.Second; time.Sleep(20 * time.Millisecond) {
			names := watched(t, out)
			if !slices.ContainsFunc(finds, func(name string) bool { return names[name] == "" }) {
				return names
			}
		}
		end()
		text, _ := io.ReadAll(output)
		t.Fatalf("no observations of %q: %q\n%s", finds, watched(t, out), text)
		return nil
	}
	find("default/queue/id:000000,orig:seed", "1+1")
	find("default/crashes/id:000000,sig:11", "outside the grammar")
	find("default/crashes/README.txt", "not an input")
	find("default/fuzzer_stats", "not an input")
	until("default/queue/id:000000,orig:seed", "default/crashes/id:000000,sig:11")
	fed, err := filepath.Glob(filepath.Join(dir, "out", "inroad", "queue", "*"))
	if err != nil || len(fed) != 2 {
		t.Fatalf("got %q, %v; want an input that is accepted and one that is not", fed, err)
	}
	for i, name := range fed {
		text, err := os.ReadFile(name)
		if err != nil || !strings.HasPrefix(filepath.Base(name), "id:00000"+strconv.Itoa(i)+",inroad:") {
			t.Errorf("file %d is %s: %v", i, name, err)
		}
		find("default/queue/id:00000"+strconv.Itoa(i+1)+",sync:inroad", string(text))
	}
	find("default/queue/id:000003", "2+") // half of it
	find("default/queue/id:000003", "2+3")
	got := until("default/queue/id:000003")
	want := map[string]string{"default/queue/id:000000,orig:seed": "1+1", "default/crashes/id:000000,sig:11": "outside the grammar", "default/queue/id:000003": "2+3"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("inputs of the other fuzzer (-want +got):\n%s", diff)
	}
	all := fuzzed(t, out)
	if distinct := slices.Compact(slices.Clone(all)); len(distinct) != len(all) {
		t.Errorf("%d of %d observations are distinct", len(distinct), len(all))
	}
	if entries, err := os.ReadDir(queue); err != nil || len(entries) != 4 {
		t.Errorf("the folder of the other fuzzer has %d files, %v; want its own 4", len(entries), err)
	}
}

// watched returns the inputs of the named observations in a file, by name.
func watched(t *testing.T, name string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range bytes.Lines(text[:bytes.LastIndexByte(text, '\n')+1]) {
		var o struct{ Name, Input string }
		if err := json.Unmarshal(line, &o); err != nil {
			t.Fatal(err)
		}
		if o.Name != "" && o.Input != "" { // not a header
			out[o.Name] = o.Input
		}
	}
	return out
}
