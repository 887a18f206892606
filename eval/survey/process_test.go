package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"
	"time"
)

// TestMain measures a grammar if the test runs as a process of its own.
func TestMain(m *testing.M) {
	if slices.Contains(os.Args, "-measure") {
		if err := measure(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A process that reaches a limit gives a row that says so.
func TestStart(t *testing.T) {
	root := write(t, map[string]string{"U.g4": "grammar U; s : A* EOF ; A : [a-z] ;"})
	for _, c := range []struct {
		name    string
		limit   time.Duration
		memory  int64
		stopped bool
	}{
		{"within the limits", time.Minute, math.MaxInt64 / 4, false},
		{"too much memory", time.Minute, 1, true},
		{"too much time", time.Nanosecond, math.MaxInt64 / 4, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := start(t.Context(), task{
				Root: root, Unit: unit{Name: "U", Files: []string{"U.g4"}, Start: "s"}, Out: t.TempDir(),
				Want: 5, Tokens: 200, Nodes: 400, K: 2, Seed: 1, Memory: c.memory, Limit: c.limit, CoverLimit: c.limit,
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := len(r.Stopped) > 0; got != c.stopped || r.Name != "U" || !c.stopped && r.Cover == nil {
				t.Errorf("got %+v", *r)
			}
		})
	}
}
