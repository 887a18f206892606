package campaign

import (
	"context"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/targeting/generate"
)

// sampled is the maximum number of inputs of a generation without feedback.
const sampled = 64

// A sampling generates inputs without feedback.
type sampling struct{ stream *generate.Stream }

// newSampling returns a sampling by probabilities, or at random if they are nil.
func newSampling(g *grammars.Grammar, opt Options, p *generate.Probabilities) (*sampling, error) {
	stream, err := generate.NewStream(g, opt.generate(p), opt.Seed, 1)
	return &sampling{stream}, err
}

func (s *sampling) next(ctx context.Context, _ []*individual) ([]*individual, End, error) {
	inputs, err := s.stream.Next(ctx, sampled)
	return individuals(inputs), "", err
}

// individuals returns generated inputs as individuals.
func individuals(inputs []*generate.Input) []*individual {
	var out []*individual
	for _, input := range inputs {
		out = append(out, &individual{text: input.Text, tree: input.Tree})
	}
	return out
}

// learn returns the probabilities of the choices in trees.
func learn(g *grammars.Grammar, trees ...*derivation.Tree) (*generate.Probabilities, error) {
	tally := generate.NewTally(g)
	for _, tree := range trees {
		if err := tally.Add(tree); err != nil {
			return nil, err
		}
	}
	return tally.Probabilities(), nil
}
