package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/observation"
)

// Deleting data in use returns an error that names the user. Other deletions delete the
// data, and nothing else.
func testDelete(t *testing.T, open func() store.Store) {
	s := open()
	g, _, err := s.PutGrammar(t.Context(), store.Grammar{Name: "g", Sources: []grammars.Source{{Name: "g.g4", Text: "grammar g;"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range [][2]string{{"p", "c0"}, {"p", "c1"}, {"p", "c2"}, {"q", ""}} {
		if _, err := s.AddObservations(t.Context(), at[0], at[1], []observation.Unit{{ID: "f"}}, []observation.Observation{observed("x", "f")}); err != nil {
			t.Fatal(err)
		}
	}
	file := bytes.Repeat([]byte("0123456789abcdef"), 3<<16) // the models share chunks
	for i, m := range []store.Model{{ID: "m0", Subject: "p", Commit: "c0"}, {ID: "m1", Subject: "p", Commit: "c1", Grammar: g.ID}, {ID: "m2", Subject: "q"}} {
		if _, err := s.PutModel(t.Context(), m, append(bytes.Clone(file), byte(i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.PutAlias(t.Context(), store.Alias{Name: "stable", Model: "m0"}); err != nil {
		t.Fatal(err)
	}
	job, err := s.NewJob(t.Context(), store.Job{Subject: "p", Commit: "c1", Grammar: g.ID, From: "q@latest"})
	if err != nil {
		t.Fatal(err)
	}
	campaign, err := s.NewCampaign(t.Context(), store.Campaign{Subject: "p", Commit: "c2", Grammar: g.ID}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	commit := func(name string) func() error {
		return func() error { return s.DeleteCommit(t.Context(), "p", name, 0) }
	}
	model := func(id string) func() error { return func() error { return s.DeleteModel(t.Context(), id) } }
	grammar := func() error { return s.DeleteGrammar(t.Context(), g.ID) }
	subject := func() error { return s.DeleteSubject(t.Context(), "p") }
	refused := func(do func() error, want string) {
		t.Helper()
		var inUse *store.InUseError
		if err := do(); !errors.As(err, &inUse) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	deleted := func(do func() error, want string) {
		t.Helper()
		if err := do(); err != nil {
			t.Fatal(err)
		}
		var notFound *store.NotFoundError
		if err := do(); !errors.As(err, &notFound) || err.Error() != want {
			t.Errorf("deleted again: %v, want %s", err, want)
		}
	}
	refused(commit("c0"), `commit "c0" of subject p: in use by model m0 with alias stable`)
	refused(commit("c1"), `commit "c1" of subject p: in use by job 1`)
	refused(commit("c2"), `commit "c2" of subject p: in use by campaign 1`)
	refused(model("m0"), "model m0: in use by alias stable")
	refused(model("m2"), "model m2: in use by job 1")
	refused(grammar, "grammar "+g.ID+": in use by model m1")
	if err := subject(); err == nil {
		t.Error("a program in use was deleted")
	}
	deleted(model("m1"), "model m1: not found")
	refused(grammar, "grammar "+g.ID+": in use by job 1")
	job.State = store.Done
	if err := s.SaveJob(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	refused(grammar, "grammar "+g.ID+": in use by campaign 1")
	deleted(commit("c1"), `commit "c1" of subject p: not found`)
	campaign.State = store.CampaignEnded
	if _, err := s.Tell(t.Context(), campaign, nil, nil, false); err != nil {
		t.Fatal(err)
	}
	deleted(commit("c2"), `commit "c2" of subject p: not found`)
	if err := s.DeleteCampaign(t.Context(), campaign.ID); err != nil {
		t.Fatal(err)
	}
	deleted(grammar, "grammar "+g.ID+": not found")
	s = reopen(t, s, open)
	for i, id := range []string{"m0", "m2"} {
		m, err := s.Model(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.ModelFile(t.Context(), m); err != nil || !bytes.Equal(got, append(bytes.Clone(file), byte(2*i))) {
			t.Errorf("file of %s: %d bytes, %v", id, len(got), err)
		}
	}
	if err := s.DeleteAlias(t.Context(), "stable"); err != nil {
		t.Fatal(err)
	}
	subject = func() error { return s.DeleteSubject(t.Context(), "p") }
	deleted(subject, "subject p: not found")
	if subjects, err := s.Subjects(t.Context()); err != nil || len(subjects) != 1 || subjects[0].Name != "q" {
		t.Errorf("programs after p was deleted: %+v, %v", subjects, err)
	}
	planned, err := s.Commit(t.Context(), "q", "")
	if err != nil {
		t.Fatal(err)
	}
	q := func(sequence uint64) func() error {
		return func() error { return s.DeleteCommit(t.Context(), "q", "", sequence) }
	}
	if _, err := s.AddObservations(t.Context(), "q", "", nil, []observation.Observation{observed("later", "f")}); err != nil {
		t.Fatal(err)
	}
	refused(q(planned.Sequence), `commit "" of subject q: in use by a later upload`)
	deleted(q(0), "subject q: not found")
	if added, err := s.AddObservations(t.Context(), "p", "c1", nil, []observation.Observation{observed("x", "f")}); err != nil || added.Stored != 1 {
		t.Errorf("an observation that was deleted: %+v, %v; want it to be stored again", added, err)
	}
	if m, err := s.PutModel(t.Context(), store.Model{ID: "m1"}, file); err != nil || m.Number != 4 {
		t.Errorf("a model that was deleted: number %d, %v; want 4", m.Number, err)
	}
}

// Models that are stored and deleted at the same time do not lose chunks that they share.
func testDeleteAtOnce(t *testing.T, open func() store.Store) {
	s := open()
	const workers, each = 4, 10
	var group errgroup.Group
	for w := range workers {
		group.Go(func() error {
			for i := range each {
				id := fmt.Sprint(w, " ", i)
				if _, err := s.PutModel(t.Context(), store.Model{ID: id}, []byte("shared")); err != nil {
					return err
				}
				m, err := s.Model(t.Context(), id)
				if err != nil {
					return err
				}
				if file, err := s.ModelFile(t.Context(), m); err != nil || string(file) != "shared" {
					return fmt.Errorf("file %q of model %s: %w", file, id, err)
				}
				if err := s.DeleteModel(t.Context(), id); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
}

// Entries of the key log are deleted by their last time.
func testDeleteEvents(t *testing.T, open func() store.Store) {
	s := open()
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var events []*store.Event
	for day := range 4 {
		events = append(events, &store.Event{Kind: store.KeyRefused, Count: 1, First: begin, Last: begin.AddDate(0, 0, day)})
	}
	if err := s.LogEvents(t.Context(), events); err != nil {
		t.Fatal(err)
	}
	if n, err := s.DeleteEvents(t.Context(), begin.AddDate(0, 0, 2)); err != nil || n != 2 {
		t.Errorf("deleted %d entries, %v; want 2", n, err)
	}
	s = reopen(t, s, open)
	left, err := s.Events(t.Context(), math.MaxInt64, -1)
	if err != nil || len(left) != 2 || left[0].Number != 4 || left[1].Number != 3 {
		t.Errorf("entries left: %+v, %v; want 4 and 3", left, err)
	}
	events[0].Count = 2 // the entry that was deleted becomes the newest
	if err := s.LogEvents(t.Context(), events[:1]); err != nil || events[0].Number != 5 {
		t.Errorf("an entry that was deleted: number %d, %v; want 5", events[0].Number, err)
	}
}

func testPolicies(t *testing.T, open func() store.Store) {
	s := open()
	want := []store.Policy{{Subject: "*", Days: new(30)}, {Subject: "p", Commits: new(10), Models: new(0)}}
	for _, p := range []store.Policy{{Subject: "p", Commits: new(1)}, want[1], want[0]} {
		if err := s.PutPolicy(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	s = reopen(t, s, open)
	got, err := s.Policies(t.Context())
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if err := s.DeletePolicy(t.Context(), "p"); err != nil {
		t.Error(err)
	}
	if err := s.DeletePolicy(t.Context(), "p"); err == nil || err.Error() != "policy p: not found" {
		t.Errorf("deleted again: %v", err)
	}
}
