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

// TestKillFuzz kills a campaign at random moments and continues it. At the end it has
// observed the same inputs as a campaign that was not killed, each of them once.
func TestKillFuzz(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs sh")
	}
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
		return []string{
			"inroad", "fuzz", "--grammar", "expr", "--exec", "sh " + script + " {} {report}", "--subject", "calc", "--commit", "v1",
			"--algorithm", "evogfuzz", "--population", "20", "--n", strconv.Itoa(40 * kills), "--jobs", "2", "--out", filepath.Join(dir, out),
		}
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
