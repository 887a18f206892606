package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars"
)

// CheckGrammar implements [api.Service]. JSON cannot hold files that are not UTF-8,
// so they are checked here.
func (c *Client) CheckGrammar(ctx context.Context, req openapi.GrammarSource) (openapi.GrammarReport, error) {
	if slices.ContainsFunc(req.Files, func(f openapi.GrammarFile) bool { return !utf8.ValidString(f.Text) }) {
		return new(api.Engine).CheckGrammar(ctx, req)
	}
	return ask[openapi.GrammarReport](ctx, c, &req, func() (*http.Response, error) { return c.generated.CheckGrammar(ctx, req) })
}

// Grammars implements [api.Service].
func (c *Client) Grammars(ctx context.Context) (openapi.GrammarList, error) {
	out := openapi.GrammarList{Grammars: []openapi.GrammarItem{}}
	for g, err := range c.EachGrammar(ctx) {
		if err != nil {
			return out, err
		}
		out.Grammars = append(out.Grammars, g)
	}
	return out, nil
}

// Grammar implements [api.Service]. Grammar files are uploaded; other names are the ID
// or the unique name of a grammar at the service.
func (c *Client) Grammar(ctx context.Context, name string) (openapi.Grammar, error) {
	c.mu.Lock()
	g, ok := c.uploaded[name]
	c.mu.Unlock()
	if ok {
		return g, nil
	}
	var err error
	if name == "" || strings.Contains(name, ",") || api.IsGrammarFile(name) {
		g, err = c.upload(ctx, name)
	} else {
		g, err = c.find(ctx, name)
	}
	if err != nil {
		return g, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.uploaded[name], c.uploaded[g.ID] = g, g
	return g, nil
}

// upload uploads files. Uploading the same files again returns the same grammar.
func (c *Client) upload(ctx context.Context, name string) (openapi.Grammar, error) {
	sources, err := api.ReadGrammar(name)
	if err != nil {
		return openapi.Grammar{}, err
	}
	if _, err := grammars.Load(ctx, sources...); err != nil { // an invalid grammar is not uploaded
		return openapi.Grammar{}, err
	}
	return c.CreateGrammar(ctx, openapi.GrammarSource{Files: files(sources)})
}

func files(sources []grammars.Source) []openapi.GrammarFile {
	var out []openapi.GrammarFile
	for _, s := range sources {
		out = append(out, openapi.GrammarFile{Name: s.Name, Text: s.Text})
	}
	return out
}

// CreateGrammar uploads a grammar.
func (c *Client) CreateGrammar(ctx context.Context, req openapi.GrammarSource) (openapi.Grammar, error) {
	g, err := ask[openapi.Grammar](ctx, c, &req, func() (*http.Response, error) { return c.generated.CreateGrammar(ctx, req) })
	if p, ok := errors.AsType[*ProblemError](err); ok && p.Status == http.StatusForbidden {
		return g, fmt.Errorf("%w; uploading a grammar needs a key with the scope write", p)
	}
	return g, err
}

// find returns a grammar by its ID, or by its name if that is unique.
func (c *Client) find(ctx context.Context, name string) (openapi.Grammar, error) {
	resp, err := c.generated.GetGrammar(ctx, name)
	if problem, ok := errors.AsType[*ProblemError](err); !ok || problem.Status != http.StatusNotFound {
		return read[openapi.Grammar](ctx, c, resp, err)
	}
	list, err := c.Grammars(ctx)
	if err != nil {
		return openapi.Grammar{}, err
	}
	var ids []string
	for _, g := range list.Grammars {
		if g.Name == name {
			ids = append(ids, g.ID)
		}
	}
	switch len(ids) {
	case 0:
		return openapi.Grammar{}, api.GrammarFileNotFound(name)
	case 1:
		resp, err = c.generated.GetGrammar(ctx, ids[0])
		return read[openapi.Grammar](ctx, c, resp, err)
	default:
		return openapi.Grammar{}, fmt.Errorf("grammar %s: several grammars have this name; give an ID: %s", name, strings.Join(ids, ", "))
	}
}

// with returns a function that sends a request about a grammar.
func (c *Client) with(ctx context.Context, grammar string, send func(id string) (*http.Response, error)) func() (*http.Response, error) {
	return func() (*http.Response, error) {
		g, err := c.Grammar(ctx, grammar)
		if err != nil {
			return nil, err
		}
		return send(g.ID)
	}
}

// withCorpus returns a function that sends a request about a grammar with the inputs of
// a corpus as its body. stop closes the body and returns the error of the request.
func (c *Client) withCorpus(ctx context.Context, grammar string, corpus api.Inputs, send func(id string, body io.Reader) (*http.Response, error)) (do func() (*http.Response, error), stop func(error) error) {
	var body *lineBody
	do = c.with(ctx, grammar, func(id string) (*http.Response, error) {
		body = inputBody(ctx, corpus)
		return send(id, body)
	})
	return do, func(err error) error {
		if body == nil {
			return err
		}
		return body.stop(err)
	}
}

// Parse implements [api.Service].
func (c *Client) Parse(ctx context.Context, grammar string, req openapi.ParseRequest) (openapi.ParseAnswer, error) {
	return ask[openapi.ParseAnswer](ctx, c, &req, c.with(ctx, grammar, func(id string) (*http.Response, error) {
		return c.generated.ParseInput(ctx, id, req)
	}))
}

// FitGrammar implements [api.Service].
func (c *Client) FitGrammar(ctx context.Context, grammar string, req openapi.FitGrammarParams, corpus api.Inputs) (openapi.Fit, error) {
	do, stop := c.withCorpus(ctx, grammar, corpus, func(id string, body io.Reader) (*http.Response, error) {
		return c.generated.FitGrammarWithBody(ctx, id, &req, ndjson, body)
	})
	out, err := ask[openapi.Fit](ctx, c, &req, do)
	return out, stop(err)
}

// CountPaths implements [api.Service].
func (c *Client) CountPaths(ctx context.Context, grammar string, req openapi.CountPathsParams) (openapi.PathCount, error) {
	return ask[openapi.PathCount](ctx, c, &req, c.with(ctx, grammar, func(id string) (*http.Response, error) {
		return c.generated.CountPaths(ctx, id, &req)
	}))
}

// ListPaths implements [api.Service].
func (c *Client) ListPaths(ctx context.Context, grammar string, req openapi.ListPathsParams) iter.Seq2[openapi.Path, error] {
	return each[openapi.Path](ctx, c, &req, c.with(ctx, grammar, func(id string) (*http.Response, error) {
		return c.generated.ListPaths(ctx, id, &req)
	}))
}

// MeasureCoverage implements [api.Service].
func (c *Client) MeasureCoverage(ctx context.Context, grammar string, req openapi.MeasureCoverageParams, corpus api.Inputs) (openapi.Coverage, error) {
	do, stop := c.withCorpus(ctx, grammar, corpus, func(id string, body io.Reader) (*http.Response, error) {
		return c.generated.MeasureCoverageWithBody(ctx, id, &req, ndjson, body)
	})
	out, err := ask[openapi.Coverage](ctx, c, &req, do)
	return out, stop(err)
}
