package client

import (
	"context"
	"net/http"

	"github.com/inroad/inroad/api/openapi"
)

// CreateKey creates a key at the service.
func (c *Client) CreateKey(ctx context.Context, req openapi.KeyRequest) (openapi.NewKey, error) {
	return ask[openapi.NewKey](ctx, c, &req, func() (*http.Response, error) { return c.generated.CreateKey(ctx, req) })
}

// Keys lists the keys of the service.
func (c *Client) Keys(ctx context.Context) (openapi.KeyList, error) {
	resp, err := c.generated.ListKeys(ctx)
	return read[openapi.KeyList](ctx, c, resp, err)
}

// KeyLog returns a page of the key log of the service.
func (c *Client) KeyLog(ctx context.Context, req openapi.ListKeyEventsParams) (openapi.KeyLog, error) {
	return ask[openapi.KeyLog](ctx, c, &req, func() (*http.Response, error) { return c.generated.ListKeyEvents(ctx, &req) })
}

// RevokeKey revokes a key of the service.
func (c *Client) RevokeKey(ctx context.Context, id string) error {
	return closed(c.generated.RevokeKey(ctx, id))
}
