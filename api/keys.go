package api

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/inroad/inroad/model/store"
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
