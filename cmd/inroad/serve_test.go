package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// TestServe starts a server as someone types it, asks it something, and ends it.
func TestServe(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	logged, stderr := io.Pipe()
	code := make(chan int)
	args := []string{"serve", "--listen", "127.0.0.1:0", "--store", filepath.Join(t.TempDir(), "s.db"), "--log-format", "json"}
	go func() {
		code <- run(ctx, args, strings.NewReader(""), io.Discard, stderr)
		stderr.Close()
	}()
	lines := bufio.NewReader(logged)
	first, err := lines.ReadBytes('\n')
	var listening struct{ Msg, Address string }
	if json.Unmarshal(first, &listening) != nil || err != nil || listening.Msg != "listening" {
		t.Fatalf("the first line is %s, %v", first, err)
	}
	go io.Copy(io.Discard, lines)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, listening.Address+"/v1/version", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Version string }
	err = json.NewDecoder(resp.Body).Decode(&answer)
	resp.Body.Close()
	if err != nil || answer.Version != version() {
		t.Errorf("version %q, %v; want %q", answer.Version, err, version())
	}
	http.DefaultClient.CloseIdleConnections()
	interrupt()
	if got := <-code; got != exitDone {
		t.Errorf("exit code %d after it was interrupted, want 0", got)
	}
}
