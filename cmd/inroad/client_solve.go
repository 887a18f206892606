package main

import (
	"context"
	"errors"

	"github.com/inroad/inroad/api/openapi"
)

// solve has a service make inputs that satisfy conditions. The conditions are
// read here first, so that what is wrong in them is told by the flag.
func (c *client) solve(ctx context.Context, opt *solveOptions) (inputs [][]byte, grammar string, err error) {
	g, err := c.openGrammar(ctx, opt.grammar, &opt.start, opt.stderr)
	if err != nil {
		return nil, "", err
	}
	if _, err := opt.prepare(ctx, g.Grammar); err != nil {
		return nil, "", err
	}
	body, err := opt.request()
	if err != nil {
		return nil, "", err
	}
	resp, err := c.SolveConstraint(ctx, g.id, body)
	for line, err := range each[openapi.MadeInput](ctx, c, resp, err) {
		if err == nil && line.Error != "" {
			err = errors.New(line.Error)
		}
		if err != nil {
			return nil, "", err
		}
		text, err := received(line.Input, line.InputBase64)
		if err != nil {
			return nil, "", c.broken(ctx, err)
		}
		inputs = append(inputs, text)
	}
	return inputs, g.Name, nil
}

// request returns what a service is asked for.
func (opt *solveOptions) request() (openapi.SolveRequest, error) {
	body := openapi.SolveRequest{
		Require: opt.require, Forbid: opt.forbid, Absent: opt.absent, N: opt.n, Style: openapi.SolveRequestStyle(opt.style),
		Start: opt.start, MaxNodes: opt.maxNodes, MaxDepth: opt.maxDepth, MaxChars: opt.maxChar,
	}
	for _, bound := range []struct {
		values     []string
		from, upTo bool
	}{{opt.atLeast, true, false}, {opt.atMost, false, true}, {opt.exactly, true, true}} {
		for _, value := range bound.values {
			path, n, err := countedPath(value)
			if err != nil {
				return body, err
			}
			counted := openapi.CountedPath{Path: path}
			if bound.from {
				counted.Min = n
			}
			if bound.upTo {
				counted.Max = &n
			}
			body.Counts = append(body.Counts, counted)
		}
	}
	var err error
	if body.Seed, err = sentSeed(opt.seed); err != nil {
		return body, err
	}
	body.Probabilities, err = sentProbabilities(opt.learned)
	return body, err
}
