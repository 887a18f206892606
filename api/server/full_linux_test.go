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

// Whatever would be stored is refused when there is no space, changes nothing, and
// succeeds once there is.
func TestFull(t *testing.T) {
	s := start(t)
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
	}
	before, err := s.store.Check(t.Context())
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
	after, err := s.store.Check(t.Context())
	if err != nil || after.Models != before.Models || after.Observations != before.Observations || after.Keys != before.Keys || after.Jobs != before.Jobs || after.Campaigns != before.Campaigns || len(after.Faults) > 0 {
		t.Errorf("the store: %+v, before %+v, %v", after, before, err)
	}
	for _, w := range work {
		if resp, text := s.send(t, w.method, w.path, w.contentType, strings.NewReader(w.body)); resp.StatusCode != w.status {
			t.Errorf("%s %s once there is space: %s %.300s", w.method, w.path, resp.Status, text)
		}
	}
}
