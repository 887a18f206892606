package api

import (
	"bytes"
	"context"
	"unicode/utf8"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/targeting/generate"
)

// LearnProbabilities implements [Service]. Inputs that take too long to parse are
// left out like inputs outside the grammar.
func (e *Engine) LearnProbabilities(ctx context.Context, grammar string, req openapi.LearnProbabilitiesParams, corpus Inputs) (openapi.Learned, error) {
	if err := openapi.Validate(&req); err != nil {
		return openapi.Learned{}, err
	}
	g, err := e.Library.Grammar(ctx, grammar)
	if err != nil {
		return openapi.Learned{}, err
	}
	start, err := startRule(g.Grammar, req.Start)
	if err != nil {
		return openapi.Learned{}, err
	}
	tally, texts := generate.NewContextTally(g.Grammar, req.Context), generate.Texts{}
	use := tally.Add
	if req.Tokens {
		use = func(tree *derivation.Tree) error { texts.Mine(g.Grammar, tree); return nil }
	}
	seen, err := e.eachTree(ctx, g, grammars.ParseOptions{Start: start}, corpus, use)
	out := openapi.Learned{Inputs: seen.inputs, Outside: seen.outside, Rejected: seen.rejected}
	if err != nil {
		return out, err
	}
	if req.Tokens {
		out.Tokens = tokenTexts(g.Grammar, texts)
		return out, nil
	}
	p := tally.Probabilities()
	if req.Invert {
		p = p.Invert()
	}
	var text bytes.Buffer
	err = p.WriteJSON(&text)
	out.Probabilities = text.Bytes()
	return out, err
}

// tokenTexts returns texts by token name, without texts that a request must not
// contain.
func tokenTexts(g *grammars.Grammar, texts generate.Texts) map[string][]string {
	const longest = 10_000 // characters of a text in a request
	out := map[string][]string{}
	for token, of := range texts {
		name := g.Tokens()[token]
		for _, text := range of {
			if utf8.Valid(text) && utf8.RuneCount(text) <= longest {
				out[name] = append(out[name], string(text))
			}
		}
	}
	return out
}

// readProbabilities reads the probabilities of a request; nil if it has none.
func readProbabilities(g *grammars.Grammar, given openapi.Probabilities) (*generate.Probabilities, error) {
	if given == nil {
		return nil, nil //nolint:nilnil // a request may have none
	}
	p, err := generate.ReadProbabilities(bytes.NewReader(given), g)
	if err != nil {
		return nil, openapi.FieldErrorf("probabilities", "%v", err)
	}
	return p, nil
}
