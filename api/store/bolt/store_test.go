package bolt_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/observation"
)

// open opens a store and closes it when the test ends.
func open(t *testing.T, path string) *bolt.Store {
	t.Helper()
	s, err := bolt.Open(t.Context(), path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// reopen closes a store and opens it again.
func reopen(t *testing.T, s *bolt.Store, path string) *bolt.Store {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return open(t, path)
}

func TestGrammars(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path)
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
	s = reopen(t, s, path)
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

func observed(input string, methods ...string) observation.Observation {
	return observation.Observation{Input: []byte(input), Methods: methods, Outcome: observation.OK}
}

// collect returns all observations of one version of a program.
func collect(t *testing.T, s *bolt.Store, subject, commit string) []observation.Observation {
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

func TestObservations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path)
	units := []observation.Unit{{ID: "a.go#f", Kind: observation.KindMethod, Name: "f", File: "a.go", Start: 1, End: 3}, {ID: "a.go#g"}}
	whole := []observation.Observation{
		observed("1", "a.go#f"),
		{
			Name: "x", Input: []byte{0xff, 0}, Methods: []string{"a.go#f", "a.go#g"}, Counts: []int{1, 7}, Outcome: observation.Failed,
			Failure: &observation.Failure{Type: "E", Message: "m", Stack: "s"}, Duration: 3 * time.Millisecond,
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
	s = reopen(t, s, path)
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

func TestSubjects(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "s.db"))
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

// The stored observations do not depend on their split into blocks.
func TestBlocks(t *testing.T) {
	dir, files := t.TempDir(), 0
	rapid.Check(t, func(r *rapid.T) {
		files++
		s, err := bolt.Open(t.Context(), filepath.Join(dir, fmt.Sprint(files)), bolt.Options{})
		if err != nil {
			r.Fatal(err)
		}
		defer s.Close()
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
			if _, err := s.AddObservations(t.Context(), "p", "", nil, all[:n]); err != nil {
				r.Fatal(err)
			}
			all = all[n:]
		}
		var got []string
		for block, err := range s.Observations(t.Context(), "p", "") {
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

func TestModels(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path)
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
	s = reopen(t, s, path)
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
		{"", 0, 10, "m3 m2 m1"}, {"a", 0, 10, "m3 m1"}, {"", 0, 2, "m3 m2"}, {"", 2, 10, "m1"}, {"", 1, 10, ""}, {"", 99, 1, "m3"}, {"none", 0, 1, ""},
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

func TestDamagedModel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path)
	m, err := s.PutModel(t.Context(), store.Model{ID: "m"}, []byte("file"))
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	raw(t, path, func(tx *bbolt.Tx) error { return tx.Bucket([]byte("chunks")).Put(m.Chunks[0], []byte("fils")) })
	if _, err := open(t, path).ModelFile(t.Context(), m); err == nil || !strings.Contains(err.Error(), "a chunk of model m is missing or damaged") {
		t.Errorf("got %v", err)
	}
}

// raw changes the file of a store directly.
func raw(t *testing.T, path string, do func(tx *bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Update(do); err != nil {
		t.Fatal(err)
	}
}

func TestJobs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path)
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
	s = reopen(t, s, path)
	left, err := s.OpenJobs(t.Context())
	if err != nil || len(left) != 2 || left[0].ID != 1 || left[1].ID != 2 || left[1].Error != "why" || left[1].Attempts != 2 {
		t.Errorf("jobs that have not ended: %+v, %v", left, err)
	}
	if found, err := s.Jobs(t.Context(), "", 4, 2); err != nil || len(found) != 2 || found[0].ID != 3 || found[1].ID != 2 {
		t.Errorf("two jobs before the fourth: %+v, %v", found, err)
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

func TestOpenFails(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.db")
	s := open(t, whole)
	if _, err := s.PutModel(t.Context(), store.Model{ID: "m"}, make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	if _, err := bolt.Open(t.Context(), whole, bolt.Options{Wait: time.Millisecond}); !errors.Is(err, bolt.ErrInUse) {
		t.Errorf("store in use: %v", err)
	}
	s.Close()
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(dir, "foreign.db")
	if db, err := bbolt.Open(foreign, 0o600, nil); err != nil || db.Close() != nil {
		t.Fatal(err)
	}
	raw(t, foreign, func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucket([]byte("meta"))
		if err != nil {
			return err
		}
		return b.Put([]byte("version"), []byte{0, 0, 0, 0, 0, 0, 0, 99})
	})
	for _, c := range []struct {
		name, path string
		data       []byte
		want       string
	}{
		{"a text", "text.db", []byte(strings.Repeat("text ", 4000)), "not an inroad store, or its first pages are damaged"},
		{"a short text", "short.db", []byte("text"), "not an inroad store, or its first pages are damaged"},
		{"truncated in the middle", "half.db", data[:len(data)/2], "truncated: has "},
		{"truncated after the first pages", "pages.db", data[:16384], "truncated: has 16384 bytes, needs "},
		{"a later version", "foreign.db", nil, "layout version 99: must be 3"},
		{"a folder", ".", nil, "not a regular file"},
	} {
		path := filepath.Join(dir, c.path)
		if c.data != nil {
			if err := os.WriteFile(path, c.data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := bolt.Open(t.Context(), path, bolt.Options{})
		if _, ok := errors.AsType[*bolt.FileError](err); !ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	if _, err := bolt.Open(t.Context(), filepath.Join(dir, "none.db"), bolt.Options{ReadOnly: true}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing store, read-only: %v", err)
	}
	if _, err := bolt.Open(t.Context(), filepath.Join(dir, "none", "s.db"), bolt.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
}

func TestAliases(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path)
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
	s = reopen(t, s, path)
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

func TestKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path)
	key, secret, err := s.NewKey(t.Context(), store.Key{Name: "ci", Scopes: []store.Scope{store.ScopeRead, store.ScopeWrite}, Limits: store.Limits{Rate: 0.5, Active: 2, Upload: 3}})
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := s.NewKey(t.Context(), store.Key{Name: "someone", Scopes: []store.Scope{store.ScopeRead}})
	if err != nil {
		t.Fatal(err)
	}
	s = reopen(t, s, path)
	if data, err := os.ReadFile(path); err != nil || bytes.Contains(data, []byte(secret)) {
		t.Errorf("the secret is in the file, %v", err)
	}
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

// A list of grammars does not read their sources.
func TestGrammarListIsSmall(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "s.db"))
	const count, size = 20, 1 << 20
	for i := range count {
		text := fmt.Sprintf("grammar g%d; %s", i, strings.Repeat("x", size))
		if _, _, err := s.PutGrammar(t.Context(), store.Grammar{Name: fmt.Sprint("g", i), Sources: []grammars.Source{{Name: "g.g4", Text: text}}}); err != nil {
			t.Fatal(err)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found, err := s.Grammars(t.Context())
	runtime.ReadMemStats(&after)
	if err != nil || len(found) != count || found[0].Name != "g0" || found[0].Sources != nil {
		t.Fatalf("%d grammars, %v", len(found), err)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > size {
		t.Errorf("allocated %d bytes for a list of %d grammars, want less than the sources of one", allocated, count)
	} else {
		t.Logf("allocated %d bytes", allocated)
	}
}
