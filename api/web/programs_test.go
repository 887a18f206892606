package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inroad/inroad/api/server"
	"github.com/inroad/inroad/api/store"
)

// markup is a name that a careless page would run.
const markup = "<img src=x onerror=alert(1)>\u202e"

// TestPrograms runs test/programs.mjs.
func TestPrograms(t *testing.T) {
	node, chromium := browser(t)
	t.Parallel()
	st := newStore(t)
	demo := distributiveObservations(t)
	train(t, st, "demo", demo)
	observe(t, st, "calc", "broken", failures(t, 3))
	observe(t, st, "calc", "", demo)
	observe(t, st, markup, "older", failures(t, 3))
	observe(t, st, markup, "newer", failures(t, 30))
	before, after := changedProgram(t)
	observe(t, st, "next", "", before)
	train(t, st, "next-before", before)
	train(t, st, "next-after", after)
	locked := newStore(t)
	observe(t, locked, "calc", "", demo)
	keys := map[string]string{}
	for name, scopes := range map[string][]store.Scope{"READ": {"read"}, "WRITE": {"read", "write"}} {
		_, key, err := locked.NewKey(t.Context(), store.Key{Name: name, Scopes: scopes})
		if err != nil {
			t.Fatal(err)
		}
		keys[name] = key
	}
	many := newStore(t)
	for i := range 101 {
		observe(t, many, fmt.Sprintf("program%03d", i), "c", []byte(`{"input":"1"}`))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	runNode(ctx, t, node, "test/programs.mjs", "CHROMIUM="+chromium, "INROAD_PAGE="+serveJobs(t, st, false), "INROAD_PAGE_MANY="+serve(t, many, false),
		"INROAD_PAGE_LOCKED="+serveJobs(t, locked, true), "INROAD_PAGE_READ="+keys["READ"], "INROAD_PAGE_WRITE="+keys["WRITE"])
}

// serveJobs serves a store, runs its jobs, and returns its URL.
func serveJobs(t *testing.T, st store.Store, needKeys bool) string {
	t.Helper()
	s, err := server.New(server.Config{Store: st, Version: "test", NeedKeys: needKeys, MaxWait: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return "http://" + listener.Addr().String()
}

// observe stores observations of a program.
func observe(t *testing.T, st store.Store, subject, commit string, text []byte) {
	t.Helper()
	header, all := readAll(text)
	if _, err := st.AddObservations(t.Context(), subject, commit, header.Units, all); err != nil {
		t.Fatal(err)
	}
}

// changedProgram returns observations of the program "next" before and after a
// change. Inputs with a sign reach its method foldSign, after the change only those without a product.
func changedProgram(t *testing.T) (before, after []byte) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 0))
	var out [2]bytes.Buffer
	for i := range out {
		out[i].WriteString(`{"inroad":"observations/1","subject":"next"}` + "\n")
	}
	for range 1000 {
		terms := []string{fmt.Sprint(r.IntN(100))}
		for _, term := range []string{"-x", "2*y", "(z)", "3%4"} {
			if r.IntN(2) == 0 {
				terms = append(terms, term)
			}
		}
		sign, product := slices.Contains(terms, "-x"), slices.Contains(terms, "2*y")
		r.Shuffle(len(terms), func(i, j int) { terms[i], terms[j] = terms[j], terms[i] })
		for i, reached := range []bool{sign, sign && !product} {
			methods := []string{"fold.go#fold"}
			if reached {
				methods = append(methods, "fold.go#foldSign")
			}
			if err := json.NewEncoder(&out[i]).Encode(map[string]any{"input": strings.Join(terms, "+"), "methods": methods}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out[0].Bytes(), out[1].Bytes()
}

// failures returns observations with n distinct crashes, of which the first has two
// observations, a timeout, and a failure whose input is not UTF-8.
func failures(t *testing.T, n int) []byte {
	t.Helper()
	var out bytes.Buffer
	line := json.NewEncoder(&out)
	encode := func(v map[string]any) {
		if err := line.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 20 {
		encode(map[string]any{"input": fmt.Sprint(i), "methods": []string{"a.go#a"}})
	}
	for i := range n {
		failure := map[string]any{"type": markup, "message": markup + "\nindex out of range", "stack": fmt.Sprintf("%02d%s", i, markup)}
		encode(map[string]any{"input": fmt.Sprintf("x*%d+%s", i, markup), "name": markup, "methods": []string{"a.go#a"}, "outcome": "crash", "failure": failure})
		if i == 0 {
			encode(map[string]any{"input": "x*(y", "methods": []string{"a.go#a"}, "outcome": "crash", "failure": failure})
		}
	}
	encode(map[string]any{"input": "1+1", "outcome": "timeout"})
	encode(map[string]any{"input_base64": "/wA=", "outcome": "failure"})
	return out.Bytes()
}
