package generate

import (
	"context"
	"fmt"
	"slices"

	"github.com/inroad/inroad/features"
)

// A Forest generates sets of inputs with increasing path coverage: each set covers
// a random share of the paths, the last set all of them.
type Forest struct {
	x     *Generator
	k     int
	sets  int
	opt   CoverOptions
	space *features.Space
	paths []features.Path

	set   int // the number of the current set, from 1
	cover *Cover
}

// NewForest returns a forest of several sets for paths of length k.
func NewForest(x *Generator, k, sets int, opt CoverOptions) (*Forest, error) {
	all, err := NewCover(x, k, opt)
	if err != nil {
		return nil, err
	}
	if sets < 1 {
		return nil, fmt.Errorf("forest of %d sets: must have at least 1", sets)
	}
	return &Forest{x: x, k: k, sets: sets, opt: opt, space: all.space, paths: all.paths}, nil
}

// Next returns the next input and the number of its set, from 1. The input is nil
// after the last.
func (f *Forest) Next(ctx context.Context) (set int, input *Input, err error) {
	for {
		if f.cover != nil {
			input, err := f.cover.Next(ctx)
			if input != nil || err != nil {
				return f.set, input, err
			}
		}
		if f.set == f.sets {
			return f.set, nil, nil
		}
		f.set++
		f.cover = newCover(f.x, f.k, f.opt, f.space, f.part(f.set))
	}
}

// part draws the paths of a set at random. Set i of n gets a share of i/n of all
// paths.
func (f *Forest) part(set int) []features.Path {
	out := slices.Clone(f.paths)
	f.x.rand.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:(len(out)*set+f.sets-1)/f.sets]
}
