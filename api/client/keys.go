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

// Keys lists all keys of the service.
func (c *Client) Keys(ctx context.Context) (openapi.KeyList, error) {
	out := openapi.KeyList{Keys: []openapi.Key{}}
	for k, err := range pages(func(cursor string) (openapi.KeyList, error) {
		req := openapi.ListKeysParams{Limit: maxPage, Cursor: cursor}
		return ask[openapi.KeyList](ctx, c, &req, func() (*http.Response, error) { return c.generated.ListKeys(ctx, &req) })
	}, func(l openapi.KeyList) ([]openapi.Key, string) { return l.Keys, l.Next }) {
		if err != nil {
			return out, err
		}
		out.Keys = append(out.Keys, k)
	}
	return out, nil
}

// KeyLog returns a page of the key log of the service.
func (c *Client) KeyLog(ctx context.Context, req openapi.ListKeyEventsParams) (openapi.KeyLog, error) {
	return ask[openapi.KeyLog](ctx, c, &req, func() (*http.Response, error) { return c.generated.ListKeyEvents(ctx, &req) })
}

// RevokeKey revokes a key of the service.
func (c *Client) RevokeKey(ctx context.Context, id string) error {
	return closed(c.generated.RevokeKey(ctx, id))
}
