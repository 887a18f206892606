package model

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/targeting/campaign"
)

// looker looks at folders and collects the inputs that a watch takes.
type looker struct {
	*fuzzWatch
	t     *testing.T
	looks int
}

func (l *looker) look() map[string]string {
	l.t.Helper()
	l.looks++
	found, all := make(chan campaign.Extra, 100), map[string]string{}
	for _, folder := range l.folders() {
		if err := l.fuzzWatch.look(l.t.Context(), folder, l.looks, found); err != nil {
			l.t.Fatal(err)
		}
	}
	close(found)
	for in := range found {
		all[in.Name] = string(in.Text)
	}
	return all
}

func put(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A watch takes each file once, when it no longer changes. It leaves out files that are
// no inputs, cannot be read or are too large.
func TestFuzzWatch(t *testing.T) {
	dir := t.TempDir()
	l := &looker{newFuzzWatch(&fuzzExport{dir: filepath.Join(dir, "inroad"), layout: aflLayout}, []string{filepath.Join(dir, "more")}), t, 0}
	expect := func(when string, want map[string]string) {
		t.Helper()
		if got := l.look(); !maps.Equal(got, want) {
			t.Errorf("%s: %s", when, cmp.Diff(want, got))
		}
	}
	expect("before there is a folder", nil)
	put(t, dir, "default/queue/id:000000,orig:a", "1")
	put(t, dir, "default/queue/.state/variable_behavior/id:000000", "hidden")
	put(t, dir, "default/queue/README.txt", "about crashes")
	put(t, dir, "default/crashes/id_000000", "not (") // AFL++ without colons
	put(t, dir, "default/fuzzer_stats", "start_time : 1")
	put(t, dir, "inroad/queue/id:000000,inroad:0123456789abcdef", "own")
	put(t, dir, "more/corpus.go", "go test fuzz v1\n[]byte(\"2\")\n")
	put(t, dir, "more/several", "go test fuzz v1\nint(2)\nstring(\"a\")\n")
	put(t, dir, "more/large", strings.Repeat("1", maxFind+1))
	half := put(t, dir, "default/queue/id:000001", "1+")
	gone := put(t, dir, "default/queue/id:000002", "3")
	expect("at the first look", nil)
	if err := os.WriteFile(half, []byte("1+2"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	expect("at the second look", map[string]string{"default/queue/id:000000,orig:a": "1", "default/crashes/id_000000": "not (", "more/corpus.go": "2"})
	expect("when all is written", map[string]string{"default/queue/id:000001": "1+2"})
	expect("later", nil)
	put(t, dir, "default/queue/id:000001", "changed")
	expect("after a change", nil)
	expect("when the change is over", map[string]string{"default/queue/id:000001": "changed"})
	var notes bytes.Buffer
	l.print(cli.Streams{Err: &notes})
	for _, want := range []string{"several: Go fuzz input for the parameters (int, string)", "large has more than 1048576 bytes; such files are left out"} {
		if strings.Count(notes.String(), want) != 1 {
			t.Errorf("notes %q: want %q once", &notes, want)
		}
	}
}

// A watch ends with its context, also when nobody takes the inputs.
func TestFuzzWatchEnds(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "input", "1")
	w := newFuzzWatch(&fuzzExport{dir: dir, layout: plainLayout}, nil)
	w.interval = 1
	ctx, cancel := context.WithCancel(t.Context())
	found, end := w.start(ctx)
	if in := <-found; in.Name != filepath.Base(dir)+"/input" || string(in.Text) != "1" {
		t.Errorf("got %+v", in)
	}
	put(t, dir, "other", "2")
	cancel()
	end()
}

// The files for AFL++ have numbers without gaps, also when a campaign is continued.
func TestExportAFL(t *testing.T) {
	dir := t.TempDir()
	var findings []campaign.Finding
	for _, text := range []string{"1", "2", "found by AFL++", "3"} {
		findings = append(findings, campaign.Finding{Text: []byte(text), Included: strings.HasPrefix(text, "found")})
	}
	for n := range len(findings) + 1 { // each time a new command
		e := &fuzzExport{dir: dir, layout: aflLayout}
		if err := e.open(); err != nil {
			t.Fatal(err)
		}
		for k := range n + 1 {
			if err := e.write(findings[:k]); err != nil {
				t.Fatal(err)
			}
		}
	}
	names, err := filepath.Glob(filepath.Join(dir, "queue", "*"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, filepath.Base(name)[:9]+" "+string(text))
	}
	if want := []string{"id:000000 1", "id:000001 2", "id:000002 3"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
