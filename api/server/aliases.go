package server

import (
	"context"
	"strings"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
)

// An aliasError reports an alias that is not allowed.
type aliasError struct{ alias string }

func (e *aliasError) Error() string {
	return "alias " + e.alias + ": must not be latest, end in @latest, or have 64 characters like the ID of a model"
}

// PutAlias sets an alias of a model.
func (s *Server) PutAlias(ctx context.Context, req openapi.PutAliasRequestObject) (openapi.PutAliasResponseObject, error) {
	if req.Alias == latest || strings.HasSuffix(req.Alias, "@"+latest) || len(req.Alias) == idLength {
		return nil, &aliasError{req.Alias}
	}
	m, err := s.library.find(ctx, req.Body.Model)
	if err != nil {
		return nil, err
	}
	err = s.Store.PutAlias(ctx, store.Alias{Name: req.Alias, Model: m.ID})
	return openapi.PutAlias200JSONResponse{Alias: req.Alias, Model: m.ID}, err
}

// DeleteAlias deletes an alias.
func (s *Server) DeleteAlias(ctx context.Context, req openapi.DeleteAliasRequestObject) (openapi.DeleteAliasResponseObject, error) {
	return openapi.DeleteAlias204Response{}, s.Store.DeleteAlias(ctx, req.Alias)
}

// ListAliases lists the aliases of models.
func (s *Server) ListAliases(ctx context.Context, req openapi.ListAliasesRequestObject) (openapi.ListAliasesResponseObject, error) {
	found, err := s.Store.Aliases(ctx)
	if err != nil {
		return nil, err
	}
	found, next, err := api.PageAfter(found, "aliases", req.Params.Cursor, req.Params.Limit, func(a store.Alias) string { return a.Name })
	return openapi.ListAliases200JSONResponse{Next: next, Aliases: convert(found, func(a store.Alias) openapi.Alias {
		return openapi.Alias{Alias: a.Name, Model: a.Model}
	})}, err
}
