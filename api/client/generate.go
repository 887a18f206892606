package client

import (
	"context"
	"errors"
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
	return summarized(ctx, c, &req, c.with(ctx, grammar, func(id string) (*http.Response, error) {
		return c.generated.GenerateInputs(ctx, id, req)
	}), endOfInputs)
}

// Mutate implements [api.Service].
func (c *Client) Mutate(ctx context.Context, grammar string, req openapi.MutateInputsParams, corpus api.Inputs) iter.Seq2[openapi.GeneratedInput, error] {
	return func(yield func(openapi.GeneratedInput, error) bool) {
		do, stop := c.withCorpus(ctx, grammar, corpus, func(id string, body io.Reader) (*http.Response, error) {
			return c.generated.MutateInputsWithBody(ctx, id, &req, ndjson, body)
		})
		var failed error
		for line, err := range summarized(ctx, c, &req, do, endOfInputs) {
			if failed = err; err != nil || !yield(line, nil) {
				break
			}
		}
		if err := stop(failed); err != nil {
			yield(openapi.GeneratedInput{}, err)
		}
	}
}

// Solve implements [api.Service].
func (c *Client) Solve(ctx context.Context, grammar string, req openapi.SolveRequest) iter.Seq2[openapi.GeneratedInput, error] {
	return summarized(ctx, c, &req, c.with(ctx, grammar, func(id string) (*http.Response, error) {
		return c.generated.SolveConstraint(ctx, id, req)
	}), endOfInputs)
}

func endOfInputs(line openapi.GeneratedInput) (last bool, message string) {
	return line.Summary != nil, line.Error
}

// summarized sends a request like each and yields the lines of the answer. The last
// line has a summary or an error, as end reports; an answer without such a line is
// incomplete.
func summarized[V any](ctx context.Context, c *Client, req any, send func() (*http.Response, error), end func(V) (last bool, message string)) iter.Seq2[V, error] {
	failure := func(line V) error {
		if _, message := end(line); message != "" {
			return errors.New(message)
		}
		return nil
	}
	return func(yield func(V, error) bool) {
		for line, err := range each(ctx, c, req, send, failure) {
			last, _ := end(line)
			if !yield(line, err) || err != nil || last {
				return
			}
		}
		var none V
		yield(none, c.invalidAnswer(ctx, errors.New("no summary")))
	}
}
