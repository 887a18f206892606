package server

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"net/http"
	"strconv"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/limit"
)

// maxPaths bounds how many paths are listed.
const maxPaths = 5_000_000

// pathOptions returns which paths were asked for, having seen that the grammar
// has the rule that they begin with.
func pathOptions(g *grammars.Grammar, start string, trivia, names, absent bool) (features.Options, error) {
	start, err := startOf(g, start)
	return features.Options{Start: start, Trivia: trivia, Names: names, Absent: absent}, err
}

// CountPaths counts the paths of a grammar.
func (s *Server) CountPaths(ctx context.Context, req openapi.CountPathsRequestObject) (openapi.CountPathsResponseObject, error) {
	g, err := s.grammar(ctx, req.Grammar)
	if err != nil {
		return nil, err
	}
	p := req.Params
	opt, err := pathOptions(g.Grammar, p.Start, p.Trivia, p.Names, p.Absent)
	if err != nil {
		return nil, err
	}
	k := cmp.Or(p.K, 2)
	return openapi.CountPaths200JSONResponse{K: k, Count: features.NewSpace(g.Grammar, opt).Count(k).String()}, nil
}

// ListPaths lists the paths of a grammar.
func (s *Server) ListPaths(ctx context.Context, req openapi.ListPathsRequestObject) (openapi.ListPathsResponseObject, error) {
	g, err := s.grammar(ctx, req.Grammar)
	if err != nil {
		return nil, err
	}
	p := req.Params
	opt, err := pathOptions(g.Grammar, p.Start, p.Trivia, p.Names, p.Absent)
	if err != nil {
		return nil, err
	}
	k := cmp.Or(p.K, 2)
	space := features.NewSpace(g.Grammar, opt)
	if n := space.Count(k); n.Cmp(big.NewInt(maxPaths)) > 0 {
		return nil, &limit.Error{What: "paths to list", Value: strconv.Itoa(maxPaths), Advice: fmt.Sprintf("the grammar has %v; ask for a smaller k", n)}
	}
	return streamed{ctx, func(ctx context.Context, w http.ResponseWriter) error {
		out := s.stream(w, ndjson)
		for p := range space.All(k) {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if err := out.line(pathOf(space, p)); err != nil {
				return err
			}
		}
		return out.flush()
	}}, nil
}

func pathOf(space *features.Space, p features.Path) openapi.Path {
	return openapi.Path{Path: space.Symbols(p), Pattern: space.Pattern(p)}
}

// listed returns up to so many paths that are in the set, or that are not.
func listed(ctx context.Context, space *features.Space, set *features.Set, in bool, k, most int) []openapi.Path {
	var out []openapi.Path
	if most == 0 {
		return nil
	}
	looked := 0
	for p := range space.All(k) {
		if looked++; len(out) == most || looked%1024 == 0 && ctx.Err() != nil {
			break
		}
		if set.Has(k, space.ID(p)) == in {
			out = append(out, pathOf(space, p))
		}
	}
	return out
}
