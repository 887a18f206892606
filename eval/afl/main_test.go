package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Results are read back after an interruption, without an incomplete last line.
func TestCells(t *testing.T) {
	name := filepath.Join(t.TempDir(), "cells.ndjson")
	if cells, err := readCells(name); err != nil || len(cells) != 0 {
		t.Fatalf("before the first cell: %v, %v", cells, err)
	}
	want := []cell{{Target: "cjson", Way: alone, Seed: 1, Samples: 1, Seconds: 60, Edges: 200}, {Target: "cjson", Way: mutator, Seed: 1, Samples: 1, Seconds: 60, Edges: 250}}
	for _, c := range want {
		if err := appendCell(name, c); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(`{"target":"cjs`); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := readCells(name)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	next := cell{Target: "cjson", Way: alone, Seed: 1, Samples: 1, Seconds: 600}
	if !slices.ContainsFunc(got, want[0].same) || slices.ContainsFunc(got, next.same) {
		t.Error("a cell of another time is taken for the same, or one of the same time is not")
	}
}

// The table compares each way with alone.
func TestReport(t *testing.T) {
	var cells []cell
	for seed := range 5 {
		cells = append(cells,
			cell{Target: "expat", Way: alone, Seed: seed, Edges: 100 + seed, Runs: 5000}, cell{Target: "expat", Way: mutator, Seed: seed, Edges: 200 + seed, Distinct: 1, Runs: 3000})
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
		"library way cells edges p A crashes p A thousand runs seeded imported load",
		"expat alone 5 102.0 0.0 5 0.0 0.0 0.0",
		"expat mutator 5 202.0 0.012 1.00 1.0 0.004 1.00 3 0.0 0.0 0.0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
