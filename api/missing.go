package api

import (
	"context"
	"fmt"
	"math/big"
	"strconv"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/grammars/refine"
	"github.com/inroad/inroad/targeting/generate"
	"github.com/inroad/inroad/targeting/solve"
)

// reportMissing counts, by reason, the paths of a cover that have no input, and lists as
// many as requested.
func (x *generation) reportMissing(ctx context.Context, cover *generate.Cover) error {
	plain := features.NewSpace(x.grammar.Grammar, features.Options{Start: x.opt.Start})
	known := map[uint64]bool{}
	for _, m := range x.missing {
		known[plain.ID(m.Path)] = true
		x.miss(plain, m)
	}
	for _, p := range cover.Unrealised() {
		if !known[plain.ID(p)] { // Complete stopped before this path
			x.miss(plain, solve.Missing{Path: p})
		}
	}
	if x.absences != nil {
		space := features.NewSpace(x.grammar.Grammar, features.Options{Start: x.opt.Start, Absent: true})
		for _, m := range x.absences.Missing {
			x.miss(space, m)
		}
	}
	if !cover.Parsed() || len(x.summary.Missing) >= x.req.Missing {
		return nil
	}
	return x.listExcluded(ctx, plain)
}

// miss counts a path without an input, and lists it unless enough paths are listed.
func (x *generation) miss(space *features.Space, m solve.Missing) {
	reason := openapi.MissingReason(m.Reason)
	if reason == "" {
		reason = openapi.MissingInputs
	}
	if x.summary.Reasons == nil {
		x.summary.Reasons = map[string]int{}
	}
	x.summary.Reasons[string(reason)]++
	switch {
	case reason == openapi.MissingInputs:
	case m.Proved():
		x.summary.Impossible++
	default:
		x.summary.Unrealised++
	}
	if len(x.summary.Missing) < x.req.Missing {
		x.summary.Missing = append(x.summary.Missing, missingPath(space, m, reason))
	}
}

// listExcluded lists the paths of the grammar graph that occur in no tree.
func (x *generation) listExcluded(ctx context.Context, plain *features.Space) error {
	if n := plain.Count(x.req.K); n.Cmp(big.NewInt(maxPaths)) > 0 {
		return &limit.Error{What: "paths to list", Value: strconv.Itoa(maxPaths), Advice: fmt.Sprintf("there are %v; choose a smaller k, or do not list missing paths", n)}
	}
	excluded, err := features.NewExclusions(ctx, x.grammar.Grammar, features.Options{Start: x.opt.Start, Absent: x.req.Absent})
	if err != nil {
		return err
	}
	space := features.NewSpace(x.grammar.Grammar, features.Options{Start: x.opt.Start, Absent: x.req.Absent})
	for p, why := range excluded.All(x.req.K) {
		if err := context.Cause(ctx); err != nil || len(x.summary.Missing) >= x.req.Missing {
			return err
		}
		x.summary.Missing = append(x.summary.Missing, missingPath(space, solve.Missing{Path: p, Reason: why}, openapi.MissingReason(why)))
	}
	return nil
}

func missingPath(space *features.Space, m solve.Missing, reason openapi.MissingReason) openapi.MissingPath {
	return openapi.MissingPath{
		Path: space.Symbols(m.Path), Pattern: space.Pattern(m.Path), Reason: reason,
		Proved: reason != openapi.MissingInputs && m.Proved(), Detail: missingDetail(space, m),
	}
}

// missingDetail says why a path has no input.
func missingDetail(space *features.Space, m solve.Missing) string {
	switch m.Reason {
	case refine.Unproductive:
		return "a symbol of the path, or one that is required beside it, has no finite derivation"
	case refine.InToken:
		return "the derivation of the token always prefers another alternative"
	case refine.Precedence:
		return "operator precedence or associativity rules out the operand"
	case refine.Preferred:
		return "the parser always prefers another alternative or number of repetitions"
	case refine.Lexer:
		return "the lexer never reads the token there"
	case solve.NoTree:
		return "no tree has all symbols of the path"
	case solve.Implied:
		return "every tree with the path has another path that is proved impossible"
	case solve.Limited:
		return "the decision whether a tree has the path ended: " + m.Limit
	case solve.Misread:
		if m.Symbol >= 0 {
			return fmt.Sprintf("the search for %s ended after %d trees: their texts are read as trees without it", space.Symbols(features.Path{m.Symbol})[0], m.Tried)
		}
		return fmt.Sprintf("the search ended after %d trees with the path: their texts are read as trees without it", m.Tried)
	default:
		return "the requested number of inputs was reached before"
	}
}
