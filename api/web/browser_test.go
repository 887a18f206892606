package web_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/server"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
	"github.com/inroad/inroad/examples/distributive"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
)

// TestBrowser runs test/browser.mjs.
func TestBrowser(t *testing.T) {
	node, chromium := browser(t)
	t.Parallel()
	open := newStore(t)
	train(t, open, "demo", distributiveObservations(t))
	train(t, open, "large", manyMethods(t))
	locked := newStore(t)
	_, key, err := locked.NewKey(t.Context(), store.Key{Name: "page", Scopes: []store.Scope{"read"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	runNode(ctx, t, node, "test/browser.mjs", "CHROMIUM="+chromium, "INROAD_PAGE="+serve(t, open, false), "INROAD_PAGE_LOCKED="+serve(t, locked, true), "INROAD_PAGE_KEY="+key)
}

var browserFlag = flag.Bool("browser", false, "test the page in a browser, too")

// browser returns the commands of Node and Chromium. It skips the test without -browser,
// or if they, or the packages that npm ci installs, are missing.
func browser(t *testing.T) (node, chromium string) {
	t.Helper()
	if !*browserFlag {
		t.Skip("browser tests skipped: no -browser")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("browser tests skipped: node is not installed")
	}
	if _, err := os.Stat("node_modules/playwright-core"); err != nil {
		t.Skip("browser tests skipped: run npm ci in api/web")
	}
	if chromium, err = exec.LookPath("chromium"); err != nil {
		t.Skip("browser tests skipped: chromium is not installed")
	}
	return node, chromium
}

func newStore(t *testing.T) *bolt.Store {
	t.Helper()
	st, err := bolt.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return st
}

// serve serves a store and returns its URL.
func serve(t *testing.T, st *bolt.Store, needKeys bool) string {
	t.Helper()
	// Whether the machine has much else to do is not what is tested.
	s, err := server.New(server.Config{Store: st, Version: "test", NeedKeys: needKeys, MaxWait: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	running := httptest.NewServer(s)
	t.Cleanup(running.Close)
	return running.URL
}

// train trains a model of observations of expressions, and stores it under a name.
func train(t *testing.T, st *bolt.Store, name string, text []byte) {
	t.Helper()
	r := observation.NewReader(bytes.NewReader(text))
	var all []observation.Observation
	for o, err := r.Next(); err == nil; o, err = r.Next() {
		all = append(all, o)
	}
	sources, err := bundled.Sources("expr")
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.Train(t.Context(), "", sources, r.Header(), all, model.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	putModel(t, st, name, m)
}

// putModel stores a model under a name.
func putModel(t *testing.T, st *bolt.Store, name string, m *model.Model) {
	t.Helper()
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		t.Fatal(err)
	}
	if _, err := st.PutModel(t.Context(), store.Model{
		ID: m.Digest, Subject: m.Subject, Grammar: "expr", Quality: api.AppendJSON(nil, api.NewModel(m).Quality()),
	}, file.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := st.PutAlias(t.Context(), store.Alias{Name: name, Model: m.Digest}); err != nil {
		t.Fatal(err)
	}
}

func distributiveObservations(t *testing.T) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(distributive.Observations))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := out.ReadFrom(r); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// manyMethods returns observations of a program with 3,000 methods, some of which have
// names with markup and control characters.
func manyMethods(t *testing.T) []byte {
	t.Helper()
	const methods, files, inputs = 3000, 40, 120
	names := make([]string, methods)
	units := make([]map[string]any, methods)
	for i := range names {
		names[i] = fmt.Sprintf("file%d.go#m%d", i%files, i)
		if i%50 == 3 {
			names[i] = fmt.Sprintf("<b>\t%d.go#<img src=x onerror=alert(1)>\u202e%d", i%files, i)
		}
		units[i] = map[string]any{"id": names[i]}
	}
	var out bytes.Buffer
	line := json.NewEncoder(&out)
	encode := func(v any) {
		if err := line.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	encode(map[string]any{"inroad": "observations/1", "subject": "<i>large</i>", "units": units})
	for i := range inputs {
		input := fmt.Sprint(i)
		for bit, part := range []string{"+x", "*y", "-(z)", "%+x"} {
			if i>>bit&1 == 1 {
				input += part
			}
		}
		var reached []string
		for m, name := range names {
			// Some methods are always reached, some never, the others by inputs with a construct.
			if group := m % 6; group == 4 || group < 4 && i>>group&1 == 1 {
				reached = append(reached, name)
			}
		}
		encode(map[string]any{"input": input, "methods": reached})
	}
	return out.Bytes()
}
