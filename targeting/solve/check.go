package solve

import (
	"slices"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/targeting"
)

// A checker reports whether parsed trees satisfy a constraint. It counts the paths
// of a tree and shares no code with the solver.
type checker struct {
	constraint   targeting.Constraint
	main, trivia *features.Extractor // nil if no condition needs it
	symbols      *features.Extractor // nil if the number of symbols is not limited
	of           map[pathKey][]int   // the conditions that count a path

	counts []int // by condition
	last   []int // by condition: the last place that was counted
}

type pathKey struct {
	trivia bool
	length int
	id     uint64
}

func (s *Solution) newChecker() *checker {
	c := &checker{
		constraint: s.constraint,
		of:         map[pathKey][]int{},
		counts:     make([]int, len(s.constraint.Conditions)),
		last:       make([]int, len(s.constraint.Conditions)),
	}
	longest := map[bool]int{}
	space := s.solver.space
	if s.constraint.MaxNodes > 0 {
		c.symbols = features.NewExtractor(space, 1)
	}
	for i, cond := range s.constraint.Conditions {
		for _, p := range cond.Paths {
			if isOptional(s.solver.grammar.Nodes[p[len(p)-1]]) {
				space = s.solver.absentSpace
			}
			longest[cond.Trivia] = max(longest[cond.Trivia], len(p))
			key := pathKey{cond.Trivia, len(p), s.solver.space.ID(p)}
			if !slices.Contains(c.of[key], i) {
				c.of[key] = append(c.of[key], i)
			}
		}
	}
	if k := longest[false]; k > 0 {
		c.main = features.NewExtractor(space, k)
	}
	if k := longest[true]; k > 0 {
		c.trivia = features.NewExtractor(s.solver.triviaSpace, k)
	}
	return c
}

// holds reports whether a tree satisfies the constraint.
func (c *checker) holds(tree *derivation.Tree) (bool, error) {
	clear(c.counts)
	if err := c.count(c.main, tree, false); err != nil {
		return false, err
	}
	if err := c.count(c.trivia, tree, true); err != nil {
		return false, err
	}
	for i, cond := range c.constraint.Conditions {
		if c.counts[i] < cond.Min || cond.Max != targeting.Unbounded && c.counts[i] > cond.Max {
			return false, nil
		}
	}
	if c.symbols != nil {
		nodes := 0
		if err := c.symbols.Each(tree, func(int, uint64, features.Position) { nodes++ }); err != nil || nodes > c.constraint.MaxNodes {
			return false, err
		}
	}
	if limit := c.constraint.MaxChars; limit > 0 && chars(tree) > limit {
		return false, nil
	}
	if limit := c.constraint.MaxDepth; limit > 0 {
		depth, err := depth(tree)
		return depth <= limit, err
	}
	return true, nil
}

// count adds the paths of a tree, or of its trivia, to the counts of the conditions.
func (c *checker) count(x *features.Extractor, tree *derivation.Tree, trivia bool) error {
	if x == nil {
		return nil
	}
	clear(c.last)
	place := 0
	return x.Each(tree, func(length int, id uint64, _ features.Position) {
		if length == 1 { // the shortest of the paths that end in a place comes first
			place++
		}
		for _, i := range c.of[pathKey{trivia, length, id}] {
			if c.last[i] != place {
				c.last[i] = place
				c.counts[i]++
			}
		}
	})
}

// chars returns the number of characters of all tokens except trivia.
func chars(tree *derivation.Tree) int {
	n := 0
	for _, t := range tree.Tokens() {
		if !t.Trivia() {
			n += len([]rune(string(tree.Input()[t.Start:t.End])))
		}
	}
	return n
}

// depth returns the depth of a tree in symbols, including those inside tokens.
func depth(tree *derivation.Tree) (int, error) {
	most := 0
	dissector := tree.Dissector()
	for depth, n := range tree.All() {
		if n.Kind() == derivation.Leaf && n.Token().Type == derivation.EOF {
			continue
		}
		most = max(most, depth)
		if n.Kind() != derivation.Leaf {
			continue
		}
		inside, err := dissector.Leaf(n)
		if err != nil {
			return 0, err
		}
		if inside == nil {
			continue
		}
		for below := range inside.All() {
			most = max(most, depth+below)
		}
	}
	return most, nil
}
