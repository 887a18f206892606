package server

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
	p := req.Params
	opt, err := pathOptions(g.Grammar, p.Start, p.Trivia, p.Names, p.Absent)
	if err != nil {
		return nil, err
	}
	all := features.NewSpace(g.Grammar, opt).Count(k)
	opt.Possible = true
	space := features.NewSpace(g.Grammar, opt)
	out := openapi.MeasureCoverage200JSONResponse{K: k, Missing: []openapi.Path{}}
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
		tree, err := g.Parse(ctx, input, grammars.ParseOptions{Start: opt.Start, Limits: s.Limits})
		if syntax, outside := errors.AsType[*grammars.SyntaxError](err); outside {
			if out.Outside++; out.Outside <= maxRejected {
				rejected := openapi.Rejected{Number: out.Inputs, Name: in.Name, Message: excerpt(err.Error()), Syntax: syntaxOf(syntax)}
				out.Rejected = append(out.Rejected, rejected)
			}
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
	out.Missing = append(out.Missing, listed(ctx, space, set, false, k, p.Missing)...)
	out.Present = listed(ctx, space, set, true, k, p.Present)
	return out, context.Cause(ctx)
}

// maxRejected bounds how many inputs outside the grammar are named.
const maxRejected = 100

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
