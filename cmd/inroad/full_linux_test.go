package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A full disk refuses what is to be stored, and loses nothing.
func TestFullDisk(t *testing.T) {
	t.Run("a bound on the size of files", func(t *testing.T) {
		if _, err := exec.LookPath("sh"); err != nil {
			t.Skip("there is no shell")
		}
		d := &disk{path: filepath.Join(t.TempDir(), "s.db")}
		// In blocks of 512 or 1024 bytes, as the shell has it.
		d.fill(t, "sh", "-c", `ulimit -f 4000; exec inroad "$@"`, "sh")
		d.verify(t) // without the bound
	})
	t.Run("a small file system", func(t *testing.T) {
		dir := t.TempDir()
		if err := syscall.Mount("inroad", dir, "tmpfs", 0, "size=8m"); err != nil {
			t.Skipf("no file system can be mounted: %v", err)
		}
		t.Cleanup(func() {
			if err := syscall.Unmount(dir, 0); err != nil {
				t.Error(err)
			}
		})
		ballast := filepath.Join(dir, "ballast")
		if err := os.WriteFile(ballast, make([]byte, 4<<20), 0o600); err != nil {
			t.Fatal(err)
		}
		d := &disk{path: filepath.Join(dir, "s.db")}
		d.fill(t, "inroad")
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		d.verify(t)
	})
}

// A disk that is filled, and what was acknowledged before.
type disk struct {
	path   string
	inputs map[string]bool
	n      int
}

// more returns observations that cannot be compressed, and their inputs.
func (d *disk) more() (body string, inputs []string) {
	d.n++
	r := rand.New(rand.NewPCG(1, uint64(d.n)))
	var out strings.Builder
	for range 100 {
		input := make([]byte, 2000)
		for i := range input {
			input[i] = byte(' ' + r.IntN(90))
		}
		inputs = append(inputs, string(input))
		line, _ := json.Marshal(map[string]any{"input": string(input), "methods": []string{"m"}})
		out.Write(append(line, '\n'))
	}
	return out.String(), inputs
}

// fill uploads until there is no space left, and sees that all else goes on.
func (d *disk) fill(t *testing.T, command ...string) {
	t.Helper()
	address, end := listening(t, time.Minute, d.path, command...)
	defer end()
	d.inputs = map[string]bool{}
	upload := address + "/v1/subjects/p/observations"
	refused := 0
	for range 200 {
		body, inputs := d.more()
		text, err := post(t.Context(), upload, "application/x-ndjson", body)
		if err == nil {
			for _, input := range inputs {
				d.inputs[input] = true
			}
			continue
		}
		if !errors.Is(err, statusError(http.StatusInsufficientStorage)) || !strings.Contains(string(text), "urn:inroad:problem:full") {
			t.Fatalf("an upload is answered with %v %s", err, text)
		}
		if refused++; refused == 3 {
			break
		}
	}
	if refused < 3 || len(d.inputs) == 0 {
		t.Fatalf("%d uploads were refused, %d observations acknowledged", refused, len(d.inputs))
	}
	d.look(t, address)
	if text, err := post(t.Context(), address+"/v1/grammars/json/parses", "application/json", `{"input":"[]"}`); err != nil {
		t.Errorf("parse: %v %s", err, text)
	}
	if text, err := get(t.Context(), address+"/v1/backup"); err != nil && !errors.Is(err, statusError(http.StatusInsufficientStorage)) {
		t.Errorf("backup: %v %.200s", err, text)
	}
	if left, err := filepath.Glob(d.path + ".*"); err != nil || len(left) > 0 {
		t.Errorf("left behind are %v, %v", left, err)
	}
}

// look sees whether all that was acknowledged is there.
func (d *disk) look(t *testing.T, address string) {
	t.Helper()
	text, err := get(t.Context(), address+"/v1/subjects/p/observations")
	if err != nil {
		t.Fatal(err)
	}
	there := inputsOf(t, text)
	for input := range d.inputs {
		if !there[input] {
			t.Fatalf("one of %d acknowledged observations is gone; there are %d", len(d.inputs), len(there))
		}
	}
}

// verify looks again once there is space, and stores more.
func (d *disk) verify(t *testing.T) {
	t.Helper()
	var out bytes.Buffer
	if code := run(t.Context(), []string{"store", "check", "--store", d.path}, strings.NewReader(""), &out, &out); code != exitDone {
		t.Errorf("the store: %s", &out)
	}
	address, end := listening(t, time.Minute, d.path, "inroad")
	defer end()
	d.look(t, address)
	body, _ := d.more()
	if text, err := post(t.Context(), address+"/v1/subjects/p/observations", "application/x-ndjson", body); err != nil {
		t.Errorf("an upload once there is space: %v %s", err, text)
	}
	t.Logf("%d acknowledged observations; %s", len(d.inputs), strings.TrimSpace(fmt.Sprint(&out)))
}
