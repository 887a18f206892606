package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/inroad/inroad/eval/internal/input"
	"github.com/inroad/inroad/grammars/bundled"
)

// The parts of the inputs: models of unseen inputs learn from training, and
// inputs are selected from corpus.
const (
	training = "training"
	corpus   = "corpus"
)

// inputs are the inputs of a library, in files of the folder dir. They are made
// once, so that all commits and all versions of inroad have the same.
type inputs struct {
	dir   string
	parts map[string][]string // digests of the inputs, in the order of their files
}

// nameOf returns the name of the input with an index in a part.
func nameOf(i int) string { return fmt.Sprintf("%05d", i) }

// makeInputs returns n inputs of each part. Samples of the repository are part of
// the corpus.
func makeInputs(ctx context.Context, l *library, clone repository, dir string, n int, seed uint64) (*inputs, error) {
	list := dir + ".json"
	out := &inputs{dir: dir, parts: map[string][]string{}}
	if text, err := os.ReadFile(list); err == nil {
		return out, json.Unmarshal(text, &out.parts)
	}
	sources, err := bundled.Sources(l.Grammar)
	if err != nil {
		return nil, err
	}
	all, err := samples(ctx, l, clone, n/4)
	if err != nil {
		return nil, err
	}
	generated, err := input.Mix(ctx, sources, 2*n, seed)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, text := range append(all, generated...) {
		sum := sha256.Sum256(text)
		digest := hex.EncodeToString(sum[:])
		part := corpus
		if len(out.parts[corpus]) == n {
			part = training
		}
		if seen[digest] || len(out.parts[part]) == n {
			continue
		}
		seen[digest] = true
		file := filepath.Join(dir, part, nameOf(len(out.parts[part])))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return nil, err
		}
		out.parts[part] = append(out.parts[part], digest)
	}
	text, err := json.Marshal(out.parts)
	if err != nil {
		return nil, err
	}
	return out, os.WriteFile(list, text, 0o600)
}

// samples returns up to n inputs of the repository, of at most 64 KiB each.
func samples(ctx context.Context, l *library, clone repository, n int) ([][]byte, error) {
	if len(l.Samples) == 0 {
		return nil, nil
	}
	list, err := clone.git(ctx, append([]string{"ls-files", "-z", "--with-tree=" + l.At, "--"}, l.Samples...)...)
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for _, name := range strings.Split(list, "\x00") {
		if name == "" || len(out) == n {
			continue
		}
		text, err := clone.git(ctx, "show", l.At+":"+name)
		if err != nil {
			return nil, err
		}
		if len(text) <= 64<<10 {
			out = append(out, []byte(text))
		}
	}
	return out, nil
}
