package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestInputOutputError has the system calls of a running service fail, as those of
// a failing disk do. The service stops writing, says so, and still reads; what it
// acknowledged is there afterwards.
func TestInputOutputError(t *testing.T) {
	for _, call := range []string{"fdatasync", "pwrite64"} {
		t.Run(call, func(t *testing.T) {
			dir := t.TempDir()
			path, pid := filepath.Join(dir, "s.db"), filepath.Join(dir, "pid")
			address, end := listening(t, time.Minute, path, "sh", "-c", `echo $$ >"$0"; exec inroad "$@"`, pid)
			defer end()
			ask(t, http.MethodPost, address+"/v1/subjects/a/observations", `{"input":"1","methods":["a"]}`, http.StatusOK, `"stored":1`)
			ask(t, http.MethodGet, address+"/readyz", "", http.StatusOK, "")
			detach := attach(t, pid, call)
			ask(t, http.MethodPost, address+"/v1/subjects/a/observations", `{"input":"2","methods":["a"]}`, http.StatusServiceUnavailable, "the store stopped writing")
			detach()
			// The disk works again, but what it lost is unknown.
			ask(t, http.MethodPost, address+"/v1/subjects/a/observations", `{"input":"3","methods":["a"]}`, http.StatusServiceUnavailable, "the store stopped writing")
			ask(t, http.MethodPost, address+"/v1/keys", `{"name":"k","scopes":["read"]}`, http.StatusServiceUnavailable, "the store stopped writing")
			ask(t, http.MethodGet, address+"/readyz", "", http.StatusServiceUnavailable, "the store stopped writing")
			ask(t, http.MethodGet, address+"/metrics", "", http.StatusOK, "\ninroad_store_failures_total 1\n")
			ask(t, http.MethodGet, address+"/v1/subjects/a/observations", "", http.StatusOK, `"1"`)
			end()
			address, end = listening(t, time.Minute, path, "inroad")
			defer end()
			ask(t, http.MethodGet, address+"/readyz", "", http.StatusOK, "")
			ask(t, http.MethodGet, address+"/v1/subjects/a/observations", "", http.StatusOK, `"1"`)
			ask(t, http.MethodPost, address+"/v1/subjects/a/observations", `{"input":"3","methods":["a"]}`, http.StatusOK, `"stored":1`)
		})
	}
}

// ask sends a request and checks the status and a part of the answer.
func ask(t *testing.T, method, url, body string, status int, want string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if strings.HasSuffix(url, "/observations") {
		req.Header.Set("Content-Type", "application/x-ndjson")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != status || !strings.Contains(string(text), want) {
		t.Fatalf("%s %s: %s %s, %v; want %d and %s", method, url, resp.Status, text, err, status, want)
	}
}

// attach attaches strace to the process whose ID is in a file, and has a system call
// fail. It returns a function that detaches it.
func attach(t *testing.T, pid, call string) func() {
	t.Helper()
	tool, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	id, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), tool, "-f", "-e", "trace="+call, "-e", "inject="+call+":error=EIO", "-p", strings.TrimSpace(string(id)))
	output, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(output)
	line, err := lines.ReadString('\n')
	if !strings.Contains(line, " attached") {
		_ = cmd.Wait()
		t.Skipf("strace cannot attach to processes: %s %v", strings.TrimSpace(line), err)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	}
}
