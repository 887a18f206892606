package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/postgres"
	"github.com/inroad/inroad/api/store/postgres/postgrestest"
)

var replicaKills = flag.Int("replica-kills", 0, "number of kills and stops of replicas of TestReplicasFail; 4 if 0, or 300 with -long")

// TestReplicasFail kills and stops replicas of a service, and restarts PostgreSQL, while
// clients upload observations and grammars, train models, and create and revoke keys.
// Nothing that was acknowledged is lost, each training happens once, and the service
// recovers soon.
func TestReplicasFail(t *testing.T) {
	kills, restarts := *replicaKills, 1
	if kills == 0 && *long {
		kills = 300
	}
	if kills == 0 && testing.Short() {
		kills = 1
	}
	if kills == 0 {
		kills = 4
	}
	restarts = max(restarts, kills/30)
	var database postgrestest.Server
	url := database.Database(t)
	defer database.Close()
	f := &failureRun{Rand: rand.New(rand.NewPCG(1, 0)), killer: &killer{
		path: url, inputs: map[string]bool{}, grammars: map[string]bool{}, jobs: map[string]bool{}, models: map[string]bool{}, keys: map[string]bool{}, aliases: map[string]bool{},
	}, revoked: map[string]bool{}, gaps: map[string]time.Duration{}, last: map[string]time.Time{}}
	for range 3 {
		r := &replicaProcess{path: url}
		r.start(t)
		f.replicas = append(f.replicas, r)
		defer r.kill()
	}
	var clients sync.WaitGroup
	begun := time.Now()
	for name, client := range map[string]func(ctx context.Context, address string) error{
		"observations": f.observe, "grammars": f.upload, "trainings": f.train, "models": f.finished, "keys": f.changeKeys,
	} {
		f.last[name] = begun
		clients.Go(func() { f.use(t.Context(), name, client) })
	}
	for i := range kills {
		time.Sleep(time.Duration(f.IntN(1000)) * time.Millisecond) // a random moment is what is tested
		f.disturb(t, f.replicas[f.IntN(len(f.replicas))])
		if (i+1)*restarts/kills > i*restarts/kills {
			if err := errors.Join(database.Stop(t.Context()), database.Start(t.Context())); err != nil {
				t.Fatal(err)
			}
			f.restarts++
		}
	}
	f.stops.Wait()
	f.ending.Store(true)
	clients.Wait()
	f.check(t)
	t.Logf("%d kills, %d stops, %d restarts of PostgreSQL in %v; acknowledged were %d observations, %d grammars, %d trainings, %d new and %d revoked keys; the longest times without an answer: %v",
		f.kills, f.stopped, f.restarts, time.Since(begun).Round(time.Second), len(f.inputs), len(f.grammars), len(f.jobs), len(f.keys)+len(f.revoked), len(f.revoked), f.gaps)
}

// A failureRun knows what was acknowledged, and when.
type failureRun struct {
	*rand.Rand
	*killer
	replicas                 []*replicaProcess
	stops                    sync.WaitGroup
	ending                   atomic.Bool
	kills, stopped, restarts int
	newest                   atomic.Int64 // number of a model

	answers sync.Mutex
	revoked map[string]bool
	last    map[string]time.Time     // when a client was answered
	gaps    map[string]time.Duration // the longest time without an answer
}

// A replicaProcess is a process that serves a database.
type replicaProcess struct {
	path string

	mu      sync.Mutex
	address string
	pid     int
	stopped bool
	end     func()
}

func (r *replicaProcess) start(t *testing.T) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pid")
	address, end := listening(t, time.Hour, r.path, "sh", "-c", `echo $$ >"$0"; exec inroad "$@"`, file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.address, r.pid, r.end, r.stopped = address, pid, end, false
}

// claim reports whether the replica can be stopped, and notes that it is.
func (r *replicaProcess) claim() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	free := !r.stopped
	r.stopped = true
	return free
}

// pause stops the replica for a while.
func (r *replicaProcess) pause(d time.Duration) {
	r.mu.Lock()
	pid := r.pid
	_ = syscall.Kill(pid, syscall.SIGSTOP)
	r.mu.Unlock()
	time.Sleep(d)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pid == pid { // otherwise it was killed
		_ = syscall.Kill(pid, syscall.SIGCONT)
		r.stopped = false
	}
}

func (r *replicaProcess) url() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.address
}

func (r *replicaProcess) kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end()
}

// disturb kills a replica, which is started again, or stops it for a while.
func (f *failureRun) disturb(t *testing.T, r *replicaProcess) {
	t.Helper()
	if f.IntN(2) == 0 || !r.claim() {
		f.kills++
		r.kill()
		r.start(t)
		return
	}
	f.stopped++
	pause := time.Duration(100+f.IntN(2000)) * time.Millisecond
	if f.IntN(20) == 0 {
		pause = 15 * time.Second // longer than the lease of a job
	}
	f.stops.Go(func() { r.pause(pause) })
}

// use has a client send requests to replicas until the run ends. It notes the longest time
// without an answer.
func (f *failureRun) use(ctx context.Context, name string, client func(ctx context.Context, address string) error) {
	for i := 0; !f.ending.Load(); i++ {
		request, cancel := context.WithTimeout(ctx, 5*time.Second)
		err := client(request, f.replicas[i%len(f.replicas)].url())
		cancel()
		if err != nil {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		f.answers.Lock()
		now := time.Now()
		f.gaps[name] = max(f.gaps[name], now.Sub(f.last[name]).Round(time.Millisecond))
		f.last[name] = now
		f.answers.Unlock()
	}
}

// train has a model trained. It repeats the request until it is acknowledged, at any replica.
func (f *failureRun) train(ctx context.Context, _ string) error {
	const small = `{"input":"1","methods":["a","b"]}` + "\n" + `{"input":"1+2","methods":["a"]}` + "\n"
	n := f.next()
	for i := 0; ; i++ {
		address := f.replicas[i%len(f.replicas)].url()
		request, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		_, err := post(request, address+"/v1/subjects/small/observations", "application/x-ndjson", small)
		var text []byte
		if err == nil {
			var req *http.Request
			req, err = http.NewRequestWithContext(request, http.MethodPost, address+"/v1/models", strings.NewReader(fmt.Sprintf(`{"subject":"small","grammar":"expr","options":{"seed":%d,"k":1}}`, n)))
			if err == nil {
				req.Header.Set("Content-Type", "application/json")
				req.Header.Set("Idempotency-Key", fmt.Sprint(n))
				text, err = do(req)
			}
		}
		cancel()
		var made struct{ ID int }
		if err == nil && json.Unmarshal(text, &made) == nil {
			f.acknowledged(f.jobs, fmt.Sprint(made.ID))
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// finished waits until another training has ended.
func (f *failureRun) finished(ctx context.Context, address string) error {
	text, err := get(ctx, address+"/v1/models?limit=1")
	var list struct{ Models []struct{ Number int } }
	if err != nil || json.Unmarshal(text, &list) != nil {
		return err
	}
	if len(list.Models) == 0 || list.Models[0].Number <= int(f.newest.Load()) {
		return errors.New("no new model")
	}
	f.newest.Store(int64(list.Models[0].Number))
	return nil
}

// changeKeys creates a key, and revokes every other one.
func (f *failureRun) changeKeys(ctx context.Context, address string) error {
	n := f.next()
	name := fmt.Sprint("test ", n) // IDs of revoked keys can be used again
	text, err := post(ctx, address+"/v1/keys", "application/json", `{"name":"`+name+`","scopes":["read"]}`)
	var made struct{ Key struct{ ID string } }
	if err != nil || json.Unmarshal(text, &made) != nil {
		return err
	}
	if n%2 == 0 {
		f.acknowledged(f.keys, made.Key.ID)
		return nil
	}
	if _, err := send(ctx, http.MethodDelete, address+"/v1/keys/"+made.Key.ID, "", ""); err != nil {
		return err
	}
	f.acknowledged(f.revoked, name)
	return nil
}

// check checks that nothing was lost and that each training happened once.
func (f *failureRun) check(t *testing.T) {
	t.Helper()
	const recovery = 90 * time.Second
	s, err := postgres.Open(t.Context(), f.path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	begun := time.Now()
	for {
		open, err := s.OpenJobs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(open) == 0 || time.Since(begun) > 10*time.Minute {
			break
		}
		f.finishedIn(t, s, recovery)
	}
	jobs, err := s.Jobs(t.Context(), "", 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	if len(jobs) != len(f.jobs) {
		t.Errorf("%d jobs for %d requests", len(jobs), len(f.jobs))
	}
	models := map[string]uint64{}
	for _, j := range jobs {
		if j.State != store.Done || !f.jobs[fmt.Sprint(j.ID)] {
			t.Errorf("job %d: %+v", j.ID, j)
		}
		if models[j.Model] != 0 {
			t.Errorf("jobs %d and %d have the same model", models[j.Model], j.ID)
		}
		models[j.Model] = j.ID
		f.models[j.Model] = true
	}
	stored, err := s.Models(t.Context(), "", 0, -1)
	if err != nil || len(stored) != len(jobs) {
		t.Errorf("%d models of %d jobs, %v", len(stored), len(jobs), err)
	}
	keys, err := s.Keys(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if f.revoked[k.Name] {
			t.Errorf("revoked key %s %s is there", k.ID, k.Name)
		}
	}
	for name, gap := range f.gaps {
		if gap > recovery {
			t.Errorf("%s: no answer for %v, want at most %v", name, gap, recovery)
		}
	}
	f.verify(t)
}

// finishedIn waits until the number of open jobs is lower.
func (f *failureRun) finishedIn(t *testing.T, s store.Store, within time.Duration) {
	t.Helper()
	before, err := s.OpenJobs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(within); ; time.Sleep(50 * time.Millisecond) {
		now, err := s.OpenJobs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(now) < len(before) || len(now) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d jobs are open, and none ended within %v: %+v", len(now), within, now[0])
		}
	}
}
