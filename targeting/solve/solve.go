// Package solve finds inputs that satisfy constraints, or proves that there are
// none.
//
// The trees of a grammar that have some paths and not others are again those of
// a grammar: one whose rules are told apart by what stands above them. So whether
// there is such a tree is decided, not searched for, and so is which is the
// smallest. A [Solver] does this for a grammar; the [Solution] of a constraint
// makes inputs: the smallest, or many different ones.
//
// There are three outcomes. Inputs that are returned were parsed back, and the
// constraint was checked on what was parsed. An [InfeasibleError] is a proof that
// no tree satisfies the constraint, and tells which conditions contradict each
// other. An [UnrealisedError] tells that there are trees, but that none of those
// tried could be written so that the text is read as the tree: the grammar is
// ambiguous, or its lexer reads something else.
package solve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/targeting"
)

// Limits of a constraint.
const (
	MaxRequired  = 12    // conditions that ask for something
	MaxForbidden = 100   // conditions that ask for nothing but absence
	MaxCount     = 1000  // how often something is asked for
	MaxPaths     = 20000 // paths of all conditions together
)

// A Solver solves constraints on the trees of one grammar. It is safe for
// concurrent use.
type Solver struct {
	grammar *grammars.Grammar
	start   *grammars.Rule
	nodes   *shape         // every symbol costs one
	chars   *shape         // characters cost more than anything else
	trivia  *grammars.Node // any number of tokens that the parser never sees

	space, triviaSpace, absentSpace *features.Space
}

// charWeight is what a character costs where characters are counted. Among trees
// of as many characters the one with fewer symbols is cheaper, if it has no more
// than so many.
const charWeight = 1024

// New returns a solver of constraints on what a parser rule derives, the
// grammar's start rule if the name is empty.
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
		return nil, fmt.Errorf("rule %s of grammar %s derives nothing", start, g.Name)
	case root.Size >= maxCost:
		return nil, &limit.Error{What: "symbols of the smallest input of " + g.Name, Value: strconv.Itoa(maxCost)}
	}
	s := &Solver{grammar: g, start: rule}
	s.space = features.NewSpace(g, features.Options{Start: start})
	s.absentSpace = features.NewSpace(g, features.Options{Start: start, Absent: true})
	s.triviaSpace = features.NewSpace(g, features.Options{Trivia: true})
	s.trivia = &grammars.Node{ID: derivation.None, Kind: grammars.Repetition, Max: -1, Children: []*grammars.Node{g.Nodes[g.Trivia]}}
	roots := []*grammars.Node{root, s.trivia, g.Nodes[g.Trivia]}
	s.nodes = newShape(func(*grammars.Node) int32 { return 1 }, roots...)
	s.chars = newShape(newCharCost(g).weigh, roots...)
	return s, nil
}

// maxCost bounds the inputs that are made, in symbols.
const maxCost = 100_000

// A charCost knows how many characters symbols have.
type charCost struct {
	grammar *grammars.Grammar
	least   []int32 // by node: the fewest characters it derives
}

func newCharCost(g *grammars.Grammar) *charCost {
	c := &charCost{g, make([]int32, len(g.Nodes))}
	for i := range c.least {
		c.least[i] = impossible
	}
	for changed := true; changed; {
		changed = false
		for i := len(g.Nodes) - 1; i >= 0; i-- {
			if n := c.node(g.Nodes[i]); n < c.least[i] {
				c.least[i], changed = n, true
			}
		}
	}
	return c
}

func (c *charCost) node(n *grammars.Node) int32 {
	least := int32(impossible)
	switch n.Kind {
	case grammars.Alternation:
		for _, child := range n.Children {
			least = min(least, c.least[child.ID])
		}
	case grammars.Concatenation:
		least = 0
		for _, child := range n.Children {
			least = min(impossible, least+c.least[child.ID])
		}
	case grammars.Repetition:
		if least = 0; n.Min > 0 {
			least = c.least[n.Children[0].ID]
		}
	case grammars.Reference:
		if len(n.Children) > 0 {
			least = c.least[n.Children[0].ID]
		}
	case grammars.TokenSet:
		for _, t := range n.Types {
			for _, r := range c.grammar.TokenRules(t) {
				least = min(least, c.least[r.Root])
			}
		}
	default:
		least = ownChars(n)
	}
	return least
}

// ownChars returns the characters of a symbol with nothing below.
func ownChars(n *grammars.Node) int32 {
	switch n.Kind {
	case grammars.Literal:
		return int32(len([]rune(n.Value)))
	case grammars.CharSet:
		return 1
	default:
		return 0
	}
}

func (c *charCost) weigh(n *grammars.Node) int32 {
	chars := ownChars(n)
	if n.Kind == grammars.TokenSet {
		chars = min(c.least[n.ID], impossible/charWeight-1)
	}
	return 1 + charWeight*chars
}

// Solve finds the least that satisfies a constraint. The error is an
// [*InfeasibleError] if nothing does.
func (s *Solver) Solve(ctx context.Context, c targeting.Constraint) (*Solution, error) {
	out, err := s.solve(ctx, c)
	if shortfall, ok := errors.AsType[*shortfallError](err); ok {
		return nil, shortfall.explain(ctx)
	}
	return out, err
}

// Try finds the least that satisfies a constraint as Solve does, and returns nil
// if nothing does. To find out why takes longer.
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
	main, trivia := simplify(c.Conditions)
	out := &Solution{solver: s, constraint: c}
	var err error
	if out.main, err = s.decide(ctx, c, main, s.grammar.Nodes[s.start.Root]); err != nil {
		return nil, err
	}
	if len(trivia) > 0 {
		if out.trivia, err = s.decide(ctx, targeting.Constraint{}, trivia, s.trivia); err != nil {
			return nil, err
		}
		forbidden := slices.DeleteFunc(slices.Clone(trivia), func(c targeting.Condition) bool { return c.Max != 0 })
		if out.separators, err = s.problem(ctx, targeting.Constraint{}, forbidden, s.grammar.Nodes[s.grammar.Trivia]); err != nil {
			return nil, err
		}
	}
	out.most, err = s.affordable(c, main, out.main)
	return out, err
}

// validate refuses what is out of bounds.
func (s *Solver) validate(c targeting.Constraint) error {
	required, forbidden, paths := 0, 0, 0
	for _, cond := range c.Conditions {
		if cond.Max == 0 {
			forbidden++
		} else {
			required++
		}
		paths += len(cond.Paths)
		switch {
		case cond.Min < 0 || cond.Max < targeting.Unbounded:
			return fmt.Errorf("a count of %d: it is from 0 to %d", min(cond.Min, cond.Max), MaxCount)
		case max(cond.Min, cond.Max) > MaxCount:
			return &limit.Error{What: "count of a path", Value: strconv.Itoa(MaxCount)}
		}
		for _, p := range cond.Paths {
			if err := s.validatePath(p); err != nil {
				return err
			}
		}
	}
	switch {
	case required > MaxRequired:
		return &limit.Error{What: "conditions that ask for paths", Value: strconv.Itoa(MaxRequired), Advice: "leave some out"}
	case forbidden > MaxForbidden:
		return &limit.Error{What: "forbidden paths", Value: strconv.Itoa(MaxForbidden), Advice: "leave some out"}
	case paths > MaxPaths:
		return &limit.Error{What: "paths of all conditions", Value: strconv.Itoa(MaxPaths), Advice: "give occurrences of the symbols instead of their names"}
	case c.MaxNodes < 0 || c.MaxDepth < 0 || c.MaxChars < 0:
		return fmt.Errorf("a limit of %d: it is at least 1", min(c.MaxNodes, c.MaxDepth, c.MaxChars))
	case c.MaxNodes > 0 && c.MaxChars > 0:
		return fmt.Errorf("nodes and characters are limited; one of them can be")
	}
	return nil
}

func (s *Solver) validatePath(p features.Path) error {
	if len(p) == 0 || len(p) > features.MaxK {
		return fmt.Errorf("a path of %d symbols: it has from 1 to %d", len(p), features.MaxK)
	}
	for i, o := range p {
		known := o >= 0 && int(o) < len(s.grammar.Nodes)
		if last := i == len(p)-1; !known || !s.grammar.Nodes[o].Kind.Symbolic() && (!last || !isOptional(s.grammar.Nodes[o])) {
			return fmt.Errorf("grammar %s has no symbol #%d", s.grammar.Name, o)
		}
	}
	return nil
}

// isOptional reports whether a node is a part that need not be there. Its
// absence ends paths as a symbol does.
func isOptional(n *grammars.Node) bool { return n.Kind == grammars.Repetition && n.Min == 0 }

// decide solves conditions on the trees below a root.
func (s *Solver) decide(ctx context.Context, c targeting.Constraint, conditions []targeting.Condition, root *grammars.Node) (*problem, error) {
	p, err := s.problem(ctx, c, conditions, root)
	if err == nil && p.cheapest() >= impossible {
		return nil, &shortfallError{solver: s, constraint: c, conditions: conditions, root: root, most: impossible - 1}
	}
	return p, err
}

// problem refines and measures.
func (s *Solver) problem(ctx context.Context, c targeting.Constraint, conditions []targeting.Condition, root *grammars.Node) (*problem, error) {
	p := &problem{shape: s.nodes, automaton: newAutomaton(len(s.grammar.Nodes)), depth: int32(c.MaxDepth)}
	if c.MaxChars > 0 {
		p.shape = s.chars
	}
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
	if err := p.refine(ctx, p.at[root.ID]); err != nil {
		return nil, err
	}
	return p, p.measure(ctx)
}

// cheapest returns the least cost of a tree that satisfies all conditions.
func (p *problem) cheapest() int32 {
	least := int32(impossible)
	for _, v := range p.wanted {
		least = min(least, p.root(0, v))
	}
	return least
}

// affordable returns the most that a tree may cost.
func (s *Solver) affordable(c targeting.Constraint, conditions []targeting.Condition, p *problem) (int32, error) {
	short := &shortfallError{solver: s, constraint: c, conditions: conditions, root: s.grammar.Nodes[s.start.Root], most: maxCost, what: "symbols", unit: 1}
	switch {
	case c.MaxChars > 0:
		short.limit, short.what, short.unit = c.MaxChars, "characters", charWeight
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
	default:
		return 0, short
	}
}
