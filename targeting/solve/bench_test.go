package solve_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/solve"
)

// BenchmarkSolve decides constraints that some input satisfies, and reports the
// median and the slowest beside the mean.
func BenchmarkSolve(b *testing.B) {
	for _, name := range bundled.Names() {
		for _, size := range []struct{ required, forbidden int }{{2, 3}, {8, 4}} {
			b.Run(fmt.Sprintf("%s/%d+%d", name, size.required, size.forbidden), func(b *testing.B) {
				constraints, solver := benchTask(b, name, size.required, size.forbidden)
				var took []time.Duration
				for b.Loop() {
					start := time.Now()
					if _, err := solver.Solve(b.Context(), constraints[len(took)%len(constraints)]); err != nil {
						b.Fatal(err)
					}
					took = append(took, time.Since(start))
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "ns-median")
				b.ReportMetric(float64(took[len(took)-1].Nanoseconds()), "ns-slowest")
			})
		}
	}
}

// BenchmarkInputs makes inputs of constraints that are solved already.
func BenchmarkInputs(b *testing.B) {
	for _, name := range bundled.Names() {
		for _, style := range []struct {
			name string
			make func(context.Context, *solve.Solution, uint64) error
		}{
			{"smallest", func(ctx context.Context, s *solve.Solution, seed uint64) error {
				_, err := s.Smallest(ctx, source(seed), 1)
				return err
			}},
			{"ten varied", func(ctx context.Context, s *solve.Solution, seed uint64) error {
				_, err := s.Varied(ctx, source(seed), 10)
				return err
			}},
		} {
			b.Run(name+"/"+style.name, func(b *testing.B) {
				constraints, solver := benchTask(b, name, 2, 3)
				var solutions []*solve.Solution
				for _, c := range constraints {
					s, err := solver.Solve(b.Context(), c)
					if err != nil {
						b.Fatal(err)
					}
					solutions = append(solutions, s)
				}
				i := 0
				for b.Loop() {
					err := style.make(b.Context(), solutions[i%len(solutions)], uint64(i))
					if _, ok := errors.AsType[*solve.UnrealisedError](err); err != nil && !ok {
						b.Fatal(err)
					}
					i++
				}
			})
		}
	}
}

func benchTask(b *testing.B, name string, required, forbidden int) ([]targeting.Constraint, *solve.Solver) {
	b.Helper()
	g := grammartest.Bundled(b, name)
	task := newTask(b, g, 1)
	var constraints []targeting.Constraint
	for range 300 {
		constraints = append(constraints, task.constraint(b, required, forbidden))
	}
	return constraints, newSolver(b, g)
}
