package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/observation"
)

// fillForDeletion stores two commits of a program with a model each, and a grammar that a
// model uses.
func fillForDeletion(t *testing.T, s store.Store) (grammar string) {
	t.Helper()
	g, _, err := s.PutGrammar(t.Context(), store.Grammar{Name: "g", Sources: []grammars.Source{{Name: "g.g4", Text: "grammar g; s : 'x' ;"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, commit := range []string{"", "c1"} {
		if _, err := s.AddObservations(t.Context(), "a/b", commit, nil, []observation.Observation{{Input: []byte("x"), Methods: []string{"f"}, Outcome: observation.OK}}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.PutModel(t.Context(), store.Model{ID: "m" + commit, Subject: "a/b", Commit: commit, Grammar: g.ID}, []byte("model")); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.PutAlias(t.Context(), store.Alias{Name: "stable", Model: "mc1"}); err != nil {
		t.Fatal(err)
	}
	return g.ID
}

// Deletions answer with the problem in-use while something uses what they would delete.
func TestDeletions(t *testing.T) {
	s := start(t)
	grammar := fillForDeletion(t, s.store)
	for _, c := range []struct {
		path   string
		status int
		detail string
	}{
		{"/v1/models/mc1", http.StatusConflict, "model mc1: in use by alias stable"},
		{"/v1/models/stable", http.StatusConflict, "model mc1: in use by alias stable"},
		{"/v1/models/none", http.StatusNotFound, "model none: not found"},
		{"/v1/grammars/" + grammar, http.StatusConflict, "in use by model m"},
		{"/v1/grammars/json", http.StatusUnprocessableEntity, "bundled grammars cannot be deleted"},
		{"/v1/grammars/none", http.StatusNotFound, "grammar none: not found"},
		{"/v1/subjects/a%2Fb", http.StatusConflict, `commit "c1" of subject a/b: in use by model mc1 with alias stable`},
		{"/v1/subjects/a%2Fb?commit=c1", http.StatusConflict, `commit "c1" of subject a/b: in use by model mc1 with alias stable`},
		{"/v1/subjects/a%2Fb?commit=c2", http.StatusNotFound, `commit "c2" of subject a/b: not found`},
		{"/v1/subjects/none", http.StatusNotFound, "subject none: not found"},
		{"/v1/policies/none", http.StatusNotFound, "policy none: not found"},
		{"/v1/keys/log?until=yesterday", http.StatusBadRequest, "until yesterday: must be a time such as 2027-01-31T12:00:00Z"},
		{"/v1/keys/log", http.StatusBadRequest, "until: value is required but missing"},
		{"/v1/subjects/a%2Fb?commit=", 0, ""},
		{"/v1/models/m", 0, ""},
		{"/v1/aliases/stable", 0, ""},
		{"/v1/models/latest", 0, ""},
		{"/v1/grammars/" + grammar, 0, ""},
		{"/v1/subjects/a%2Fb", 0, ""},
	} {
		if c.status == 0 {
			if resp, text := s.send(t, http.MethodDelete, c.path, "", nil); resp.StatusCode != http.StatusNoContent {
				t.Errorf("DELETE %s: %s %s", c.path, resp.Status, text)
			}
			continue
		}
		if p := s.problem(t, http.MethodDelete, c.path, "", nil); p.Status != c.status || !strings.Contains(p.Detail, c.detail) {
			t.Errorf("DELETE %s: %d %q, want %d %q", c.path, p.Status, p.Detail, c.status, c.detail)
		}
	}
	if p := s.problem(t, http.MethodGet, "/v1/grammars/"+grammar, "", nil); p.Status != http.StatusNotFound {
		t.Errorf("a grammar that was deleted: %+v", p)
	}
	s.checkFile(t, func(*bolt.Report) bool { return true })
}

// A policy that is set over HTTP says what it would delete before it does.
func TestPrune(t *testing.T) {
	s := start(t)
	fillForDeletion(t, s.store)
	put, err := s.PutPolicyWithResponse(t.Context(), "a/b", openapi.PolicyRequest{Commits: new(1), Models: new(0)})
	if err != nil || put.JSON200 == nil {
		t.Fatalf("put: %v %+v", err, put)
	}
	if p := s.problem(t, http.MethodPut, "/v1/policies/a", "application/json", strings.NewReader(`{"commits":0}`)); p.Field != "commits" {
		t.Errorf("no commits: %+v", p)
	}
	list, err := s.ListPoliciesWithResponse(t.Context(), nil)
	if diff := cmp.Diff([]openapi.Policy{{Subject: "a/b", Commits: new(1), Models: new(0)}}, list.JSON200.Policies); diff != "" || err != nil {
		t.Errorf("policies: %v %s", err, diff)
	}
	want := []openapi.Deletion{
		{Subject: "a/b", Observations: 1, Reason: "keep 1 commit"},
		{Subject: "a/b", Model: "m", Bytes: 5, Reason: "keep only models with an alias"},
	}
	for _, dry := range []bool{true, false} {
		done, err := s.PruneWithResponse(t.Context(), openapi.PruneRequest{DryRun: dry})
		if err != nil || done.JSON200 == nil {
			t.Fatalf("prune: %v %+v", err, done)
		}
		if diff := cmp.Diff(openapi.Pruning{DryRun: dry, Deleted: want}, *done.JSON200); diff != "" {
			t.Errorf("dry run %v: %s", dry, diff)
		}
	}
	if done, err := s.PruneWithResponse(t.Context(), openapi.PruneRequest{}); err != nil || done.JSON200 == nil || len(done.JSON200.Deleted) != 0 {
		t.Errorf("pruned again: %v %+v", err, done)
	}
	if models, err := s.store.Models(t.Context(), "", 0, -1); err != nil || len(models) != 1 || models[0].ID != "mc1" {
		t.Errorf("models left: %+v, %v", models, err)
	}
}

// The service applies the policies by itself when it starts.
func TestPruneAtStart(t *testing.T) {
	s := start(t)
	fillForDeletion(t, s.store)
	if err := s.store.PutPolicy(t.Context(), store.Policy{Subject: store.AllSubjects, Models: new(0)}); err != nil {
		t.Fatal(err)
	}
	s.stop()
	again := startOn(t, s.path)
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		models, err := again.store.Models(t.Context(), "", 0, -1)
		if err == nil && len(models) == 1 && models[0].ID == "mc1" {
			return
		}
		if err != nil || time.Now().After(end) {
			t.Fatalf("models: %+v, %v; want only the one with an alias", models, err)
		}
	}
}
