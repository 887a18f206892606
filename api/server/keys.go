package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
)

// An authError rejects a request that is not authenticated or not allowed.
type authError struct {
	status int
	detail string
}

func (e *authError) Error() string { return e.detail }

// authenticate rejects requests without a key that has the scope of the operation. It
// ends the request when its key expires or is revoked.
func (s *Server) authenticate(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		scope := s.contract.scopes[r.Method+" "+c.Path()]
		if !s.NeedKeys || scope == "" {
			return next(c)
		}
		secret, ok := bearer(r)
		if !ok {
			s.keyLog.refused(store.Key{}, scope, store.MissingKey)
			return &authError{http.StatusUnauthorized, "no key: send the header Authorization: Bearer KEY"}
		}
		// The request is entered first: a key that is revoked from now on ends it.
		ctx, leave := s.keyRequests.enter(r.Context(), store.KeyID(secret))
		defer leave()
		key, err := s.findKey(r.Context(), secret)
		switch {
		case errors.Is(err, store.ErrExpired):
			s.keyLog.refused(key, scope, store.ExpiredKey)
			return expired(key)
		case errors.Is(err, store.ErrKey):
			s.keyLog.refused(store.Key{}, scope, store.UnknownKey)
			return &authError{http.StatusUnauthorized, err.Error()}
		case err != nil:
			return err
		case !key.Allows(scope):
			s.keyLog.refused(key, scope, store.MissingScope)
			return &authError{http.StatusForbidden, fmt.Sprintf("key %s: scope %s required", key.ID, scope)}
		}
		s.keyLog.used(key, scope)
		if !key.Expires.IsZero() {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadlineCause(ctx, key.Expires, expired(key))
			defer cancel()
		}
		c.Set(keyContext, key)
		c.SetRequest(r.WithContext(context.WithValue(ctx, callerContext{}, key.ID)))
		return next(c)
	}
}

// findKey returns the key that a secret belongs to. It has its own timeout, because that
// of the request begins later and does not apply to streams.
func (s *Server) findKey(ctx context.Context, secret string) (store.Key, error) {
	ctx, cancel := s.requestContext(ctx, false)
	defer cancel()
	return s.Store.Authenticate(ctx, secret)
}

func expired(k store.Key) error {
	return &authError{http.StatusUnauthorized, fmt.Sprintf("key %s: expired at %s", k.ID, k.Expires.Format(time.RFC3339))}
}

// keyRequests are the requests in progress, by the ID of their key.
type keyRequests struct {
	mu    sync.Mutex
	byKey map[string]map[*context.CancelCauseFunc]bool
}

// enter returns a context that ends with ctx or when a key is revoked. The caller calls
// leave when the request is done.
func (q *keyRequests) enter(ctx context.Context, key string) (entered context.Context, leave func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.byKey[key] == nil {
		q.byKey[key] = map[*context.CancelCauseFunc]bool{}
	}
	q.byKey[key][&cancel] = true
	return ctx, func() {
		cancel(nil)
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.byKey[key], &cancel)
		if len(q.byKey[key]) == 0 {
			delete(q.byKey, key)
		}
	}
}

// end ends the requests of a key that was revoked.
func (q *keyRequests) end(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for cancel := range q.byKey[key] {
		(*cancel)(&authError{http.StatusUnauthorized, fmt.Sprintf("key %s: revoked", key)})
	}
}

// keys returns the IDs of the keys of requests in progress.
func (q *keyRequests) keys() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Collect(maps.Keys(q.byKey))
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

// callerContext is the context key for the ID of the API key of a request.
type callerContext struct{}

// caller returns the ID of the key of a request; empty if it has none.
func caller(ctx context.Context) string {
	id, _ := ctx.Value(callerContext{}).(string)
	return id
}

// keyID returns the ID of a request's key; empty if it has none.
func keyID(c echo.Context) string {
	key, _ := c.Get(keyContext).(store.Key)
	return key.ID
}

// ListKeys lists the keys, oldest first.
func (s *Server) ListKeys(ctx context.Context, req openapi.ListKeysRequestObject) (openapi.ListKeysResponseObject, error) {
	s.keyLog.flush(ctx)
	out, err := Keys(ctx, s.Store, req.Params)
	return openapi.ListKeys200JSONResponse(out), err
}

// Keys returns a page of the keys of a store, oldest first.
func Keys(ctx context.Context, st store.Store, req openapi.ListKeysParams) (openapi.KeyList, error) {
	found, err := st.Keys(ctx)
	if err != nil {
		return openapi.KeyList{}, err
	}
	found, next, err := api.PageAfter(found, "keys", req.Cursor, req.Limit, func(k store.Key) string { return fmt.Sprintf("%020d", k.Sequence) })
	return openapi.KeyList{Keys: convert(found, DescribeKey), Next: next}, err
}

// DescribeKey returns the public part of a key.
func DescribeKey(k store.Key) openapi.Key {
	return openapi.Key{
		ID: k.ID, Name: k.Name, Scopes: scopesOf(k.Scopes), Created: k.Created, CreatedBy: k.Creator, Expires: k.Expires, LastUsed: k.Used,
		Rate: k.Limits.Rate, Active: k.Limits.Active, Upload: k.Limits.Upload,
	}
}

func scopesOf(scopes []store.Scope) []openapi.Scope {
	return convert(scopes, func(s store.Scope) openapi.Scope { return openapi.Scope(s) })
}

// KeyOf returns the key that a request asks to create. creator is the ID of the key
// that the request was sent with, if any.
func KeyOf(req openapi.KeyRequest, creator string) (store.Key, error) {
	expires := req.Expires.UTC()
	if !expires.IsZero() && (!expires.After(time.Now()) || expires.Year() > 9999) {
		return store.Key{}, &openapi.FieldError{Field: "expires", Value: req.Expires.Format(time.RFC3339), Problem: "must be in the future and before the year 10000"}
	}
	return store.Key{
		Name: req.Name, Limits: store.Limits{Rate: req.Rate, Active: req.Active, Upload: req.Upload}, Expires: expires, Creator: creator,
		Scopes: convert(req.Scopes, func(s openapi.Scope) store.Scope { return store.Scope(s) }),
	}, nil
}

// CreateKey creates a key.
func (s *Server) CreateKey(ctx context.Context, req openapi.CreateKeyRequestObject) (openapi.CreateKeyResponseObject, error) {
	k, err := KeyOf(*req.Body, caller(ctx))
	if err != nil {
		return nil, err
	}
	k, secret, err := s.Store.NewKey(ctx, k)
	if err != nil {
		return nil, err
	}
	return openapi.CreateKey201JSONResponse{
		Body: openapi.NewKey{Key: DescribeKey(k), Secret: secret}, Headers: openapi.CreateKey201ResponseHeaders{Location: "/v1/keys/" + k.ID},
	}, nil
}

// RevokeKey revokes a key and ends its requests.
func (s *Server) RevokeKey(ctx context.Context, req openapi.RevokeKeyRequestObject) (openapi.RevokeKeyResponseObject, error) {
	if req.Key == caller(ctx) { // the store may announce the change, which ends this request, before it returns
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), s.Timeout)
		defer cancel()
	}
	if err := s.Store.RevokeKey(ctx, req.Key, caller(ctx)); err != nil {
		return nil, err
	}
	s.keyRequests.end(req.Key)
	return openapi.RevokeKey204Response{}, nil
}
