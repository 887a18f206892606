package server_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/server"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/observation"
)

// serveWithoutSpace serves a store, and no file can be written past its first page.
func serveWithoutSpace(path string) error {
	st, err := bolt.Open(context.Background(), path, bolt.Options{})
	if err != nil {
		return err
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	limit.Cur = 4096
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	server, err := server.New(server.Config{Store: st})
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + listener.Addr().String()) //nolint:forbidigo // to the test that started it
	return server.Run(context.Background(), listener)
}

// withoutSpace returns a service in a process of its own.
func withoutSpace(t *testing.T, path string) *service {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-without-space", path)
	cmd.Stderr = os.Stderr
	printed, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &service{path: path, http: &http.Client{Transport: newChecked(t)}}
	s.stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	t.Cleanup(s.stop)
	line, err := bufio.NewReader(printed).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	s.url = strings.TrimSpace(line)
	return s
}

// fillUnused stores a grammar, whose ID it returns, and observations, a model and a policy
// with the name unused, which nothing uses.
func fillUnused(t *testing.T, s store.Store) (grammar string) {
	t.Helper()
	g, _, err := s.PutGrammar(t.Context(), store.Grammar{Name: "g", Sources: []grammars.Source{{Name: "g.g4", Text: "grammar g; s : 'unused' ;"}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.AddObservations(t.Context(), "unused", "", nil, []observation.Observation{{Input: []byte("x"), Methods: []string{"f"}, Outcome: observation.OK}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.PutModel(t.Context(), store.Model{ID: "unused", Subject: "unused"}, []byte("model")); err != nil {
		t.Fatal(err)
	}
	if err := s.PutPolicy(t.Context(), store.Policy{Subject: "unused"}); err != nil {
		t.Fatal(err)
	}
	return g.ID
}

// A service without space deletes nothing.
func TestFullPrune(t *testing.T) {
	s := start(t)
	file := s.file(t)
	fillUnused(t, file)
	if err := file.PutPolicy(t.Context(), store.Policy{Subject: "unused", Models: new(0)}); err != nil {
		t.Fatal(err)
	}
	s.stop()
	s = withoutSpace(t, s.path)
	if p := s.problem(t, http.MethodPost, "/v1/prunings", "application/json", strings.NewReader(`{}`)); p.Status != http.StatusInsufficientStorage {
		t.Errorf("got %+v", p)
	}
}

// Whatever would be stored is refused when there is no space, changes nothing, and
// succeeds once there is.
func TestFull(t *testing.T) {
	s := start(t)
	unused := fillUnused(t, s.store)
	s.trained(t)
	s.send(t, http.MethodPut, "/v1/aliases/stable", "application/json", strings.NewReader(`{"model":"latest"}`))
	key, _, err := s.store.NewKey(t.Context(), store.Key{Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	running, ended := s.createCampaign(t, `{"algorithm":"random"}`), s.createCampaign(t, `{"algorithm":"random"}`)
	in := s.ask(t, running.ID, `{"lease_ms":1}`).Inputs[0]
	campaign := fmt.Sprintf("/v1/campaigns/%d", running.ID)
	work := []struct {
		method, path, contentType, body string
		status                          int
	}{
		{http.MethodPost, "/v1/grammars", "application/json", lists, http.StatusCreated},
		{http.MethodPost, observations, ndjson, calc(200), http.StatusOK},
		{http.MethodPost, "/v1/models", "application/json", `{"subject":"calc","grammar":"expr"}`, http.StatusAccepted},
		{http.MethodPut, "/v1/aliases/other", "application/json", `{"model":"latest"}`, http.StatusOK},
		{http.MethodDelete, "/v1/aliases/stable", "", "", http.StatusNoContent},
		{http.MethodPost, "/v1/keys", "application/json", `{"name":"ci","scopes":["read"]}`, http.StatusCreated},
		{http.MethodDelete, "/v1/keys/" + key.ID, "", "", http.StatusNoContent},
		{http.MethodGet, "/v1/backup", "", "", http.StatusOK},
		{http.MethodPost, "/v1/campaigns", "application/json", `{"subject":"calc","grammar":"expr","options":{"algorithm":"random"}}`, http.StatusCreated},
		{http.MethodPost, campaign + "/asks", "application/json", `{}`, http.StatusOK},
		{http.MethodPost, campaign + "/tells", "application/json", fmt.Sprintf(`{"observations":[{"id":%q}]}`, in.ID), http.StatusOK},
		{http.MethodPost, campaign + "/stop", "", "", http.StatusOK},
		{http.MethodDelete, fmt.Sprintf("/v1/campaigns/%d", ended.ID), "", "", http.StatusNoContent},
		{http.MethodDelete, "/v1/grammars/" + unused, "", "", http.StatusNoContent},
		{http.MethodDelete, "/v1/models/unused", "", "", http.StatusNoContent},
		{http.MethodDelete, "/v1/subjects/unused", "", "", http.StatusNoContent},
		{http.MethodPut, "/v1/policies/calc", "application/json", `{"commits":1}`, http.StatusOK},
		{http.MethodDelete, "/v1/policies/unused", "", "", http.StatusNoContent},
		{http.MethodDelete, "/v1/keys/log?until=2100-01-01T00:00:00Z", "", "", http.StatusOK},
	}
	before, err := s.file(t).Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.stop()
	s = withoutSpace(t, s.path)
	for _, w := range work {
		p := s.problem(t, w.method, w.path, w.contentType, strings.NewReader(w.body))
		if p.Status != http.StatusInsufficientStorage || p.Type != "urn:inroad:problem:full" {
			t.Errorf("%s %s: %+v", w.method, w.path, p)
		}
	}
	var answer openapi.PredictAnswer
	s.post(t, "/v1/models/stable/predictions", `{"inputs":[{"input":"1"}]}`, http.StatusOK, &answer)
	s.stop()
	s = startOn(t, s.path)
	after, err := s.file(t).Check(t.Context())
	if err != nil || after.Models != before.Models || after.Observations != before.Observations || after.Keys != before.Keys || after.Jobs != before.Jobs || after.Campaigns != before.Campaigns || len(after.Faults) > 0 {
		t.Errorf("the store: %+v, before %+v, %v", after, before, err)
	}
	for _, w := range work {
		if resp, text := s.send(t, w.method, w.path, w.contentType, strings.NewReader(w.body)); resp.StatusCode != w.status {
			t.Errorf("%s %s once there is space: %s %.300s", w.method, w.path, resp.Status, text)
		}
	}
}
