package api

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/targeting/generate"
)

// maxMutated is the maximum size of a corpus to mutate, in bytes. All its trees are
// in memory at once.
const maxMutated = 16 << 20

// Mutate implements [Service].
func (e *Engine) Mutate(ctx context.Context, grammar string, req openapi.MutateInputsParams, corpus Inputs) iter.Seq2[openapi.GeneratedInput, error] {
	return func(yield func(openapi.GeneratedInput, error) bool) {
		err := e.mutate(ctx, grammar, req, corpus, yield)
		if err != nil && !errors.Is(err, errStopped) {
			yield(openapi.GeneratedInput{}, err)
		}
	}
}

func (e *Engine) mutate(ctx context.Context, grammar string, req openapi.MutateInputsParams, corpus Inputs, yield func(openapi.GeneratedInput, error) bool) error {
	if err := openapi.Validate(&req); err != nil {
		return err
	}
	x, err := e.newGeneration(ctx, grammar, openapi.GenerateRequest{Start: req.Start, Seed: req.Seed, MaxNodes: req.MaxNodes})
	if err != nil {
		return err
	}
	trees, err := e.trees(ctx, x, corpus)
	if err != nil {
		return err
	}
	generator, _, err := x.generator() //nolint:contextcheck // reading one token back is bounded and takes no context
	if err != nil {
		return err
	}
	x.yield = yield
	for input, err := range generator.Mutants(ctx, trees, mutations(req.Mutations)...) {
		if err == nil {
			err = x.take(0, input)
		}
		if err != nil {
			return err
		}
		if x.summary.Inputs == req.N {
			break
		}
	}
	yield(openapi.GeneratedInput{Summary: &x.summary}, nil)
	return nil
}

// trees returns the trees of a corpus. Inputs that do not parse are counted in the
// summary.
func (e *Engine) trees(ctx context.Context, x *generation, corpus Inputs) ([]*derivation.Tree, error) {
	var trees []*derivation.Tree
	seen, err := e.eachTree(ctx, x.grammar, grammars.ParseOptions{Start: x.opt.Start}, limited(corpus), func(tree *derivation.Tree) error {
		trees = append(trees, tree)
		return nil
	})
	x.summary.Outside = seen.outside
	switch {
	case err != nil:
		return nil, err
	case seen.inputs == 0:
		return nil, openapi.FieldErrorf("inputs", "must have at least one input")
	case len(trees) == 0:
		first := seen.rejected[0]
		return nil, openapi.FieldErrorf("inputs", "none of %d parses; input %d: %s", seen.inputs, first.Number, first.Message)
	}
	return trees, nil
}

// limited yields a corpus up to the maximum size.
func limited(corpus Inputs) Inputs {
	return func(yield func(openapi.Input, error) bool) {
		size := 0
		for in, err := range corpus {
			for _, text := range []*string{in.Input, in.InputBase64} {
				if text != nil {
					size += len(*text)
				}
			}
			if err == nil && size > maxMutated {
				err = &limit.Error{What: "corpus", Value: fmt.Sprintf("%d bytes", maxMutated), Advice: "mutate a part of it"}
			}
			if !yield(in, err) || err != nil {
				return
			}
		}
	}
}

// mutations returns the mutations with the given names, in the order of the contract,
// or all mutations if names is empty.
func mutations(names []openapi.Mutation) []generate.Mutation {
	all := []struct {
		name   openapi.Mutation
		mutate generate.Mutation
	}{
		{openapi.Regenerate, generate.Regenerate},
		{openapi.Splice, generate.Splice},
		{openapi.Swap, generate.Swap},
		{openapi.Repeat, generate.Repeat},
		{openapi.Drop, generate.Drop},
		{openapi.Deepen, generate.Deepen},
	}
	var out []generate.Mutation
	for _, m := range all {
		if len(names) == 0 || slices.Contains(names, m.name) {
			out = append(out, m.mutate)
		}
	}
	return out
}
