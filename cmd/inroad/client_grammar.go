package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
)

// A remoteGrammar is a grammar that a service has. Reading it here as well finds
// what is wrong in paths, names and rules before anything is asked.
type remoteGrammar struct {
	*grammars.Grammar
	id      string
	sources []grammars.Source
}

// grammar returns what --grammar says: the name of a grammar that the service
// has, or files, which it is given.
func (c *client) grammar(ctx context.Context, value string) (*remoteGrammar, error) {
	if value != "" && !slices.ContainsFunc(strings.Split(value, ","), isGrammarFile) && !strings.Contains(value, ",") {
		return c.named(ctx, value)
	}
	sources, err := grammarSources(value)
	if err != nil {
		return nil, err
	}
	g, err := grammars.Load(sources...)
	if err != nil {
		return nil, err
	}
	return c.upload(ctx, &remoteGrammar{g, "", sources}, "")
}

// named returns a grammar by its id, or by its name if no other has it.
func (c *client) named(ctx context.Context, name string) (*remoteGrammar, error) {
	resp, err := c.GetGrammar(ctx, name)
	none, ok := errors.AsType[*problemError](err)
	if !ok || none.Status != http.StatusNotFound {
		return c.loaded(ctx, resp, err)
	}
	resp, err = c.ListGrammars(ctx)
	list, err := read[openapi.GrammarList](ctx, c, resp, err)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, g := range list.Grammars {
		if g.Name == name {
			ids = append(ids, g.ID)
		}
	}
	switch len(ids) {
	case 0:
		return nil, fmt.Errorf("%w; the name of a file ends in .g4 or has a slash in it", none)
	case 1:
		resp, err = c.GetGrammar(ctx, ids[0])
		return c.loaded(ctx, resp, err)
	default:
		return nil, fmt.Errorf("--grammar %s: the service has several of this name; give the id of one: %s", name, strings.Join(ids, ", "))
	}
}

// upload gives the service a grammar, to begin with a rule. The same again is
// the same there.
func (c *client) upload(ctx context.Context, g *remoteGrammar, start string) (*remoteGrammar, error) {
	body := openapi.GrammarUpload{Start: start}
	for _, s := range g.sources {
		body.Files = append(body.Files, openapi.GrammarFile{Name: s.Name, Text: s.Text})
	}
	resp, err := c.CreateGrammar(ctx, body)
	if p, ok := errors.AsType[*problemError](err); ok && p.Status == http.StatusForbidden {
		return nil, fmt.Errorf("%w; grammars are uploaded, which takes a key with the scope write", p)
	}
	return c.loaded(ctx, resp, err)
}

// loaded reads a grammar that the service answers with.
func (c *client) loaded(ctx context.Context, resp *http.Response, err error) (*remoteGrammar, error) {
	stored, err := read[openapi.Grammar](ctx, c, resp, err)
	if err != nil {
		return nil, err
	}
	g := &remoteGrammar{id: stored.ID}
	for _, f := range stored.Files {
		g.sources = append(g.sources, grammars.Source{Name: f.Name, Text: f.Text})
	}
	g.Grammar, err = grammars.LoadFrom(stored.Report.Summary.Start, g.sources...)
	return g, err
}

// openGrammar is the openGrammar of a service.
func (c *client) openGrammar(ctx context.Context, value string, start *string, stderr io.Writer) (*remoteGrammar, error) {
	g, err := c.grammar(ctx, value)
	if err != nil {
		return nil, err
	}
	if *start, err = startRule(g.Grammar, *start); err != nil {
		return nil, err
	}
	noteApproximate(stderr, g.Grammar)
	return g, nil
}

// openModel returns what a service says of a model, and tells if its answers may
// not be exact.
func (c *client) openModel(ctx context.Context, name string, stderr io.Writer) (openapi.Model, error) {
	resp, err := c.GetModel(ctx, name)
	m, err := read[openapi.Model](ctx, c, resp, err)
	if err != nil || m.Exact {
		return m, err
	}
	g, err := c.grammar(ctx, m.Grammar)
	if err != nil {
		return m, err
	}
	noteApproximate(stderr, g.Grammar)
	return m, nil
}

// findUnits returns the IDs of the methods that a user named.
func (c *client) findUnits(ctx context.Context, name string, methods []string) ([]string, error) {
	if len(methods) == 0 {
		return nil, nil
	}
	resp, err := c.ListMethods(ctx, name)
	list, err := read[openapi.MethodList](ctx, c, resp, err)
	if err != nil {
		return nil, err
	}
	m := &model.Model{}
	for _, method := range list.Methods {
		m.Units = append(m.Units, observation.Unit{ID: method.ID, Name: method.Name})
	}
	units, err := findUnits(m, methods)
	var out []string
	for _, unit := range units {
		out = append(out, m.Units[unit].ID)
	}
	return out, err
}
