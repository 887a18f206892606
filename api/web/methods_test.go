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
	putModel(t, st, "real", trainReal(ctx, t))
	runNode(ctx, t, node, "test/methods.mjs", "CHROMIUM="+chromium, "INROAD_PAGE="+serve(t, st, false))
}

// firstLines returns the first lines of a text.
func firstLines(text []byte, n int) []byte {
	return bytes.Join(bytes.SplitAfterN(text, []byte("\n"), n+1)[:n], nil)
}

// trainReal observes the type checker and the formatter of Go's standard library on
// generated expressions, and trains a model.
func trainReal(ctx context.Context, t *testing.T) *model.Model {
	t.Helper()
	dir := t.TempDir()
	inroad := build(ctx, t, dir)
	observations, file := filepath.Join(dir, "o.ndjson"), filepath.Join(dir, "check.model")
	cmd := exec.CommandContext(ctx, inroad, "observe", "--go", "./.Check", "--cover", "go/...", "--cover", "math/big", "--generate", "200", "--grammar", "expr", "--out", observations)
	cmd.Dir = "testdata/check"
	run(t, cmd)
	run(t, exec.CommandContext(ctx, inroad, "train", "--grammar", "expr", "--observations", observations, "--out", file))
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.ReadModel(ctx, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := len(m.Units); got < 1000 {
		t.Errorf("the model has %d methods, want at least 1,000", got)
	}
	return m
}
