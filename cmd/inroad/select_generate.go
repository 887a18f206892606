package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/inroad/inroad/api/outfile"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/targeting/aim"
	"github.com/inroad/inroad/targeting/selection"
)

// makeInputs makes inputs for changed methods that few inputs of the corpus
// reach, and adds them to the selection.
func (opt *selectOptions) makeInputs(ctx context.Context, m *model.Model, p *selection.Predictions, s *selection.Selection) error {
	thin := s.Undertested(p, opt.generate)
	if len(thin) == 0 {
		return nil
	}
	aimer, err := aim.New(m)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(opt.generateDir, 0o755); err != nil { //nolint:gosec // inputs are for others to read
		return fmt.Errorf("--generate-dir %s: %w", printable(opt.generateDir), cause(err))
	}
	for _, lack := range thin {
		r := rand.New(rand.NewPCG(opt.selection.Seed, uint64(lack.Unit)))
		inputs, misses, err := aimer.Find(ctx, r, []int{lack.Unit}, nil, aim.Options{N: lack.Missing})
		if err != nil {
			return err
		}
		for _, miss := range misses {
			fmt.Fprintf(opt.stderr, "inroad: note: no input was made for %s: %s\n", printable(m.Units[miss.Unit].ID), printable(miss.Err.Error()))
		}
		for _, in := range inputs {
			digest := selection.DigestOf(in.Text)
			name := filepath.Join(opt.generateDir, digest.String()[:16]+"."+strings.ToLower(m.Grammar.Name))
			err := outfile.Write(name, 0o644, func(w io.Writer) error {
				_, err := w.Write(in.Text)
				return err
			})
			if err != nil {
				return fmt.Errorf("--generate-dir %s: %w", printable(opt.generateDir), cause(err))
			}
			input := selection.Input{Path: filepath.ToSlash(name), Digest: digest, Size: len(in.Text)}
			s.Add(input, opt.selection.Costs.Of(input), selection.Reason{Kind: selection.Generated, Unit: m.Units[lack.Unit].ID, Chance: in.Probability})
		}
	}
	return nil
}
