package web_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/inroad/inroad/model"
)

// TestMethodsPage runs test/methods.mjs on a service with a model of a real program, a
// model of 3,000 methods, and three models of one program.
func TestMethodsPage(t *testing.T) {
	node, chromium := browser(t)
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	st := newStore(t)
	train(t, st, "large", manyMethods(t))
	demo := distributiveObservations(t)
	train(t, st, "first", bytes.ReplaceAll(firstLines(demo, 200), []byte("distributiveRule"), []byte("oldRule")))
	train(t, st, "second", firstLines(demo, 60))
	train(t, st, "third", demo)
	whole, half, observations := trainReal(ctx, t)
	putModel(t, st, "half", half)
	putModel(t, st, "real", whole)
	observe(t, st, whole.Subject, whole.Commit, observations)
	runNode(ctx, t, node, "test/methods.mjs", "CHROMIUM="+chromium, "INROAD_PAGE="+serve(t, st, false))
}

// firstLines returns the first lines of a text.
func firstLines(text []byte, n int) []byte {
	return bytes.Join(bytes.SplitAfterN(text, []byte("\n"), n+1)[:n], nil)
}

// trainReal observes the type checker and the formatter of Go's standard library on
// generated expressions, and trains a model on all observations and one on half of them.
func trainReal(ctx context.Context, t *testing.T) (whole, half *model.Model, seen []byte) {
	t.Helper()
	dir := t.TempDir()
	inroad := build(ctx, t, dir)
	observations, first := filepath.Join(dir, "o.ndjson"), filepath.Join(dir, "half.ndjson")
	cmd := exec.CommandContext(ctx, inroad, "observe", "--go", "./.Check", "--cover", "go/...", "--cover", "math/big", "--generate", "200", "--grammar", "expr", "--out", observations)
	cmd.Dir = "testdata/check"
	run(t, cmd)
	seen, err := os.ReadFile(observations)
	if err == nil {
		err = os.WriteFile(first, firstLines(seen, bytes.Count(seen, []byte("\n"))/2), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	whole, half = trainFile(ctx, t, inroad, observations), trainFile(ctx, t, inroad, first)
	if got := len(whole.Units); got < 1000 {
		t.Errorf("the model has %d methods, want at least 1,000", got)
	}
	return whole, half, seen
}

// trainFile trains a model on the observations in a file.
func trainFile(ctx context.Context, t *testing.T, inroad, observations string) *model.Model {
	t.Helper()
	file := observations + ".model"
	run(t, exec.CommandContext(ctx, inroad, "train", "--grammar", "expr", "--observations", observations, "--out", file))
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.ReadModel(ctx, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}
