package generate

import (
	"context"
	"iter"
	"math/rand/v2"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/inroad/inroad/grammars"
)

// Each makes n inputs with so many workers. Each input is drawn from a source of
// its own, which the seed and its place give, so that the inputs are the same
// whatever the number of workers. They come in order; after an error none does.
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

// fill makes the inputs of a batch, the first of which is the from-th of all.
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
