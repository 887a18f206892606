package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var long = flag.Bool("long", false, "run what takes minutes, too")

// TestKill kills the service, and commands that write its store, at random
// moments. Whatever they acknowledged is there afterwards, and the store is whole.
func TestKill(t *testing.T) {
	kills := 3
	if *long {
		kills = 300
	}
	const seed = 1
	k := &killer{
		Rand: rand.New(rand.NewPCG(seed, 0)), path: filepath.Join(t.TempDir(), "s.db"),
		inputs: map[string]bool{}, grammars: map[string]bool{}, jobs: map[string]bool{}, keys: map[string]bool{},
	}
	for range kills {
		switch k.IntN(6) {
		case 0:
			k.createKey(t)
		case 1:
			k.compact(t)
		default:
			k.serve(t)
		}
	}
	var out bytes.Buffer
	if code := run(t.Context(), []string{"store", "check", "--store", k.path}, strings.NewReader(""), &out, &out); code != exitDone {
		t.Errorf("the store after %d kills: %s", kills, &out)
	}
	t.Logf("%d kills; acknowledged were %d observations, %d grammars, %d jobs, %d keys: %s",
		kills, len(k.inputs), len(k.grammars), len(k.jobs), len(k.keys), strings.TrimSpace(out.String()))
	k.verify(t)
}

// A killer knows what was acknowledged.
type killer struct {
	*rand.Rand
	path string
	n    int // makes names that were not there before

	mu                           sync.Mutex
	inputs, grammars, jobs, keys map[string]bool
}

// start starts a command as a process of its own, which is killed after a while.
func (k *killer) start(t *testing.T, after time.Duration, args ...string) (*bufio.Reader, func()) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "inroad", args...)
	output, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	return bufio.NewReader(output), func() {
		timer.Stop()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		output.Close()
	}
}

func (k *killer) createKey(t *testing.T) {
	t.Helper()
	output, end := k.start(t, time.Duration(k.IntN(40))*time.Millisecond, "keys", "create", "--store", k.path, "--name", "test")
	line, err := output.ReadString('\n')
	end()
	if secret := strings.TrimSpace(line); err == nil && strings.HasPrefix(secret, "inroad_") {
		k.keys[strings.Split(secret, "_")[1]] = true
	}
}

func (k *killer) compact(t *testing.T) {
	t.Helper()
	output, end := k.start(t, time.Duration(k.IntN(60))*time.Millisecond, "store", "compact", "--store", k.path)
	_, _ = output.ReadString('\n')
	end()
}

// serve has clients use the service until it is killed.
func (k *killer) serve(t *testing.T) {
	t.Helper()
	address, end := k.listen(t, 10*time.Second)
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for _, client := range []func(ctx context.Context, address string) error{k.observe, k.upload, k.train} {
		group.Go(func() {
			for client(ctx, address) == nil {
			}
		})
	}
	time.Sleep(time.Duration(k.IntN(150)) * time.Millisecond) // a random moment is what is tested
	end()
	cancel()
	group.Wait()
}

// listen starts the service and returns its address.
func (k *killer) listen(t *testing.T, after time.Duration) (string, func()) {
	t.Helper()
	output, end := k.start(t, after, "serve", "--store", k.path, "--listen", "127.0.0.1:0", "--log-format", "json", "--log-level", "info")
	for {
		line, err := output.ReadBytes('\n')
		if err != nil {
			end()
			t.Fatalf("the service does not start: %s %v", line, err)
		}
		var message struct{ Msg, Address string }
		if json.Unmarshal(line, &message) == nil && message.Msg == "listening" {
			go func() { _, _ = io.Copy(io.Discard, output) }()
			return message.Address, end
		}
	}
}

func (k *killer) next() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.n++
	return k.n
}

// acknowledged remembers what the service said it has.
func (k *killer) acknowledged(in map[string]bool, names ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, name := range names {
		in[name] = true
	}
}

func (k *killer) observe(ctx context.Context, address string) error {
	var body strings.Builder
	var inputs []string
	for range 20 {
		inputs = append(inputs, fmt.Sprint(k.next()))
		fmt.Fprintf(&body, `{"input":%q,"methods":["a"]}`+"\n", inputs[len(inputs)-1])
	}
	_, err := post(ctx, address+"/v1/subjects/p/observations", "application/x-ndjson", body.String())
	if err == nil {
		k.acknowledged(k.inputs, inputs...)
	}
	return err
}

func (k *killer) upload(ctx context.Context, address string) error {
	text, err := post(ctx, address+"/v1/grammars", "application/json", fmt.Sprintf(`{"files":[{"name":"g.g4","text":"grammar g; a : 'x%d' ;"}]}`, k.next()))
	var made struct{ ID string }
	if err == nil && json.Unmarshal(text, &made) == nil {
		k.acknowledged(k.grammars, made.ID)
	}
	return err
}

func (k *killer) train(ctx context.Context, address string) error {
	text, err := post(ctx, address+"/v1/models", "application/json", fmt.Sprintf(`{"subject":"p","grammar":"expr","options":{"seed":%d,"k":1}}`, k.next()))
	if refused, ok := errors.AsType[statusError](err); ok && (refused == http.StatusTooManyRequests || refused == http.StatusNotFound) {
		return nil
	}
	var made struct{ ID int }
	if err == nil && json.Unmarshal(text, &made) == nil {
		k.acknowledged(k.jobs, fmt.Sprint(made.ID))
	}
	return err
}

type statusError int

func (e statusError) Error() string { return fmt.Sprint("status ", int(e)) }

func post(ctx context.Context, url, contentType, body string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", contentType)
	return do(req)
}

func do(req *http.Request) ([]byte, error) {
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= 300 {
		err = statusError(resp.StatusCode)
	}
	return text, err
}

// verify sees whether all that was acknowledged is there.
func (k *killer) verify(t *testing.T) {
	t.Helper()
	var listed bytes.Buffer
	if code := run(t.Context(), []string{"keys", "list", "--store", k.path}, strings.NewReader(""), &listed, &listed); code != exitDone {
		t.Errorf("keys: %s", &listed)
	}
	for id := range k.keys {
		if !strings.Contains(listed.String(), id) {
			t.Errorf("key %s is gone", id)
		}
	}
	address, end := k.listen(t, time.Minute)
	defer end()
	get := func(path string) []byte {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := do(req)
		if err != nil {
			t.Errorf("%s is gone: %v", path, err)
		}
		return text
	}
	for id := range k.grammars {
		get("/v1/grammars/" + id)
	}
	for id := range k.jobs {
		get("/v1/jobs/" + id)
	}
	if len(k.inputs) == 0 {
		return
	}
	there := map[string]bool{}
	for line := range bytes.Lines(get("/v1/subjects/p/observations")) {
		var o struct{ Input string }
		if err := json.Unmarshal(line, &o); err != nil {
			t.Fatal(err)
		}
		there[o.Input] = true
	}
	for input := range k.inputs {
		if !there[input] {
			t.Errorf("the observation of %s is gone", input)
		}
	}
}
