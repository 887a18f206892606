package api

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/big"
	"strconv"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/features/fit"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/forest"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/grammars/refine"
)

// maxPaths is the maximum number of paths that an answer lists.
const maxPaths = 5_000_000

// maxRejected is the maximum number of inputs outside the grammar that an answer names.
const maxRejected = 100

// pathOptions returns the grammar and the path options of a request.
func (e *Engine) pathOptions(ctx context.Context, grammar, start string, opt features.Options) (*Grammar, features.Options, error) {
	g, err := e.Library.Grammar(ctx, grammar)
	if err != nil {
		return nil, opt, err
	}
	if opt.Start, err = startRule(g.Grammar, start); err == nil {
		err = refine.Prepare(ctx, g.Grammar, opt.Start)
	}
	return g, opt, err
}

// CountPaths implements [Service].
func (e *Engine) CountPaths(ctx context.Context, grammar string, req openapi.CountPathsParams) (openapi.PathCount, error) {
	if err := openapi.Validate(&req); err != nil {
		return openapi.PathCount{}, err
	}
	g, opt, err := e.pathOptions(ctx, grammar, req.Start, features.Options{Trivia: req.Trivia, Names: req.Names, Absent: req.Absent})
	if err != nil {
		return openapi.PathCount{}, err
	}
	return openapi.PathCount{K: req.K, Count: features.NewSpace(g.Grammar, opt).Count(req.K).String()}, nil
}

// ListPaths implements [Service].
func (e *Engine) ListPaths(ctx context.Context, grammar string, req openapi.ListPathsParams) iter.Seq2[openapi.Path, error] {
	return func(yield func(openapi.Path, error) bool) {
		if err := openapi.Validate(&req); err != nil {
			yield(openapi.Path{}, err)
			return
		}
		g, opt, err := e.pathOptions(ctx, grammar, req.Start, features.Options{Trivia: req.Trivia, Names: req.Names, Absent: req.Absent})
		if err != nil {
			yield(openapi.Path{}, err)
			return
		}
		space := features.NewSpace(g.Grammar, opt)
		if err := listable(space, req.K); err != nil {
			yield(openapi.Path{}, err)
			return
		}
		for p := range space.All(req.K) {
			if err := context.Cause(ctx); err != nil {
				yield(openapi.Path{}, err)
				return
			}
			if !yield(path(space, p), nil) {
				return
			}
		}
	}
}

// listable returns an error if a grammar has more paths than an answer lists.
func listable(space *features.Space, k int) error {
	if n := space.Count(k); n.Cmp(big.NewInt(maxPaths)) > 0 {
		return &limit.Error{What: "paths to list", Value: strconv.Itoa(maxPaths), Advice: fmt.Sprintf("there are %v; choose a smaller k", n)}
	}
	return nil
}

func path(space *features.Space, p features.Path) openapi.Path {
	return openapi.Path{Path: space.Symbols(p), Pattern: space.Pattern(p)}
}

// MeasureCoverage implements [Service].
func (e *Engine) MeasureCoverage(ctx context.Context, grammar string, req openapi.MeasureCoverageParams, corpus Inputs) (openapi.Coverage, error) {
	out := openapi.Coverage{Missing: []openapi.Path{}}
	if err := openapi.Validate(&req); err != nil {
		return out, err
	}
	g, opt, err := e.pathOptions(ctx, grammar, req.Start, features.Options{Trivia: req.Trivia, Names: req.Names, Absent: req.Absent})
	if err != nil {
		return out, err
	}
	if req.AnyDerivation && (req.Absent || req.Trivia || isLatin1(req.Encoding)) {
		return out, openapi.FieldErrorf("any_derivation", "must not be combined with absent, trivia or an encoding")
	}
	all := features.NewSpace(g.Grammar, opt).Count(req.K)
	opt.Possible = !req.AnyDerivation // the parser's choices matter only for its own tree
	space := features.NewSpace(g.Grammar, opt)
	if req.Missing > 0 {
		if err := listable(space, req.K); err != nil {
			return out, err
		}
	}
	set := features.NewSet(req.K)
	extractor := features.NewExtractor(space, req.K)
	seen, err := e.eachTree(ctx, g, grammars.ParseOptions{Start: opt.Start, Latin1: isLatin1(req.Encoding)}, corpus, func(tree *derivation.Tree) error {
		if !req.AnyDerivation {
			return extractor.Add(set, tree)
		}
		f, err := forest.Of(ctx, g.Grammar, opt.Start, tree)
		if err != nil {
			return err
		}
		return extractor.AddForest(set, f)
	})
	if err != nil {
		return out, err
	}
	possible := space.Count(req.K)
	out.K, out.Inputs, out.Outside, out.Rejected = req.K, seen.inputs, seen.outside, seen.rejected
	out.Covered, out.Possible, out.Impossible = set.Len(req.K), possible.String(), new(big.Int).Sub(all, possible).String()
	out.Missing = append(out.Missing, listed(ctx, space, set, false, req.K, req.Missing)...)
	out.Present = listed(ctx, space, set, true, req.K, req.Present)
	return out, context.Cause(ctx)
}

// listed returns at most n paths of length k that are in the set, or that are not in it
// if in is false.
func listed(ctx context.Context, space *features.Space, set *features.Set, in bool, k, n int) []openapi.Path {
	if n == 0 {
		return nil
	}
	var out []openapi.Path
	visited := 0
	for p := range space.All(k) {
		if visited++; len(out) == n || visited%1024 == 0 && ctx.Err() != nil {
			break
		}
		if set.Has(k, space.ID(p)) == in {
			out = append(out, path(space, p))
		}
	}
	return out
}

// FitGrammar implements [Service].
func (e *Engine) FitGrammar(ctx context.Context, grammar string, req openapi.FitGrammarParams, corpus Inputs) (openapi.Fit, error) {
	const longest = 3 // length of the paths whose coverage is reported
	if err := openapi.Validate(&req); err != nil {
		return openapi.Fit{}, err
	}
	g, opt, err := e.pathOptions(ctx, grammar, req.Start, features.Options{})
	if err != nil {
		return openapi.Fit{}, err
	}
	survey := fit.New(g.Grammar, opt.Start, longest)
	number := 0
	for in, err := range corpus {
		if err != nil {
			return openapi.Fit{}, err
		}
		number++
		name := in.Name
		if name == "" {
			name = fmt.Sprintf("input %d", number)
		}
		input, err := Decode(in.Input, in.InputBase64)
		if err != nil {
			return openapi.Fit{}, err
		}
		if err := survey.Add(ctx, name, input); err != nil {
			return openapi.Fit{}, err
		}
	}
	return fitAnswer(survey.Report()), nil
}

func fitAnswer(r *fit.Report) openapi.Fit {
	out := openapi.Fit{
		Inputs: r.Inputs, Parsed: r.Parsed, Rejections: []openapi.FitRejection{}, Coverage: []openapi.FitCoverage{},
		UnusedRules: unused(r.UnusedRules), Unused: unused(r.Unused), Ambiguities: []openapi.FitAmbiguity{},
	}
	for _, rejection := range r.Rejections {
		item := openapi.FitRejection{Inputs: rejection.Inputs, Reason: rejection.Reason, Expected: rejection.Expected, Examples: []string{}}
		for _, place := range rejection.Examples {
			item.Examples = append(item.Examples, place.String())
		}
		out.Rejections = append(out.Rejections, item)
	}
	for _, c := range r.Coverage {
		out.Coverage = append(out.Coverage, openapi.FitCoverage{K: c.K, Covered: c.Covered, Possible: c.Possible.String()})
	}
	for _, a := range r.Ambiguities {
		out.Ambiguities = append(out.Ambiguities, openapi.FitAmbiguity{
			Rule: a.Rule, Alternatives: a.Alternatives, Times: a.Times, Text: a.Text, Example: a.Example.String(),
		})
	}
	return out
}

func unused(parts []fit.Unused) []openapi.FitUnused {
	out := []openapi.FitUnused{}
	for _, u := range parts {
		out = append(out, openapi.FitUnused{Place: u.Place.String(), Rule: u.Rule, Part: u.Part, Optional: u.Optional})
	}
	return out
}

// seen counts the inputs of a corpus and names the first ones that are outside the
// grammar.
type seen struct {
	inputs, outside int
	rejected        []openapi.Rejected
}

// reject counts an input outside the grammar, and names it if it is one of the first.
func (s *seen) reject(r openapi.Rejected, err error) {
	if s.outside++; s.outside <= maxRejected {
		r.Number, r.Message = s.inputs, Excerpt(err.Error())
		s.rejected = append(s.rejected, r)
	}
}

// eachTree parses the inputs of a corpus. Inputs that are outside the grammar or reach
// a limit are counted, and the first of them named.
func (e *Engine) eachTree(ctx context.Context, g *Grammar, opt grammars.ParseOptions, corpus Inputs, use func(*derivation.Tree) error) (seen, error) {
	var out seen
	opt.Limits = e.Limits
	for in, err := range corpus {
		if err != nil {
			return out, err
		}
		input, err := Decode(in.Input, in.InputBase64)
		if err != nil {
			return out, err
		}
		out.inputs++
		tree, err := g.Parse(ctx, input, opt)
		if syntax, outside := errors.AsType[*grammars.SyntaxError](err); outside {
			out.reject(openapi.Rejected{Name: in.Name, Syntax: *syntaxError(syntax)}, err)
			continue
		}
		if err == nil {
			err = use(tree)
		}
		if _, limited := errors.AsType[*limit.Error](err); limited && ctx.Err() == nil {
			out.reject(openapi.Rejected{Name: in.Name}, err)
			continue
		}
		if err != nil {
			return out, inputError(in.Name, out.inputs, err)
		}
	}
	return out, nil
}

// inputError prefixes an error with the name or number of the input that it is about.
func inputError(name string, number int, err error) error {
	if name == "" {
		name = fmt.Sprintf("input %d", number)
	}
	return fmt.Errorf("%s: %w", name, err)
}
