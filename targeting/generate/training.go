package generate

import (
	"context"
	"iter"
	"math/rand/v2"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// TrainingInputs yields n inputs to learn a model from. Every other input covers
// k-paths that the inputs before it do not cover; the rest are drawn at random, in
// many sizes. No two inputs are the same, as far as the grammar allows.
func TrainingInputs(ctx context.Context, g *grammars.Grammar, start string, seed uint64, n int) iter.Seq2[*Input, error] {
	return func(yield func(*Input, error) bool) {
		t := &training{grammar: g, start: start, seed: seed}
		seen := map[string]bool{}
		for done, tries := 0, 0; done < n; tries++ {
			next := t.covering
			if done%2 == 1 || tries > 20 { // another cover may have the same inputs
				next = t.random
			}
			input, err := next(ctx)
			if err != nil {
				yield(nil, err)
				return
			}
			if seen[string(input.Text)] && tries < 200 {
				continue
			}
			seen[string(input.Text)] = true
			if !yield(input, nil) {
				return
			}
			done, tries = done+1, -1
		}
	}
}

// TrainingMutants yields n inputs to learn a model from, after those of
// [TrainingInputs] with the same seed: mutants of inputs that the program accepted.
// A program stops where it refuses an input, so if it refuses most inputs, accepted
// ones teach more. Where the mutants run out, the rest are random.
func TrainingMutants(ctx context.Context, g *grammars.Grammar, start string, seed uint64, accepted []*derivation.Tree, n int) iter.Seq2[*Input, error] {
	return func(yield func(*Input, error) bool) {
		t := &training{grammar: g, start: start, seed: seed ^ 1<<63}
		x, err := t.generator(0, 0, Options{}) //nolint:contextcheck // reading one token back is bounded and takes no context
		if err != nil {
			yield(nil, err)
			return
		}
		done := 0
		for input, err := range x.Mutants(ctx, accepted, Mutations()...) {
			if done == n || !yield(input, err) || err != nil {
				return
			}
			done++
		}
		for ; done < n; done++ {
			if input, err := t.random(ctx); !yield(input, err) || err != nil {
				return
			}
		}
	}
}

// A training generates the inputs of [TrainingInputs].
type training struct {
	grammar *grammars.Grammar
	start   string
	seed    uint64

	cover *Cover // of this round; nil before it starts
	round int    // covers that are complete
	empty int    // consecutive covers without an input, up to the last

	generators [15]*Generator // one for each depth and number of repetitions
	turn       int            // random inputs so far
}

// generator returns a generator whose random choices depend only on the seed and the
// number.
func (t *training) generator(number, spacing int, opt Options) (*Generator, error) {
	opt.Start = t.start
	// Programs have code for white space and comments, too.
	opt.Spacing = []Spacing{Compact, RandomSpacing, Spaced}[spacing%3]
	return New(t.grammar, rand.New(rand.NewPCG(t.seed, uint64(number))), opt)
}

// covering returns the next input of a cover. When a cover is complete, another one
// with paths of another length and inputs of another size follows. If the covers find
// no input, it returns a random one.
func (t *training) covering(ctx context.Context) (*Input, error) {
	lengths, sizes := []int{2, 3}, []int{20, 50, 100}
	for t.empty < len(lengths) {
		if t.cover == nil {
			x, err := t.generator(t.round<<1, t.round/2, Options{MaxNodes: sizes[t.round%3]}) //nolint:contextcheck // reading one token back is bounded and takes no context
			if err == nil {
				t.cover, err = NewCover(x, lengths[t.round%2], CoverOptions{})
			}
			if err != nil {
				return nil, err
			}
			t.empty++
		}
		input, err := t.cover.Next(ctx)
		if input != nil || err != nil {
			t.empty = 0
			return input, err
		}
		t.cover = nil
		t.round++
	}
	return t.random(ctx)
}

// random returns a random input. Its limits on depth and repetition change with each call.
func (t *training) random(ctx context.Context) (*Input, error) {
	depths, repeats := []int{6, 10, 15, 20, 30}, []int{2, 4, 10}
	i := t.turn % len(t.generators)
	depth, repeat := i/len(repeats), i%len(repeats)
	if t.generators[i] == nil {
		x, err := t.generator(i<<1|1, depth+repeat, Options{MaxDepth: depths[depth], MaxRepeat: repeats[repeat]}) //nolint:contextcheck // reading one token back is bounded and takes no context
		if err != nil {
			return nil, err
		}
		t.generators[i] = x
	}
	t.turn++
	return t.generators[i].Next(ctx)
}
