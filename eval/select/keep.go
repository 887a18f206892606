package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// A keeper is a bench that caches the behaviour of mutants in a folder. Running
// mutants takes most of the time, and other selection options do not change it.
type keeper struct {
	bench
	dir     string
	library library
}

// A kept is the cached behaviour of a mutant.
type kept struct {
	BuildError string   `json:"build_error,omitempty"`
	Behaviour  []string `json:"behaviour,omitempty"`
}

func (k *keeper) behaviour(ctx context.Context, m *mutant, inputs [][]byte) ([]string, error) {
	if m == nil { // not cached: it shows whether the environment changed
		return k.bench.behaviour(ctx, m, inputs)
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%#v\n%q\n%s\n%q", k.library, m.file, m.text, inputs)
	file := filepath.Join(k.dir, fmt.Sprintf("%x.json", hash.Sum(nil)[:16]))
	var out kept
	if text, err := os.ReadFile(file); err == nil {
		if err := json.Unmarshal(text, &out); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		return out.result()
	}
	behaviour, err := k.bench.behaviour(ctx, m, inputs)
	switch {
	case err == nil:
		out.Behaviour = behaviour
	case errors.Is(err, errBuild) && ctx.Err() == nil:
		out.BuildError = err.Error()
	default:
		return nil, err
	}
	text, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	return out.result()
}

func (k *kept) result() ([]string, error) {
	if k.BuildError != "" {
		return nil, fmt.Errorf("%w: %s", errBuild, k.BuildError)
	}
	return k.Behaviour, nil
}
