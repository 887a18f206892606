package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"github.com/inroad/inroad/targeting/selection"
)

const javaSource = `package p;

public class P {
    // Offsets of bytes are not those of characters: äöü.
    public static String count(String s) {
        int n = 0;
        for (int i = 0; i < s.length(); ) {
            if (s.charAt(i) == '&') {
                n += 0x10;
            }
            i = next(i);
        }
        return
            n + "";
    }

    static int next(int i) {
        return i + 1;
    }
}
`

// repository serves a jar of the source and one of its class, as Maven does.
func repository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("javac"); err != nil {
		t.Skip("there is no JDK")
	}
	dir := t.TempDir()
	sources, classes := filepath.Join(dir, "sources"), filepath.Join(dir, "classes")
	if err := os.MkdirAll(filepath.Join(sources, "p"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(sources, "p", "P.java")
	if err := os.WriteFile(file, []byte(javaSource), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "javac", "-g", "-encoding", "UTF-8", "-d", classes, file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	jars := map[string][]byte{"p-1-sources.jar": jar(t, sources), "p-1.jar": jar(t, classes)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(jars[path.Base(r.URL.Path)]) // a client that is gone fails the test elsewhere
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func jar(t *testing.T, dir string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	if err := errors.Join(w.AddFS(os.DirFS(dir)), w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestJava changes a library, and sees what the changes do.
func TestJava(t *testing.T) {
	library := javaLibrary{"p:p:1", "p", "p.P", "return P.count(input);"}
	b, err := library.prepare(t.Context(), options{maven: repository(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := b.close(); err != nil {
			t.Error(err)
		}
	}()
	mutants, err := b.mutants(t.Context(), map[string]map[int]bool{"p/P.java": {5: true}})
	if err != nil {
		t.Fatal(err)
	}
	inputs := [][]byte{[]byte("&"), {}, []byte("'")}
	before, err := steady(t.Context(), b, inputs)
	if err != nil || len(before) != len(inputs) || slices.Contains(before, "") {
		t.Fatalf("behaviour %q, %v", before, err)
	}
	want := map[string]string{ // by the change: the numbers of inputs that behave differently
		"6: 0 to 1 at 17": "012", "7: 0 to 1 at 22": "0", "7: < to <= at 27": "012", "8: negated at 17": "02", "8: == to != at 29": "02",
		"8: '&' to '\\'' at 32": "02", "9: 0x10 to 17 at 22": "0", "9: left out at 17": "0", "14: + to - at 15": "not built",
		"11: left out at 13": "02", // it does not end, if there is anything to read
	}
	got := map[string]string{}
	for _, m := range mutants {
		files, err := selection.ParseDiff(m.diff)
		if err != nil || len(files) != 1 || files[0].Hunks[0].Start != m.line || m.function != 5 {
			t.Errorf("%s at %d: %v, %v", m.what, m.line, files, err)
		}
		after, err := b.behaviour(t.Context(), &m, inputs)
		differ := ""
		for i := range after {
			if after[i] != before[i] {
				differ += fmt.Sprint(i)
			}
		}
		if errors.Is(err, errBuild) {
			differ, err = "not built", nil
		}
		if err != nil {
			t.Errorf("%s at %d: %v", m.what, m.line, err)
		}
		got[fmt.Sprintf("%d: %s", m.line, m.what)] = differ
	}
	if !maps.Equal(got, want) {
		t.Errorf("inputs that differ: %v, want %v", got, want)
	}
}
