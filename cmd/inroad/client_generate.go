package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/targeting/generate"
)

// mostMade is how many inputs a service makes at once.
const mostMade = 10_000

// generate has a service make inputs. What they are to be like is learned here,
// where the files are.
func (c *client) generate(ctx context.Context, opt *generateOptions) error {
	g, err := c.openGrammar(ctx, opt.grammar, &opt.Start, opt.stderr)
	if err != nil {
		return err
	}
	if err := errors.Join(opt.learnTokens(ctx, g.Grammar), opt.learnProbabilities(ctx, g.Grammar)); err != nil {
		return err
	}
	body, err := opt.request(g)
	if err != nil {
		return err
	}
	out, err := newInputWriter(opt.stdout, opt.format, opt.out, strings.ToLower(g.Name))
	if err != nil {
		return err
	}
	return errors.Join(c.make(ctx, opt, g, body, out), out.end())
}

// request returns what a service is asked for.
func (opt *generateOptions) request(g *remoteGrammar) (openapi.GenerateRequest, error) {
	n := opt.n
	if opt.strategy == "kpath" && n == maxInputs {
		n = 0 // as many as it takes
	}
	body := openapi.GenerateRequest{
		Strategy: openapi.GenerateRequestStrategy(opt.strategy), N: n, K: opt.k, Start: opt.Start,
		OneTarget: opt.oneTarget, CloseOff: openapi.GenerateRequestCloseOff(opt.closeOff), Cooldown: opt.Cooldown, Expansions: opt.Expansions,
		MaxNodes: opt.MaxNodes, MaxDepth: opt.MaxDepth, MaxRepeat: opt.MaxRepeat, Spacing: openapi.GenerateRequestSpacing(opt.spacing),
		MadeUp: opt.madeUp, Summary: true,
	}
	if n > mostMade {
		return body, fmt.Errorf("--n %d: a service makes %d at most", n, mostMade)
	}
	var err error
	if body.Seed, err = sentSeed(opt.seed); err != nil {
		return body, err
	}
	for token, texts := range opt.Tokens {
		name := g.Tokens()[token]
		for _, text := range texts {
			if !utf8.Valid(text) {
				return body, fmt.Errorf("--tokens: %q is no text, which a service takes", text)
			}
			if body.Tokens == nil {
				body.Tokens = map[string][]string{}
			}
			body.Tokens[name] = append(body.Tokens[name], string(text))
		}
	}
	body.Probabilities, err = sentProbabilities(opt.Probabilities)
	return body, err
}

// make writes the inputs that a service makes, and tells of them what the command
// tells.
func (c *client) make(ctx context.Context, opt *generateOptions, g *remoteGrammar, body openapi.GenerateRequest, out *inputWriter) error {
	bar := newProgress(opt.stderr, "inputs", body.N)
	defer bar.end()
	inputs := 0
	resp, err := c.GenerateInputs(ctx, g.id, body)
	for line, err := range each[openapi.MadeInput](ctx, c, resp, err) {
		switch {
		case err != nil:
			return err
		case line.Error != "":
			return errors.New(line.Error)
		case line.Made.Inputs > 0:
			bar.end()
			if opt.strategy == "kpath" {
				opt.tellCovered(line.Made.Covered, line.Made.Paths, line.Made.Unrealised)
			}
			opt.tellDraws(line.Made.Draws, line.Made.Inputs)
			return nil
		}
		text, err := received(line.Input, line.InputBase64)
		if err != nil {
			return c.broken(ctx, err)
		}
		if err := out.write(line.Set, text); err != nil {
			return err
		}
		inputs++
		bar.set(inputs)
	}
	return c.broken(ctx, errors.New("there is no summary"))
}

// sentSeed returns a seed as it is sent.
func sentSeed(seed uint64) (*int64, error) {
	if seed > math.MaxInt64 {
		return nil, fmt.Errorf("--seed %d: a service takes %d at most", seed, math.MaxInt64)
	}
	return new(int64(seed)), nil
}

// sentProbabilities returns probabilities as they are sent; none if they are nil.
func sentProbabilities(p *generate.Probabilities) (openapi.Probabilities, error) {
	if p == nil {
		return nil, nil
	}
	var text bytes.Buffer
	err := p.WriteJSON(&text)
	return text.Bytes(), err
}
