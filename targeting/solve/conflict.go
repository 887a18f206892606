package solve

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/targeting"
)

// An InfeasibleError is a proof that the parser returns no tree that satisfies a
// constraint.
type InfeasibleError struct {
	Conflict []targeting.Condition // a minimal set of contradictory conditions

	// If trees satisfy the conditions but exceed a limit: the limit, the least value
	// that a tree needs, and the unit that the limit counts.
	Needs, Limit int
	What         string
	Depth        int // the limit on the depth, or 0
}

func (e *InfeasibleError) Error() string {
	var texts []string
	for _, c := range e.Conflict {
		texts = append(texts, c.String())
	}
	all := strings.Join(texts, " and ")
	switch {
	case e.Limit > 0 && len(texts) == 0:
		return fmt.Sprintf("infeasible: an input has at least %d %s; the limit is %d", e.Needs, e.What, e.Limit)
	case e.Limit > 0:
		return fmt.Sprintf("infeasible: an input with %s has at least %d %s; the limit is %d", all, e.Needs, e.What, e.Limit)
	case len(texts) == 0 && e.Depth == 0:
		return "infeasible: no text has the tokens of a tree of the grammar"
	case len(texts) == 0:
		return fmt.Sprintf("infeasible: no input has a depth of at most %d", e.Depth)
	case e.Depth > 0:
		return fmt.Sprintf("infeasible: no input with a depth of at most %d has %s", e.Depth, all)
	default:
		return "infeasible: no input has " + all
	}
}

// Verdict returns [targeting.Infeasible].
func (e *InfeasibleError) Verdict() targeting.Verdict { return targeting.Infeasible }

// A shortfallError says that no tree satisfies the conditions within a cost. It
// keeps the problem, so that explain can find the conflict.
type shortfallError struct {
	trees      *shape
	constraint targeting.Constraint
	conditions []targeting.Condition
	most       int32
	obvious    bool // the condition contradicts itself

	limit int // if trees are too large
	what  string
}

func (e *shortfallError) Error() string { return "infeasible" }

// explain returns the error for the caller, with the conditions that contradict
// each other.
func (e *shortfallError) explain(ctx context.Context) error {
	if e.obvious {
		return &InfeasibleError{Conflict: e.conditions}
	}
	core, err := conflict(ctx, e.trees, e.constraint, e.conditions, e.most)
	if err != nil {
		return err
	}
	out := &InfeasibleError{Conflict: core, Depth: e.constraint.MaxDepth}
	if e.limit > 0 {
		p, err := newProblem(ctx, e.trees, e.constraint, core)
		if err != nil {
			return err
		}
		out.Needs, out.Limit, out.What = int(p.cheapest()), e.limit, e.what
	}
	return out
}

// maxConflict limits the work to find a smaller set of contradictory conditions.
const maxConflict = 30_000_000

// conflict returns a minimal set of conditions that no tree of a shape satisfies
// within a cost, and a smallest one if the work stays within maxConflict. The set is
// empty if the shape has no tree within the cost. It is not minimal if a smaller one
// exceeds a limit of the solver.
func conflict(ctx context.Context, trees *shape, c targeting.Constraint, conditions []targeting.Condition, most int32) ([]targeting.Condition, error) {
	work := 0
	contradictory := func(set []targeting.Condition) (bool, error) {
		p, err := newProblem(ctx, trees, c, set)
		if err != nil {
			return false, err
		}
		work += len(p.least) + p.steps
		return p.cheapest() > most, nil
	}
	// Dropping conditions one by one gives a set without a superfluous condition.
	// Another set may still be smaller.
	core := slices.Clone(conditions)
	for i := range slices.Backward(core) {
		rest := slices.Delete(slices.Clone(core), i, i+1)
		bad, err := contradictory(rest)
		if err != nil {
			return core, ignoreLimit(err)
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
				return core, ignoreLimit(err)
			}
			if bad {
				return set, nil
			}
		}
	}
	return core, nil
}

// ignoreLimit returns err, or nil if err is a [*limit.Error].
func ignoreLimit(err error) error {
	if _, ok := errors.AsType[*limit.Error](err); ok {
		return nil
	}
	return err
}

// subsets yields the subsets of size elements in lexicographic order.
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
