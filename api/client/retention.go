package client

import (
	"context"
	"net/http"

	"github.com/inroad/inroad/api/openapi"
)

// DeleteGrammar deletes an uploaded grammar.
func (c *Client) DeleteGrammar(ctx context.Context, id string) error {
	return closed(c.generated.DeleteGrammar(ctx, id))
}

// DeleteSubject deletes the observations of a program: those of one commit, or all if
// req.Commit is nil.
func (c *Client) DeleteSubject(ctx context.Context, name string, req openapi.DeleteSubjectParams) error {
	if err := openapi.Validate(&req); err != nil {
		return err
	}
	return closed(c.generated.DeleteSubject(ctx, name, &req))
}

// DeleteModel deletes the model with a name.
func (c *Client) DeleteModel(ctx context.Context, name string) error {
	return closed(c.generated.DeleteModel(ctx, name))
}

// DeleteKeyEvents deletes old entries of the key log.
func (c *Client) DeleteKeyEvents(ctx context.Context, req openapi.DeleteKeyEventsParams) (openapi.DeletedEvents, error) {
	return ask[openapi.DeletedEvents](ctx, c, &req, func() (*http.Response, error) { return c.generated.DeleteKeyEvents(ctx, &req) })
}

// Policies lists the retention policies.
func (c *Client) Policies(ctx context.Context, req openapi.ListPoliciesParams) (openapi.PolicyList, error) {
	return ask[openapi.PolicyList](ctx, c, &req, func() (*http.Response, error) { return c.generated.ListPolicies(ctx, &req) })
}

// PutPolicy sets the retention policy of a program, or of all programs without their own.
func (c *Client) PutPolicy(ctx context.Context, subject string, req openapi.PolicyRequest) (openapi.Policy, error) {
	return ask[openapi.Policy](ctx, c, &req, func() (*http.Response, error) { return c.generated.PutPolicy(ctx, subject, req) })
}

// DeletePolicy deletes a retention policy.
func (c *Client) DeletePolicy(ctx context.Context, subject string) error {
	return closed(c.generated.DeletePolicy(ctx, subject))
}

// Prune applies the retention policies, or only reports the data that they would delete.
func (c *Client) Prune(ctx context.Context, req openapi.PruneRequest) (openapi.Pruning, error) {
	return ask[openapi.Pruning](ctx, c, &req, func() (*http.Response, error) { return c.generated.Prune(ctx, req) })
}

// closed closes an answer without a body.
func closed(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
