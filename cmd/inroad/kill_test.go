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

	"github.com/inroad/inroad/model"
)

var (
	long  = flag.Bool("long", false, "run what takes minutes, too")
	kills = flag.Int("kills", 0, "number of kills of TestKill; 3 if 0, or 300 with -long")
)

// TestKill kills the service, and commands that write its store, at random
// moments. Whatever they acknowledged is there afterwards, and the store is whole.
func TestKill(t *testing.T) {
	kills := *kills
	if kills == 0 {
		kills = 3
		if *long {
			kills = 300
		}
	}
	const seed = 1
	k := &killer{
		Rand: rand.New(rand.NewPCG(seed, 0)), path: filepath.Join(t.TempDir(), "s.db"),
		inputs: map[string]bool{}, grammars: map[string]bool{}, jobs: map[string]bool{}, models: map[string]bool{}, keys: map[string]bool{}, aliases: map[string]bool{},
	}
	for range kills {
		switch k.IntN(8) {
		case 0:
			k.createKey(t)
		case 1:
			k.compact(t)
		case 2:
			k.backup(t)
		default:
			k.serve(t)
		}
	}
	var out bytes.Buffer
	if code := run(t.Context(), []string{"store", "check", "--store", k.path}, strings.NewReader(""), &out, &out); code != exitDone {
		t.Errorf("the store after %d kills: %s", kills, &out)
	}
	t.Logf("%d kills; acknowledged were %d observations, %d grammars, %d jobs, %d models, %d names, %d keys, %d backups were whole: %s",
		kills, len(k.inputs), len(k.grammars), len(k.jobs), len(k.models), len(k.aliases), len(k.keys), k.backups, strings.TrimSpace(out.String()))
	k.verify(t)
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(k.path), ".*")); len(left) > 0 { // the service that verify started has swept them
		t.Errorf("left-over files: %q", left)
	}
}

// A killer knows what was acknowledged.
type killer struct {
	*rand.Rand
	path string
	n    int // makes names that were not there before

	mu                                            sync.Mutex
	inputs, grammars, jobs, models, keys, aliases map[string]bool
	backups                                       int
}

// process starts a process, which is killed after a while.
func process(t *testing.T, after time.Duration, command ...string) (*bufio.Reader, func()) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
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
	output, end := process(t, time.Duration(k.IntN(40))*time.Millisecond, "inroad", "keys", "create", "--store", k.path, "--name", "test")
	line, err := output.ReadString('\n')
	end()
	if secret := strings.TrimSpace(line); err == nil && strings.HasPrefix(secret, "inroad_") {
		k.keys[strings.Split(secret, "_")[1]] = true
	}
}

func (k *killer) compact(t *testing.T) {
	t.Helper()
	output, end := process(t, time.Duration(k.IntN(60))*time.Millisecond, "inroad", "store", "compact", "--store", k.path)
	_, _ = output.ReadString('\n')
	end()
}

// backup has a backup written. If there is one afterwards, it is whole.
func (k *killer) backup(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(k.path); err != nil {
		return
	}
	to := filepath.Join(t.TempDir(), "backup.db")
	output, end := process(t, time.Duration(k.IntN(60))*time.Millisecond, "inroad", "store", "backup", "--store", k.path, to)
	_, _ = io.Copy(io.Discard, output)
	end()
	if _, err := os.Stat(to); err == nil {
		k.whole(t, to)
	}
}

// whole sees whether a backup can be used.
func (k *killer) whole(t *testing.T, path string) {
	t.Helper()
	var out bytes.Buffer
	if code := run(t.Context(), []string{"store", "check", "--store", path}, strings.NewReader(""), &out, &out); code != exitDone {
		t.Errorf("a backup: %s", &out)
	}
	k.backups++
}

// serve has clients use the service until it is killed.
func (k *killer) serve(t *testing.T) {
	t.Helper()
	address, end := listening(t, 10*time.Second, k.path, "inroad")
	ctx, cancel := context.WithCancel(t.Context())
	copied := filepath.Join(t.TempDir(), "copy.db")
	var group sync.WaitGroup
	for _, client := range []func(ctx context.Context, address string) error{
		k.observe, k.upload, k.train, k.collect, k.key,
		func(ctx context.Context, address string) error { return download(ctx, address+"/v1/backup", copied) },
	} {
		group.Go(func() {
			for client(ctx, address) == nil {
			}
		})
	}
	time.Sleep(time.Duration(k.IntN(150)) * time.Millisecond) // a random moment is what is tested
	end()
	cancel()
	group.Wait()
	if _, err := os.Stat(copied); err == nil {
		k.whole(t, copied)
	}
}

// listening starts the service and returns its address.
func listening(t *testing.T, after time.Duration, path string, command ...string) (string, func()) {
	t.Helper()
	output, end := process(t, after, append(command, "serve", "--store", path, "--listen", "127.0.0.1:0", "--log-format", "json", "--log-level", "info")...)
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

// train has a small program learned, again and again.
func (k *killer) train(ctx context.Context, address string) error {
	const small = `{"input":"1","methods":["a","b"]}` + "\n" + `{"input":"1+2","methods":["a"]}` + "\n"
	if _, err := post(ctx, address+"/v1/subjects/small/observations", "application/x-ndjson", small); err != nil {
		return err
	}
	text, err := post(ctx, address+"/v1/models", "application/json", fmt.Sprintf(`{"subject":"small","grammar":"expr","options":{"seed":%d,"k":1}}`, k.next()))
	if refused, ok := errors.AsType[statusError](err); ok && refused == http.StatusTooManyRequests {
		return nil
	}
	var made struct{ ID int }
	if err == nil && json.Unmarshal(text, &made) == nil {
		k.acknowledged(k.jobs, fmt.Sprint(made.ID))
	}
	return err
}

// collect notes which models jobs say that they made, and gives them names.
func (k *killer) collect(ctx context.Context, address string) error {
	text, err := get(ctx, address+"/v1/jobs?limit=50")
	var list struct{ Jobs []struct{ Model string } }
	if err != nil || json.Unmarshal(text, &list) != nil {
		return err
	}
	for _, j := range list.Jobs {
		if j.Model == "" {
			continue
		}
		k.acknowledged(k.models, j.Model)
		name := fmt.Sprintf("name%d", k.next())
		if _, err := send(ctx, http.MethodPut, address+"/v1/aliases/"+name, "application/json", fmt.Sprintf(`{"model":%q}`, j.Model)); err != nil {
			return err
		}
		k.acknowledged(k.aliases, name)
	}
	return nil
}

// key makes a key while the service runs.
func (k *killer) key(ctx context.Context, address string) error {
	text, err := post(ctx, address+"/v1/keys", "application/json", `{"name":"test","scopes":["read"]}`)
	var made struct{ Key struct{ ID string } }
	if err == nil && json.Unmarshal(text, &made) == nil {
		k.acknowledged(k.keys, made.Key.ID)
	}
	return err
}

// download writes what is under a URL to a file, if all of it comes.
func download(ctx context.Context, url, to string) error {
	text, err := get(ctx, url)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o600)
}

type statusError int

func (e statusError) Error() string { return fmt.Sprint("status ", int(e)) }

func post(ctx context.Context, url, contentType, body string) ([]byte, error) {
	return send(ctx, http.MethodPost, url, contentType, body)
}

func get(ctx context.Context, url string) ([]byte, error) {
	return send(ctx, http.MethodGet, url, "", "")
}

func send(ctx context.Context, method, url, contentType, body string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
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
	address, end := listening(t, time.Minute, k.path, "inroad")
	defer end()
	look := func(path string) []byte {
		text, err := get(t.Context(), address+path)
		if err != nil {
			t.Errorf("%s is gone: %v", path, err)
		}
		return text
	}
	for id := range k.grammars {
		look("/v1/grammars/" + id)
	}
	for id := range k.jobs {
		look("/v1/jobs/" + id)
	}
	for id := range k.models {
		if m, err := model.ReadModel(t.Context(), bytes.NewReader(look("/v1/models/"+id+"/file"))); err != nil || m.Digest != id {
			t.Errorf("model %s: %v", id, err)
		}
	}
	for name := range k.aliases {
		look("/v1/models/" + name)
	}
	if len(k.inputs) == 0 {
		return
	}
	there := inputsOf(t, look("/v1/subjects/p/observations"))
	for input := range k.inputs {
		if !there[input] {
			t.Errorf("the observation of %s is gone", input)
		}
	}
}

// inputsOf returns the inputs of observations.
func inputsOf(t *testing.T, observations []byte) map[string]bool {
	t.Helper()
	inputs := map[string]bool{}
	for line := range bytes.Lines(observations) {
		var o struct{ Input string }
		if err := json.Unmarshal(line, &o); err != nil {
			t.Fatal(err)
		}
		inputs[o.Input] = true
	}
	return inputs
}
