// Package solve finds inputs that satisfy constraints, or proves that there are
// none.
//
// The trees of a grammar that contain some paths and not others form a regular tree
// language. So the solver decides, without search, whether a satisfying tree exists and
// which one is smallest. A [Solver] solves constraints on one grammar, and a [Solution]
// yields inputs: the smallest, varied ones, or natural ones.
//
// A solver gives one of three answers. Inputs that are returned were parsed back, and the
// constraint was checked on the parsed tree. An [InfeasibleError] is a proof that the
// parser returns no tree that satisfies the constraint; it names the conditions that
// contradict each other. An [UnrealisedError] says that trees satisfy the constraint,
// but that no text was found that parses to one of them: the grammar is ambiguous, or
// the lexer reads the text as other tokens.
//
// Trees are those of the refined grammar, see package refine: operator precedence and
// lexer modes are part of the decision.
package solve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/grammars/refine"
	"github.com/inroad/inroad/targeting"
)

// Limits of a constraint.
const (
	maxRequired  = 12    // conditions that require or count paths, without those that follow from others
	maxForbidden = 100   // conditions that forbid paths, likewise
	maxCount     = 1000  // the highest count of a condition
	maxPaths     = 20000 // paths of all conditions together
)

// A Solver solves constraints on the trees of one grammar. It is safe for
// concurrent use.
type Solver struct {
	grammar *grammars.Grammar
	start   *grammars.Rule
	nodes   *shape // the trees of the start rule, with costs by symbols
	chars   *shape // the trees of the start rule, with costs by characters, then by symbols
	// onlyChars returns the trees of the start rule, with costs by characters alone. It is
	// seldom needed.
	onlyChars func() *shape

	allTrivia *shape // any number of tokens that the parser does not see
	trivia    *shape // one of these tokens

	space, triviaSpace, absentSpace *features.Space
}

// charWeight is the cost of a character where characters are limited. Of two trees
// with the same number of characters and fewer than charWeight symbols, the one with
// fewer symbols is cheaper.
const charWeight = 1024

// New returns a solver of constraints on the trees of the parser rule start, or of
// the grammar's start rule if start is empty.
func New(g *grammars.Grammar, start string) (*Solver, error) {
	if start == "" {
		start = g.Start
	}
	rule := g.Rule(start)
	if rule == nil || rule.Kind != grammars.ParserRule {
		return nil, fmt.Errorf("grammar %s has no parser rule %q", g.Name, start)
	}
	root := g.Nodes[rule.Root]
	switch {
	case root.Size == grammars.Unproductive:
		return nil, fmt.Errorf("rule %s of grammar %s has no finite derivation", start, g.Name)
	case root.Size >= maxCost:
		return nil, &limit.Error{What: "symbols of the smallest input of " + g.Name, Value: strconv.Itoa(maxCost)}
	}
	s := &Solver{grammar: g, start: rule}
	s.space = features.NewSpace(g, features.Options{Start: start})
	s.absentSpace = features.NewSpace(g, features.Options{Start: start, Absent: true})
	s.triviaSpace = features.NewSpace(g, features.Options{Trivia: true, Absent: true})
	graph := refine.Of(g, start).Graph()
	one := func(*refine.Body, *refine.Part) int32 { return 1 }
	s.nodes = newShape(g, graph, graph.Start, one)
	cost := newCharCost(g)
	s.chars = newShape(g, graph, graph.Start, cost.weigh)
	s.onlyChars = sync.OnceValue(func() *shape { return newShape(g, graph, graph.Start, cost.chars) })
	s.allTrivia = newShape(g, graph, graph.AllTrivia, one)
	s.trivia = newShape(g, graph, graph.Trivia, one)
	return s, nil
}

// maxCost limits the size of inputs, in symbols.
const maxCost = 100_000

// Solve returns the trees that satisfy a constraint. The error is an
// [*InfeasibleError] if there are none.
func (s *Solver) Solve(ctx context.Context, c targeting.Constraint) (*Solution, error) {
	out, err := s.solve(ctx, c)
	if shortfall, ok := errors.AsType[*shortfallError](err); ok {
		return nil, shortfall.explain(ctx)
	}
	return out, err
}

// Try is like Solve, but returns nil without an error if the constraint is infeasible.
// It is faster because it does not look for the conflict.
func (s *Solver) Try(ctx context.Context, c targeting.Constraint) (*Solution, error) {
	out, err := s.solve(ctx, c)
	if _, ok := errors.AsType[*shortfallError](err); ok {
		return nil, nil
	}
	return out, err
}

func (s *Solver) solve(ctx context.Context, c targeting.Constraint) (*Solution, error) {
	if err := s.validate(c); err != nil {
		return nil, err
	}
	for i, cond := range c.Conditions {
		if cond.Max != targeting.Unbounded && cond.Min > cond.Max {
			return nil, &shortfallError{conditions: c.Conditions[i : i+1], obvious: true}
		}
	}
	conditions := targeting.Simplify(c.Conditions)
	if err := checkNumbers(conditions); err != nil {
		return nil, err
	}
	main := slices.DeleteFunc(slices.Clone(conditions), func(c targeting.Condition) bool { return c.Trivia })
	trivia := slices.DeleteFunc(conditions, func(c targeting.Condition) bool { return !c.Trivia })
	out := &Solution{solver: s, constraint: c}
	var err error
	if out.main, err = s.decide(ctx, s.shape(c), c, main); err != nil {
		return nil, err
	}
	if len(trivia) > 0 {
		if out.trivia, err = s.decide(ctx, s.allTrivia, targeting.Constraint{}, trivia); err != nil {
			return nil, err
		}
		forbidden := slices.DeleteFunc(slices.Clone(trivia), func(c targeting.Condition) bool { return c.Max != 0 })
		if out.separators, err = newProblem(ctx, s.trivia, targeting.Constraint{}, forbidden); err != nil {
			return nil, err
		}
	}
	out.most, err = s.maxTreeCost(ctx, c, main, out.main)
	return out, err
}

// checkNumbers returns a *limit.Error if too many conditions require or forbid paths.
func checkNumbers(conditions []targeting.Condition) error {
	required, forbidden := 0, 0
	for _, cond := range conditions {
		if cond.Max == 0 {
			forbidden++
		} else {
			required++
		}
	}
	switch {
	case required > maxRequired:
		return &limit.Error{What: "conditions that require paths", Value: strconv.Itoa(maxRequired), Advice: "leave some out"}
	case forbidden > maxForbidden:
		return &limit.Error{What: "forbidden paths", Value: strconv.Itoa(maxForbidden), Advice: "leave some out"}
	default:
		return nil
	}
}

// validate checks that the conditions and limits of a constraint are valid.
func (s *Solver) validate(c targeting.Constraint) error {
	paths := 0
	for _, cond := range c.Conditions {
		paths += len(cond.Paths)
		switch {
		case cond.Min < 0 || cond.Max < targeting.Unbounded:
			return fmt.Errorf("count %d: must be between 0 and %d", min(cond.Min, cond.Max), maxCount)
		case max(cond.Min, cond.Max) > maxCount:
			return &limit.Error{What: "count of a path", Value: strconv.Itoa(maxCount)}
		}
		for _, p := range cond.Paths {
			if err := s.validatePath(p); err != nil {
				return err
			}
		}
	}
	switch {
	case paths > maxPaths:
		return &limit.Error{What: "paths of all conditions", Value: strconv.Itoa(maxPaths), Advice: "give occurrences of the symbols instead of their names"}
	case c.MaxNodes < 0 || c.MaxDepth < 0 || c.MaxChars < 0:
		return fmt.Errorf("limit %d: must be at least 1", min(c.MaxNodes, c.MaxDepth, c.MaxChars))
	case c.MaxNodes > 0 && c.MaxChars > 0:
		return errors.New("limits on nodes and on characters: only one of them is allowed")
	}
	return nil
}

func (s *Solver) validatePath(p features.Path) error {
	if len(p) == 0 || len(p) > features.MaxK {
		return fmt.Errorf("path of %d symbols: must have between 1 and %d", len(p), features.MaxK)
	}
	for i, o := range p {
		known := o >= 0 && int(o) < len(s.grammar.Nodes)
		if last := i == len(p)-1; !known || !s.grammar.Nodes[o].Kind.Symbolic() && (!last || !isOptional(s.grammar.Nodes[o])) {
			return fmt.Errorf("grammar %s has no symbol #%d", s.grammar.Name, o)
		}
	}
	return nil
}

// isOptional reports whether a node is an optional part. Its absence can be the
// last symbol of a path.
func isOptional(n *grammars.Node) bool { return n.Kind == grammars.Repetition && n.Min == 0 }

// shape returns the shape whose costs the limits of a constraint are measured in.
func (s *Solver) shape(c targeting.Constraint) *shape {
	if c.MaxChars > 0 {
		return s.chars
	}
	return s.nodes
}

// decide solves conditions on the trees of a shape. The error is a *shortfallError if no
// tree satisfies them.
func (s *Solver) decide(ctx context.Context, trees *shape, c targeting.Constraint, conditions []targeting.Condition) (*problem, error) {
	p, err := newProblem(ctx, trees, c, conditions)
	if err == nil && p.cheapest() >= impossible {
		return nil, &shortfallError{trees: trees, constraint: c, conditions: conditions, most: impossible - 1}
	}
	return p, err
}

// newProblem returns the measured problem of conditions on the trees of a shape.
func newProblem(ctx context.Context, s *shape, c targeting.Constraint, conditions []targeting.Condition) (*problem, error) {
	p := &problem{shape: s, automaton: newAutomaton(s.nodes), depth: int32(c.MaxDepth), workspace: s.workspace()}
	defer func() {
		s.workspaces.Put(p.workspace)
		p.workspace = nil
	}()
	var asked []targeting.Condition
	for _, cond := range conditions {
		for _, path := range cond.Paths {
			state := p.automaton.learn(path)
			if cond.Max == 0 {
				p.automaton.dead[state] = true
			} else {
				p.automaton.ends[state] |= 1 << len(asked)
			}
		}
		if cond.Max != 0 {
			asked = append(asked, cond)
		}
	}
	p.automaton.link()
	var err error
	if p.goals, err = newGoals(asked); err != nil {
		return nil, err
	}
	if err := p.refine(ctx); err != nil {
		return nil, err
	}
	return p, p.measure(ctx)
}

// cheapest returns the least cost of a tree that satisfies all conditions.
func (p *problem) cheapest() int32 {
	least := int32(impossible)
	for _, v := range p.wanted {
		least = min(least, p.cost(p.top, v))
	}
	return least
}

// maxTreeCost returns the highest cost of a tree within the limits of a constraint.
func (s *Solver) maxTreeCost(ctx context.Context, c targeting.Constraint, conditions []targeting.Condition, p *problem) (int32, error) {
	short := &shortfallError{trees: s.shape(c), constraint: c, conditions: conditions, most: maxCost, what: "symbols"}
	switch {
	case c.MaxChars > 0:
		short.limit, short.what = c.MaxChars, "characters"
		short.most = int32(min((c.MaxChars+1)*charWeight, impossible) - 1)
	case c.MaxNodes > 0:
		short.limit = c.MaxNodes
		short.most = int32(min(c.MaxNodes, maxCost))
	}
	switch {
	case p.cheapest() <= short.most:
		return short.most, nil
	case short.limit == 0 || short.limit > maxCost:
		return 0, &limit.Error{What: "symbols of the smallest input", Value: strconv.Itoa(maxCost)}
	case c.MaxChars == 0:
		return 0, short
	}
	// A tree with charWeight or more symbols may cost more although it has few characters.
	short.trees, short.most = s.onlyChars(), int32(c.MaxChars)
	least, err := newProblem(ctx, short.trees, c, conditions)
	if err != nil {
		return 0, err
	}
	if least.cheapest() > short.most {
		return 0, short
	}
	return p.cheapest(), nil
}
