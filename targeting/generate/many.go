package generate

import (
	"context"
	"iter"
	"math/rand/v2"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/inroad/inroad/grammars"
)

// Each generates n inputs on several workers. The randomness of an input depends
// only on the seed and the input's index, so that the inputs are the same for any
// number of workers. They are yielded in order; an error is the last value.
func Each(ctx context.Context, g *grammars.Grammar, opt Options, seed uint64, n, workers int) iter.Seq2[*Input, error] {
	return func(yield func(*Input, error) bool) {
		generators := make([]*Generator, max(min(workers, n), 1))
		for i := range generators {
			x, err := New(g, rand.New(rand.NewPCG(seed, 0)), opt) //nolint:contextcheck // reading one token back is bounded and takes no context
			if err != nil {
				yield(nil, err)
				return
			}
			generators[i] = x
		}
		inputs := make([]*Input, 64*len(generators))
		for from := 0; from < n; from += len(inputs) {
			batch := inputs[:min(len(inputs), n-from)]
			if err := fill(ctx, generators, batch, seed, uint64(from)); err != nil {
				yield(nil, err)
				return
			}
			for _, input := range batch {
				if !yield(input, nil) {
					return
				}
			}
		}
	}
}

// fill generates the inputs of a batch. The index of the first is from.
func fill(ctx context.Context, generators []*Generator, batch []*Input, seed, from uint64) error {
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for _, x := range generators {
		group.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(batch) {
					return nil
				}
				x.rand = rand.New(rand.NewPCG(seed, from+uint64(i)+1))
				input, err := x.Next(ctx)
				if err != nil {
					return err
				}
				batch[i] = input
			}
		})
	}
	return group.Wait()
}
