package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/model/observation"
)

// features returns the stored features of the blocks of a commit, and checks that the
// blocks have all observations.
func features(t *testing.T, s store.Store, subject, commit, key string) (out []string) {
	t.Helper()
	var all []observation.Observation
	for at := uint64(1); ; at++ {
		b, err := s.Block(t.Context(), subject, commit, at, []byte(key))
		if err != nil {
			t.Fatal(err)
		}
		if b.Number == 0 {
			break
		}
		if b.Number != at {
			t.Errorf("block %d comes after block %d", b.Number, at-1)
		}
		all = append(all, b.Observations...)
		out = append(out, string(b.Features))
	}
	if want := collect(t, s, subject, commit); len(all) != len(want) {
		t.Errorf("the blocks have %d observations, want %d", len(all), len(want))
	}
	return out
}

// testFeatures stores features of blocks.
func testFeatures(t *testing.T, open func() store.Store) {
	s := open()
	add := func(commit, input string) {
		t.Helper()
		if _, err := s.AddObservations(t.Context(), "p", commit, nil, []observation.Observation{observed(input)}); err != nil {
			t.Fatal(err)
		}
	}
	const plenty = 1 << 20
	put := func(commit string, block uint64, key, data string) {
		t.Helper()
		if err := s.PutFeatures(t.Context(), store.Features{Subject: "p", Commit: commit, Block: block, Key: []byte(key), Data: []byte(data)}, plenty); err != nil {
			t.Fatal(err)
		}
	}
	check := func(name, commit, key string, want ...string) {
		t.Helper()
		if got := features(t, s, "p", commit, key); !slices.Equal(got, want) {
			t.Errorf("%s: features %q of commit %s with key %s, want %q", name, got, commit, key, want)
		}
	}
	add("a", "1")
	add("a", "2")
	add("b", "3")
	put("a", 2, "k", "two")
	check("one block", "a", "k", "", "two")
	check("another key", "a", "l", "", "")
	check("another commit", "b", "k", "")
	put("a", 2, "k", "other")
	put("a", 1, "k", "one")
	put("a", 1, "l", "uno")
	put("b", 1, "k", "three")
	check("two keys", "a", "l", "uno", "")
	s = reopen(t, s, open)
	check("reopened", "a", "k", "one", "two")
	add("a", "4")
	check("a new block", "a", "k", "one", "two", "")

	var missing *store.NotFoundError
	for _, f := range []store.Features{{Subject: "q", Commit: "a", Block: 1}, {Subject: "p", Commit: "c", Block: 1}, {Subject: "p", Commit: "a", Block: 9}} {
		f.Key, f.Data = []byte("k"), []byte("x")
		if err := s.PutFeatures(t.Context(), f, plenty); !errors.As(err, &missing) {
			t.Errorf("features of block %d of %s %s: %v, want an error", f.Block, f.Subject, f.Commit, err)
		}
	}
	if err := s.DeleteCommit(t.Context(), "p", "a", 0); err != nil {
		t.Fatal(err)
	}
	add("a", "5")
	check("deleted", "a", "k", "")
	check("deleted", "b", "k", "three")
	if err := s.DeleteSubject(t.Context(), "p"); err != nil {
		t.Fatal(err)
	}
	add("b", "3")
	check("subject deleted", "b", "k", "")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// testFeatureLimit stores more features than the limit allows.
func testFeatureLimit(t *testing.T, open func() store.Store) {
	s := open()
	const size = 1000
	put := func(commit string, block uint64, limit int64) {
		t.Helper()
		data := make([]byte, size)
		for i := range data { // hard to compress
			data[i] = byte(i * i * (i + 7*int(block) + len(commit)) >> 3)
		}
		if err := s.PutFeatures(t.Context(), store.Features{Subject: "p", Commit: commit, Block: block, Key: []byte("k"), Data: data}, limit); err != nil {
			t.Fatal(err)
		}
	}
	kept := func() (out string) {
		for _, commit := range []string{"a", "b", "c"} {
			for _, f := range features(t, s, "p", commit, "k") {
				out += fmt.Sprint(commit, min(len(f), 1), " ")
			}
		}
		return out
	}
	for _, commit := range []string{"a", "b", "c"} {
		for i := range 2 {
			if _, err := s.AddObservations(t.Context(), "p", commit, nil, []observation.Observation{observed(fmt.Sprint(i))}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, step := range []struct {
		name, commit string
		block        uint64
		limit        int64
		want         string
	}{
		{"no room", "a", 1, 10, "a0 a0 b0 b0 c0 c0 "},
		{"the first", "a", 1, 5000, "a1 a0 b0 b0 c0 c0 "},
		{"another commit", "b", 1, 5000, "a1 a0 b1 b0 c0 c0 "},
		{"the first is used again", "a", 2, 5000, "a1 a1 b1 b0 c0 c0 "},
		{"what was not used for longest goes", "c", 1, 3700, "a1 a1 b0 b0 c1 c0 "},
		{"features that are stored need no room", "c", 1, 3700, "a1 a1 b0 b0 c1 c0 "},
		{"one commit fills the limit", "a", 2, 100, "a1 a1 b0 b0 c1 c0 "}, // it is there already
		{"all others go", "c", 2, 2500, "a0 a0 b0 b0 c1 c1 "},
	} {
		put(step.commit, step.block, step.limit)
		if got := kept(); got != step.want {
			t.Errorf("%s: got %s, want %s", step.name, got, step.want)
		}
	}
	put("a", 1, 5000)
	for _, step := range []struct {
		limit int64
		want  string
	}{{5000, "a1 a0 b0 b0 c1 c1 "}, {1500, "a1 a0 b0 b0 c0 c0 "}, {0, "a0 a0 b0 b0 c0 c0 "}} {
		if err := s.TrimFeatures(t.Context(), step.limit); err != nil {
			t.Fatal(err)
		}
		if got := kept(); got != step.want {
			t.Errorf("trimmed to %d bytes: got %s, want %s", step.limit, got, step.want)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
