package server

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
)

// An authError rejects a request that is not authenticated or not allowed.
type authError struct {
	status int
	detail string
}

func (e *authError) Error() string { return e.detail }

// authenticate rejects requests without a key that has the scope of the operation.
func (s *Server) authenticate(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		scope := s.contract.scopes[c.Request().Method+" "+c.Path()]
		if !s.NeedKeys || scope == "" {
			return next(c)
		}
		secret, ok := bearer(c.Request())
		key, err := s.Store.Authenticate(secret)
		switch {
		case !ok:
			c.Response().Header().Set(echo.HeaderWWWAuthenticate, "Bearer")
			return &authError{http.StatusUnauthorized, "no key: send the header Authorization: Bearer KEY"}
		case err != nil:
			c.Response().Header().Set(echo.HeaderWWWAuthenticate, "Bearer")
			return &authError{http.StatusUnauthorized, store.ErrKey.Error()}
		case !key.Allows(scope):
			return &authError{http.StatusForbidden, fmt.Sprintf("key %s: scope %s required", key.ID, scope)}
		}
		c.Set(keyContext, key)
		return next(c)
	}
}

// bearer returns the secret that a request was sent with, if any.
func bearer(r *http.Request) (secret string, ok bool) {
	credentials := strings.TrimSpace(r.Header.Get(echo.HeaderAuthorization))
	at := strings.IndexAny(credentials, " \t")
	if at < 0 || !strings.EqualFold(credentials[:at], "Bearer") {
		return "", false
	}
	return strings.TrimSpace(credentials[at:]), true
}

// keyContext is the name of a request's key in its echo context.
const keyContext = "key"

// keyID returns the ID of a request's key; empty if it has none.
func keyID(c echo.Context) string {
	key, _ := c.Get(keyContext).(store.Key)
	return key.ID
}

// ListKeys lists the keys, oldest first.
func (s *Server) ListKeys(context.Context, openapi.ListKeysRequestObject) (openapi.ListKeysResponseObject, error) {
	found, err := s.Store.Keys()
	return openapi.ListKeys200JSONResponse{Keys: convert(found, DescribeKey)}, err
}

// DescribeKey returns the public part of a key.
func DescribeKey(k store.Key) openapi.Key {
	return openapi.Key{
		ID: k.ID, Name: k.Name, Created: k.Created, Rate: k.Limits.Rate, Active: k.Limits.Active, Upload: k.Limits.Upload,
		Scopes: convert(k.Scopes, func(s store.Scope) openapi.Scope { return openapi.Scope(s) }),
	}
}

// KeyOf converts a request to create a key to a key.
func KeyOf(req openapi.KeyRequest) store.Key {
	return store.Key{
		Name: req.Name, Limits: store.Limits{Rate: req.Rate, Active: req.Active, Upload: req.Upload},
		Scopes: convert(req.Scopes, func(s openapi.Scope) store.Scope { return store.Scope(s) }),
	}
}

// CreateKey creates a key.
func (s *Server) CreateKey(_ context.Context, req openapi.CreateKeyRequestObject) (openapi.CreateKeyResponseObject, error) {
	k, secret, err := s.Store.NewKey(KeyOf(*req.Body))
	if err != nil {
		return nil, err
	}
	return openapi.CreateKey201JSONResponse{
		Body: openapi.NewKey{Key: DescribeKey(k), Secret: secret}, Headers: openapi.CreateKey201ResponseHeaders{Location: "/v1/keys/" + k.ID},
	}, nil
}

// RevokeKey revokes a key.
func (s *Server) RevokeKey(_ context.Context, req openapi.RevokeKeyRequestObject) (openapi.RevokeKeyResponseObject, error) {
	return openapi.RevokeKey204Response{}, s.Store.RevokeKey(req.Key)
}
