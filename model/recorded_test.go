package model

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/observation"
)

// TestRecorded checks that a model, also one that was written and read, records the
// methods that every observed input reached.
func TestRecorded(t *testing.T) {
	observations := append(observe(3, 200), observation.Observation{Input: []byte("not JSON"), Methods: []string{"fail"}, Outcome: observation.Failed})
	trained := train(t, observations, Defaults())
	read, err := ReadModel(t.Context(), bytes.NewReader(write(t, trained)))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*Model{trained, read} {
		distinct := map[[sha256.Size]byte]bool{}
		for _, o := range observations {
			digest := sha256.Sum256(o.Input)
			distinct[digest] = true
			if got := reachedBy(t, m, o.Input); !slices.Equal(got, o.Methods) {
				t.Errorf("%q reached %q, want %q", o.Input, got, o.Methods)
			}
		}
		if m.Recorded() != len(distinct) {
			t.Errorf("%d inputs recorded, want %d", m.Recorded(), len(distinct))
		}
		if _, ok, err := m.ReachedBy(sha256.Sum256([]byte("never observed"))); ok || err != nil {
			t.Errorf("an input that was never observed: %t, %v", ok, err)
		}
	}
}

// TestRecordedAtOneCommit checks that only observations at the commit of the model are
// recorded, and that an input with several observations reached all their methods.
func TestRecordedAtOneCommit(t *testing.T) {
	trainer, err := NewTrainer(t.Context(), "", jsonSources(t), Defaults())
	if err != nil {
		t.Fatal(err)
	}
	add := func(commit, input string, methods ...string) {
		trainer.AddHeader(observation.Header{Subject: "rules", Commit: commit})
		if err := trainer.Add(t.Context(), []observation.Observation{{Input: []byte(input), Methods: methods, Outcome: observation.OK}}); err != nil {
			t.Fatal(err)
		}
	}
	add("first", "[1]", "array")
	add("first", "[2]", "array")
	add("first", "[3]", "array")
	add("second", "[2]", "array")
	add("second", "[3]", "list")
	add("second", "{}", "object")
	add("second", "{}", "empty")
	m, err := trainer.Train(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, _ := m.ReachedBy(sha256.Sum256([]byte("[1]"))); ok {
		t.Error("an input observed at an earlier commit only is recorded")
	}
	for input, want := range map[string][]string{"[2]": {"array"}, "[3]": {"list"}, "{}": {"empty", "object"}} {
		if got := reachedBy(t, m, []byte(input)); !slices.Equal(got, want) {
			t.Errorf("%s reached %q, want %q", input, got, want)
		}
	}
}

func reachedBy(t *testing.T, m *Model, input []byte) []string {
	t.Helper()
	units, ok, err := m.ReachedBy(sha256.Sum256(input))
	if err != nil || !ok {
		t.Fatalf("%q is not recorded: %v", input, err)
	}
	var out []string
	for _, u := range units {
		out = append(out, m.Units[u].ID)
	}
	return out
}

// TestUpdate brings a record up to a later commit: observations replace recorded sets,
// inputs that reached a changed method are no longer recorded, and others are kept.
func TestUpdate(t *testing.T) {
	m := train(t, observe(3, 300), Defaults())
	object, err := m.Unit("object")
	if err != nil {
		t.Fatal(err)
	}
	header := observation.Header{Subject: "rules", Commit: "later", Units: []observation.Unit{
		{ID: "added", Name: "added", File: "r.go", Start: 1, End: 2}, {ID: "array", Name: "array", File: "r.go", Start: 5, End: 9},
	}}
	again := observation.Observation{Input: []byte("[1,{}]"), Methods: []string{"added", "array", "unlisted"}, Outcome: observation.OK}
	updated, kept, dropped, err := m.Update(t.Context(), Update{Header: header, Observations: []observation.Observation{again}, Affected: []int{object}})
	if err != nil {
		t.Fatal(err)
	}
	read, err := ReadModel(t.Context(), bytes.NewReader(write(t, updated)))
	if err != nil {
		t.Fatal(err)
	}
	if read.Commit != "later" || read.Digest != updated.Digest || kept+dropped != m.Recorded() || kept == 0 || dropped == 0 {
		t.Errorf("commit %s, %d inputs kept and %d dropped of %d", read.Commit, kept, dropped, m.Recorded())
	}
	if got := reachedBy(t, read, again.Input); !slices.Equal(got, again.Methods) {
		t.Errorf("the observed input reached %q", got)
	}
	for _, o := range observe(3, 300) {
		changed := slices.Contains(o.Methods, "object")
		_, ok, err := read.ReachedBy(sha256.Sum256(o.Input))
		switch {
		case err != nil || ok == changed:
			t.Errorf("%q is recorded: %t, %v", o.Input, ok, err)
		case ok:
			if got := reachedBy(t, read, o.Input); !slices.Equal(got, o.Methods) {
				t.Errorf("%q reached %q, want %q", o.Input, got, o.Methods)
			}
		}
		before, err := m.Predict(t.Context(), o.Input, grammars.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		after, err := read.Predict(t.Context(), o.Input, grammars.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range before.Methods {
			if now, _ := read.unitByID(m.Units[i].ID); after.Methods[now].Probability != p.Probability {
				t.Fatalf("%q: another prediction for %s", o.Input, m.Units[i].ID)
			}
		}
	}
	array, _ := read.unitByID("array")
	if read.Units[array].Start != 5 {
		t.Errorf("array begins in line %d, want 5", read.Units[array].Start)
	}
	if all, kept, _, err := m.Update(t.Context(), Update{Header: header, All: true}); err != nil || kept != 0 || all.Recorded() != 0 {
		t.Errorf("%d inputs kept though everything may have changed, %v", kept, err)
	}
}
