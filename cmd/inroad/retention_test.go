package main

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inroad/inroad/api/server"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/observation"
)

// TestParityOfRetention types the same commands for a store and for a service. Both print
// the same.
func TestParityOfRetention(t *testing.T) {
	file, grammar := fillForRetention(t)
	served, _ := fillForRetention(t)
	st, err := bolt.Open(t.Context(), served, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	s, err := server.New(server.Config{Store: st})
	if err != nil {
		t.Fatal(err)
	}
	listening := httptest.NewServer(s)
	defer listening.Close()
	for _, c := range []struct {
		args string
		want string // in what is printed
	}{
		{"policy list", ""},
		{"policy list --format json", `{"policies":[]}`},
		{"policy set calc --commits 3 --models 1", ""},
		{"policy set * --days 90", ""},
		{"policy set calc --commits 0", "--commits 0: must be between 1 and 1000000"},
		{"policy list", "calc  keep 3 commits, keep 1 model\n"},
		{"prune --dry-run", "would be deleted: 1 observation, 3 models\n"},
		{"prune --dry-run", `calc  commit "c0"  1 observation  keep 3 commits`},
		{"prune --format json", `{"deleted":[{"commit":"c0","observations":1,"reason":"keep 3 commits","subject":"calc"}`},
		{"prune", "deleted: 0 observations, 0 models\n"},
		{"policy delete calc", ""},
		{"policy delete calc", "policy calc: not found"},
		{"delete model m3", "model m3: in use by alias stable"},
		{"delete model m0", "model m0: not found"},
		{"delete grammar " + grammar, "in use by model m3"},
		{"delete grammar json", "bundled grammars cannot be deleted"},
		{"delete observations calc", "in use by model m3 with alias stable"},
		{"delete observations calc --commit c1", ""},
		{"delete observations calc --commit c1", `commit "c1" of subject calc: not found`},
		{"delete observations calc --commit=", `commit "" of subject calc: not found`},
		{"delete observations none", "subject none: not found"},
		{"delete key-log", "--days 0: must be between 1 and 36500"},
		{"delete key-log --days 1", "0 entries\n"},
	} {
		t.Run(c.args, func(t *testing.T) {
			var printed [2]string
			for i, door := range [][]string{{"--store", file}, {"--server", listening.URL}} {
				var stdout, stderr bytes.Buffer
				args := append([]string{"store"}, strings.Fields(c.args)...)
				run(t.Context(), append(args, door...), strings.NewReader(""), &stdout, &stderr)
				printed[i] = stdout.String() + stderr.String()
			}
			if printed[0] != printed[1] || !strings.Contains(printed[0], c.want) || c.want == "" && printed[0] != "" {
				t.Errorf("with --store:\n%s\nwith --server:\n%s\nwant %s", printed[0], printed[1], c.want)
			}
		})
	}
}

// fillForRetention creates a store with four commits of a program and a model of each, of
// which the last has an alias and a grammar.
func fillForRetention(t *testing.T) (file, grammar string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "s.db")
	s, err := bolt.Open(t.Context(), file, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	g, _, err := s.PutGrammar(t.Context(), store.Grammar{Name: "g", Sources: []grammars.Source{{Name: "g.g4", Text: "grammar g; s : 'x' ;"}}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		m := store.Model{ID: fmt.Sprint("m", i), Subject: "calc", Commit: fmt.Sprint("c", i)}
		if i == 3 {
			m.Grammar = g.ID
		}
		if _, err := s.AddObservations(t.Context(), "calc", m.Commit, nil, []observation.Observation{{Input: []byte("x"), Methods: []string{"f"}, Outcome: observation.OK}}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.PutModel(t.Context(), m, []byte("model")); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.PutAlias(t.Context(), store.Alias{Name: "stable", Model: "m3"}); err != nil {
		t.Fatal(err)
	}
	return file, g.ID
}
