package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/transfer"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/observation"
)

// A filled describes the contents that [fill] has put into a store.
type filled struct {
	secret   string // of a key
	model    store.Model
	file     []byte // of the model
	campaign store.Campaign
	last     []observation.Observation // of program p at commit c1
}

// fill stores data of every kind, and deletes some of it again, so that numbers are
// missing.
func fill(t *testing.T, s store.Store) filled {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var out filled
	for i := range 2 {
		_, _, err := s.PutGrammar(t.Context(), store.Grammar{Name: fmt.Sprint("g", i), Sources: []grammars.Source{{Name: "g.g4", Text: fmt.Sprint("grammar g", i, ";")}}})
		must(err)
	}
	for i, at := range [][2]string{{"p", "c0"}, {"p", "c1"}, {"q\x00", ""}, {"p", "c1"}} {
		units := []observation.Unit{{ID: fmt.Sprint("f", i)}, {ID: "g"}}
		out.last = []observation.Observation{observed(fmt.Sprint(i), "f", "g"), observed("same", fmt.Sprint("f", i))}
		_, err := s.AddObservations(t.Context(), at[0], at[1], units, out.last)
		must(err)
	}
	out.file = bytes.Repeat([]byte("0123456789abcdef"), 3<<16)
	for i := range 2 {
		m, err := s.PutModel(t.Context(), store.Model{ID: fmt.Sprint("m", i), Subject: "p", Quality: []byte("{}")}, out.file[i:])
		must(err)
		out.model, out.file = m, out.file[i:]
	}
	must(s.PutAlias(t.Context(), store.Alias{Name: "stable", Model: "m1"}))
	for i, state := range []store.JobState{store.Done, store.Failed, store.Queued} {
		j, err := s.NewJob(t.Context(), store.Job{Subject: "p", Commit: fmt.Sprint(i)})
		must(err)
		j.State = state
		must(s.SaveJob(t.Context(), j))
	}
	for range 3 {
		c, err := s.NewCampaign(t.Context(), store.Campaign{Subject: "p", Commit: "c1"}, []byte("request"), []observation.Unit{{ID: "g"}})
		must(err)
		expires := time.Now().Add(time.Minute).UTC()
		c, err = s.PutLeases(t.Context(), c, []store.Lease{{ID: "i1", Number: 1, Expires: expires}, {ID: "i2", Number: 2, Expires: expires}})
		must(err)
		c.Runs = 1
		out.campaign, err = s.Tell(t.Context(), c, []store.Told{{ID: "i1", Time: expires, Observation: observed("told", "g")}}, []store.CampaignPoint{{Runs: 1, Time: expires}}, true)
		must(err)
	}
	must(s.DeleteCampaign(t.Context(), out.campaign.ID))
	out.campaign.ID--
	must(s.PutPolicy(t.Context(), store.Policy{Subject: "p", Commits: new(10)}))
	revoked, _, err := s.NewKey(t.Context(), store.Key{Name: "revoked"})
	must(err)
	_, out.secret, err = s.NewKey(t.Context(), store.Key{Name: "ci", Scopes: store.Scopes()})
	must(err)
	must(s.RevokeKey(t.Context(), revoked.ID, ""))
	return out
}

// An export has everything, in the same order each time. A store that is not empty takes
// no entries.
func testExport(t *testing.T, open func() store.Store) {
	s := open()
	ended := errors.New("ended")
	for _, bad := range []struct {
		name  string
		entry store.Entry
		err   error
	}{
		{"an error", store.Entry{}, ended},
		{"an unknown kind", store.Entry{Kind: "x", Key: []string{"a"}}, nil},
		{"a short number", store.Entry{Kind: store.JobEntry, Key: []string{"a"}}, nil},
		{"a damaged value", store.Entry{Kind: store.BlockEntry, Key: []string{"p", "c", store.NumberKey(1)}, Value: []byte("x")}, nil},
	} {
		entries := func(yield func(store.Entry, error) bool) { yield(bad.entry, bad.err) }
		if err := s.Import(t.Context(), entries, nil); err == nil || bad.err != nil && !errors.Is(err, bad.err) {
			t.Errorf("imported %s: %v", bad.name, err)
		}
	}
	fill(t, s)
	first, err := transfer.Read(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	want := transfer.Contents{Grammars: 2, Commits: 3, Observations: 9, Models: 2, Aliases: 1, Jobs: 3, Campaigns: 2, Keys: 1, Events: 3, Policies: 1, Digest: first.Digest}
	if first != want {
		t.Errorf("exported %+v, want %+v", first, want)
	}
	s = reopen(t, s, open)
	if again, err := transfer.Read(t.Context(), s); again != first || err != nil {
		t.Errorf("exported again: %+v, %v; want %+v", again, err, first)
	}
	if _, err := transfer.Copy(t.Context(), s, s); !errors.Is(err, store.ErrNotEmpty) {
		t.Errorf("imported into a store that is not empty: %v", err)
	}
	read := 0
	for range s.Export(t.Context()) {
		read++
		break
	}
	if read != 1 {
		t.Errorf("%d entries read before the loop ended", read)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range s.Export(ctx) { // yields nothing more, not even the error
		cancel()
		break
	}
	if _, err := s.NewJob(t.Context(), store.Job{}); err != nil { // the transaction of the export has ended
		t.Error(err)
	}
}

// TestCopy tests that a store stays the same when it is copied from each kind of store to
// the next one.
func TestCopy(t *testing.T, creates ...func(t *testing.T) (open func() store.Store)) {
	s := creates[0](t)()
	content := fill(t, s)
	want, err := transfer.Read(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for i, create := range creates[1:] {
		open := create(t)
		next := open()
		copied, err := transfer.Copy(t.Context(), s, next)
		if err != nil || copied != want {
			t.Fatalf("copy %d: %+v, %v; want %+v", i+1, copied, err, want)
		}
		s = reopen(t, next, open)
		if got, err := transfer.Read(t.Context(), s); err != nil || got != want {
			t.Fatalf("copy %d, read again: %+v, %v; want %+v", i+1, got, err, want)
		}
	}
	if _, err := s.Authenticate(t.Context(), content.secret); err != nil {
		t.Errorf("authenticate: %v", err)
	}
	if file, err := s.ModelFile(t.Context(), content.model); err != nil || !bytes.Equal(file, content.file) {
		t.Errorf("model file of %d bytes, %v; want %d", len(file), err, len(content.file))
	}
	if m, err := s.Named(t.Context(), "stable"); err != nil || m.ID != content.model.ID {
		t.Errorf("the alias names %q, %v; want %q", m.ID, err, content.model.ID)
	}
	if added, err := s.AddObservations(t.Context(), "p", "c1", nil, content.last); err != nil || added.Duplicates != int64(len(content.last)) {
		t.Errorf("observations that the store has: %+v, %v", added, err)
	}
	if added, err := s.AddObservations(t.Context(), "p", "c1", nil, []observation.Observation{observed("new", "g")}); err != nil || added.Stored != 1 {
		t.Errorf("a new observation: %+v, %v", added, err)
	}
	if was, err := s.WasTold(t.Context(), content.campaign.ID, []string{"i1", "i2"}); err != nil || !was[0] || was[1] {
		t.Errorf("told: %v, %v; want i1 only", was, err)
	}
	if c, err := s.Tell(t.Context(), content.campaign, []store.Told{{ID: "i2", Observation: observed("told later", "g")}}, nil, true); err != nil || c.Last != 2 {
		t.Errorf("told after the copy: block %d, %v; want block 2", c.Last, err)
	}
	job, err := s.NewJob(t.Context(), store.Job{})
	if err != nil || job.ID != 4 {
		t.Errorf("a new job: %d, %v; want 4", job.ID, err)
	}
	if c, err := s.NewCampaign(t.Context(), store.Campaign{}, nil, nil); err != nil || c.ID != 4 {
		t.Errorf("a new campaign: %d, %v; want 4, as campaign 3 was deleted", c.ID, err)
	}
	if k, _, err := s.NewKey(t.Context(), store.Key{Name: "late"}); err != nil {
		t.Errorf("a new key: %+v, %v", k, err)
	}
	if keys, err := s.Keys(t.Context()); err != nil || len(keys) != 2 || keys[1].Name != "late" {
		t.Errorf("keys: %+v, %v; want the new one last", keys, err)
	}
}
