package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/selection"
)

// measureObserved selects inputs for a change to each observed unit. The program
// is not run, so it may be in any language.
func measureObserved(ctx context.Context, file string, opt options, stdout io.Writer) error {
	header, observed, err := readObservations(file)
	if err != nil {
		return err
	}
	if len(observed) < 2*opt.inputs {
		return fmt.Errorf("%d observations: must have at least %d (twice -inputs)", len(observed), 2*opt.inputs)
	}
	sources, err := bundled.Sources(opt.grammar)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(opt.seed, 4))
	r.Shuffle(len(observed), func(i, j int) { observed[i], observed[j] = observed[j], observed[i] })
	return reportObserved(ctx, filepath.Base(file), sources, header, observed, opt, stdout)
}

func reportObserved(ctx context.Context, name string, sources []grammars.Source, header observation.Header, observed []observation.Observation, opt options, stdout io.Writer) error {
	s, err := newStudy(ctx, sources, header, observed, opt)
	if err != nil {
		return err
	}
	var results []result
	for i, u := range s.model.Units {
		if slices.ContainsFunc(s.executed, func(e map[string]bool) bool { return e[u.ID] }) {
			results = append(results, s.selectInputs(selection.Change{Units: []int{i}}, func(int) bool { return false }, opt.ways()[0].with))
		}
	}
	report(stdout, name, results, len(s.corpus))
	return nil
}

func readObservations(name string) (observation.Header, []observation.Observation, error) {
	file, err := os.Open(name)
	if err != nil {
		return observation.Header{}, nil, err
	}
	defer func() { _ = file.Close() }() // read only
	var out []observation.Observation
	for r := observation.NewReader(file); ; {
		o, err := r.Next()
		if errors.Is(err, io.EOF) {
			return r.Header(), out, nil
		}
		if err != nil {
			return observation.Header{}, nil, err
		}
		if o.Methods != nil {
			out = append(out, o)
		}
	}
}
