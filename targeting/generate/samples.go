package generate

import (
	"context"
	"fmt"
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/derivation"
)

// SampleProbabilities learns probabilities from the samples of a bundled grammar.
func SampleProbabilities(ctx context.Context, name string, g *grammars.Grammar) (*Probabilities, error) {
	tally := NewTally(g)
	if err := parseSamples(ctx, name, g, tally.Add); err != nil {
		return nil, err
	}
	return tally.Probabilities(), nil
}

// SampleNames returns the names in the samples of a bundled grammar; nil if the
// grammar has no token for names.
func SampleNames(ctx context.Context, name string, g *grammars.Grammar) (Texts, error) {
	token := slices.Index(g.Tokens(), bundled.NameToken(name))
	if token < 1 {
		return nil, nil
	}
	texts := Texts{}
	if err := parseSamples(ctx, name, g, func(tree *derivation.Tree) error { texts.Mine(g, tree); return nil }); err != nil {
		return nil, err
	}
	return Texts{token: texts[token]}, nil
}

// parseSamples calls visit with the tree of each sample of a bundled grammar.
func parseSamples(ctx context.Context, name string, g *grammars.Grammar, visit func(*derivation.Tree) error) error {
	samples, err := bundled.Samples(name)
	if err != nil {
		return err
	}
	for _, sample := range samples {
		tree, err := g.Parse(ctx, sample.Text, grammars.ParseOptions{})
		if err == nil {
			err = visit(tree)
		}
		if err != nil {
			return fmt.Errorf("sample %s of grammar %s: %w", sample.Name, name, err)
		}
	}
	return nil
}
