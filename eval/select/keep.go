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

// A keeper is a bench that remembers in a folder what mutants did. To run them is
// what takes time, and it need not be done again to choose in another way.
type keeper struct {
	bench
	dir     string
	library library
}

// What is kept of a mutant.
type kept struct {
	Trouble   string   `json:"trouble,omitempty"` // why it cannot be built
	Behaviour []string `json:"behaviour,omitempty"`
}

func (k *keeper) behaviour(ctx context.Context, m *mutant, inputs [][]byte) ([]string, error) {
	if m == nil { // it shows whether anything else than the library has changed
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
		out.Trouble = err.Error()
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
	if k.Trouble != "" {
		return nil, fmt.Errorf("%w: %s", errBuild, k.Trouble)
	}
	return k.Behaviour, nil
}
