package client

import (
	"context"
	"io"
	"iter"
	"net/http"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
)

// Methods implements [api.Service].
func (c *Client) Methods(ctx context.Context, model string, req openapi.ListMethodsParams) (openapi.MethodList, error) {
	return ask[openapi.MethodList](ctx, c, &req, func() (*http.Response, error) { return c.generated.ListMethods(ctx, model, &req) })
}

// Predict implements [api.Service]. Inputs are sent while answers arrive.
func (c *Client) Predict(ctx context.Context, model string, req openapi.PredictParams, inputs api.Inputs) iter.Seq2[openapi.Answer, error] {
	return func(yield func(openapi.Answer, error) bool) {
		body := inputBody(ctx, inputs)
		err, stopped := error(nil), false
		for answer, failure := range each[openapi.Answer](ctx, c, &req, func() (*http.Response, error) {
			return c.generated.PredictWithBody(ctx, model, &req, ndjson, body)
		}) {
			if err = failure; err != nil {
				break
			}
			if stopped = !yield(answer, nil); stopped {
				break
			}
		}
		if err = body.stop(err); err != nil && !stopped {
			yield(openapi.Answer{}, err)
		}
	}
}

// Explain implements [api.Service].
func (c *Client) Explain(ctx context.Context, model, method string, req openapi.ExplainMethodParams) (openapi.Explanation, error) {
	if err := openapi.Validate(&req); err != nil {
		return openapi.Explanation{}, err
	}
	if method == "" {
		return openapi.Explanation{}, api.ErrNoMethod
	}
	resp, err := c.generated.ExplainMethod(ctx, model, method, &req)
	return c.explanation(ctx, req.Format, resp, err)
}

// ExplainOutcome implements [api.Service].
func (c *Client) ExplainOutcome(ctx context.Context, model, outcome string, req openapi.ExplainOutcomeParams) (openapi.Explanation, error) {
	if err := openapi.Validate(&req); err != nil {
		return openapi.Explanation{}, err
	}
	if outcome == "" {
		return openapi.Explanation{}, api.ErrNoOutcome
	}
	resp, err := c.generated.ExplainOutcome(ctx, model, outcome, &req)
	return c.explanation(ctx, req.Format, resp, err)
}

// explanation reads an explanation, which is one object or a rendered text.
func (c *Client) explanation(ctx context.Context, format openapi.ExplanationFormat, resp *http.Response, err error) (openapi.Explanation, error) {
	if err != nil || format == openapi.JSON {
		return read[openapi.Explanation](ctx, c, resp, err)
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return openapi.Explanation{}, c.invalidAnswer(ctx, err)
	}
	return openapi.Explanation{Rendered: string(text)}, nil
}

// Target implements [api.Service].
func (c *Client) Target(ctx context.Context, model string, req openapi.TargetRequest) iter.Seq2[openapi.TargetAnswer, error] {
	return each[openapi.TargetAnswer](ctx, c, &req, func() (*http.Response, error) { return c.generated.TargetMethods(ctx, model, req) })
}

// Compare implements [api.Service].
func (c *Client) Compare(ctx context.Context, req openapi.CompareRequest) (openapi.Comparison, error) {
	return ask[openapi.Comparison](ctx, c, &req, func() (*http.Response, error) { return c.generated.CompareModels(ctx, req) })
}
