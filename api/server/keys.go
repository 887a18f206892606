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

// An authError tells that a request has no key, or one that does not allow it.
type authError struct {
	status int
	detail string
}

func (e *authError) Error() string { return e.detail }

// authorised refuses requests whose key does not allow what they ask for. The
// contract says which scope each operation needs.
func (s *Server) authorised(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !s.NeedKeys {
			return next(c)
		}
		needed := s.contract.scopes[c.Request().Method+" "+c.Path()] // nothing for the contract itself
		if needed == "" {
			return next(c)
		}
		secret, ok := strings.CutPrefix(c.Request().Header.Get(echo.HeaderAuthorization), "Bearer ")
		if !ok {
			c.Response().Header().Set(echo.HeaderWWWAuthenticate, "Bearer")
			return &authError{http.StatusUnauthorized, "give a key, as Authorization: Bearer KEY"}
		}
		key, err := s.Store.Authenticate(secret)
		switch {
		case err != nil:
			c.Response().Header().Set(echo.HeaderWWWAuthenticate, "Bearer")
			return &authError{http.StatusUnauthorized, store.ErrKey.Error()}
		case !key.Allows(needed):
			return &authError{http.StatusForbidden, fmt.Sprintf("key %s does not have the scope %s", key.ID, needed)}
		}
		c.Set(keyContext, key)
		return next(c)
	}
}

// keyContext is where a request's key is kept.
const keyContext = "key"

// keyOf returns the id of a request's key; nothing if it needs none.
func keyOf(c echo.Context) string {
	key, _ := c.Get(keyContext).(store.Key)
	return key.ID
}

// ListKeys lists keys.
func (s *Server) ListKeys(context.Context, openapi.ListKeysRequestObject) (openapi.ListKeysResponseObject, error) {
	found, err := s.Store.Keys()
	out := openapi.ListKeys200JSONResponse{Keys: []openapi.Key{}}
	for _, k := range found {
		out.Keys = append(out.Keys, DescribeKey(k))
	}
	return out, err
}

// DescribeKey returns what may be told of a key.
func DescribeKey(k store.Key) openapi.Key {
	out := openapi.Key{
		ID: k.ID, Name: k.Name, Scopes: []openapi.Scope{}, Created: k.Created,
		Rate: k.Limits.Rate, Active: k.Limits.Active, Upload: k.Limits.Upload,
	}
	for _, scope := range k.Scopes {
		out.Scopes = append(out.Scopes, openapi.Scope(scope))
	}
	return out
}

// KeyOf returns the key that is asked for.
func KeyOf(asked openapi.KeyRequest) store.Key {
	k := store.Key{Name: asked.Name, Limits: store.Limits{Rate: asked.Rate, Active: asked.Active, Upload: asked.Upload}}
	for _, scope := range asked.Scopes {
		k.Scopes = append(k.Scopes, store.Scope(scope))
	}
	return k
}

// CreateKey makes a key.
func (s *Server) CreateKey(_ context.Context, req openapi.CreateKeyRequestObject) (openapi.CreateKeyResponseObject, error) {
	k, secret, err := s.Store.NewKey(KeyOf(*req.Body))
	if err != nil {
		return nil, err
	}
	return openapi.CreateKey201JSONResponse{
		Body: openapi.NewKey{Key: DescribeKey(k), Secret: secret}, Headers: openapi.CreateKey201ResponseHeaders{Location: "/v1/keys/" + k.ID},
	}, nil
}

// RevokeKey ends what a key allows.
func (s *Server) RevokeKey(_ context.Context, req openapi.RevokeKeyRequestObject) (openapi.RevokeKeyResponseObject, error) {
	return openapi.RevokeKey204Response{}, s.Store.RevokeKey(req.Key)
}
