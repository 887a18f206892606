package main

import (
	"context"
	"errors"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/targeting"
)

// aim has a service make inputs that reach methods.
func (c *client) aim(ctx context.Context, opt *targetOptions) (*aimed, error) {
	m, err := c.openModel(ctx, opt.model, opt.stderr)
	if err != nil {
		return nil, err
	}
	out := &aimed{subject: m.Subject, commit: m.Commit}
	if out.want, err = c.findUnits(ctx, m.ID, opt.methods); err != nil {
		return nil, err
	}
	if out.avoid, err = c.findUnits(ctx, m.ID, opt.avoid); err != nil {
		return nil, err
	}
	if opt.out != "" || opt.style == "natural" {
		g, err := c.named(ctx, m.Grammar)
		if err != nil {
			return nil, err
		}
		out.grammar = g.Name
		if err := opt.learn(ctx, g.Grammar, g.Start); err != nil {
			return nil, err
		}
	}
	body := openapi.TargetRequest{
		Methods: out.want, Avoid: out.avoid, N: opt.n, Style: openapi.TargetRequestStyle(opt.style), MaxNodes: opt.maxNodes, AnyOutcome: opt.anyOutcome,
	}
	if body.Seed, err = sentSeed(opt.seed); err != nil {
		return nil, err
	}
	if body.Probabilities, err = sentProbabilities(opt.learned); err != nil {
		return nil, err
	}
	resp, err := c.TargetMethods(ctx, m.ID, body)
	for line, err := range each[openapi.TargetLine](ctx, c, resp, err) {
		if err == nil {
			err = out.add(line)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// add adds a line of an answer.
func (a *aimed) add(line openapi.TargetLine) error {
	if line.Missed != "" {
		a.missed = append(a.missed, aimedMiss{line.Missed, line.Reason, targeting.Verdict(line.Verdict)})
		return nil
	}
	if line.Reason != "" {
		return errors.New(line.Reason)
	}
	text, err := received(line.Input, line.InputBase64)
	if err == nil && len(line.Methods) == 0 {
		err = errors.New("an input reaches nothing")
	}
	a.inputs = append(a.inputs, aimedInput{text, line.Methods, line.Probability, line.Doubtful})
	return err
}
