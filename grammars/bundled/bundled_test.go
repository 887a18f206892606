package bundled_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// samples returns the texts in testdata/GRAMMAR/KIND by file name, in order.
func samples(t *testing.T, grammar, kind string) (names []string, texts [][]byte) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", grammar, kind, "*"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no %s samples of %s: %v", kind, grammar, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		names, texts = append(names, filepath.Base(path)), append(texts, text)
	}
	return names, texts
}

func TestNamesAndSources(t *testing.T) {
	want := []string{
		"css",
		"csv",
		"expr",
		"ini",
		"javascript",
		"json",
		"sql",
		"url",
		"xml",
	}
	if diff := cmp.Diff(want, bundled.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	for _, name := range []string{"", "nowhere", "json.g4", "../bundled/json", "JSON"} {
		_, err := bundled.Load(t.Context(), name)
		if got, want := fmt.Sprint(err), fmt.Sprintf("unknown bundled grammar %q; available: %s", name, strings.Join(bundled.Names(), ", ")); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestLoadWithoutWarnings(t *testing.T) {
	for _, name := range bundled.Names() {
		g, err := bundled.Load(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Warnings) > 0 || !g.Exact() || g.Name != name || g.Start != name {
			t.Errorf("%s: name %s, start rule %s, exact %v, warnings %v", name, g.Name, g.Start, g.Exact(), g.Warnings)
		}
	}
}

// TestGoodSamples checks that good samples parse, and that their trees print
// back byte for byte.
func TestGoodSamples(t *testing.T) {
	for _, grammar := range bundled.Names() {
		g, err := bundled.Load(t.Context(), grammar)
		if err != nil {
			t.Fatal(err)
		}
		names, texts := samples(t, grammar, "good")
		for i, text := range texts {
			t.Run(grammar+"/"+names[i], func(t *testing.T) {
				tree, err := g.Parse(t.Context(), text, grammars.ParseOptions{})
				if err != nil {
					t.Fatalf("%q: %v", text, err)
				}
				if got := tree.String(); got != string(text) {
					t.Errorf("%q prints as %q", text, got)
				}
			})
		}
	}
}

// TestBadSamples checks that bad samples are rejected with the errors in
// testdata/GRAMMAR/bad.golden.
func TestBadSamples(t *testing.T) {
	for _, grammar := range bundled.Names() {
		g, err := bundled.Load(t.Context(), grammar)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		names, texts := samples(t, grammar, "bad")
		for i, text := range texts {
			_, err := g.Parse(t.Context(), text, grammars.ParseOptions{})
			if err == nil {
				t.Errorf("%s was parsed: %q", names[i], text)
			}
			fmt.Fprintf(&got, "%s:%v\n", names[i], err)
		}
		path := filepath.Join("testdata", grammar, "bad.golden")
		if *update {
			if err := os.WriteFile(path, []byte(got.String()), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}
