package server

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/aim"
	"github.com/inroad/inroad/targeting/generate"
	"github.com/inroad/inroad/targeting/solve"
)

// textOf returns an input in one of the two ways that it is given.
func textOf(input []byte) (text, encoded *string) {
	if utf8.Valid(input) {
		return new(string(input)), nil
	}
	return nil, new(base64.StdEncoding.EncodeToString(input))
}

// seedOf returns the seed that was asked for, or else 1.
func seedOf(asked *int64) uint64 {
	if asked == nil {
		return 1
	}
	return uint64(*asked)
}

// startOf returns the rule that was asked for, having seen that there is one.
func startOf(g *grammars.Grammar, asked string) (string, error) {
	if rule := g.Rule(asked); asked != "" && (rule == nil || rule.Kind != grammars.ParserRule) {
		return "", &store.NotFoundError{Kind: "parser rule", Name: asked}
	}
	return asked, nil
}

// paced returns a context that ends when nothing was made for too long. Each call
// of beat begins anew.
func (s *Server) paced(ctx context.Context) (paced context.Context, beat, cancel func()) {
	paced, end := context.WithCancelCause(ctx)
	timer := time.AfterFunc(s.Timeout, func() {
		end(&busyError{status: http.StatusServiceUnavailable, detail: fmt.Sprintf("nothing was made for %v", s.Timeout)})
	})
	return paced, func() { timer.Reset(s.Timeout) }, func() { timer.Stop(); end(nil) }
}

// lines answers with a line for each value. If the first is an error, it is the
// answer; a later one is the last line.
func lines[V any](ctx context.Context, s *Server, each func(ctx context.Context) iter.Seq2[V, error], failed func(error) V) (streamed, error) {
	work, beat, cancel := s.paced(ctx)
	next, stop := iter.Pull2(each(work))
	value, err, ok := next()
	if err != nil {
		stop()
		if cause := context.Cause(work); cause != nil {
			err = cause
		}
		cancel()
		return streamed{}, err
	}
	return streamed{ctx, func(_ context.Context, w http.ResponseWriter) error {
		defer cancel()
		defer stop()
		out := s.stream(w, ndjson)
		for ok {
			if err != nil {
				value = failed(cmp.Or(context.Cause(work), err))
			}
			if err := out.line(value); err != nil {
				return err
			}
			if err := out.flush(); err != nil {
				return err
			}
			beat()
			value, err, ok = next()
		}
		return nil
	}}, nil
}

// An askedError tells that what was asked for cannot be had of the grammar.
type askedError struct{ err error }

func (e *askedError) Error() string { return e.err.Error() }

func (e *askedError) Unwrap() error { return e.err }

// SolveConstraint makes inputs that have some paths and not others.
func (s *Server) SolveConstraint(ctx context.Context, req openapi.SolveConstraintRequestObject) (openapi.SolveConstraintResponseObject, error) {
	g, err := s.grammar(ctx, req.Grammar)
	if err != nil {
		return nil, err
	}
	start, err := startOf(g.Grammar, req.Body.Start)
	if err != nil {
		return nil, err
	}
	constraint, err := constraintOf(targeting.NewReader(g.Grammar, start), req.Body)
	if err != nil {
		return nil, err
	}
	return lines(ctx, s, func(ctx context.Context) iter.Seq2[openapi.MadeInput, error] {
		return func(yield func(openapi.MadeInput, error) bool) {
			inputs, err := solved(ctx, g.Grammar, start, constraint, req.Body)
			if err != nil {
				yield(openapi.MadeInput{}, err)
				return
			}
			for _, input := range inputs {
				if !yield(madeOf(input), nil) {
					return
				}
			}
		}
	}, unmade)
}

func solved(ctx context.Context, g *grammars.Grammar, start string, c targeting.Constraint, asked *openapi.SolveRequest) ([]*generate.Input, error) {
	solver, err := solve.New(g, start)
	if err != nil {
		return nil, &askedError{err}
	}
	solution, err := solver.Solve(ctx, c)
	if err != nil {
		return nil, &askedError{err}
	}
	draw, err := drawing(g, string(asked.Style), asked.Probabilities)
	if err != nil {
		return nil, err
	}
	return draw(ctx, solution, rand.New(rand.NewPCG(seedOf(asked.Seed), 0)), cmp.Or(asked.N, 1))
}

// drawing returns what makes inputs in a style.
func drawing(g *grammars.Grammar, style string, likely openapi.Probabilities) (aim.Draw, error) {
	if likely != nil && style != "natural" {
		return nil, &askedError{errors.New("probabilities are for the style natural")}
	}
	probabilities, err := probabilitiesOf(g, likely)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, s *solve.Solution, r *rand.Rand, n int) ([]*generate.Input, error) {
		switch style {
		case "varied":
			return s.Varied(ctx, r, n)
		case "natural":
			return s.Natural(ctx, r, probabilities, n)
		default:
			return s.Smallest(ctx, r, n)
		}
	}, nil
}

// constraintOf reads the conditions that were asked for.
func constraintOf(r *targeting.Reader, asked *openapi.SolveRequest) (targeting.Constraint, error) {
	c := targeting.Constraint{MaxNodes: asked.MaxNodes, MaxDepth: asked.MaxDepth, MaxChars: asked.MaxChars}
	add := func(text string, read func(string) (targeting.Condition, error), set func(*targeting.Condition)) error {
		condition, err := read(text)
		set(&condition)
		c.Conditions = append(c.Conditions, condition)
		return err
	}
	var errs []error
	for _, path := range asked.Require {
		errs = append(errs, add(path, r.Read, func(*targeting.Condition) {}))
	}
	for _, path := range asked.Forbid {
		errs = append(errs, add(path, r.Read, func(c *targeting.Condition) { c.Min, c.Max = 0, 0 }))
	}
	for _, p := range asked.Counts {
		errs = append(errs, add(p.Path, r.Read, func(c *targeting.Condition) {
			c.Min = p.Min
			if p.Max != nil {
				c.Max = *p.Max
			}
		}))
	}
	for _, rule := range asked.Absent {
		errs = append(errs, add(rule, r.Absent, func(*targeting.Condition) {}))
	}
	return c, errors.Join(errs...)
}

// TargetMethods makes inputs that reach methods.
func (s *Server) TargetMethods(ctx context.Context, req openapi.TargetMethodsRequestObject) (openapi.TargetMethodsResponseObject, error) {
	m, _, err := s.model(ctx, req.Model)
	if err != nil {
		return nil, err
	}
	want, err := unitsOf(m, req.Body.Methods)
	if err != nil {
		return nil, err
	}
	avoid, err := unitsOf(m, req.Body.Avoid)
	if err != nil {
		return nil, err
	}
	return lines(ctx, s, func(ctx context.Context) iter.Seq2[openapi.TargetLine, error] {
		return func(yield func(openapi.TargetLine, error) bool) {
			found, missed, err := aimed(ctx, m, want, avoid, req.Body)
			if err != nil {
				yield(openapi.TargetLine{}, err)
				return
			}
			for _, input := range found {
				if !yield(targetOf(m, input), nil) {
					return
				}
			}
			for _, miss := range missed {
				if !yield(missOf(m, miss), nil) {
					return
				}
			}
		}
	}, func(err error) openapi.TargetLine { return openapi.TargetLine{Reason: excerpt(err.Error())} })
}

func aimed(ctx context.Context, m *model.Model, want, avoid []int, asked *openapi.TargetRequest) ([]aim.Input, []aim.Miss, error) {
	a, err := aim.New(m)
	if err != nil {
		return nil, nil, err
	}
	draw, err := drawing(m.Grammar, string(asked.Style), asked.Probabilities)
	if err != nil {
		return nil, nil, err
	}
	return a.Find(ctx, rand.New(rand.NewPCG(seedOf(asked.Seed), 0)), want, avoid, aim.Options{
		N: cmp.Or(asked.N, 1), Draw: draw, MaxNodes: asked.MaxNodes, AnyOutcome: asked.AnyOutcome,
	})
}

func unitsOf(m *model.Model, names []string) ([]int, error) {
	var out []int
	for _, name := range names {
		unit, err := m.Unit(name)
		if err != nil {
			return nil, err
		}
		out = append(out, unit)
	}
	return out, nil
}

func targetOf(m *model.Model, input aim.Input) openapi.TargetLine {
	out := openapi.TargetLine{Probability: input.Probability, Doubtful: input.Doubtful}
	out.Input, out.InputBase64 = textOf(input.Text)
	for _, unit := range input.Units {
		out.Methods = append(out.Methods, m.Units[unit].ID)
	}
	return out
}

func missOf(m *model.Model, miss aim.Miss) openapi.TargetLine {
	return openapi.TargetLine{
		Missed: m.Units[miss.Unit].ID, Verdict: openapi.TargetLineVerdict(miss.Verdict), Reason: excerpt(miss.Err.Error()),
	}
}
