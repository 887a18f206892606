package observe_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
)

var testHeader = observation.Header{Subject: "s", Commit: "c", Units: []observation.Unit{{ID: "a#b", Kind: observation.KindMethod, Start: 1, End: 2}}}

// readNames returns the number of occurrences of each name in a file. It fails
// on invalid lines.
func readNames(t *testing.T, file string) map[string]int {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	names := map[string]int{}
	for r := observation.NewReader(f); ; {
		o, err := r.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		names[o.Name]++
	}
}

// TestTornOutput truncates a file at every byte and continues it. No complete
// observation may be lost or duplicated.
func TestTornOutput(t *testing.T) {
	inputs := []observe.Input{{"1", []byte("a")}, {"2", []byte("a")}, {"\xff3\xfe\xfe", []byte("\n\xff")}, {"", []byte("b")}, {"", []byte("b")}}
	fill := func(file string) (wrote int) {
		var observed observe.ObservedInputs
		out, err := observe.OpenOutput(file, testHeader, observed.Add)
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		for _, in := range inputs {
			if observed.Take(in) {
				continue
			}
			wrote++
			if err := out.Write(observation.Observation{Name: in.Name, Input: in.Data, Methods: []string{"a#b"}}); err != nil {
				t.Fatal(err)
			}
		}
		return wrote
	}
	file := filepath.Join(t.TempDir(), "o.ndjson")
	if n := fill(file); n != len(inputs) {
		t.Fatalf("%d written", n)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(whole) + 1 {
		if err := os.WriteFile(file, whole[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		kept := max(0, bytes.Count(whole[:cut], []byte("\n"))-1) // without the header
		if n := fill(file); n != len(inputs)-kept {
			t.Errorf("cut at %d: %d written, %d were there", cut, n, kept)
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, whole) {
			t.Fatalf("cut at %d: got %q, %v", cut, got, err)
		}
	}
}

func TestOutputRefuses(t *testing.T) {
	var b bytes.Buffer
	if _, err := observation.NewWriter(&b, testHeader); err != nil {
		t.Fatal(err)
	}
	mine := b.String()
	for _, tc := range []struct{ name, text, want string }{
		{"a text", "my thesis\nchapter 1\n", "cannot continue the file: line 1"},
		{"a text without a line end", "my thesis", "is not a file of observations"},
		{"another program", strings.Replace(mine, `"s"`, `"t"`, 1), `contains observations of "t" at "c": must be of "s" at "c"`},
		{"another version", strings.Replace(mine, `"c"`, `"d"`, 1), `contains observations of "s" at "d"`},
		{"other methods", strings.Replace(mine, `"start":1`, `"start":2`, 1), "same program with other methods"},
		{"a later format", `{"inroad":"observations/9"}` + "\n", `version "observations/9": must be "observations/1"`},
		{"a broken line", mine + "{}\n", "cannot continue the file: line 2"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "o")
			if err := os.WriteFile(file, []byte(tc.text), 0o666); err != nil {
				t.Fatal(err)
			}
			_, err := observe.OpenOutput(file, testHeader, nil)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got error %v, want %q", err, tc.want)
			}
			if got, _ := os.ReadFile(file); string(got) != tc.text {
				t.Errorf("the file is now %q", got)
			}
		})
	}
	t.Run("two at once", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "o")
		out, err := observe.OpenOutput(file, testHeader, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		if _, err := observe.OpenOutput(file, testHeader, nil); err == nil || !strings.Contains(err.Error(), "locked by another process") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("one soon after the other", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "o")
		first, err := observe.OpenOutput(file, testHeader, nil)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(50*time.Millisecond, func() { first.Close() })
		second, err := observe.OpenOutput(file, testHeader, nil)
		if err != nil {
			t.Fatal(err)
		}
		second.Close()
	})
}

const killInputs = 400

// killed are the programs of [TestKill].
var killed = map[string]struct {
	build func(context.Context) (*observe.Program, error)
	words []string // inputs in turn
}{
	"Go": {func(ctx context.Context) (*observe.Program, error) {
		return observe.BuildGo(ctx, observe.GoTarget{Dir: "testdata/gosubject", Function: "./internal/hostile.Parse", Commit: "c"})
	}, []string{"fine", "fail", "panic", "exit3"}},
	"C": {func(ctx context.Context) (*observe.Program, error) {
		return observe.BuildC(ctx, observe.CTarget{Dir: "testdata/csubject", Command: buildHostile, Commit: "c"})
	}, []string{"fine", "reject", "null", "abort", "exit3"}},
}

// observeUntilKilled runs in the process that [TestKill] kills.
func observeUntilKilled(file string) {
	err := func() error {
		ctx := context.Background()
		program := killed[strings.TrimSuffix(filepath.Base(file), ".ndjson")]
		p, err := program.build(ctx)
		if err != nil {
			return err
		}
		defer p.Close()
		var observed observe.ObservedInputs
		out, err := observe.OpenOutput(file, p.Header(), observed.Add)
		if err != nil {
			return err
		}
		inputs := func(yield func(observe.Input, error) bool) {
			for i := range killInputs {
				in := observe.Input{Name: fmt.Sprint(i), Data: []byte(program.words[i%len(program.words)])}
				if !observed.Take(in) && !yield(in, nil) {
					return
				}
			}
		}
		return p.Observe(ctx, inputs, observe.Options{Jobs: 2, Limits: observe.Limits{Timeout: time.Minute}}, out.Write)
	}()
	if err != nil {
		panic(err)
	}
}

// TestKill kills an observing process several times as soon as its output has
// grown. In the end every input must have exactly one observation, and none may
// be lost.
func TestKill(t *testing.T) {
	for name := range killed {
		t.Run(name, func(t *testing.T) {
			if name == "C" {
				needClang(t)
			} else if _, err := exec.LookPath("go"); err != nil {
				t.Skip("there is no go command")
			}
			testKill(t, filepath.Join(t.TempDir(), name+".ndjson"))
		})
	}
}

func testKill(t *testing.T, file string) {
	t.Helper()
	size := func() int64 {
		info, err := os.Stat(file)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	before := map[string]int{}
	for _, grow := range []int64{1, 5_000, 20_000, 1 << 40} { // the last process is not killed
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(cmd.Environ(), "INROAD_TEST_OBSERVE="+file, "TMPDIR="+t.TempDir())
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		start := size()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		var err error
		for running := true; running; {
			select {
			case err = <-ended:
				running = false
			case <-time.After(time.Millisecond):
				if size() >= start+grow {
					cmd.Process.Kill()
				}
			}
		}
		if err != nil && !strings.Contains(err.Error(), "killed") {
			t.Fatalf("%v: %s", err, &stderr)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		whole := text[:bytes.LastIndexByte(text, '\n')+1]
		copied := filepath.Join(t.TempDir(), "whole")
		if err := os.WriteFile(copied, whole, 0o666); err != nil {
			t.Fatal(err)
		}
		now := readNames(t, copied)
		for name := range before {
			if now[name] != before[name] {
				t.Errorf("input %s had %d outcomes and has %d", name, before[name], now[name])
			}
		}
		before = now
	}
	if len(before) != killInputs {
		t.Errorf("%d inputs of %d", len(before), killInputs)
	}
	for name, n := range before {
		if n != 1 {
			t.Errorf("input %s has %d outcomes", name, n)
		}
	}
}

// Observed inputs include whether the program accepted them.
func TestAccepted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "o.ndjson")
	var observed observe.ObservedInputs
	open := func() *observe.Output {
		out, err := observe.OpenOutput(file, testHeader, observed.Add)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	out := open()
	for input, outcome := range map[string]observation.Outcome{"good": observation.OK, "bad": observation.Failed} {
		if err := out.Write(observation.Observation{Input: []byte(input), Outcome: outcome, Methods: []string{"a#b"}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	out = open()
	defer out.Close()
	for input, want := range map[string]bool{"good": true, "bad": false, "new": false} {
		if got := observed.Accepted(observe.Input{Data: []byte(input)}); got != want {
			t.Errorf("%s: accepted %v, want %v", input, got, want)
		}
	}
}

// Whoever opens a file visits the observations that it has, and can read them again at any
// time, also after others were added.
func TestVisitOutput(t *testing.T) {
	t.Run("IDs", func(t *testing.T) { visitOutput(t, testHeader) })
	t.Run("numbers", func(t *testing.T) {
		header := testHeader
		header.Units = []observation.Unit{{ID: "f", Kind: observation.KindMethod}, {ID: "m", Kind: observation.KindBlock}}
		visitOutput(t, header)
	})
}

func visitOutput(t *testing.T, header observation.Header) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "o.ndjson")
	texts := []string{"a", strings.Repeat("long ", 100_000), "\x00\xff", ""}
	for i := range len(texts) + 1 {
		var spans []observation.Span
		var visited []observation.Observation
		out, err := observe.OpenOutput(file, header, func(o observation.Observation, at observation.Span) {
			spans, visited = append(spans, at), append(visited, o)
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(visited) != i {
			t.Fatalf("%d observations were visited, want %d", len(visited), i)
		}
		if i < len(texts) {
			if err := out.Write(observation.Observation{Name: "n", Input: []byte(texts[i]), Methods: []string{"m"}, Counts: []int{i}}); err != nil {
				t.Fatal(err)
			}
		}
		for at, span := range spans {
			o, err := out.At(span)
			if err != nil || string(o.Input) != texts[at] || !reflect.DeepEqual(o, visited[at]) {
				t.Errorf("%+v: %.100v, %v; want %.100v", span, o, err, visited[at])
			}
		}
		if _, err := out.At(observation.Span{Start: 0, Size: 5}); err == nil {
			t.Error("half a line was read")
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Units that are added to a file have numbers after those it has, also when the file is
// continued.
func TestNumbersOfAddedUnits(t *testing.T) {
	file := filepath.Join(t.TempDir(), "o.ndjson")
	header := observation.Header{Subject: "s"} // the units become known as the program runs
	units := []observation.Unit{{ID: "f:1", Kind: observation.KindBlock}, {ID: "f:2", Kind: observation.KindBlock}, {ID: "f:3", Kind: observation.KindBlock}}
	for i := range units {
		out, err := observe.OpenOutput(file, header, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = out.AddUnits(units[:i+1])
		err = errors.Join(err, out.Write(observation.Observation{Input: []byte{'0' + byte(i)}, Methods: []string{units[i].ID}}), out.Close())
		if err != nil {
			t.Fatal(err)
		}
	}
	const want = `{"inroad":"observations/1","subject":"s"}
{"inroad":"observations/2","subject":"s","units":[{"id":"f:1","kind":"block"}]}
{"input":"0","methods":[0],"outcome":"ok"}
{"inroad":"observations/2","subject":"s","from":1,"units":[{"id":"f:2","kind":"block"}]}
{"input":"1","methods":[1],"outcome":"ok"}
{"inroad":"observations/2","subject":"s","from":2,"units":[{"id":"f:3","kind":"block"}]}
{"input":"2","methods":[2],"outcome":"ok"}
`
	got, err := os.ReadFile(file)
	if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
