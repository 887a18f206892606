package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/grammars/refine"
	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/generate"
	"github.com/inroad/inroad/targeting/solve"
)

// DefaultInputs is the number of generated inputs if a request does not name one.
const DefaultInputs = 10

// maxGenerated is the maximum number of inputs in one answer.
const maxGenerated = 1_000_000

// errEnough ends a cover that has as many inputs as requested.
var errEnough = errors.New("enough inputs")

// errStopped stops the generation when the caller stops iterating.
var errStopped = errors.New("stopped")

// Generate implements [Service].
func (e *Engine) Generate(ctx context.Context, grammar string, req openapi.GenerateRequest) iter.Seq2[openapi.GeneratedInput, error] {
	return func(yield func(openapi.GeneratedInput, error) bool) {
		x, err := e.newGeneration(ctx, grammar, req)
		if err == nil {
			x.yield = yield
			err = x.run(ctx)
		}
		switch {
		case errors.Is(err, errStopped):
		case err != nil:
			yield(openapi.GeneratedInput{}, err)
		default:
			yield(openapi.GeneratedInput{Summary: &x.summary}, nil)
		}
	}
}

// A generation generates the inputs of one request.
type generation struct {
	req     openapi.GenerateRequest
	grammar *Grammar
	opt     generate.Options
	workers int
	seed    uint64
	summary openapi.GenerateSummary
	// absences are covered beside the paths; nil if they are not asked for.
	absences *solve.Absences
	missing  []solve.Missing // the paths of the cover without an input
	yield    func(openapi.GeneratedInput, error) bool
}

func (e *Engine) newGeneration(ctx context.Context, grammar string, req openapi.GenerateRequest) (*generation, error) {
	if err := openapi.Validate(&req); err != nil {
		return nil, err
	}
	g, err := e.Library.Grammar(ctx, grammar)
	if err != nil {
		return nil, err
	}
	start, err := g.ProductiveRule(req.Start)
	if err != nil {
		return nil, err
	}
	if err := refine.Prepare(ctx, g.Grammar, start); err != nil {
		return nil, err
	}
	if req.Absent && req.Strategy != openapi.Kpath {
		return nil, openapi.FieldErrorf("absent", "the strategy must be kpath, not %s", req.Strategy)
	}
	if req.Missing > 0 && req.Strategy != openapi.Kpath {
		return nil, openapi.FieldErrorf("missing", "the strategy must be kpath, not %s", req.Strategy)
	}
	n := DefaultInputs
	if req.Strategy == openapi.Kpath {
		n = maxGenerated
	}
	req.N = cmp.Or(req.N, n)
	switch req.Strategy {
	case openapi.Kpath, openapi.Forest:
		req.MaxNodes = cmp.Or(req.MaxNodes, 200)
	case openapi.Random:
		req.MaxNodes = cmp.Or(req.MaxNodes, 1000)
	}
	x := &generation{req: req, grammar: g, workers: e.workers(), seed: Seed(req.Seed), opt: generate.Options{
		Start: start, MaxNodes: req.MaxNodes, MaxTokens: req.MaxTokens, MaxDepth: req.MaxDepth, MaxRepeat: req.MaxRepeat, Shortest: req.Strategy == openapi.Shortest,
		Cooldown: req.Cooldown, Expansions: req.Expansions, AllowDuplicates: req.AllowDuplicates, Unverified: req.NoVerify,
		Spacing: map[openapi.GenerateRequestSpacing]generate.Spacing{
			openapi.CompactSpacing: generate.Compact, openapi.FullSpacing: generate.Spaced, openapi.RandomSpacing: generate.RandomSpacing,
		}[req.Spacing],
	}}
	x.summary.Seed = int64(x.seed)
	if x.opt.Tokens, err = readTexts(g.Grammar, req.Tokens); err != nil { //nolint:contextcheck // reading one token back is bounded and takes no context
		return nil, err
	}
	if g.Bundled && !req.SyntheticNames {
		if x.opt.Names, err = generate.SampleNames(ctx, g.ID, g.Grammar); err != nil {
			return nil, err
		}
	}
	x.opt.Probabilities, err = x.probabilities(ctx)
	return x, err
}

// probabilities returns the probabilities of choices; nil for strategies that use
// none.
func (x *generation) probabilities(ctx context.Context) (p *generate.Probabilities, err error) {
	uses := slices.Contains([]openapi.GenerateRequestStrategy{openapi.Common, openapi.Uncommon, openapi.Failure}, x.req.Strategy)
	uses = uses || x.closesOff() && x.req.CloseOff == openapi.CloseCommon
	switch given := x.req.Probabilities; {
	case given != nil && !uses:
		return nil, openapi.FieldErrorf("probabilities", "the strategy must be common, uncommon or failure, not %s", x.req.Strategy)
	case given != nil:
		p, err = readProbabilities(x.grammar.Grammar, given)
	case uses && x.grammar.Bundled:
		p, err = generate.SampleProbabilities(ctx, x.grammar.ID, x.grammar.Grammar)
	case uses && generate.GrammarProbabilities(x.grammar.Grammar) != nil:
		p = generate.GrammarProbabilities(x.grammar.Grammar)
	case uses:
		return nil, &openapi.FieldError{
			Field: "strategy", Value: string(x.req.Strategy),
			Problem: fmt.Sprintf("needs the probabilities of a corpus, as grammar %s has no samples", x.grammar.Name),
		}
	}
	if err == nil && x.req.Strategy == openapi.Uncommon {
		p = p.Invert()
	}
	return p, err
}

// readTexts returns the texts of tokens in a request. Each text must lex as its token.
func readTexts(g *grammars.Grammar, given map[string][]string) (generate.Texts, error) {
	texts, writer := generate.Texts{}, g.Writer()
	if g.Scannerless && len(given) > 0 {
		return nil, openapi.FieldErrorf("tokens", "grammar %s has no tokens: it is scannerless", g.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		token := slices.Index(g.Tokens(), name)
		if token < 1 {
			return nil, &openapi.FieldError{
				Field: "tokens", Value: Excerpt(name), Problem: fmt.Sprintf("not a token of grammar %s%s", g.Name, didYouMean(name, g.Tokens()[1:])),
			}
		}
		for _, text := range given[name] {
			if !writer.IsToken(token, []byte(text)) {
				return nil, &openapi.FieldError{Field: "tokens", Value: name, Problem: Excerpt(strconv.Quote(text)) + " is not read as this token"}
			}
			texts[token] = append(texts[token], []byte(text))
		}
	}
	return texts, nil
}

// run generates all inputs. If there is a proof that the grammar has none, the error
// is an [*solve.InfeasibleError].
func (x *generation) run(ctx context.Context) error {
	err := x.generate(ctx)
	if err == nil && x.summary.Inputs > 0 || err != nil && !errors.Is(err, generate.ErrUnwritten) {
		return err
	}
	solver, wrong := solve.New(x.grammar.Grammar, x.opt.Start)
	if wrong == nil {
		_, wrong = solver.Solve(ctx, targeting.Constraint{})
	}
	if proof, ok := errors.AsType[*solve.InfeasibleError](wrong); ok {
		return proof
	}
	return err
}

func (x *generation) generate(ctx context.Context) error {
	switch x.req.Strategy {
	case openapi.Kpath:
		return x.cover(ctx)
	case openapi.Forest:
		return x.forest(ctx)
	default:
		for input, err := range generate.Each(ctx, x.grammar.Grammar, x.opt, x.seed, x.req.N, x.workers) {
			if err == nil {
				err = x.take(0, input)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// take yields an input of a set; set is 0 if there are no sets.
func (x *generation) take(set int, input *generate.Input) error {
	x.summary.Inputs++
	x.summary.Draws += input.Draws
	x.summary.Repairs += input.Repairs
	if x.opt.Unverified {
		x.summary.Unverified++
	}
	if input.ReadOtherwise {
		x.summary.ReadOtherwise++
	}
	if x.absences != nil {
		if err := x.absences.Add(input.Tree); err != nil {
			return err
		}
	}
	line := generatedInput(input)
	if isLatin1(x.req.Encoding) {
		bytes, err := grammars.EncodeLatin1(input.Text)
		if err != nil {
			return fmt.Errorf("generated input %d: %w", x.summary.Inputs, err)
		}
		line.Input, line.InputBase64 = Encode(bytes)
	}
	line.Set = set
	if !x.yield(line, nil) {
		return errStopped
	}
	return nil
}

func generatedInput(input *generate.Input) (out openapi.GeneratedInput) {
	out.Input, out.InputBase64 = Encode(input.Text)
	return out
}

// closesOff reports whether each input is derived for one path, and the rest of its tree
// is closed off.
func (x *generation) closesOff() bool {
	return x.req.Strategy == openapi.Forest || x.req.Strategy == openapi.Kpath && x.req.OneTarget
}

// generator returns a generator with the seed of the request, and the options to
// cover paths with.
func (x *generation) generator() (*generate.Generator, generate.CoverOptions, error) {
	opt := generate.CoverOptions{
		OneTarget: x.closesOff(),
		CloseOff: map[openapi.GenerateRequestCloseOff]generate.CloseOff{
			openapi.CloseShortest: generate.ByShortest, openapi.CloseRandom: generate.ByChance, openapi.CloseLeastUsed: generate.ByLeastUsed,
			openapi.CloseCommon: generate.ByLikely, openapi.CloseKpath: generate.ByPaths,
		}[x.req.CloseOff],
	}
	g, err := generate.New(x.grammar.Grammar, source(x.seed), x.opt)
	return g, opt, err
}

// cover generates inputs until they cover all paths.
func (x *generation) cover(ctx context.Context) error {
	g, opt, err := x.generator() //nolint:contextcheck // reading one token back is bounded and takes no context
	if err != nil {
		return err
	}
	cover, err := generate.NewCover(g, x.req.K, opt)
	if err != nil {
		return err
	}
	if x.req.Absent {
		solver, err := solve.New(x.grammar.Grammar, x.opt.Start)
		if err != nil {
			return err
		}
		if x.absences, err = solver.NewAbsences(x.req.K); err != nil {
			return err
		}
	}
	var input *generate.Input
	for range x.req.N {
		if input, err = cover.Next(ctx); err != nil {
			return err
		}
		if input == nil {
			break
		}
		if err := x.take(0, input); err != nil {
			return err
		}
	}
	if input == nil {
		err = x.complete(ctx, cover)
	}
	x.summary.Covered, x.summary.Paths = cover.Covered()
	if err == nil && x.absences != nil {
		err = x.coverAbsences(ctx)
		covered, all := x.absences.Covered()
		x.summary.Covered, x.summary.Paths = x.summary.Covered+covered, x.summary.Paths+all
	}
	if err != nil {
		return err
	}
	return x.reportMissing(ctx, cover)
}

// coverAbsences adds inputs for absences that the inputs so far do not cover.
func (x *generation) coverAbsences(ctx context.Context) error {
	err := x.absences.Cover(ctx, source(x.seed), func(input *generate.Input) error {
		if x.summary.Inputs == x.req.N {
			return errEnough
		}
		return x.take(0, input)
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// complete solves for the paths that a cover gave up on.
func (x *generation) complete(ctx context.Context, cover *generate.Cover) error {
	if len(cover.Unrealised()) == 0 {
		return nil
	}
	solver, err := solve.New(x.grammar.Grammar, x.opt.Start)
	if err != nil {
		return err
	}
	x.missing, err = solver.Complete(ctx, cover, source(x.seed), func(input *generate.Input) error {
		if x.summary.Inputs == x.req.N {
			return errEnough
		}
		return x.take(0, input)
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// forest generates sets of inputs of growing coverage.
func (x *generation) forest(ctx context.Context) error {
	g, opt, err := x.generator() //nolint:contextcheck // reading one token back is bounded and takes no context
	if err != nil {
		return err
	}
	forest, err := generate.NewForest(g, x.req.K, x.req.N, opt)
	if err != nil {
		return err
	}
	for x.summary.Inputs < maxGenerated {
		set, input, err := forest.Next(ctx)
		if err != nil || input == nil {
			return err
		}
		if err := x.take(set, input); err != nil {
			return err
		}
	}
	return &limit.Error{What: "inputs of all sets", Value: strconv.Itoa(maxGenerated), Advice: "ask for fewer sets"}
}
