package generate

import (
	"context"
	"fmt"
	"slices"

	"github.com/inroad/inroad/features"
)

// A Forest makes sets of inputs that together range over the whole of path
// coverage: each is made for a random part of the paths, the last for all.
type Forest struct {
	x     *Generator
	k     int
	sets  int
	opt   CoverOptions
	space *features.Space
	paths []features.Path

	set   int // the set that is under way, from 1
	cover *Cover
}

// NewForest returns a forest of so many sets, for paths of length k.
func NewForest(x *Generator, k, sets int, opt CoverOptions) (*Forest, error) {
	all, err := NewCover(x, k, opt)
	if err != nil {
		return nil, err
	}
	if sets < 1 {
		return nil, fmt.Errorf("a forest of %d sets", sets)
	}
	return &Forest{x: x, k: k, sets: sets, opt: opt, space: all.space, paths: all.paths}, nil
}

// Next makes an input, and tells which set it belongs to, counting from 1. The
// input is nil when there is none left.
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

// part draws the paths of a set: as large a share of all as it is on the way to
// the last.
func (f *Forest) part(set int) []features.Path {
	out := slices.Clone(f.paths)
	f.x.rand.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:(len(out)*set+f.sets-1)/f.sets]
}
