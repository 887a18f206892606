package api

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/big"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
)

// MeasureCoverage tells how many paths inputs have.
func (s *Server) MeasureCoverage(ctx context.Context, req openapi.MeasureCoverageRequestObject) (openapi.MeasureCoverageResponseObject, error) {
	g, err := s.grammar(ctx, req.Grammar)
	if err != nil {
		return nil, err
	}
	k := cmp.Or(req.Params.K, 2)
	opt := features.Options{Trivia: req.Params.Trivia}
	all := features.NewSpace(g.Grammar, opt).Count(k)
	opt.Possible = true
	space := features.NewSpace(g.Grammar, opt)
	out := openapi.MeasureCoverage200JSONResponse{K: k, Missing: []openapi.MissingPath{}}
	set := features.NewSet(k)
	x := features.NewExtractor(space, k)
	for in, err := range inputsOf(req) {
		if err != nil {
			return nil, err
		}
		input, err := bytesOf(in.Input, in.InputBase64)
		if err != nil {
			return nil, err
		}
		out.Inputs++
		tree, err := g.Parse(ctx, input, grammars.ParseOptions{Limits: s.Limits})
		if _, outside := errors.AsType[*grammars.SyntaxError](err); outside {
			out.Outside++
			continue
		}
		if err == nil {
			err = x.Add(set, tree)
		}
		if err != nil {
			return nil, err
		}
	}
	possible := space.Count(k)
	out.Covered, out.Possible, out.Impossible = set.Len(k), possible.String(), new(big.Int).Sub(all, possible).String()
	out.Missing = append(out.Missing, missing(ctx, space, set, k, req.Params.Missing)...)
	return out, context.Cause(ctx)
}

// inputsOf yields the inputs of a body, whichever way they were given.
func inputsOf(req openapi.MeasureCoverageRequestObject) iter.Seq2[openapi.Input, error] {
	return func(yield func(openapi.Input, error) bool) {
		if req.JSONBody != nil {
			for _, in := range req.JSONBody.Inputs {
				if !yield(in, nil) {
					return
				}
			}
			return
		}
		lines := bufio.NewReaderSize(req.Body, 64<<10)
		for at := 1; ; at++ {
			text, err := readLine(lines)
			if err != nil && !errors.Is(err, io.EOF) {
				yield(openapi.Input{}, broken(err))
				return
			}
			if len(bytes.TrimSpace(text)) > 0 {
				var in openapi.Input
				if failure := json.Unmarshal(text, &in); failure != nil {
					yield(in, &requestError{fmt.Sprintf("body: line %d: %v", at, failure)})
					return
				}
				if !yield(in, nil) {
					return
				}
			}
			if err != nil {
				return
			}
		}
	}
}

// missing returns up to so many paths that are not in the set.
func missing(ctx context.Context, space *features.Space, set *features.Set, k, most int) []openapi.MissingPath {
	var out []openapi.MissingPath
	if most == 0 {
		return nil
	}
	looked := 0
	for p := range space.All(k) {
		if looked++; len(out) == most || looked%1024 == 0 && ctx.Err() != nil {
			break
		}
		if set.Has(k, space.ID(p)) {
			continue
		}
		m := openapi.MissingPath{Pattern: space.Pattern(p)}
		for _, o := range p {
			m.Path = append(m.Path, fmt.Sprintf("%s#%d", space.Node(o).Text, o))
		}
		out = append(out, m)
	}
	return out
}
