package web_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/server"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
	"github.com/inroad/inroad/examples/distributive"
	"github.com/inroad/inroad/grammars"
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
	overruled := findOverruled(t, train(t, open, "votes", votes(t, 1)))
	train(t, open, "large", manyMethods(t))
	locked := newStore(t)
	_, key, err := locked.NewKey(t.Context(), store.Key{Name: "page", Scopes: []store.Scope{"read"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	runNode(ctx, t, node, "test/browser.mjs", "CHROMIUM="+chromium, "INROAD_PAGE="+serve(t, open, false), "INROAD_PAGE_LOCKED="+serve(t, locked, true), "INROAD_PAGE_KEY="+key,
		"INROAD_PAGE_OVERRULED="+overruled)
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

// readAll returns observations and their header.
func readAll(text []byte) (observation.Header, []observation.Observation) {
	r := observation.NewReader(bytes.NewReader(text))
	var all []observation.Observation
	for o, err := r.Next(); err == nil; o, err = r.Next() {
		all = append(all, o)
	}
	return r.Header(), all
}

// train trains a model of observations of expressions, and stores it under a name.
func train(t *testing.T, st *bolt.Store, name string, text []byte) *model.Model {
	t.Helper()
	header, all := readAll(text)
	sources, err := bundled.Sources("expr")
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.Train(t.Context(), "", sources, header, all, model.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	putModel(t, st, name, m)
	return m
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

// votes returns observations of a program whose method "most" is reached by the inputs
// with most of seven constructs, which a small decision tree cannot express.
func votes(t *testing.T, seed uint64) []byte {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	var out bytes.Buffer
	line := json.NewEncoder(&out)
	for range 150 {
		var terms []string
		for _, term := range []string{"x", "y", "(1)", "2*2", "3/3", "4%4", "-5"} {
			if r.IntN(2) == 0 {
				terms = append(terms, term)
			}
		}
		methods := []string{"read"}
		if len(terms) > 3 {
			methods = append(methods, "most")
		}
		for range 1 + r.IntN(6) { // so that the number of terms does not decide
			terms = append(terms, "6")
		}
		r.Shuffle(len(terms), func(i, j int) { terms[i], terms[j] = terms[j], terms[i] })
		if err := line.Encode(map[string]any{"input": strings.Join(terms, "+"), "methods": methods}); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// findOverruled returns an input for which a regression overrules the tree of the method "most".
func findOverruled(t *testing.T, m *model.Model) string {
	t.Helper()
	most := slices.IndexFunc(m.Units, func(u observation.Unit) bool { return u.ID == "most" })
	_, held := readAll(votes(t, 2))
	for _, o := range held {
		a, err := m.Predict(t.Context(), o.Input, grammars.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if a.Methods[most].Overruled {
			return string(o.Input)
		}
	}
	t.Fatal("no regression overrules the tree of most")
	return ""
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
