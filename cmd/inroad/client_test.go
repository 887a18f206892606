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

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/inroad/inroad/api/server"
	"github.com/inroad/inroad/api/store"
)

// TestServer types commands that ask a service, each script one of its own at
// $SERVER. The command same has a command do its work itself and then at the
// service, and sees that both print the same and end the same. MODEL stands for
// $WORK/toy.model, and for the newest model of the service.
func TestServer(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/server",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup: func(env *testscript.Env) error {
			url, _, err := startServer(env, filepath.Join(env.WorkDir, ".open.db"), false)
			env.Setenv("SERVER", url)
			if err != nil {
				return err
			}
			url, secret, err := startServer(env, filepath.Join(env.WorkDir, ".keyed.db"), true)
			env.Setenv("KEYED", url)
			env.Setenv("READER", secret)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"same": same},
	})
}

// startServer starts a service for a script, and returns its address and a key
// to read with.
func startServer(env *testscript.Env, path string, needKeys bool) (url, secret string, err error) {
	st, err := store.Open(path, store.Options{})
	if err != nil {
		return "", "", err
	}
	if _, secret, err = st.NewKey(store.Key{Name: "reader", Scopes: []store.Scope{store.ScopeRead}}); err != nil {
		return "", "", err
	}
	server, err := server.New(server.Config{Store: st, NeedKeys: needKeys})
	if err != nil {
		return "", "", err
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return "", "", err
	}
	ctx, end := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Run(ctx, listener) }()
	env.Defer(func() {
		end()
		<-done
		st.Close()
	})
	return "http://" + listener.Addr().String(), secret, nil
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

// TestStrangeServers asks what is no service, or one that lies.
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
		{"a page", answer(http.StatusOK, "text/html", "<html>"), parse, exitWrong, "", "inroad: URL: the answer broke off: invalid character '<' looking for beginning of value\n"},
		{"a gateway", answer(http.StatusBadGateway, "text/html", "<html>"), parse, exitWrong, "", "inroad: URL: it answers 502 Bad Gateway, which no service of inroad does\n"},
		{"another way", http.RedirectHandler("/elsewhere", http.StatusFound), parse, exitWrong, "", "inroad: URL: it answers 302 Found, which no service of inroad does\n"},
		{"half an answer", answer(http.StatusOK, "application/json", `{"id":`), parse, exitWrong, "", "inroad: URL: the answer broke off: unexpected EOF\n"},
		{"half a problem", answer(http.StatusNotFound, "application/problem+json", `{`), parse, exitWrong, "", "inroad: URL: it answers 404 Not Found, which no service of inroad does\n"},
		{"what is not to be run", chosen("/bin/sh"), choose, exitDone, input + "\n", "everything is called for: error: URL: it chose /bin/sh, which is no input, or twice\n"},
		{"nothing at all", answer(http.StatusOK, "application/json", `{}`), choose, exitDone, input + "\n", "everything is called for: "},
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

// TestInterruptedTraining cancels a training that nobody waits for any more.
func TestInterruptedTraining(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	say := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, text)
		}
	}
	const grammar = `{"id":"list","files":[{"name":"list.g4","text":"grammar list; list : '[' ']' EOF ;"}],"report":{"summary":{"start":"list"}}}`
	cancelled := make(chan struct{}, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/grammars/list", say(grammar))
	mux.HandleFunc("POST /v1/subjects/p/observations", say(`{"subject":"p"}`))
	mux.HandleFunc("POST /v1/models", say(`{"id":7,"state":"queued"}`))
	mux.HandleFunc("GET /v1/jobs/7/events", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "event: job\ndata: {\"id\":7,\"state\":\"running\"}\n\n")
		http.NewResponseController(w).Flush()
		interrupt()
		<-r.Context().Done()
	})
	mux.HandleFunc("DELETE /v1/jobs/7", func(w http.ResponseWriter, _ *http.Request) {
		cancelled <- struct{}{}
		w.WriteHeader(http.StatusAccepted)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	observations := strings.NewReader(`{"inroad":"observations/1","subject":"p"}` + "\n" + `{"input":"[]","methods":[]}` + "\n")
	var stdout, stderr bytes.Buffer
	code := run(ctx, []string{"train", "--grammar", "list", "--observations", "-", "--server", server.URL}, observations, &stdout, &stderr)
	if code != exitInterrupted || stdout.String() != "" || stderr.String() != "inroad: interrupted\n" {
		t.Errorf("got exit code %d, stdout %q, stderr %q; want 130 and interrupted", code, &stdout, &stderr)
	}
	select {
	case <-cancelled:
	default:
		t.Error("the training was not cancelled")
	}
}

// TestBusyServer asks again, with the same body, until a service has time.
func TestBusyServer(t *testing.T) {
	const grammar = `{"id":"list","files":[{"name":"list.g4","text":"grammar list; list : '[' ']' EOF ;"}],"report":{"summary":{"start":"list"}}}`
	for _, c := range []struct {
		name    string
		refused int // times
		code    int
		want    string
	}{
		{"at last", 3, exitDone, "(list [ ])\n"},
		{"never", 100, exitWrong, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var bodies []string
			mux := http.NewServeMux()
			mux.HandleFunc("GET /v1/grammars/list", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, grammar) })
			mux.HandleFunc("POST /v1/grammars/list/parses", func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if bodies = append(bodies, string(body)); len(bodies) > c.refused {
					io.WriteString(w, `{"exact":true,"tree":"(list [ ])"}`)
					return
				}
				w.Header().Set("Content-Type", "application/problem+json")
				w.Header().Set("Retry-After", "0")
				w.WriteHeader(http.StatusTooManyRequests)
				io.WriteString(w, `{"type":"urn:inroad:problem:busy","title":"There is too much to do","status":429}`)
			})
			server := httptest.NewServer(mux)
			defer server.Close()
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), []string{"parse", "--grammar", "list", "--server", server.URL}, strings.NewReader("[]"), &stdout, &stderr)
			if code != c.code || stdout.String() != c.want {
				t.Errorf("exit code %d, stdout %q, stderr %q; want %d and %q", code, &stdout, &stderr, c.code, c.want)
			}
			if c.code == exitWrong && !strings.Contains(stderr.String(), "There is too much to do") {
				t.Errorf("stderr %q does not say what is wrong", &stderr)
			}
			if len(bodies) != maxTries || len(slices.Compact(bodies)) != 1 {
				t.Errorf("asked with %q, want the same %d times", bodies, maxTries)
			}
		})
	}
}
