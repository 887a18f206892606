package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/model/store"
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
	server, err := api.New(api.Config{Store: st, NeedKeys: needKeys})
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
