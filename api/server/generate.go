package server

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/targeting/generate"
)

// maxMade bounds the inputs of one answer.
const maxMade = 10_000

func madeOf(input *generate.Input) openapi.MadeInput {
	text, encoded := textOf(input.Text)
	return openapi.MadeInput{Input: text, InputBase64: encoded}
}

func unmade(err error) openapi.MadeInput { return openapi.MadeInput{Error: excerpt(err.Error())} }

// GenerateInputs makes inputs of a grammar.
func (s *Server) GenerateInputs(ctx context.Context, req openapi.GenerateInputsRequestObject) (openapi.GenerateInputsResponseObject, error) {
	g, err := s.grammar(ctx, req.Grammar)
	if err != nil {
		return nil, err
	}
	m := &maker{asked: req.Body, grammar: g.Grammar, workers: s.Workers}
	if err := m.prepare(ctx, g); err != nil {
		return nil, err
	}
	return lines(ctx, s, func(ctx context.Context) iter.Seq2[openapi.MadeInput, error] {
		return func(yield func(openapi.MadeInput, error) bool) {
			if err := m.make(ctx, func(line openapi.MadeInput) bool { return yield(line, nil) }); err != nil {
				yield(openapi.MadeInput{}, &askedError{err})
			}
		}
	}, unmade)
}

// A maker makes the inputs that were asked for.
type maker struct {
	asked   *openapi.GenerateRequest
	grammar *grammars.Grammar
	workers int
	opt     generate.Options
	made    openapi.Made
}

// prepare reads what choices and tokens are to be like.
func (m *maker) prepare(ctx context.Context, g *loadedGrammar) error {
	asked := m.asked
	start, err := startOf(m.grammar, asked.Start)
	if err != nil {
		return err
	}
	m.opt = generate.Options{
		Start: start, MaxNodes: asked.MaxNodes, MaxDepth: asked.MaxDepth, MaxRepeat: asked.MaxRepeat, Shortest: asked.Strategy == openapi.Shortest,
		Cooldown: asked.Cooldown, Expansions: asked.Expansions,
	}
	switch asked.Spacing {
	case openapi.FullSpacing:
		m.opt.Spacing = generate.Spaced
	case openapi.RandomSpacing:
		m.opt.Spacing = generate.RandomSpacing
	case openapi.CompactSpacing, "":
		m.opt.Spacing = generate.Compact
	}
	if m.opt.Tokens, err = textsOf(m.grammar, asked.Tokens); err != nil { //nolint:contextcheck // reading one token back is bounded and takes no context
		return err
	}
	if g.bundled && !asked.MadeUp {
		if m.opt.Names, err = generate.SampleNames(ctx, g.stored.ID, m.grammar); err != nil {
			return err
		}
	}
	return m.likely(ctx, g)
}

// likely finds out how likely choices are to be, for the strategies that ask.
func (m *maker) likely(ctx context.Context, g *loadedGrammar) (err error) {
	asks := slices.Contains([]openapi.GenerateRequestStrategy{openapi.Common, openapi.Uncommon, openapi.Failure}, m.asked.Strategy)
	switch {
	case m.asked.Probabilities != nil && !asks:
		return &askedError{errors.New("probabilities are for the strategies common, uncommon and failure")}
	case m.asked.Probabilities != nil:
		m.opt.Probabilities, err = probabilitiesOf(m.grammar, m.asked.Probabilities)
	case asks && g.bundled:
		m.opt.Probabilities, err = generate.SampleProbabilities(ctx, g.stored.ID, m.grammar)
	case asks:
		return &askedError{fmt.Errorf("the strategy %s needs probabilities", m.asked.Strategy)}
	}
	if err == nil && m.asked.Strategy == openapi.Uncommon {
		m.opt.Probabilities = m.opt.Probabilities.Invert()
	}
	return err
}

// probabilitiesOf reads probabilities; none are nil.
func probabilitiesOf(g *grammars.Grammar, asked openapi.Probabilities) (*generate.Probabilities, error) {
	if asked == nil {
		return nil, nil //nolint:nilnil // none are what was asked for
	}
	p, err := generate.ReadProbabilities(bytes.NewReader(asked), g)
	if err != nil {
		return nil, &askedError{fmt.Errorf("probabilities: %w", err)}
	}
	return p, nil
}

// textsOf returns texts of tokens, having seen that each is read as its token.
func textsOf(g *grammars.Grammar, asked map[string][]string) (generate.Texts, error) {
	texts := generate.Texts{}
	writer := g.Writer()
	for name, of := range asked {
		token := slices.Index(g.Tokens(), name)
		if token < 1 {
			return nil, &askedError{fmt.Errorf("tokens: grammar %s has no token %s", g.Name, name)}
		}
		for _, text := range of {
			if !writer.IsToken(token, []byte(text)) {
				return nil, &askedError{fmt.Errorf("tokens: %q is not read as %s", text, name)}
			}
			texts[token] = append(texts[token], []byte(text))
		}
	}
	return texts, nil
}

// make makes inputs until emit is tired of them.
func (m *maker) make(ctx context.Context, emit func(openapi.MadeInput) bool) error {
	tired := false
	take := func(set int, input *generate.Input) bool {
		m.made.Inputs++
		m.made.Draws += input.Draws
		line := madeOf(input)
		line.Set = set
		tired = !emit(line)
		return !tired
	}
	var err error
	switch m.asked.Strategy {
	case openapi.Kpath:
		err = m.cover(ctx, take)
	case openapi.Forest:
		err = m.forest(ctx, take)
	default:
		for input, failure := range generate.Each(ctx, m.grammar, m.opt, seedOf(m.asked.Seed), cmp.Or(m.asked.N, 10), m.workers) {
			if failure != nil {
				return failure
			}
			if !take(0, input) {
				break
			}
		}
	}
	if err == nil && !tired && m.asked.Summary {
		emit(openapi.MadeInput{Made: m.made})
	}
	return err
}

// generator returns a generator that draws from the seed, and how it is to cover
// paths.
func (m *maker) generator() (*generate.Generator, generate.CoverOptions, error) {
	m.opt.MaxNodes = cmp.Or(m.opt.MaxNodes, 200)
	how := generate.CoverOptions{OneTarget: m.asked.OneTarget || m.asked.Strategy == openapi.Forest}
	switch m.asked.CloseOff {
	case openapi.CloseRandom:
		how.CloseOff = generate.ByChance
	case openapi.CloseLeastUsed:
		how.CloseOff = generate.ByLeastUsed
	case openapi.CloseShortest, "":
		how.CloseOff = generate.ByShortest
	}
	x, err := generate.New(m.grammar, rand.New(rand.NewPCG(seedOf(m.asked.Seed), 0)), m.opt)
	return x, how, err
}

// cover makes inputs that have all paths.
func (m *maker) cover(ctx context.Context, take func(int, *generate.Input) bool) error {
	x, how, err := m.generator() //nolint:contextcheck // reading one token back is bounded and takes no context
	if err != nil {
		return err
	}
	cover, err := generate.NewCover(x, cmp.Or(m.asked.K, 2), how)
	if err != nil {
		return err
	}
	for range cmp.Or(m.asked.N, maxMade) {
		input, err := cover.Next(ctx)
		if err != nil {
			return err
		}
		if input == nil || !take(0, input) {
			break
		}
	}
	m.made.Covered, m.made.Paths = cover.Covered()
	m.made.Unrealised = len(cover.Unrealised())
	return nil
}

// forest makes sets of inputs over the whole range of coverage.
func (m *maker) forest(ctx context.Context, take func(int, *generate.Input) bool) error {
	x, how, err := m.generator() //nolint:contextcheck // reading one token back is bounded and takes no context
	if err != nil {
		return err
	}
	forest, err := generate.NewForest(x, cmp.Or(m.asked.K, 2), cmp.Or(m.asked.N, 10), how)
	if err != nil {
		return err
	}
	for m.made.Inputs < maxMade {
		set, input, err := forest.Next(ctx)
		if err != nil {
			return err
		}
		if input == nil || !take(set, input) {
			return nil
		}
	}
	return &limit.Error{What: "inputs of an answer", Value: strconv.Itoa(maxMade), Advice: "ask for fewer sets"}
}
