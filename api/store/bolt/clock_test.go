package bolt

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/observation"
)

// The order of changes is the order in which they were made, also if the clock
// goes back.
func TestClockGoesBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	start := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, name := range []string{"first", "second", "third"} {
		s, err := Open(t.Context(), path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		s.now = func() time.Time { return start.AddDate(-i, 0, 0) }
		_, err = s.AddObservations(t.Context(), "p", name, nil, []observation.Observation{{Input: []byte("1")}})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.PutGrammar(t.Context(), store.Grammar{Name: name, Sources: []grammars.Source{{Name: name}}}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.NewKey(t.Context(), store.Key{Name: name}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.PutModel(t.Context(), store.Model{ID: name}, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := s.NewJob(t.Context(), store.Job{Subject: name}); err != nil {
			t.Fatal(err)
		}
		s.Close()
	}
	s, err := Open(t.Context(), path, Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	subject, err := s.Subject(t.Context(), "p")
	if err != nil || subject.Commits[0].Name != "third" || subject.Commits[2].Name != "first" {
		t.Errorf("commits: %+v, %v; want the third first", subject.Commits, err)
	}
	if g, err := s.Grammars(t.Context()); err != nil || g[0].Name != "first" || g[2].Name != "third" {
		t.Errorf("grammars: %+v, %v; want the first first", g, err)
	}
	if k, err := s.Keys(t.Context()); err != nil || k[0].Name != "first" || k[2].Name != "third" {
		t.Errorf("keys: %+v, %v; want the first first", k, err)
	}
	if m, err := s.Models(t.Context(), "", 0, 1); err != nil || m[0].ID != "third" {
		t.Errorf("the latest model: %+v, %v; want the third", m, err)
	}
	if j, err := s.Jobs(t.Context(), "", 0, 1); err != nil || j[0].Subject != "third" {
		t.Errorf("the latest job: %+v, %v; want the third", j, err)
	}
}
