package distributive

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/model/observation"
)

var update = flag.Bool("update", false, "observe calc again and rewrite the observations")

// The embedded observations are those of the current program.
func TestObservations(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("Go toolchain not found")
	}
	inroad := build(t)
	if *update {
		header, observations := observe(t, inroad, "--generate", "1000", "--grammar", "expr")
		save(t, header, observations)
		return
	}
	text, err := gzip.NewReader(bytes.NewReader(Observations))
	if err != nil {
		t.Fatal(err)
	}
	header, want := read(t, text)
	inputs := filepath.Join(t.TempDir(), "inputs.ndjson")
	if err := os.WriteFile(inputs, format(t, observation.Header{}, want), 0o600); err != nil {
		t.Fatal(err)
	}
	gotHeader, got := observe(t, inroad, "--inputs", inputs)
	if diff := cmp.Diff(header, gotHeader); diff != "" {
		t.Errorf("the program changed; run with -update (-want +got):\n%s", diff)
	}
	byInput := map[string]observation.Observation{} // the order varies
	for _, o := range got {
		byInput[string(o.Input)] = o
	}
	for _, o := range want {
		if diff := cmp.Diff(o, byInput[string(o.Input)]); diff != "" {
			t.Fatalf("the program handles %q differently; run with -update (-want +got):\n%s", o.Input, diff)
		}
	}
	if len(want) != 1000 || len(got) != len(want) {
		t.Errorf("%d observations embedded, %d observed, want 1000", len(want), len(got))
	}
}

// observe runs inroad observe on a copy of calc in a module of its own, so that
// file names are short.
func observe(t *testing.T, inroad string, args ...string) (observation.Header, []observation.Observation) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("calc")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module calc\n\ngo 1.22\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "seen.ndjson")
	cmd := exec.CommandContext(t.Context(), inroad, append([]string{"observe", "--go", "Optimize", "--subject", "calc", "--out", out}, args...)...)
	cmd.Dir = dir
	if printed, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return read(t, f)
}

// read returns observations without the fields that vary between runs.
func read(t *testing.T, text io.Reader) (observation.Header, []observation.Observation) {
	t.Helper()
	var out []observation.Observation
	r := observation.NewReader(text)
	for {
		o, err := r.Next()
		if errors.Is(err, io.EOF) {
			header := r.Header()
			header.Commit = ""
			return header, out
		}
		if err != nil {
			t.Fatal(err)
		}
		o.Duration, o.Counts = 0, nil
		out = append(out, o)
	}
}

func format(t *testing.T, h observation.Header, observations []observation.Observation) []byte {
	t.Helper()
	var text bytes.Buffer
	w, err := observation.NewWriter(&text, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range observations {
		if err := w.Write(o); err != nil {
			t.Fatal(err)
		}
	}
	return text.Bytes()
}

func save(t *testing.T, h observation.Header, observations []observation.Observation) {
	t.Helper()
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(format(t, h, observations)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("observations.ndjson.gz", packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
