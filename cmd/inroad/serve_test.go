package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
	"github.com/inroad/inroad/cmd/inroad/cli"
)

// serving starts a server as someone types it, and returns its address, the rest
// of what it logs, and what ends it.
func serving(t *testing.T, stdout io.Writer, args ...string) (address string, logged *bufio.Reader, end func()) {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	log, stderr := io.Pipe()
	code := make(chan int)
	args = append([]string{"serve", "--listen", "127.0.0.1:0", "--log-format", "json"}, args...)
	go func() {
		code <- run(ctx, args, strings.NewReader(""), stdout, stderr)
		stderr.Close()
	}()
	logged = bufio.NewReader(log)
	first, err := logged.ReadBytes('\n')
	var listening struct{ Msg, Address string }
	if json.Unmarshal(first, &listening) != nil || err != nil || listening.Msg != "listening" {
		t.Fatalf("the first line is %s, %v", first, err)
	}
	return listening.Address, logged, func() {
		go io.Copy(io.Discard, log) // what is left in logged is for nobody
		http.DefaultClient.CloseIdleConnections()
		interrupt()
		if got := <-code; got != exitDone {
			t.Errorf("exit code %d after it was interrupted, want 0", got)
		}
	}
}

// TestServe starts a server, asks it something, and ends it.
func TestServe(t *testing.T) {
	address, logged, end := serving(t, io.Discard, "--store", filepath.Join(t.TempDir(), "s.db"))
	go io.Copy(io.Discard, logged)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/v1/version", nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := do(req)
	var answer struct{ Version string }
	if err != nil || json.Unmarshal(text, &answer) != nil || answer.Version != cli.Version() {
		t.Errorf("version %q, %v; want %q", text, err, cli.Version())
	}
	end()
}

// demo starts a server with the example. It returns what it invites to, once that
// is printed.
func demo(t *testing.T, args ...string) (address, invitation string, end func()) {
	t.Helper()
	printed, stdout := io.Pipe()
	address, logged, end := serving(t, stdout, append(args, "--demo")...)
	go io.Copy(io.Discard, logged)
	lines := bufio.NewReader(printed)
	for !strings.HasSuffix(invitation, "/docs\n") {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		invitation += line
	}
	return address, invitation, end
}

// session matches the blocks of documents that ask a service which was started
// with --demo.
var session = regexp.MustCompile("(?ms)^```shellsession\n(.*?)^```$")

// learned matches what changes a little whenever models are learned another way:
// digests and probabilities.
var learned = regexp.MustCompile(`[0-9a-f]{64}|[0-9]\.[0-9]+`)

// TestDemo types what a service with the example invites to, and what documents
// say that it answers.
func TestDemo(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl")
	}
	const documented = "http://127.0.0.1:8080"
	t.Setenv("TMPDIR", t.TempDir())
	address, invitation, end := demo(t)
	text, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	got := session.ReplaceAllStringFunc(string(text), func(block string) string {
		typed := strings.ReplaceAll(session.FindStringSubmatch(block)[1], documented, address)
		return "```shellsession\n" + strings.ReplaceAll(typeAgain(t, dir, typed), address, documented) + "```"
	})
	if *update {
		if err := os.WriteFile("../../docs/api.md", []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(learned.ReplaceAllString(string(text), "#"), learned.ReplaceAllString(got, "#")); diff != "" {
		t.Errorf("the service answers something else (-said +answered); -update rewrites it:\n%s", diff)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	invited := 0
	for line := range strings.Lines(strings.ReplaceAll(invitation, address, documented) + string(readme)) {
		if !strings.HasPrefix(line, "curl ") {
			continue
		}
		if invited++; !strings.Contains(got, "\n$ "+line) {
			t.Errorf("docs/api.md does not have what the service or README.md invites to: %s", line)
		}
	}
	if invited < 4 {
		t.Errorf("there are %d invitations:\n%s", invited, invitation)
	}
	end()
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("left behind are %v, %v", left, err)
	}
}

// The example can be added to a store again and again, and leaves a model alone
// that is called as its own.
func TestDemoInStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	for range 2 {
		_, _, end := demo(t, "--store", path)
		end()
	}
	s, err := bolt.Open(t.Context(), path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := s.Check(t.Context())
	if err != nil || report.Models != 1 || report.Observations != 1000 || len(report.Faults) > 0 {
		t.Errorf("the store: %+v, %v", report, err)
	}
	other, err := s.PutModel(t.Context(), store.Model{ID: strings.Repeat("0", 64), Subject: "other"}, []byte("a model"))
	if err == nil {
		err = s.PutAlias(t.Context(), store.Alias{Name: "demo", Model: other.ID})
	}
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	var stderr strings.Builder
	code := run(t.Context(), []string{"serve", "--listen", "127.0.0.1:0", "--store", path, "--demo"}, strings.NewReader(""), io.Discard, &stderr)
	if want := "inroad: --demo: the store already has a model named demo, of program other\n"; code != exitWrong || stderr.String() != want {
		t.Errorf("exit code %d, %s; want %s", code, &stderr, want)
	}
}

// Traces are sent to the collector that the environment names.
func TestServeTraces(t *testing.T) {
	received := make(chan string, 100)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		received <- r.Method + " " + r.URL.Path + " " + string(body)
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=test")
	address, logged, end := serving(t, io.Discard, "--store", filepath.Join(t.TempDir(), "s.db"))
	go io.Copy(io.Discard, logged)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/v1/version", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := do(req); err != nil {
		t.Fatal(err)
	}
	end() // and the last spans are sent
	close(received)
	got := <-received
	for _, want := range []string{"POST /v1/traces ", "GET /v1/version", "inroad", "deployment.environment"} {
		if !strings.Contains(got, want) {
			t.Errorf("the collector has no %q in %q", want, got)
		}
	}
}

// Keys are made and revoked while a service has the store open.
func TestKeysOfService(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	keys := func(code int, args ...string) string {
		t.Helper()
		var stdout, stderr strings.Builder
		if got := run(t.Context(), append([]string{"keys"}, args...), strings.NewReader(""), &stdout, &stderr); got != code {
			t.Fatalf("keys %v: exit code %d, %s", args, got, &stderr)
		}
		return strings.TrimSpace(stdout.String() + stderr.String())
	}
	admin := keys(exitDone, "create", "--store", path, "--name", "admin", "--scopes", "admin")
	address, logged, end := serving(t, io.Discard, "--store", path, "--need-keys")
	go io.Copy(io.Discard, logged)
	defer end()
	if got := keys(exitWrong, "create", "--store", path, "--name", "ci"); !strings.Contains(got, "in use by another process") {
		t.Errorf("beside the service: %s", got)
	}
	if got := keys(exitWrong, "list", "--server", address); !strings.Contains(got, "INROAD_KEY") {
		t.Errorf("without a key: %s", got)
	}
	t.Setenv("INROAD_KEY", admin)
	secret := keys(exitDone, "create", "--server", address, "--name", "ci", "--scopes", "read,write", "--rate", "5")
	id := strings.Split(secret, "_")[1]
	if got := keys(exitDone, "list", "--server", address); !regexp.MustCompile(id + `  read,write  rate=5  .*  ci$`).MatchString(got) {
		t.Errorf("keys are %s", got)
	}
	models := func(secret string) error {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/v1/models", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+secret)
		_, err = do(req)
		return err
	}
	if err := models(secret); err != nil {
		t.Errorf("with the key: %v", err)
	}
	keys(exitDone, "revoke", "--server", address, id)
	if err := models(secret); !errors.Is(err, statusError(http.StatusUnauthorized)) {
		t.Errorf("with a key that was revoked: %v", err)
	}
	if got := keys(exitWrong, "revoke", "--server", address, id); got != "inroad: key "+id+": not found" {
		t.Errorf("again: %s", got)
	}
}
