package retention_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
	"github.com/inroad/inroad/api/store/retention"
	"github.com/inroad/inroad/model/observation"
)

// A policy keeps what it says, and always what is in use.
func TestPolicies(t *testing.T) {
	for _, c := range []struct {
		name   string
		policy []store.Policy
		days   int // that have passed
		use    func(s store.Store) error
		want   string // what is deleted: commits of p and models, whose numbers are those of their commits
	}{
		{"none", nil, 1000, nil, ""},
		{"of another program", []store.Policy{{Subject: "q", Commits: new(1), Models: new(0), Days: new(1)}}, 1000, nil, ""},
		{"without limits", []store.Policy{{Subject: "p"}}, 1000, nil, ""},
		{"3 commits", []store.Policy{{Subject: "p", Commits: new(3)}}, 0, nil, "c1 c0"},
		{"more commits than there are", []store.Policy{{Subject: "p", Commits: new(9)}}, 0, nil, ""},
		{"2 models", []store.Policy{{Subject: "p", Models: new(2)}}, 0, nil, "m2 m1 m0"},
		{"models with an alias", []store.Policy{{Subject: "p", Models: new(0)}}, 0, func(s store.Store) error {
			return s.PutAlias(t.Context(), store.Alias{Name: "stable", Model: "m1"})
		}, "m4 m3 m2 m0"},
		{"30 days, after 29", []store.Policy{{Subject: "p", Days: new(30)}}, 29, nil, ""},
		{"30 days, after 31", []store.Policy{{Subject: "p", Days: new(30)}}, 31, nil, "c3 c2 c1 c0 m4 m3 m2 m1 m0"},
		{"all programs", []store.Policy{{Subject: "*", Commits: new(4)}}, 0, nil, "c0"},
		{"all programs but this", []store.Policy{{Subject: "*", Commits: new(1)}, {Subject: "p", Commits: new(4)}}, 0, nil, "c0"},
		{"a commit whose model has an alias", []store.Policy{{Subject: "p", Commits: new(3)}}, 0, func(s store.Store) error {
			return s.PutAlias(t.Context(), store.Alias{Name: "stable", Model: "m1"})
		}, "c0"},
		{"a commit that is trained", []store.Policy{{Subject: "p", Commits: new(3)}}, 0, func(s store.Store) error {
			_, err := s.NewJob(t.Context(), store.Job{Subject: "p", Commit: "c0"})
			return err
		}, "c1"},
		{"a model that a training starts from", []store.Policy{{Subject: "p", Models: new(3)}}, 0, func(s store.Store) error {
			_, err := s.NewJob(t.Context(), store.Job{From: "m0"})
			return err
		}, "m1"},
		{"a commit with a running campaign", []store.Policy{{Subject: "p", Commits: new(3)}}, 0, func(s store.Store) error {
			_, err := s.NewCampaign(t.Context(), store.Campaign{Subject: "p", Commit: "c0"}, nil, nil)
			return err
		}, "c1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := filled(t)
			for _, p := range c.policy {
				if err := s.PutPolicy(t.Context(), p); err != nil {
					t.Fatal(err)
				}
			}
			if c.use != nil {
				if err := c.use(s); err != nil {
					t.Fatal(err)
				}
			}
			now := time.Now().AddDate(0, 0, c.days)
			plan, err := retention.Plan(t.Context(), s, now)
			if got := names(plan); got != c.want || err != nil {
				t.Fatalf("planned %q, %v; want %q", got, err, c.want)
			}
			done, err := retention.Apply(t.Context(), s, plan)
			if got := names(done); got != c.want || err != nil {
				t.Errorf("deleted %q, %v; want %q", got, err, c.want)
			}
			if left, err := retention.Plan(t.Context(), s, now); len(left) > 0 || err != nil {
				t.Errorf("planned after that: %+v, %v", left, err)
			}
			subject, err := s.Subject(t.Context(), "p")
			if want := 5 - strings.Count(c.want, "c"); len(subject.Commits) != want || err != nil {
				t.Errorf("%d commits left, %v; want %d", len(subject.Commits), err, want)
			}
			models, err := s.Models(t.Context(), "p", 0, -1)
			if want := 5 - strings.Count(c.want, "m"); len(models) != want || err != nil {
				t.Errorf("%d models left, %v; want %d", len(models), err, want)
			}
			if r, err := s.Check(t.Context()); err != nil || len(r.Faults) > 0 {
				t.Errorf("check: %+v, %v", r, err)
			}
		})
	}
}

// What is used, deleted or added to after the plan was made is left out.
func TestChangedPlan(t *testing.T) {
	s := filled(t)
	if err := s.PutPolicy(t.Context(), store.Policy{Subject: "p", Commits: new(2), Models: new(0)}); err != nil {
		t.Fatal(err)
	}
	plan, err := retention.Plan(t.Context(), s, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.PutAlias(t.Context(), store.Alias{Name: "stable", Model: "m2"}); err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteModel(t.Context(), "m3"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AddObservations(t.Context(), "p", "c1", nil, []observation.Observation{{Input: []byte("y"), Outcome: observation.OK}}); err != nil {
		t.Fatal(err)
	}
	done, err := retention.Apply(t.Context(), s, plan)
	if got, want := names(done), "c0 m4 m1 m0"; got != want || err != nil {
		t.Errorf("deleted %q, %v; want %q", got, err, want)
	}
}

// filled returns a store with five commits of program p, and a model of each.
func filled(t *testing.T) *bolt.Store {
	t.Helper()
	s, err := bolt.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for i := range 5 {
		commit := fmt.Sprint("c", i)
		if _, err := s.AddObservations(t.Context(), "p", commit, nil, []observation.Observation{{Input: []byte("x"), Methods: []string{"f"}, Outcome: observation.OK}}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.PutModel(t.Context(), store.Model{ID: fmt.Sprint("m", i), Subject: "p", Commit: commit}, []byte("model")); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func names(deletions []retention.Deletion) string {
	var out []string
	for _, d := range deletions {
		name := d.Model
		if name == "" {
			name = d.Commit
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}
