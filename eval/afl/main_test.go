package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// Only results with the same settings count as done.
func TestSame(t *testing.T) {
	done := []cell{{Target: "cjson", Way: alone, Seed: 1, Samples: 1, Seconds: 60, Edges: 200}}
	again := cell{Target: "cjson", Way: alone, Seed: 1, Samples: 1, Seconds: 60}
	longer := cell{Target: "cjson", Way: alone, Seed: 1, Samples: 1, Seconds: 600}
	if !slices.ContainsFunc(done, again.same) || slices.ContainsFunc(done, longer.same) {
		t.Error("a cell of another time is taken for the same, or one of the same time is not")
	}
}

// The table compares each way with alone.
func TestReport(t *testing.T) {
	var cells []cell
	for seed := range 5 {
		cells = append(cells,
			cell{Target: "expat", Way: alone, Seed: seed, Edges: 100 + seed, All: 100 + seed, Runs: 5000}, cell{Target: "expat", Way: mutator, Seed: seed, Edges: 200 + seed, All: 201 + seed, Distinct: 1, Runs: 3000})
	}
	var out bytes.Buffer
	if err := printReport(&out, cells); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(out.String()) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	want := []string{
		"library way cells edges p A all edges p A crashes p A thousand runs seeded imported load",
		"expat alone 5 102.0 102.0 0.0 5 0.0 0.0 0.0",
		"expat mutator 5 202.0 0.012 1.00 203.0 0.012 1.00 1.0 0.004 1.00 3 0.0 0.0 0.0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
