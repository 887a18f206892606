// Package input generates the corpora that selections are measured on.
package input

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/targeting/generate"
)

// Mix generates distinct inputs: half of them to cover paths, half random
// in various sizes. One in ten is then damaged.
func Mix(ctx context.Context, sources []grammars.Source, n int, seed uint64) ([][]byte, error) {
	g, err := grammars.Load(ctx, sources...)
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(seed, 1))
	var out [][]byte
	seen := map[string]bool{}
	add := func(text []byte) {
		if r.IntN(10) == 0 && len(text) > 0 {
			at := r.IntN(len(text))
			text = slices.Concat(text[:at], text[at+1:])
		}
		if !seen[string(text)] {
			seen[string(text)] = true
			out = append(out, slices.Clone(text))
		}
	}
	for round := 0; len(out) < n; round++ {
		x, err := generate.New(g, r, generate.Options{MaxNodes: []int{20, 50, 100}[round%3], Spacing: spacing(round)}) //nolint:contextcheck // reading one token back is bounded and takes no context
		if err != nil {
			return nil, err
		}
		cover, err := generate.NewCover(x, 2+round%2, generate.CoverOptions{})
		if err != nil {
			return nil, err
		}
		before := len(out)
		for input, err := cover.Next(ctx); input != nil || err != nil; input, err = cover.Next(ctx) {
			if err != nil {
				return nil, err
			}
			add(input.Text)
		}
		drawn, err := generate.New(g, r, generate.Options{MaxDepth: []int{6, 10, 15, 20, 30}[round%5], MaxRepeat: []int{2, 4, 10}[round%3], Spacing: spacing(round)}) //nolint:contextcheck // reading one token back is bounded and takes no context
		if err != nil {
			return nil, err
		}
		for range max(len(out)-before, 10) {
			input, err := drawn.Next(ctx)
			if err != nil {
				return nil, err
			}
			add(input.Text)
		}
	}
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:n], nil
}

func spacing(round int) generate.Spacing {
	return []generate.Spacing{generate.Compact, generate.RandomSpacing, generate.Spaced}[round%3]
}
