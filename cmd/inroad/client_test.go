package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/inroad/inroad/api/server"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
)

// TestServer types commands that ask a service, each script one of its own at
// $SERVER. The command same has a command do its work itself and then at the
// service, and sees that both print the same and end the same. MODEL stands for
// $WORK/toy.model, and for the newest model of the service.
func TestServer(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Files:               scripts(t, "testdata/server", "file", "keys", "model", "wrong"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Condition:           condition,
		Setup: func(env *testscript.Env) error {
			url, err := startServer(env, filepath.Join(env.WorkDir, ".open.db"), false)
			env.Setenv("SERVER", url)
			if err != nil {
				return err
			}
			url, err = startServer(env, filepath.Join(env.WorkDir, ".keyed.db"), true)
			env.Setenv("KEYED", url)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"same": same},
	})
}

// startServer starts a service for a script, and returns its address. $READER, $ADMIN
// and $EXPIRED become keys of the service.
func startServer(env *testscript.Env, path string, needKeys bool) (url string, err error) {
	st, err := bolt.Open(context.Background(), path, bolt.Options{})
	if err != nil {
		return "", err
	}
	for _, k := range []store.Key{
		{Name: "reader", Scopes: []store.Scope{store.ScopeRead}},
		{Name: "admin", Scopes: []store.Scope{store.ScopeAdmin}},
		{Name: "expired", Scopes: []store.Scope{store.ScopeRead}, Expires: time.Date(2001, 1, 31, 0, 0, 0, 0, time.UTC)},
	} {
		_, secret, err := st.NewKey(context.Background(), k)
		if err != nil {
			return "", err
		}
		env.Setenv(strings.ToUpper(k.Name), secret)
	}
	server, err := server.New(server.Config{Store: st, NeedKeys: needKeys})
	if err != nil {
		return "", err
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	ctx, end := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Run(ctx, listener) }()
	env.Defer(func() {
		end()
		<-done
		st.Close()
	})
	return "http://" + listener.Addr().String(), nil
}

// same runs a command here and at the service.
func same(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("same COMMAND [ARGUMENT...]")
	}
	run := func(model string, more ...string) (out [3]string) {
		typed := append(slices.Clone(args), more...)
		for i, arg := range typed {
			if arg == "MODEL" {
				typed[i] = model
			}
		}
		if err := ts.Exec("inroad", typed...); err != nil {
			out[0] = err.Error()
		}
		out[1], out[2] = ts.ReadFile("stdout"), ts.ReadFile("stderr")
		return out
	}
	here := run(filepath.Join(ts.Getenv("WORK"), "toy.model"))
	there := run("latest", "--server", ts.Getenv("SERVER"))
	for i, what := range []string{"the exit status", "standard output", "standard error"} {
		if here[i] != there[i] {
			ts.Fatalf("%s here:\n%s\nand at the service:\n%s", what, here[i], there[i])
		}
	}
	if here[1] == "" && here[2] == "" {
		ts.Fatalf("nothing was printed")
	}
}

// TestInterruptedRequest ends a command that waits for a service.
func TestInterruptedRequest(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0") // it accepts, and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		conn, err := listener.Accept()
		if err == nil {
			defer conn.Close()
			io.ReadFull(conn, make([]byte, 1))
		}
		interrupt()
	}()
	var stdout, stderr bytes.Buffer
	args := []string{"parse", "--grammar", "json", "--server", "http://" + listener.Addr().String()}
	code := run(ctx, args, bytes.NewReader(nil), &stdout, &stderr)
	if code != exitInterrupted || stdout.String() != "" || stderr.String() != "inroad: interrupted\n" {
		t.Errorf("got exit code %d, stdout %q, stderr %q; want 130 and interrupted", code, &stdout, &stderr)
	}
}

// TestStrangeServers asks servers that are not a service, or one that lies.
func TestStrangeServers(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	input, diff := write("a.json", "[]"), write("d.diff", "")
	answer := func(status int, kind, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			io.WriteString(w, text)
		}
	}
	chosen := func(path string) http.Handler {
		mux := http.NewServeMux()
		mux.HandleFunc("GET /v1/models/m", answer(http.StatusOK, "application/json", `{"id":"m","exact":true}`))
		mux.HandleFunc("POST /v1/selections", func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			answer(http.StatusOK, "application/json", `{"inroad":"selection/1","corpus":1,"inputs":[{"path":"`+path+`","digest":"`+
				strings.Repeat("0", 64)+`"}],"rest":[]}`)(w, r)
		})
		return mux
	}
	parse := []string{"parse", "--grammar", "json", input}
	choose := []string{"select", "--model", "m", "--corpus", input, "--diff", diff}
	for _, c := range []struct {
		name    string
		handler http.Handler
		args    []string
		code    int
		stdout  string
		stderr  string
	}{
		{"a page", answer(http.StatusOK, "text/html", "<html>"), parse, exitWrong, "", "inroad: URL: incomplete or invalid answer: invalid character '<' looking for beginning of value\n"},
		{"a gateway", answer(http.StatusBadGateway, "text/html", "<html>"), parse, exitWrong, "", "inroad: URL: not an inroad service: it responds with 502 Bad Gateway\n"},
		{"another way", http.RedirectHandler("/elsewhere", http.StatusFound), parse, exitWrong, "", "inroad: URL: not an inroad service: it responds with 302 Found\n"},
		{"half an answer", answer(http.StatusOK, "application/json", `{"id":`), parse, exitWrong, "", "inroad: URL: incomplete or invalid answer: unexpected EOF\n"},
		{"half a problem", answer(http.StatusNotFound, "application/problem+json", `{`), parse, exitWrong, "", "inroad: URL: not an inroad service: it responds with 404 Not Found\n"},
		{"what is not to be run", chosen("/bin/sh"), choose, exitDone, input + "\n", "inroad: all inputs are to be run: error: URL: incomplete or invalid answer: path \"/bin/sh\" was not sent, or is in the answer twice\n"},
		{"nothing at all", answer(http.StatusOK, "application/json", `{}`), choose, exitDone, input + "\n", "inroad: all inputs are to be run: error: URL: incomplete or invalid answer: the model has no ID\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(c.handler)
			defer server.Close()
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), append(slices.Clone(c.args), "--server", server.URL), strings.NewReader(""), &stdout, &stderr)
			told := strings.ReplaceAll(stderr.String(), server.URL, "URL")
			if code != c.code || stdout.String() != c.stdout || !strings.Contains(told, c.stderr) {
				t.Errorf("exit code %d, stdout %q, stderr %q; want %d, %q, %q", code, &stdout, told, c.code, c.stdout, c.stderr)
			}
		})
	}
}
