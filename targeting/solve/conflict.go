package solve

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/targeting"
)

// An InfeasibleError tells that no tree satisfies a constraint. It is a proof.
type InfeasibleError struct {
	Conflict []targeting.Condition // a smallest set of conditions that no tree satisfies

	// Where there are trees, but none within a limit: what they need at least.
	Needs, Limit int
	What         string
	Depth        int // the limit on the depth, if there is one
}

func (e *InfeasibleError) Error() string {
	var texts []string
	for _, c := range e.Conflict {
		texts = append(texts, c.String())
	}
	all := strings.Join(texts, " and ")
	switch {
	case e.Limit > 0 && len(texts) == 0:
		return fmt.Sprintf("infeasible: an input has at least %d %s, not %d", e.Needs, e.What, e.Limit)
	case e.Limit > 0:
		return fmt.Sprintf("infeasible: an input with %s has at least %d %s, not %d", all, e.Needs, e.What, e.Limit)
	case len(texts) == 0:
		return fmt.Sprintf("infeasible: no input is no deeper than %d", e.Depth)
	case e.Depth > 0:
		return fmt.Sprintf("infeasible: no input that is no deeper than %d has %s", e.Depth, all)
	default:
		return "infeasible: no input has " + all
	}
}

// Verdict returns [targeting.Infeasible].
func (e *InfeasibleError) Verdict() targeting.Verdict { return targeting.Infeasible }

// simplify returns the conditions on what the parser sees and those on trivia,
// without those that follow from others.
func simplify(conditions []targeting.Condition) (main, trivia []targeting.Condition) {
	for i, c := range conditions {
		if c.Min == 0 && c.Max == targeting.Unbounded {
			continue
		}
		if slices.ContainsFunc(conditions[:i], func(o targeting.Condition) bool { return follows(c, o) }) {
			continue
		}
		if slices.ContainsFunc(conditions[i+1:], func(o targeting.Condition) bool { return follows(c, o) && !follows(o, c) }) {
			continue
		}
		if c.Trivia {
			trivia = append(trivia, c)
		} else {
			main = append(main, c)
		}
	}
	return main, trivia
}

// follows reports whether a condition is sure to hold where another one does:
// what contains something forbidden is absent, and what is part of something
// required is there.
func follows(c, from targeting.Condition) bool {
	switch {
	case c.Trivia != from.Trivia:
		return false
	case c.Max == 0 && from.Max == 0:
		return eachContains(c.Paths, from.Paths)
	case c.Min == 1 && c.Max == targeting.Unbounded && from.Min >= 1:
		return eachContains(from.Paths, c.Paths)
	case c.Max == targeting.Unbounded && from.Min >= c.Min: // more of the same
		return slices.EqualFunc(c.Paths, from.Paths, func(a, b features.Path) bool { return slices.Equal(a, b) })
	default:
		return false
	}
}

// eachContains reports whether each of the paths contains one of the others.
func eachContains(paths, others []features.Path) bool {
	for _, p := range paths {
		if !slices.ContainsFunc(others, func(o features.Path) bool { return contains(p, o) }) {
			return false
		}
	}
	return len(paths) > 0
}

func contains(p, part features.Path) bool {
	for i := range len(p) - len(part) + 1 {
		if slices.Equal(p[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// A shortfallError tells that no tree satisfies some conditions for a cost, and
// has what it takes to find out why.
type shortfallError struct {
	solver     *Solver
	constraint targeting.Constraint
	conditions []targeting.Condition
	root       *grammars.Node
	most       int32
	obvious    bool // the one condition contradicts itself

	limit, unit int // if trees are too large: the limit, and the cost of what it counts
	what        string
}

func (e *shortfallError) Error() string { return "infeasible" }

// explain finds out why.
func (e *shortfallError) explain(ctx context.Context) error {
	if e.obvious {
		return &InfeasibleError{Conflict: e.conditions}
	}
	conflict, err := e.solver.conflict(ctx, e.constraint, e.conditions, e.root, e.most)
	if err != nil {
		return err
	}
	out := &InfeasibleError{Conflict: conflict, Depth: e.constraint.MaxDepth}
	if e.limit > 0 {
		p, err := e.solver.problem(ctx, e.constraint, conflict, e.root)
		if err != nil {
			return err
		}
		out.Needs, out.Limit, out.What = int(p.cheapest())/e.unit, e.limit, e.what
	}
	return out
}

// maxConflict bounds the work to find out whether another set of conditions than
// the first that was found is a smaller contradiction.
const maxConflict = 30_000_000

// conflict returns a smallest set of conditions that no tree below a root
// satisfies for a cost. None is needed if there is no tree at all.
func (s *Solver) conflict(ctx context.Context, c targeting.Constraint, conditions []targeting.Condition, root *grammars.Node, most int32) ([]targeting.Condition, error) {
	work := 0
	contradictory := func(set []targeting.Condition) (bool, error) {
		p, err := s.problem(ctx, c, set, root)
		if err != nil {
			return false, err
		}
		work += len(p.least) + p.steps
		return p.cheapest() > most, nil
	}
	// What is left after dropping all that can be dropped has none too many, but
	// another set may have fewer.
	core := slices.Clone(conditions)
	for i := range slices.Backward(core) {
		rest := slices.Delete(slices.Clone(core), i, i+1)
		bad, err := contradictory(rest)
		if err != nil {
			return nil, err
		}
		if bad {
			core = rest
		}
	}
	for size := 1; size < len(core); size++ {
		for set := range subsets(conditions, size) {
			if work > maxConflict {
				return core, nil
			}
			bad, err := contradictory(set)
			if err != nil {
				return nil, err
			}
			if bad {
				return set, nil
			}
		}
	}
	return core, nil
}

// subsets yields the subsets of a size, in order.
func subsets(of []targeting.Condition, size int) iter.Seq[[]targeting.Condition] {
	return func(yield func([]targeting.Condition) bool) {
		at := make([]int, size)
		for i := range at {
			at[i] = i
		}
		for {
			var set []targeting.Condition
			for _, i := range at {
				set = append(set, of[i])
			}
			if !yield(set) {
				return
			}
			i := size - 1
			for ; i >= 0 && at[i] == len(of)-size+i; i-- {
			}
			if i < 0 {
				return
			}
			at[i]++
			for i++; i < size; i++ {
				at[i] = at[i-1] + 1
			}
		}
	}
}
