package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/store"
)

// Every list has the same elements in pages and at once, also while elements are added,
// and refuses cursors of other lists.
func TestPages(t *testing.T) {
	s := start(t)
	s.upload(t, 30)
	failing := func(i int) string {
		return fmt.Sprintf(`{"input":"f%d","outcome":"crash","failure":{"type":"E","stack":"s%d"}}`, i, i)
	}
	add := func(i int) {
		t.Helper()
		var ignored any
		s.post(t, "/v1/grammars", fmt.Sprintf(`{"files":[{"name":"g.g4","text":"grammar g; s : 'x%d' ;"}]}`, i), http.StatusCreated, &ignored)
		if resp, text := s.send(t, http.MethodPost, fmt.Sprintf("/v1/subjects/p%03d/observations", i), ndjson, strings.NewReader(failing(i))); resp.StatusCode != http.StatusOK {
			t.Fatalf("%s %s", resp.Status, text)
		}
		if resp, text := s.send(t, http.MethodPost, "/v1/subjects/f/observations", ndjson, strings.NewReader(failing(i))); resp.StatusCode != http.StatusOK {
			t.Fatalf("%s %s", resp.Status, text)
		}
		if _, err := s.store.PutModel(t.Context(), store.Model{ID: fmt.Sprint("m", i), Subject: "p"}, nil); err != nil {
			t.Fatal(err)
		}
		if err := s.store.PutAlias(t.Context(), store.Alias{Name: fmt.Sprintf("a%03d", i), Model: fmt.Sprint("m", i)}); err != nil {
			t.Fatal(err)
		}
		j, err := s.store.NewJob(t.Context(), store.Job{Subject: "p", Options: []byte("{}")})
		if err != nil {
			t.Fatal(err)
		}
		j.State = store.Cancelled
		if err := s.store.SaveJob(t.Context(), j); err != nil {
			t.Fatal(err)
		}
		if err := s.store.PutPolicy(t.Context(), store.Policy{Subject: fmt.Sprintf("p%03d", i)}); err != nil {
			t.Fatal(err)
		}
		s.post(t, "/v1/keys", fmt.Sprintf(`{"name":"k%d","scopes":["read"]}`, i), http.StatusCreated, &ignored)
	}
	for i := range 5 {
		add(i)
	}
	added := 5
	for _, c := range []struct {
		path, field string
		key         string // that tells elements apart
		appended    bool   // new elements come last
	}{
		{"/v1/grammars", "grammars", "id", true},
		{"/v1/subjects", "subjects", "name", true},
		{"/v1/models", "models", "id", false},
		{"/v1/aliases", "aliases", "alias", true},
		{"/v1/jobs", "jobs", "id", false},
		{"/v1/keys", "keys", "id", true},
		{"/v1/keys/log", "events", "number", false},
		{"/v1/policies", "policies", "subject", true},
		{"/v1/subjects/f/failures", "failures", "stack", false},
	} {
		t.Run(c.path, func(t *testing.T) {
			read := func(query string) (keys []string, next string) {
				t.Helper()
				resp, text := s.send(t, http.MethodGet, c.path+query, "", nil)
				var list map[string]json.RawMessage
				var items []map[string]any
				if err := json.Unmarshal(text, &list); err != nil || resp.StatusCode != http.StatusOK {
					t.Fatalf("%s %s", resp.Status, text)
				}
				if err := json.Unmarshal(list[c.field], &items); err != nil {
					t.Fatal(err)
				}
				for _, item := range items {
					keys = append(keys, fmt.Sprint(item[c.key]))
				}
				if list["next"] != nil {
					if err := json.Unmarshal(list["next"], &next); err != nil {
						t.Fatal(err)
					}
				}
				return keys, next
			}
			want, next := read("")
			if len(want) < 5 || next != "" {
				t.Fatalf("at once: %q, next %q", want, next)
			}
			var got []string
			for query := "?limit=2"; query != ""; {
				page, next := read(query)
				if len(page) > 2 || len(page) == 0 {
					t.Fatalf("%s: a page of %d", query, len(page))
				}
				got = append(got, page...)
				if query = ""; next != "" {
					query = "?limit=2&cursor=" + next
				}
				if len(got) == 2 { // after the first page
					add(added)
					added++
				}
			}
			if c.appended && len(got) > len(want) {
				got = got[:len(want)]
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("in pages (-at once +pages):\n%s", diff)
			}
			for _, wrong := range []string{"x", "1", "%20", api.NewCursor("others", "1"), api.NewCursor(c.field)} {
				if p := s.problem(t, http.MethodGet, c.path+"?cursor="+wrong, "", nil); p.Field != "cursor" {
					t.Errorf("cursor %q: %+v", wrong, p)
				}
			}
		})
	}
}
