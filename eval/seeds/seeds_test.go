package main

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
)

// newLab returns a lab in a folder of its own.
func newLab(t *testing.T) *lab {
	t.Helper()
	return &lab{
		programs: programs(), work: t.TempDir(), only: regexp.MustCompile(""), n: 50, seeds: 1, progress: io.Discard, started: time.Now(),
		loaded: map[string]*grammars.Grammar{}, built: map[string]*observe.Program{},
	}
}

// Each program has its published figures, and each published figure its program.
func TestPublished(t *testing.T) {
	for table, in := range map[string]func(program) bool{
		"association": func(p program) bool { return p.seedGrammar != "" },
		"targeting":   func(p program) bool { return p.seedGrammar != "" },
		"covering":    func(p program) bool { return p.chapter3 != "" },
		"correlation": func(p program) bool { return p.chapter3 != "" },
	} {
		known, err := readPublished(table)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, p := range programs() {
			if in(p) {
				n++
				if known[p.Name] == nil {
					t.Errorf("%s: no figures of %s", table, p.Name)
				}
			}
		}
		if n != len(known) {
			t.Errorf("%s: %d programs, but figures of %d", table, n, len(known))
		}
	}
	known, err := readPublished("association")
	if err != nil {
		t.Fatal(err)
	}
	if got := known.get("gson", "recall"); got != 0.962 {
		t.Errorf("recall of gson: got %g, want 0.962", got)
	}
	if got := known.get("gson", "speed"); !math.IsNaN(got) {
		t.Errorf("a figure that was not published: got %g, want NaN", got)
	}
}

// Drivers are in the folder, and a program that cannot be had says why.
func TestPrograms(t *testing.T) {
	for _, p := range programs() {
		if p.missing != "" {
			continue
		}
		if _, err := os.Stat(filepath.Join("..", p.Driver)); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
	l := newLab(t)
	_, notes := l.selected(func(program) bool { return true })
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "jurl: cannot be had") {
		t.Errorf("got notes %q, want one on jurl", notes)
	}
}

// An interrupted table continues, and what fails is noted and tried again.
func TestFill(t *testing.T) {
	l := newLab(t)
	cells := []cell{{Table: "x", Program: "a", Seed: 1}, {Table: "x", Program: "b", Seed: 1}, {Table: "x", Program: "b", Seed: 2}}
	var measured []cell
	fill := func(broken string) ([]row, []string) {
		t.Helper()
		done, notes, err := l.fill(t.Context(), cells, func(_ context.Context, c cell) (row, error) {
			measured = append(measured, c)
			if c.Program == broken {
				return row{}, errors.New("it does not build")
			}
			return row{Values: map[string]float64{"seed": float64(c.Seed)}}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return done, notes
	}
	done, notes := fill("b")
	if len(done) != 1 || !slices.Equal(notes, []string{"b: not measured: it does not build"}) {
		t.Errorf("got %v, %q; want one row and one note", done, notes)
	}
	measured = nil
	done, notes = fill("")
	if len(done) != 3 || len(notes) != 0 || !slices.Equal(measured, cells[1:]) {
		t.Errorf("the second time: got %v, %q, measured %v", done, notes, measured)
	}
	if got := valuesOf(done, func(c cell) bool { return c.Program == "b" })["seed"]; !slices.Equal(got, []float64{1, 2}) {
		t.Errorf("got seeds %v, want 1 and 2", got)
	}
	l.report = true
	cells = append(cells, cell{Table: "x", Program: "c", Seed: 1})
	if done, notes = fill(""); len(done) != 3 || !slices.Equal(notes, []string{"1 of 4 cells are not measured yet."}) {
		t.Errorf("with -report: got %v, %q", done, notes)
	}
}

// Targeted inputs of varied size are other cells than the smallest ones.
func TestTargetingWay(t *testing.T) {
	l := newLab(t)
	l.only = regexp.MustCompile("^gson$")
	for i, way := range []string{"", variedWay, variedWay} {
		measured, want := 0, len(settings())
		if i == 2 {
			want = 0 // measured before
		}
		_, err := l.learnedTable(t.Context(), func(_ context.Context, c cell) (row, error) {
			if measured++; c.Way != way {
				t.Errorf("got way %q, want %q", c.Way, way)
			}
			return row{Values: map[string]float64{"methods": 1}}, nil
		}, learnedTable{name: "targeting", way: way, unmatched: []string{"methods"}})
		if err != nil || measured != want {
			t.Errorf("%q: measured %d cells, %v; want %d", way, measured, err, want)
		}
	}
	l.varied = true
	if got := l.command("targeting", "^gson$"); !strings.Contains(got, " -varied ") {
		t.Errorf("command %s: no -varied", got)
	}
}

// A value that no seed has, such as the F1 of rare methods where there are none, is an empty
// cell; a value of 0 is not.
func TestUnknownValues(t *testing.T) {
	l := newLab(t)
	l.only = regexp.MustCompile("^(gson|pojo)$")
	d, err := l.learnedTable(t.Context(), func(_ context.Context, c cell) (row, error) {
		values := map[string]float64{"rare": 0, "rare F1": math.NaN()}
		if c.Program == "pojo" {
			values = map[string]float64{"rare": 2, "rare F1": 0}
		}
		return row{Values: values}, nil
	}, learnedTable{name: "association", unmatched: []string{"rare", "rare F1"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range d.Tables[0].Rows {
		want := map[string][]string{"gson": {"0", ""}, "pojo": {"2", "0.000"}}[line[0]]
		if got := line[2:]; !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", line[0], got, want)
		}
	}
	if len(d.Tables[0].Rows) != 2*len(settings()) {
		t.Errorf("got %d lines, want one for each program and setting", len(d.Tables[0].Rows))
	}
}

func TestRelabelPublished(t *testing.T) {
	units, relabel := relabelPublished([]observation.Unit{
		{ID: "A.java#A.<clinit>()", Kind: observation.KindInitializer, Name: "A.<clinit>()"},
		{ID: "A.java#A.<init>()", Kind: observation.KindConstructor, Name: "A.<init>()"},
		{ID: "A.java#A.f()", Kind: observation.KindMethod, Name: "A.f()"},
		{ID: "A.java#A.f(int)", Kind: observation.KindMethod, Name: "A.f(int)"},
	})
	if len(units) != 1 || units[0].ID != "A.java#A.f" {
		t.Fatalf("got %v, want the method f", units)
	}
	o := observation.Observation{Methods: []string{"A.java#A.<clinit>()", "A.java#A.<init>()", "A.java#A.f()", "A.java#A.f(int)"}, Counts: []int{1, 2, 3, 4}}
	relabel(&o)
	if !slices.Equal(o.Methods, []string{"A.java#A.f"}) || !slices.Equal(o.Counts, []int{7}) {
		t.Errorf("got %v %v, want f with 7 calls", o.Methods, o.Counts)
	}
}

// Inputs cover all paths, random inputs are as many or have at least as many bytes, and a
// seed gives the same inputs again.
func TestCoveringInputs(t *testing.T) {
	l := newLab(t)
	g, err := l.grammar(t.Context(), "json", false)
	if err != nil {
		t.Fatal(err)
	}
	of := func(way string) [][]byte {
		t.Helper()
		c := cell{Way: way, K: 2, Seed: 1}
		texts, err := l.coveringInputs(t.Context(), g, program{}, c)
		if err != nil {
			t.Fatal(err)
		}
		again, err := l.coveringInputs(t.Context(), g, program{}, c)
		if err != nil || !slices.EqualFunc(texts, again, slices.Equal) {
			t.Errorf("%s: another run gives other inputs (%v)", way, err)
		}
		return texts
	}
	many, one := of(manyPaths), of(onePath)
	if len(many) >= len(one) {
		t.Errorf("many paths an input need %d inputs, one path an input %d", len(many), len(one))
	}
	if n := len(of(sameNumber)); n != len(many) {
		t.Errorf("got %d random inputs, want %d", n, len(many))
	}
	if n := len(of(oneNumber)); n != len(one) {
		t.Errorf("got %d random inputs, want %d", n, len(one))
	}
	random := of(sameBytes)
	if most := size(random[:len(random)-1]); most >= size(many) || size(random) < size(many) {
		t.Errorf("got %d random bytes, %d without the last input; want at least %d with it only", size(random), most, size(many))
	}
	r, err := l.countInputs(t.Context(), cell{Program: "JSON", Setting: "bundled grammar", Way: manyPaths, K: 2, Seed: 1})
	if err != nil || r.Values["covered"] != 1 || int(r.Values["inputs"]) != len(many) {
		t.Errorf("got %v, %v; want %d inputs that cover all paths", r.Values, err, len(many))
	}
}

func TestSources(t *testing.T) {
	l := newLab(t)
	if _, err := l.sources("json-org", true); err == nil || !strings.Contains(err.Error(), "-grammars") {
		t.Errorf("without a folder: got %v", err)
	}
	l.grammars = t.TempDir()
	if _, err := l.sources("json-org", true); err == nil || !strings.Contains(err.Error(), "neither json-org.g4 nor json-org.scala") {
		t.Errorf("of an empty folder: got %v", err)
	}
	if err := os.WriteFile(filepath.Join(l.grammars, "json-org.g4"), []byte("grammar J; j : 'a' ;"), 0o600); err != nil {
		t.Fatal(err)
	}
	if sources, err := l.sources("json-org", true); err != nil || len(sources) != 1 || sources[0].Name != "json-org.g4" {
		t.Errorf("got %v, %v", sources, err)
	}
}
