package server_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/server"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/postgres"
)

// startReplicas starts replicas of a service with one database.
func startReplicas(t *testing.T, roles []server.Role, edits ...func(c *server.Config)) []*service {
	t.Helper()
	url := testDatabase.Database(t)
	var out []*service
	for _, role := range roles {
		st, err := postgres.Open(t.Context(), url)
		if err == nil {
			err = st.Join(t.Context(), role != server.RoleWorker)
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, startWith(t, "", st, append(edits, func(c *server.Config) { c.Role = role })...))
	}
	return out
}

// Any replica takes requests, follows jobs and cancels them, whichever replica runs them.
func TestReplicas(t *testing.T) {
	replicas := startReplicas(t, []server.Role{server.RoleAPI, server.RoleAPI, server.RoleWorker})
	a, b, worker := replicas[0], replicas[1], replicas[2]
	a.upload(t, 100)
	var j openapi.Job
	b.post(t, "/v1/models", `{"subject":"calc","grammar":"expr"}`, http.StatusAccepted, &j)
	events := a.follow(t, j.ID)
	if last := events[len(events)-1]; last.State != openapi.Done || last.Model == "" || last.Attempts != 1 {
		t.Errorf("the training ended so: %+v", last)
	}
	var m openapi.Model
	a.get(t, "/v1/models/calc@latest", &m)
	if m.ID != events[len(events)-1].Model {
		t.Errorf("the latest model is %s", m.ID)
	}
	if p := worker.problem(t, http.MethodGet, "/v1/models", "", nil); p.Status != http.StatusServiceUnavailable || p.Detail != "this replica only runs jobs" {
		t.Errorf("a worker answers %+v", p)
	}
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		if resp, text := worker.send(t, http.MethodGet, path, "", nil); resp.StatusCode != http.StatusOK {
			t.Errorf("%s of a worker: %s %s", path, resp.Status, text)
		}
	}
	worker.stop()
	a.post(t, "/v1/models", `{"subject":"calc","grammar":"expr"}`, http.StatusAccepted, &j) // nobody runs it
	var followed errgroup.Group
	followed.Go(func() error {
		if events := a.follow(t, j.ID); events[len(events)-1].State != openapi.Cancelled {
			return fmt.Errorf("a cancelled job: %+v", events)
		}
		return nil
	})
	if resp, text := b.send(t, http.MethodDelete, fmt.Sprintf("/v1/jobs/%d", j.ID), "", nil); resp.StatusCode != http.StatusAccepted {
		t.Errorf("cancelled: %s %s", resp.Status, text)
	}
	if err := followed.Wait(); err != nil {
		t.Error(err)
	}
}

// A revoked key ends its streams at all replicas, and is refused by all.
func TestReplicasRevokeKey(t *testing.T) {
	replicas := startReplicas(t, []server.Role{server.RoleAPI, server.RoleAPI}, func(c *server.Config) { c.NeedKeys = true })
	a, b := replicas[0], replicas[1]
	_, admin, err := a.store.NewKey(t.Context(), store.Key{Name: "admin", Scopes: store.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	key, secret, err := a.store.NewKey(t.Context(), store.Key{Name: "k", Scopes: store.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	j, err := a.store.NewJob(t.Context(), store.Job{Subject: "s"})
	if err != nil {
		t.Fatal(err)
	}
	authorized := func(c *http.Request) { c.Header.Set("Authorization", "Bearer "+secret) }
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("%s/v1/jobs/%d/events", b.url, j.ID), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	authorized(req)
	resp, err := b.http.Do(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", resp, err)
	}
	defer resp.Body.Close()
	if resp, text := a.send(t, http.MethodDelete, "/v1/keys/"+key.ID, "", nil, "Authorization", "Bearer "+admin); resp.StatusCode != http.StatusNoContent {
		t.Fatalf("%s %s", resp.Status, text)
	}
	in := bufio.NewReader(resp.Body)
	for err = nil; err == nil; {
		_, err = in.ReadString('\n') // until the stream ends
	}
	for _, s := range replicas {
		if p := s.problem(t, http.MethodGet, "/v1/models", "", nil, "Authorization", "Bearer "+secret); p.Status != http.StatusUnauthorized {
			t.Errorf("a revoked key: %+v", p)
		}
	}
}

// Clients ask and tell at different replicas, and every input is told once.
func TestReplicasCampaign(t *testing.T) {
	replicas := startReplicas(t, []server.Role{server.RoleAPI, server.RoleAPI})
	var c openapi.Campaign
	replicas[0].post(t, "/v1/campaigns", `{"subject":"calc","commit":"c","grammar":"expr","options":{"n":200,"seed":1}}`, http.StatusCreated, &c)
	path := fmt.Sprintf("/v1/campaigns/%d", c.ID)
	var mu sync.Mutex
	told := map[string]int{}
	var group errgroup.Group
	for i := range 4 {
		ask, tell := replicas[i%2], replicas[i/2]
		group.Go(func() error {
			for {
				var asked openapi.AskAnswer
				ask.post(t, path+"/asks", `{"n":7,"wait_ms":500}`, http.StatusOK, &asked)
				if asked.State != openapi.CampaignRunning {
					return nil
				}
				var req openapi.TellRequest
				for _, in := range asked.Inputs {
					req.Observations = append(req.Observations, openapi.ToldObservation{ID: in.ID, Outcome: "ok", Methods: &[]string{"calc.go#main"}})
				}
				if len(req.Observations) == 0 {
					continue
				}
				body, err := json.Marshal(req)
				if err != nil {
					return err
				}
				var answer openapi.TellAnswer
				tell.post(t, path+"/tells", string(body), http.StatusOK, &answer)
				if answer.Told != len(asked.Inputs) || len(answer.Unknown) > 0 {
					return fmt.Errorf("told %d inputs: %+v", len(asked.Inputs), answer)
				}
				mu.Lock()
				for _, in := range asked.Inputs {
					told[in.ID]++
				}
				mu.Unlock()
			}
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	for id, n := range told {
		if n != 1 {
			t.Errorf("input %s was told %d times", id, n)
		}
	}
	for _, s := range replicas {
		var got openapi.Campaign
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) { // until the last computation is stored
			if s.get(t, path, &got); got.Failing == 0 && got.Runs == len(told) && got.State == openapi.CampaignEnded || time.Now().After(end) {
				break
			}
		}
		if got.Runs != len(told) || len(told) < 200 || got.State != openapi.CampaignEnded {
			t.Errorf("%d inputs were told, the campaign is %+v", len(told), got)
		}
	}
}

// The limits of a key hold for all replicas together.
func TestReplicasShareQuotas(t *testing.T) {
	replicas := startReplicas(t, []server.Role{server.RoleAPI, server.RoleAPI}, func(c *server.Config) { c.NeedKeys = true })
	_, secret, err := replicas[0].store.NewKey(t.Context(), store.Key{Name: "k", Scopes: store.Scopes(), Limits: store.Limits{Rate: 20}})
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); replicas[0].store.(store.Shared).Replicas() != 2; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the replicas do not see each other")
		}
	}
	for _, s := range replicas {
		var detail string
		for i := 0; i < 100 && detail == ""; i++ {
			if resp, text := s.send(t, http.MethodGet, "/v1/models", "", nil, "Authorization", "Bearer "+secret); resp.StatusCode == http.StatusTooManyRequests {
				detail = string(text)
			}
		}
		if !strings.Contains(detail, "rate limit of 10 requests per second exceeded") {
			t.Errorf("got %q, want a limit of 10 requests per second", detail)
		}
	}
}

// A repeated request gets the same job; another request must have another key.
func TestIdempotencyKey(t *testing.T) {
	s := startOn(t, filepath.Join(t.TempDir(), "s.db"))
	s.upload(t, 100)
	const body = `{"subject":"calc","grammar":"expr"}`
	train := func(body, key string, want int) (j openapi.Job) {
		t.Helper()
		resp, text := s.send(t, http.MethodPost, "/v1/models", "application/json", strings.NewReader(body), "Idempotency-Key", key)
		if resp.StatusCode != want {
			t.Fatalf("%s: %s %s", key, resp.Status, text)
		}
		_ = json.Unmarshal(text, &j)
		return j
	}
	first := train(body, "a", http.StatusAccepted)
	s.follow(t, first.ID)
	if again := train(body, "a", http.StatusAccepted); again.ID != first.ID || again.State != openapi.Done {
		t.Errorf("repeated: %+v, want job %d", again, first.ID)
	}
	if other := train(body, "b", http.StatusAccepted); other.ID == first.ID {
		t.Errorf("another key got job %d", other.ID)
	}
	train(`{"subject":"calc","grammar":"expr","options":{"k":2}}`, "a", http.StatusUnprocessableEntity)
	train(body, strings.Repeat("x", 201), http.StatusBadRequest)
}
