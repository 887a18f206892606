package client

import (
	"context"
	"io"
	"iter"
	"net/http"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
)

// LearnProbabilities implements [api.Service].
func (c *Client) LearnProbabilities(ctx context.Context, grammar string, req openapi.LearnProbabilitiesParams, corpus api.Inputs) (openapi.Learned, error) {
	do, stop := c.withCorpus(ctx, grammar, corpus, func(id string, body io.Reader) (*http.Response, error) {
		return c.generated.LearnProbabilitiesWithBody(ctx, id, &req, ndjson, body)
	})
	out, err := ask[openapi.Learned](ctx, c, &req, do)
	return out, stop(err)
}

// Generate implements [api.Service].
func (c *Client) Generate(ctx context.Context, grammar string, req openapi.GenerateRequest) iter.Seq2[openapi.GeneratedInput, error] {
	return each[openapi.GeneratedInput](ctx, c, &req, c.with(ctx, grammar, func(id string) (*http.Response, error) {
		return c.generated.GenerateInputs(ctx, id, req)
	}))
}

// Mutate implements [api.Service].
func (c *Client) Mutate(ctx context.Context, grammar string, req openapi.MutateInputsParams, corpus api.Inputs) iter.Seq2[openapi.GeneratedInput, error] {
	return func(yield func(openapi.GeneratedInput, error) bool) {
		do, stop := c.withCorpus(ctx, grammar, corpus, func(id string, body io.Reader) (*http.Response, error) {
			return c.generated.MutateInputsWithBody(ctx, id, &req, ndjson, body)
		})
		var failed error
		stopped := false
		for line, err := range each[openapi.GeneratedInput](ctx, c, &req, do) {
			if failed = err; err != nil {
				break
			}
			if stopped = !yield(line, nil); stopped {
				break
			}
		}
		if err := stop(failed); err != nil && !stopped {
			yield(openapi.GeneratedInput{}, err)
		}
	}
}

// Solve implements [api.Service].
func (c *Client) Solve(ctx context.Context, grammar string, req openapi.SolveRequest) iter.Seq2[openapi.GeneratedInput, error] {
	return each[openapi.GeneratedInput](ctx, c, &req, c.with(ctx, grammar, func(id string) (*http.Response, error) {
		return c.generated.SolveConstraint(ctx, id, req)
	}))
}
