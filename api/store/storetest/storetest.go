// Package storetest tests that stores do what [store.Store] says.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/observation"
)

// Test tests a kind of store. create returns a function that opens an empty store and, when
// it is called again, opens the same store again.
func Test(t *testing.T, create func(t *testing.T) (open func() store.Store)) {
	t.Helper()
	for name, test := range map[string]func(t *testing.T, open func() store.Store){
		"grammars": testGrammars, "observations": testObservations, "subjects": testSubjects, "blocks": testBlocks, "models": testModels,
		"aliases": testAliases, "jobs": testJobs, "campaigns": testCampaigns, "keys": testKeys, "expired key": testExpiredKey, "key log": testKeyLog,
		"at once": testAtOnce, "ended context": testEndedContext, "any names": testAnyNames, "export": testExport,
		"delete": testDelete, "delete at once": testDeleteAtOnce, "delete events": testDeleteEvents, "policies": testPolicies, "features": testFeatures, "feature limit": testFeatureLimit, "training": testTraining,
	} {
		t.Run(name, func(t *testing.T) { test(t, create(t)) })
	}
}

// reopen closes a store and opens it again.
func reopen(t *testing.T, s store.Store, open func() store.Store) store.Store {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return open()
}

func testGrammars(t *testing.T, open func() store.Store) {
	s := open()
	sources := []grammars.Source{{Name: "b.g4", Text: "lexer grammar b;"}, {Name: "a.g4", Text: "parser grammar a;"}}
	first, created, err := s.PutGrammar(t.Context(), store.Grammar{Name: "a", Start: "r", Sources: sources})
	if err != nil || !created {
		t.Fatalf("first: created %v, %v", created, err)
	}
	sources = []grammars.Source{sources[1], sources[0]}
	second, created, err := s.PutGrammar(t.Context(), store.Grammar{Name: "a", Start: "r", Sources: sources})
	if err != nil || created || second.ID != first.ID {
		t.Errorf("the same files in another order: created %v, %s and %s, %v", created, first.ID, second.ID, err)
	}
	other, created, err := s.PutGrammar(t.Context(), store.Grammar{Name: "a", Sources: sources})
	if err != nil || !created || other.ID == first.ID {
		t.Errorf("another start rule: created %v, %s and %s, %v", created, first.ID, other.ID, err)
	}
	s = reopen(t, s, open)
	got, err := s.Grammar(t.Context(), first.ID)
	if diff := cmp.Diff(first, got); diff != "" || err != nil {
		t.Errorf("reopened: %v %s", err, diff)
	}
	if all, err := s.Grammars(t.Context()); err != nil || len(all) != 2 {
		t.Errorf("%d grammars, %v; want 2", len(all), err)
	}
	var notFound *store.NotFoundError
	if _, err := s.Grammar(t.Context(), "none"); !errors.As(err, &notFound) || err.Error() != "grammar none: not found" {
		t.Errorf("a grammar that is not there: %v", err)
	}
}

func testObservations(t *testing.T, open func() store.Store) {
	s := open()
	units := []observation.Unit{{ID: "a.go#f", Kind: observation.KindMethod, Name: "f", File: "a.go", Start: 1, End: 3}, {ID: "a.go#g"}}
	whole := []observation.Observation{
		observed("1", "a.go#f"),
		{
			Name: "x", Input: []byte{0xff, 0}, Methods: []string{"a.go#f", "a.go#g"}, Counts: []int{1, 7}, Outcome: observation.Failed,
			Failure: &observation.Failure{Type: "E", Message: "m", Stack: "s"}, Duration: 3 * time.Millisecond,
			Calls: []string{"a.go#g", "a.go#f", "a.go#g"},
		},
		{Input: []byte("unknown"), Outcome: observation.TimedOut}, // methods unknown
		{Input: []byte("none"), Methods: []string{}, Outcome: observation.OK},
	}
	for _, step := range []struct {
		name string
		give []observation.Observation
		want store.Added
	}{
		{"new ones", whole, store.Added{Stored: 4}},
		{"the same again", whole, store.Added{Duplicates: 4}},
		{"the same with another duration", []observation.Observation{func() observation.Observation { o := whole[1]; o.Duration = 1; return o }()}, store.Added{Duplicates: 1}},
		{"contradictory", []observation.Observation{observed("1", "a.go#g")}, store.Added{Stored: 1, Contradictory: 1}},
		{"twice in a block", []observation.Observation{observed("2"), observed("2")}, store.Added{Stored: 1, Duplicates: 1}},
		{"nothing", nil, store.Added{}},
	} {
		got, err := s.AddObservations(t.Context(), "p/q", "c1", units, step.give)
		if err != nil || got != step.want {
			t.Errorf("%s: %+v, %v; want %+v", step.name, got, err, step.want)
		}
	}
	s = reopen(t, s, open)
	want := append(slices.Clone(whole), observed("1", "a.go#g"), observed("2"))
	want[5].Methods = nil // observed without methods: unknown
	if diff := cmp.Diff(want, collect(t, s, "p/q", "c1")); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	h, err := s.Header(t.Context(), "p/q", "c1")
	if diff := cmp.Diff(observation.Header{Subject: "p/q", Commit: "c1", Units: units}, h); diff != "" || err != nil {
		t.Errorf("header: %v %s", err, diff)
	}
	c, err := s.Commit(t.Context(), "p/q", "c1")
	if err != nil || c.Observations != 6 || c.Contradictory != 1 || c.Units != 2 {
		t.Errorf("commit: %+v, %v", c, err)
	}
}

func testSubjects(t *testing.T, open func() store.Store) {
	s := open()
	for i, add := range [][2]string{{"b", ""}, {"a", "1"}, {"a", "2"}, {"a", "1"}} {
		if _, err := s.AddObservations(t.Context(), add[0], add[1], nil, []observation.Observation{observed(fmt.Sprint(i), "m")}); err != nil {
			t.Fatal(err)
		}
	}
	found, err := s.Subjects(t.Context())
	var got []string
	for _, subject := range found {
		for _, c := range subject.Commits {
			got = append(got, fmt.Sprintf("%s@%s %d", subject.Name, c.Name, c.Observations))
		}
	}
	if diff := cmp.Diff([]string{"a@1 2", "a@2 1", "b@ 1"}, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	for _, c := range []struct{ subject, commit, want string }{
		{"none", "", "subject none: not found"},
		{"a", "3", `commit "3" of subject a: not found`},
	} {
		if _, err := s.Commit(t.Context(), c.subject, c.commit); err == nil || err.Error() != c.want {
			t.Errorf("%s at %s: %v, want %s", c.subject, c.commit, err, c.want)
		}
		if _, err := s.Header(t.Context(), c.subject, c.commit); err == nil {
			t.Errorf("%s at %s has a header", c.subject, c.commit)
		}
	}
}

func testModels(t *testing.T, open func() store.Store) {
	s := open()
	file := bytes.Repeat([]byte("0123456789abcdef"), 3<<16) // three chunks
	for i, subject := range []string{"a", "b", "a"} {
		m, err := s.PutModel(t.Context(), store.Model{ID: fmt.Sprint("m", i+1), Subject: subject}, file[i:])
		if err != nil || m.Number != uint64(i+1) {
			t.Fatalf("model %d: number %d, %v", i, m.Number, err)
		}
	}
	if m, err := s.PutModel(t.Context(), store.Model{ID: "m2", Subject: "other"}, nil); err != nil || m.Subject != "b" || m.Number != 2 {
		t.Errorf("existing model: %+v, %v", m, err)
	}
	s = reopen(t, s, open)
	m, err := s.Model(t.Context(), "m2")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.ModelFile(t.Context(), m); err != nil || !bytes.Equal(got, file[1:]) {
		t.Errorf("file of %d bytes, %v; want %d", len(got), err, len(file)-1)
	}
	for _, c := range []struct {
		subject string
		before  uint64
		limit   int
		want    string
	}{
		{"", 0, 10, "m3 m2 m1"}, {"a", 0, 10, "m3 m1"}, {"", 0, 2, "m3 m2"}, {"", 2, 10, "m1"}, {"", 1, 10, ""}, {"", 99, 1, "m3"}, {"", math.MaxInt64, 1, "m3"}, {"none", 0, 1, ""},
	} {
		found, err := s.Models(t.Context(), c.subject, c.before, c.limit)
		var ids []string
		for _, m := range found {
			ids = append(ids, m.ID)
		}
		if got := strings.Join(ids, " "); got != c.want || err != nil {
			t.Errorf("models of %q before %d, %d at most: %q, %v; want %q", c.subject, c.before, c.limit, got, err, c.want)
		}
	}
}

func testJobs(t *testing.T, open func() store.Store) {
	s := open()
	states := []store.JobState{store.Queued, store.Running, store.Done, store.Failed, store.Cancelled, store.Interrupted}
	for i, state := range states {
		j, err := s.NewJob(t.Context(), store.Job{Subject: "p", Options: []byte("{}")})
		if err != nil || j.ID != uint64(i+1) || j.State != store.Queued || j.Created.IsZero() {
			t.Fatalf("new job: %+v, %v", j, err)
		}
		j.State, j.Error, j.Attempts = state, "why", 2
		if err := s.SaveJob(t.Context(), j); err != nil {
			t.Fatal(err)
		}
	}
	s = reopen(t, s, open)
	left, err := s.OpenJobs(t.Context())
	if err != nil || len(left) != 2 || left[0].ID != 1 || left[1].ID != 2 || left[1].Error != "why" || left[1].Attempts != 2 {
		t.Errorf("jobs that have not ended: %+v, %v", left, err)
	}
	if found, err := s.Jobs(t.Context(), "", 4, 2); err != nil || len(found) != 2 || found[0].ID != 3 || found[1].ID != 2 {
		t.Errorf("two jobs before the fourth: %+v, %v", found, err)
	}
	if found, err := s.Jobs(t.Context(), "", math.MaxInt64, 1); err != nil || len(found) != 1 || found[0].ID != 6 {
		t.Errorf("the last job: %+v, %v", found, err)
	}
	if found, err := s.Jobs(t.Context(), "q", 0, -1); err != nil || len(found) != 0 {
		t.Errorf("jobs of another subject: %+v, %v", found, err)
	}
	if found, err := s.Jobs(t.Context(), "p", 0, -1); err != nil || len(found) != len(states) {
		t.Errorf("jobs of the subject: %+v, %v", found, err)
	}
	if _, err := s.Job(t.Context(), 99); err == nil || err.Error() != "job 99: not found" {
		t.Errorf("a job that is not there: %v", err)
	}
}

func testAliases(t *testing.T, open func() store.Store) {
	s := open()
	for _, id := range []string{"m1", "m2"} {
		if _, err := s.PutModel(t.Context(), store.Model{ID: id}, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, a := range []store.Alias{{Name: "stable", Model: "m1"}, {Name: "next", Model: "m2"}, {Name: "stable", Model: "m2"}} {
		if err := s.PutAlias(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.PutAlias(t.Context(), store.Alias{Name: "x", Model: "none"}); err == nil || err.Error() != "model none: not found" {
		t.Errorf("a name for nothing: %v", err)
	}
	s = reopen(t, s, open)
	all, err := s.Aliases(t.Context())
	if diff := cmp.Diff([]store.Alias{{Name: "next", Model: "m2"}, {Name: "stable", Model: "m2"}}, all); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if m, err := s.Named(t.Context(), "stable"); err != nil || m.ID != "m2" {
		t.Errorf("stable is %+v, %v", m, err)
	}
	if err := s.DeleteAlias(t.Context(), "stable"); err != nil {
		t.Error(err)
	}
	if err := s.DeleteAlias(t.Context(), "stable"); err == nil || err.Error() != "alias stable: not found" {
		t.Errorf("deleted again: %v", err)
	}
	if _, err := s.Named(t.Context(), "stable"); err == nil || err.Error() != "model stable: not found" {
		t.Errorf("asked for after that: %v", err)
	}
}

func testKeys(t *testing.T, open func() store.Store) {
	s := open()
	key, secret, err := s.NewKey(t.Context(), store.Key{Name: "ci", Scopes: []store.Scope{store.ScopeRead, store.ScopeWrite}, Limits: store.Limits{Rate: 0.5, Active: 2, Upload: 3}})
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := s.NewKey(t.Context(), store.Key{Name: "someone", Scopes: []store.Scope{store.ScopeRead}})
	if err != nil {
		t.Fatal(err)
	}
	s = reopen(t, s, open)
	got, err := s.Authenticate(t.Context(), secret)
	if diff := cmp.Diff(key, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if !got.Allows(store.ScopeWrite) || got.Allows(store.ScopeAdmin) {
		t.Errorf("allows %v", got.Scopes)
	}
	for _, wrong := range []string{"", "inroad_", secret + "x", secret[:len(secret)-1], strings.TrimPrefix(secret, "inroad_"), strings.Replace(secret, key.ID, other.ID, 1), "inroad_00000000_x"} {
		if _, err := s.Authenticate(t.Context(), wrong); !errors.Is(err, store.ErrKey) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	if keys, err := s.Keys(t.Context()); err != nil || len(keys) != 2 || keys[0].Name != "ci" {
		t.Errorf("keys are %+v, %v", keys, err)
	}
	if err := s.RevokeKey(t.Context(), key.ID, ""); err != nil {
		t.Error(err)
	}
	if _, err := s.Authenticate(t.Context(), secret); !errors.Is(err, store.ErrKey) {
		t.Errorf("revoked key: %v", err)
	}
	if err := s.RevokeKey(t.Context(), key.ID, ""); err == nil || err.Error() != "key "+key.ID+": not found" {
		t.Errorf("revoked again: %v", err)
	}
}

// A key is good until the moment at which it expires.
func testExpiredKey(t *testing.T, open func() store.Store) {
	s := open()
	now := time.Now()
	for _, c := range []struct {
		name    string
		expires time.Time
		want    error
	}{
		{"never", time.Time{}, nil},
		{"in an hour", now.Add(time.Hour), nil},
		{"now", now, store.ErrExpired},
		{"an hour ago", now.Add(-time.Hour), store.ErrExpired},
	} {
		key, secret, err := s.NewKey(t.Context(), store.Key{Name: c.name, Expires: c.expires.UTC()})
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Authenticate(t.Context(), secret)
		if !errors.Is(err, c.want) || got.ID != key.ID {
			t.Errorf("%s: got key %q and %v, want key %q and %v", c.name, got.ID, err, key.ID, c.want)
		}
		if _, err := s.Authenticate(t.Context(), secret+"x"); !errors.Is(err, store.ErrKey) {
			t.Errorf("%s, with a wrong secret: %v, want %v", c.name, err, store.ErrKey)
		}
	}
}

// Creations and revocations are logged with the key that did them. Uses are counted in
// one entry, which keeps its number, and set the last use of the key.
func testKeyLog(t *testing.T, open func() store.Store) {
	s := open()
	read := []store.Scope{store.ScopeRead}
	admin, _, err := s.NewKey(t.Context(), store.Key{Name: "admin"})
	if err != nil {
		t.Fatal(err)
	}
	key, _, err := s.NewKey(t.Context(), store.Key{Name: "ci", Scopes: read, Creator: admin.ID})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC()
	used := &store.Event{Kind: store.KeyUsed, Key: key.ID, Name: "ci", Scopes: read, Count: 2, First: now, Last: now}
	refused := &store.Event{Kind: store.KeyRefused, Reason: store.UnknownKey, Scopes: read, Count: 7, First: now, Last: now}
	if err := s.LogEvents(t.Context(), []*store.Event{used, refused}); err != nil {
		t.Fatal(err)
	}
	used.Count, used.Last = 5, now.Add(time.Minute)
	if err := s.LogEvents(t.Context(), []*store.Event{used}); err != nil {
		t.Fatal(err)
	}
	s = reopen(t, s, open)
	keys, err := s.Keys(t.Context())
	if err != nil || len(keys) != 2 || !keys[0].Used.IsZero() || !keys[1].Used.Equal(used.Last) || keys[1].Creator != admin.ID {
		t.Errorf("keys are %+v, %v", keys, err)
	}
	if err := s.RevokeKey(t.Context(), key.ID, admin.ID); err != nil {
		t.Fatal(err)
	}
	used.Count = 6 // a use that was not written when the key was revoked
	if err := s.LogEvents(t.Context(), []*store.Event{used}); err != nil {
		t.Fatal(err)
	}
	if keys, err := s.Keys(t.Context()); err != nil || len(keys) != 1 {
		t.Errorf("a use of a revoked key created it again: %+v, %v", keys, err)
	}
	want := []store.Event{
		{Number: 5, Kind: store.KeyRevoked, Key: key.ID, Name: "ci", By: admin.ID, Count: 1},
		{Number: 4, Kind: store.KeyRefused, Reason: store.UnknownKey, Scopes: read, Count: 7},
		{Number: 3, Kind: store.KeyUsed, Key: key.ID, Name: "ci", Scopes: read, Count: 6},
		{Number: 2, Kind: store.KeyCreated, Key: key.ID, Name: "ci", By: admin.ID, Scopes: read, Count: 1},
		{Number: 1, Kind: store.KeyCreated, Key: admin.ID, Name: "admin", Count: 1},
	}
	if diff := cmp.Diff(want, events(t, s, 0, -1), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want[2:4], events(t, s, 4, 2), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("two entries before 4: %s", diff)
	}
	if err := s.RevokeKey(t.Context(), key.ID, admin.ID); err == nil || len(events(t, s, 0, -1)) != len(want) {
		t.Errorf("a revocation that failed (%v) was logged", err)
	}
}

func observed(input string, methods ...string) observation.Observation {
	return observation.Observation{Input: []byte(input), Methods: methods, Outcome: observation.OK}
}

// collect returns all observations of one version of a program.
func collect(t *testing.T, s store.Store, subject, commit string) []observation.Observation {
	t.Helper()
	var out []observation.Observation
	for block, err := range s.Observations(t.Context(), subject, commit) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, block...)
	}
	return out
}

// events returns the key log, newest first, without times.
func events(t *testing.T, s store.Store, before uint64, limit int) []store.Event {
	t.Helper()
	found, err := s.Events(t.Context(), before, limit)
	if err != nil {
		t.Fatal(err)
	}
	for i := range found {
		if found[i].First.IsZero() || found[i].Last.Before(found[i].First) {
			t.Errorf("event %d is from %v to %v", found[i].Number, found[i].First, found[i].Last)
		}
		found[i].First, found[i].Last = time.Time{}, time.Time{}
	}
	return found
}

// The stored observations do not depend on their split into blocks.
func testBlocks(t *testing.T, open func() store.Store) {
	s, programs := open(), 0
	rapid.Check(t, func(r *rapid.T) {
		programs++
		program := fmt.Sprint(programs)
		text := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b", "c"}), 0, 20)
		inputs, methods := text.Draw(r, "inputs"), text.Draw(r, "methods")
		var all []observation.Observation
		seen := map[string]bool{}
		var want []string
		for i, input := range inputs {
			o := observed(input, methods[:min(i, len(methods))]...)
			if o.Methods == nil {
				o.Methods = []string{}
			}
			all = append(all, o)
			if key := fmt.Sprintf("%q %q", o.Input, o.Methods); !seen[key] {
				seen[key] = true
				want = append(want, key)
			}
		}
		for len(all) > 0 {
			n := rapid.IntRange(1, len(all)).Draw(r, "block")
			if _, err := s.AddObservations(t.Context(), program, "", nil, all[:n]); err != nil {
				r.Fatal(err)
			}
			all = all[n:]
		}
		var got []string
		for block, err := range s.Observations(t.Context(), program, "") {
			if _, none := errors.AsType[*store.NotFoundError](err); none {
				break
			}
			if err != nil {
				r.Fatal(err)
			}
			for _, o := range block {
				got = append(got, fmt.Sprintf("%q %q", o.Input, o.Methods))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			r.Fatal(diff)
		}
	})
}

// A campaign keeps its request, its leases and its log. Observations that were told also
// belong to the program.
func testCampaigns(t *testing.T, open func() store.Store) {
	s := open()
	units := []observation.Unit{{ID: "a.go#f"}}
	var c store.Campaign
	for i, subject := range []string{"p", "q", "p"} {
		created, err := s.NewCampaign(t.Context(), store.Campaign{Subject: subject, Commit: "c", Grammar: "json", Options: []byte("{}")}, []byte("request"), units)
		if err != nil || created.ID != uint64(i+1) || created.State != store.CampaignRunning || created.Created.IsZero() {
			t.Fatalf("new campaign: %+v, %v", created, err)
		}
		c = created
	}
	expires := time.Now().Add(time.Minute).UTC()
	leases := []store.Lease{{ID: "i2", Number: 2, Text: []byte("b"), Expires: expires}, {ID: "i1", Number: 1, Text: []byte("a"), Aim: "f", Expires: expires}}
	c.Leased = 2
	before := c
	c, err := s.PutLeases(t.Context(), c, leases)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.PutLeases(t.Context(), before, nil); !errors.Is(err, store.ErrChanged) {
		t.Errorf("leases of an earlier version: %v, want %v", err, store.ErrChanged)
	}
	if _, err := s.Tell(t.Context(), before, nil, nil, true); !errors.Is(err, store.ErrChanged) {
		t.Errorf("an earlier version: %v, want %v", err, store.ErrChanged)
	}
	told := []store.Told{{ID: "i1", Time: expires, Observation: observed("a", "a.go#f")}}
	history := []store.CampaignPoint{{Runs: 1, Reached: 1, Time: expires}}
	c.Leased, c.Runs = 1, 1
	c, err = s.Tell(t.Context(), c, told, history, true)
	if err != nil || c.Last != 1 || c.Counted != 1 {
		t.Fatalf("told: %+v, %v", c, err)
	}
	s = reopen(t, s, open)
	got, err := s.Campaign(t.Context(), c.ID)
	if diff := cmp.Diff(c, got); diff != "" || err != nil {
		t.Errorf("campaign: %v %s", err, diff)
	}
	left, err := s.CampaignLeases(t.Context(), c.ID)
	if diff := cmp.Diff(leases[:1], left); diff != "" || err != nil {
		t.Errorf("leases: %v %s", err, diff)
	}
	request, gotUnits, err := s.CampaignRequest(t.Context(), c.ID)
	if diff := cmp.Diff(units, gotUnits); diff != "" || err != nil || string(request) != "request" {
		t.Errorf("request %q: %v %s", request, err, diff)
	}
	points, err := s.CampaignHistory(t.Context(), c.ID)
	if diff := cmp.Diff(history, points, cmpopts.IgnoreUnexported(store.CampaignPoint{})); diff != "" || err != nil {
		t.Errorf("history: %v %s", err, diff)
	}
	if was, err := s.WasTold(t.Context(), c.ID, []string{"i1", "i2"}); err != nil || !was[0] || was[1] {
		t.Errorf("told: %v, %v", was, err)
	}
	for after, want := range []int{1, 0} {
		blocks := 0
		for block, err := range s.CampaignLog(t.Context(), c.ID, uint64(after)) {
			if diff := cmp.Diff(store.CampaignBlock{Number: 1, Told: told}, block); diff != "" || err != nil {
				t.Errorf("log: %v %s", err, diff)
			}
			blocks++
		}
		if blocks != want {
			t.Errorf("%d blocks after %d, want %d", blocks, after, want)
		}
	}
	if diff := cmp.Diff([]observation.Observation{told[0].Observation}, collect(t, s, "p", "c")); diff != "" {
		t.Errorf("observations of the program: %s", diff)
	}
	if found, err := s.Campaigns(t.Context(), "p", 0, -1); err != nil || len(found) != 2 || found[0].ID != 3 || found[1].ID != 1 {
		t.Errorf("campaigns of a program: %+v, %v", found, err)
	}
	if found, err := s.Campaigns(t.Context(), "", math.MaxInt64, 1); err != nil || len(found) != 1 || found[0].ID != 3 {
		t.Errorf("the last campaign: %+v, %v", found, err)
	}
	if found, err := s.Campaigns(t.Context(), "", 3, 1); err != nil || len(found) != 1 || found[0].ID != 2 {
		t.Errorf("one campaign before the third: %+v, %v", found, err)
	}
	if err := s.DeleteCampaign(t.Context(), c.ID); err != nil {
		t.Error(err)
	}
	const gone = "campaign 3: not found"
	if _, err := s.Campaign(t.Context(), c.ID); err == nil || err.Error() != gone {
		t.Errorf("deleted: %v", err)
	}
	if _, err := s.Tell(t.Context(), c, told, nil, false); err == nil || err.Error() != gone {
		t.Errorf("told after it was deleted: %v", err)
	}
	if got := collect(t, s, "p", "c"); len(got) != 1 {
		t.Errorf("%d observations of the program after the campaign was deleted, want 1", len(got))
	}
}

// Calls at the same time do not lose or repeat anything.
func testAtOnce(t *testing.T, open func() store.Store) {
	s := open()
	const workers, each = 8, 10
	var group errgroup.Group
	for w := range workers {
		group.Go(func() error {
			for i := range each {
				shared, own := fmt.Sprint(i), fmt.Sprint(w, " ", i)
				_, err := s.AddObservations(t.Context(), "p", "", []observation.Unit{{ID: own}}, []observation.Observation{observed(shared, "m"), observed(own, "m")})
				if err == nil {
					_, err = s.NewJob(t.Context(), store.Job{Subject: own})
				}
				if err == nil {
					_, err = s.PutModel(t.Context(), store.Model{ID: shared}, []byte(shared))
				}
				if err == nil {
					_, _, err = s.PutGrammar(t.Context(), store.Grammar{Name: shared, Sources: []grammars.Source{{Name: shared}}})
				}
				var key store.Key
				if err == nil {
					key, _, err = s.NewKey(t.Context(), store.Key{Name: own})
				}
				if err == nil {
					now := time.Now().UTC()
					err = s.LogEvents(t.Context(), []*store.Event{{Kind: store.KeyUsed, Key: key.ID, Count: 1, First: now, Last: now}})
				}
				if err == nil {
					err = s.RevokeKey(t.Context(), key.ID, "")
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	c, err := s.Commit(t.Context(), "p", "")
	if err != nil || c.Observations != workers*each+each || c.Units != workers*each || c.Contradictory != 0 || c.Outcomes[observation.OK] != c.Observations {
		t.Errorf("commit: %+v, %v", c, err)
	}
	if got := collect(t, s, "p", ""); len(got) != workers*each+each {
		t.Errorf("%d observations, want %d", len(got), workers*each+each)
	}
	jobs, err := s.Jobs(t.Context(), "", 0, -1)
	if err != nil || len(jobs) != workers*each || jobs[0].ID != workers*each {
		t.Errorf("%d jobs, %v; want %d with the IDs from 1", len(jobs), err, workers*each)
	}
	models, err := s.Models(t.Context(), "", 0, -1)
	if err != nil || len(models) != each || models[0].Number != each {
		t.Errorf("%d models, %v; want %d with the numbers from 1", len(models), err, each)
	}
	if found, err := s.Grammars(t.Context()); err != nil || len(found) != each {
		t.Errorf("%d grammars, %v; want %d", len(found), err, each)
	}
	const perKey = 3 // created, used, revoked
	events, err := s.Events(t.Context(), 0, -1)
	if err != nil || len(events) != perKey*workers*each || events[0].Number != perKey*workers*each {
		t.Errorf("%d events, %v; want %d with the numbers from 1", len(events), err, perKey*workers*each)
	}
}

// A call with a context that has ended changes nothing, and returns the cause.
func testEndedContext(t *testing.T, open func() store.Store) {
	s := open()
	cause := errors.New("the cause")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := s.NewJob(ctx, store.Job{}); !errors.Is(err, cause) {
		t.Errorf("write: %v", err)
	}
	if _, err := s.Jobs(ctx, "", 0, -1); !errors.Is(err, cause) {
		t.Errorf("read: %v", err)
	}
	if jobs, err := s.Jobs(t.Context(), "", 0, -1); err != nil || len(jobs) != 0 {
		t.Errorf("jobs after that: %+v, %v", jobs, err)
	}
}

// Names may be any bytes, by which they are sorted.
func testAnyNames(t *testing.T, open func() store.Store) {
	s := open()
	names := []string{"\x00", "B", "a", "a\x00b", "é", "\xff"}
	if _, err := s.PutModel(t.Context(), store.Model{ID: "m"}, nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Backward(names) {
		if _, err := s.AddObservations(t.Context(), name, name, []observation.Unit{{ID: name, Name: name}}, []observation.Observation{observed(name, name)}); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if err := s.PutAlias(t.Context(), store.Alias{Name: name, Model: "m"}); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
	}
	s = reopen(t, s, open)
	subjects, err := s.Subjects(t.Context())
	var got []string
	for _, subject := range subjects {
		got = append(got, subject.Name)
		if h, err := s.Header(t.Context(), subject.Name, subject.Name); err != nil || len(h.Units) != 1 || h.Units[0].ID != subject.Name {
			t.Errorf("%q: %+v, %v", subject.Name, h, err)
		}
	}
	if diff := cmp.Diff(names, got); diff != "" || err != nil {
		t.Errorf("subjects: %v %s", err, diff)
	}
	got = nil
	aliases, err := s.Aliases(t.Context())
	for _, a := range aliases {
		got = append(got, a.Name)
	}
	if diff := cmp.Diff(names, got); diff != "" || err != nil {
		t.Errorf("aliases: %v %s", err, diff)
	}
}
