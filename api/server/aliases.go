package server

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/model"
)

// An aliasError tells that a name cannot be given to a model.
type aliasError struct{ name string }

func (e *aliasError) Error() string {
	return fmt.Sprintf("%s: the service keeps it, or it could be the id of a model", e.name)
}

// PutAlias gives a name to a model.
func (s *Server) PutAlias(_ context.Context, req openapi.PutAliasRequestObject) (openapi.PutAliasResponseObject, error) {
	if req.Alias == latest || strings.HasSuffix(req.Alias, "@"+latest) || len(req.Alias) == 64 {
		return nil, &aliasError{req.Alias}
	}
	m, err := s.find(req.Body.Model)
	if err != nil {
		return nil, err
	}
	err = s.Store.PutAlias(store.Alias{Name: req.Alias, Model: m.ID})
	return openapi.PutAlias200JSONResponse{Alias: req.Alias, Model: m.ID}, err
}

// DeleteAlias takes a name from a model.
func (s *Server) DeleteAlias(_ context.Context, req openapi.DeleteAliasRequestObject) (openapi.DeleteAliasResponseObject, error) {
	return openapi.DeleteAlias204Response{}, s.Store.DeleteAlias(req.Alias)
}

// ListAliases lists the names that were given to models.
func (s *Server) ListAliases(context.Context, openapi.ListAliasesRequestObject) (openapi.ListAliasesResponseObject, error) {
	found, err := s.Store.Aliases()
	out := openapi.ListAliases200JSONResponse{Aliases: []openapi.Alias{}}
	for _, a := range found {
		out.Aliases = append(out.Aliases, openapi.Alias{Alias: a.Name, Model: a.Model})
	}
	return out, err
}

// CompareModels tells which methods differ between two models.
func (s *Server) CompareModels(ctx context.Context, req openapi.CompareModelsRequestObject) (openapi.CompareModelsResponseObject, error) {
	before, _, err := s.model(ctx, req.Body.Before)
	if err != nil {
		return nil, err
	}
	after, _, err := s.model(ctx, req.Body.After)
	if err != nil {
		return nil, err
	}
	var inputs [][]byte
	for _, in := range req.Body.Inputs {
		input, err := bytesOf(in.Input, in.InputBase64)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, input)
	}
	if len(inputs) == 0 {
		inputs = slices.Concat(before.Inputs(), after.Inputs())
		slices.SortFunc(inputs, bytes.Compare)
		inputs = slices.CompactFunc(inputs, bytes.Equal)
	}
	c, err := model.Compare(ctx, before, after, inputs, s.Limits)
	if err != nil {
		return nil, err
	}
	out := openapi.CompareModels200JSONResponse{
		Before: before.Digest, After: after.Digest, Inputs: c.Inputs, Outside: c.Outside, Methods: c.Units, Changes: []openapi.Change{},
	}
	for _, change := range c.Changes {
		out.Changes = append(out.Changes, openapi.Change{
			Method: change.Unit.ID, Kind: openapi.ChangeKind(change.Kind), Differ: change.Disagreements, Expected: change.Expected,
			Chance: change.PValue, Before: conditionsOf(change.Before), After: conditionsOf(change.After),
		})
	}
	return out, nil
}
