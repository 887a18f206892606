package aim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/generate"
	"github.com/inroad/inroad/targeting/solve"
)

// Limits of the search. Ways are tried most certain first, so the limits cost few
// inputs.
const (
	maxPlans    = 12 // ways to reach a unit, combined with ways to an outcome
	maxOutcomes = 3  // ways to an outcome per way to reach a unit
	maxWays     = 4  // ways to reach or to avoid each further unit
	maxJoined   = 6  // plans that are extended to further units
	maxStronger = 40 // stronger conditions per plan

	maxPredicted = 4000 // predictions, plus ten per requested input
)

// A search looks for inputs that reach one unit, and as many others as possible.
type search struct {
	*Targeter
	rand        *rand.Rand
	opt         Options
	want, avoid []int
	unit        int
	others      []int
	failure     error // the first error with the least certain verdict
	leftOut     bool  // plans were left out, so the failure of the others proves nothing
	predicted   int   // number of predictions so far
}

// A plan is a way to reach the unit, combined with ways to reach and to avoid
// other units.
type plan struct {
	conditions []targeting.Condition
	stronger   []targeting.Condition
	doubtful   bool
	accepted   bool  // the expected outcome is ok
	units      []int // the units that inputs reach
}

// A route is a plan with a solution, and an extension of the plan to further
// units.
type route struct {
	plan
	solution         *solve.Solution
	extended         plan // the plan itself if it cannot be extended
	extendedSolution *solve.Solution
}

// lastResort reports whether the route is taken only if all others fail.
func (r route) lastResort() bool { return r.doubtful || !r.accepted }

// find returns inputs for the unit. They are spread over the routes to it,
// starting with those that reach the most units.
func (s *search) find(ctx context.Context) ([]Input, error) {
	routes, err := s.routes(ctx)
	if err != nil {
		return nil, err
	}
	var out []Input
	for before := -1; before < len(out) && len(out) < s.opt.N; { // routes make up for those that gave fewer inputs
		before = len(out)
		for i, r := range routes {
			missing := s.opt.N - len(out)
			if missing == 0 || len(out) > 0 && r.lastResort() {
				break
			}
			share := (missing + len(routes) - i - 1) / (len(routes) - i)
			found, err := s.follow(ctx, r, share, out)
			if err != nil {
				return nil, err
			}
			out = append(out, found...)
		}
	}
	if len(out) == 0 {
		return nil, s.missed(len(routes) > 0)
	}
	return out, nil
}

// missed returns the reason why the search found no input. Infeasible plans are a
// proof only if all plans were tried and none had a solution.
func (s *search) missed(solved bool) error {
	verdict, _ := targeting.VerdictOf(s.failure)
	switch {
	case verdict == targeting.Solved, verdict == targeting.Infeasible && solved:
		return &solve.UnrealisedError{}
	case verdict == targeting.Infeasible && s.leftOut:
		return fmt.Errorf("%w; the ways tried are %s", &limit.Error{What: "ways to reach a method", Value: strconv.Itoa(maxPlans)}, s.failure.Error())
	default:
		return s.failure
	}
}

// routes returns the plans that have a solution, sorted by the number of units
// they reach, largest first. Last resorts follow all other plans.
func (s *search) routes(ctx context.Context) ([]route, error) {
	plans, err := s.plans()
	if err != nil {
		return nil, err
	}
	var out []route
	for _, p := range plans {
		solution, p, err := s.solvePlan(ctx, p)
		if err := s.note(err); err != nil {
			return nil, err
		}
		if solution == nil {
			continue
		}
		r := route{p, solution, p, solution}
		if len(out) < maxJoined {
			if r.extendedSolution, r.extended, err = s.extend(ctx, solution, p); err != nil {
				return nil, err
			}
		}
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b route) int {
		switch {
		case a.lastResort() == b.lastResort():
			return len(b.extended.units) - len(a.extended.units)
		case a.lastResort():
			return 1
		default:
			return -1
		}
	})
	return out, nil
}

// plans returns the ways to reach the unit, most certain first, each combined with
// the ways to the outcome ok. Plans for other outcomes come last.
func (s *search) plans() ([]plan, error) {
	for _, u := range s.avoid {
		if reached, rows := s.model.Support(u); reached == rows && rows > 0 {
			return nil, ErrAlwaysReached
		}
	}
	if s.support(s.unit) == 0 {
		return nil, ErrNeverReached
	}
	var accepted, others []plan
	for _, w := range s.ways.toUnit(s.unit, true) {
		base := plan{conditions: w.conditions, stronger: w.stronger, doubtful: w.doubtful, units: []int{s.unit}, accepted: true}
		s.leftOut = s.leftOut || slices.ContainsFunc(w.outcomes, func(c model.Condition) bool {
			return len(s.ways.toOutcome(c.Feature.Outcome, c.Present)) > maxOutcomes
		})
		if s.opt.AnyOutcome || len(s.model.Outcomes) == 0 {
			accepted = append(accepted, s.withOutcomes(base, w.outcomes)...)
			s.leftOut = s.leftOut || len(accepted) > maxPlans
			continue
		}
		outcomes := w.outcomes
		if len(outcomes) == 0 {
			outcomes = []model.Condition{{Feature: &model.Feature{Outcome: string(observation.OK)}, Present: true}}
		}
		combined := s.withOutcomes(base, outcomes)
		for i := range combined {
			combined[i].accepted = allowOK(outcomes)
		}
		if !allowOK(outcomes) {
			others = append(others, combined...)
			continue
		}
		accepted = append(accepted, combined...)
		base.accepted = false
		others = append(others, s.withOutcomes(base, w.outcomes)...)
	}
	// Leaving out accepted plans loses no way: others contains every way again.
	s.leftOut = s.leftOut || len(others) > maxPlans
	return append(accepted[:min(len(accepted), maxPlans)], others[:min(len(others), maxPlans)]...), nil
}

// allowOK reports whether conditions on the outcome allow the outcome ok.
func allowOK(conditions []model.Condition) bool {
	return !slices.ContainsFunc(conditions, func(c model.Condition) bool { return (c.Feature.Outcome == string(observation.OK)) != c.Present })
}

// withOutcomes combines a plan with the ways to meet conditions on the outcome.
func (s *search) withOutcomes(p plan, outcomes []model.Condition) []plan {
	out := []plan{p}
	for _, c := range outcomes {
		var longer []plan
		ways := s.ways.toOutcome(c.Feature.Outcome, c.Present)
		for _, p := range out {
			for _, w := range ways[:min(len(ways), maxOutcomes)] {
				q := p
				q.conditions = slices.Concat(p.conditions, w.conditions)
				longer = append(longer, q)
			}
		}
		if len(ways) > 0 {
			out = longer
		}
	}
	return out
}

// follow returns up to n inputs of a route that are not in before: inputs of the
// extended plan, or of the plan itself if the extended plan gives none.
func (s *search) follow(ctx context.Context, r route, n int, before []Input) ([]Input, error) {
	if len(r.extended.units) > len(r.units) {
		found, err := s.draw(ctx, r.extendedSolution, r.extended, n, before)
		if len(found) > 0 || err != nil {
			return found, err
		}
	}
	return s.draw(ctx, r.solution, r.plan, n, before)
}

// note records an error if its verdict is the least certain so far. It returns
// errors without a verdict.
func (s *search) note(err error) error {
	verdict, ok := targeting.VerdictOf(err)
	if !ok {
		return err
	}
	if before, _ := targeting.VerdictOf(s.failure); targeting.LeastCertain(before, verdict) != before {
		s.failure = err
	}
	return nil
}

func (s *search) solve(ctx context.Context, conditions []targeting.Condition) (*solve.Solution, error) {
	return s.solver.Solve(ctx, s.constraint(conditions))
}

func (s *search) constraint(conditions []targeting.Condition) targeting.Constraint {
	return targeting.Constraint{Conditions: conditions, MaxNodes: s.opt.MaxNodes}
}

// attempt solves conditions. It returns nil if they are infeasible or the solver
// reached a limit.
func (s *search) attempt(ctx context.Context, conditions []targeting.Condition) (*solve.Solution, error) {
	solution, err := s.solver.Try(ctx, s.constraint(conditions))
	if _, ok := errors.AsType[*limit.Error](err); ok {
		return nil, nil
	}
	return solution, err
}

// solvePlan adds a way to avoid each unit of s.avoid to a plan, and solves it. It
// returns the solution and the plan with the added conditions.
func (s *search) solvePlan(ctx context.Context, p plan) (*solve.Solution, plan, error) {
	solution, err := s.solve(ctx, p.conditions)
	if err != nil {
		return nil, p, err
	}
	chosen := false // a unit had several ways to avoid it
	for _, u := range s.avoid {
		if s.support(u) == 0 {
			continue
		}
		ways := s.ways.toUnit(u, false)
		next, q, err := s.addWay(ctx, p, ways)
		if err != nil {
			return nil, p, err
		}
		if next == nil {
			return nil, p, s.unavoidable(ctx, p, ways, chosen)
		}
		solution, p, chosen = next, q, chosen || len(ways) > 1
	}
	return solution, p, nil
}

// unavoidable returns the reason why no way to avoid a unit can be added to a
// plan. It is a proof only if every way is infeasible and the plan could not have
// avoided the units before in another way.
func (s *search) unavoidable(ctx context.Context, p plan, ways []way, chosen bool) error {
	_, first := s.solve(ctx, slices.Concat(p.conditions, ways[0].conditions))
	if verdict, _ := targeting.VerdictOf(first); verdict != targeting.Infeasible {
		return first
	}
	for _, w := range ways[1:min(len(ways), maxWays)] {
		if _, err := s.solver.Try(ctx, s.constraint(slices.Concat(p.conditions, w.conditions))); err != nil {
			return err
		}
	}
	if chosen || len(ways) > maxWays {
		return fmt.Errorf("%w; the first way is %s", &limit.Error{What: "ways to avoid a method", Value: strconv.Itoa(maxWays)}, first.Error())
	}
	return first
}

// addWay adds the first way to a plan that leaves it feasible. It returns a nil
// solution if there is none.
func (s *search) addWay(ctx context.Context, p plan, ways []way) (*solve.Solution, plan, error) {
	for _, w := range ways[:min(len(ways), maxWays)] {
		conditions := slices.Concat(p.conditions, w.conditions)
		solution, err := s.attempt(ctx, conditions)
		if err != nil {
			return nil, p, err
		}
		if solution != nil {
			p.conditions = conditions
			return solution, p, nil
		}
	}
	return nil, p, nil
}

// extend adds ways to reach other units to a plan. It leaves out units that
// would make the plan infeasible.
func (s *search) extend(ctx context.Context, solution *solve.Solution, p plan) (*solve.Solution, plan, error) {
	for _, u := range s.others {
		if s.support(u) == 0 {
			continue
		}
		next, q, err := s.addWay(ctx, p, s.ways.toUnit(u, true))
		if err != nil {
			return nil, p, err
		}
		if next != nil {
			solution, p = next, q
			p.units = append(slices.Clip(p.units), u)
		}
	}
	return solution, p, nil
}

// strengthen solves a plan with as many of its stronger conditions as stay
// feasible. It returns the given solution if no stronger condition is feasible.
func (s *search) strengthen(ctx context.Context, solution *solve.Solution, p plan) (*solve.Solution, error) {
	all := p.stronger[:min(len(p.stronger), maxStronger)]
	if len(all) == 0 {
		return solution, nil
	}
	if every := slices.Concat(p.conditions, all); combinations(every) <= maxCombinations {
		stronger, err := s.attempt(ctx, every)
		if stronger != nil || err != nil {
			return stronger, err
		}
	}
	conditions := p.conditions
	for _, c := range all {
		longer := append(slices.Clip(conditions), c)
		if combinations(longer) > maxCombinations {
			continue
		}
		next, err := s.attempt(ctx, longer)
		if err != nil {
			return nil, err
		}
		if next != nil {
			solution, conditions = next, longer
		}
	}
	return solution, nil
}

// maxCombinations limits the combinations of path counts that the solver tracks
// for stronger conditions, which are optional.
const maxCombinations = 2000

// combinations returns an upper bound on the combinations of path counts that
// the solver tracks for conditions.
func combinations(conditions []targeting.Condition) int {
	n := 1
	for _, c := range conditions {
		n = min(n*(max(c.Min, c.Max)+1), maxCombinations+1)
	}
	return n
}

// draw returns up to n inputs of a solution that are not in before and that the
// model predicts to follow the plan.
func (s *search) draw(ctx context.Context, solution *solve.Solution, p plan, n int, before []Input) ([]Input, error) {
	stronger, err := s.strengthen(ctx, solution, p)
	if err != nil {
		return nil, err
	}
	var out []Input
	for _, solution := range []*solve.Solution{stronger, solution} {
		if s.predicted > maxPredicted+10*s.opt.N {
			break
		}
		answers := map[*generate.Input]*model.Answer{}
		found, err := s.opt.Draw(ctx, solution.Where(func(ctx context.Context, input *generate.Input) (bool, error) {
			if slices.ContainsFunc(before, func(i Input) bool { return string(i.Text) == string(input.Text) }) {
				return false, nil
			}
			s.predicted++
			answer, err := s.model.Predict(ctx, input.Text, grammars.Limits{})
			if err != nil {
				return false, err
			}
			answers[input] = answer
			return s.follows(answer, p), nil
		}), s.rand, n)
		if err := s.note(err); err != nil {
			return nil, err
		}
		for _, input := range found {
			out = append(out, s.input(input, answers[input], p))
		}
		if len(out) > 0 || stronger == solution {
			break
		}
	}
	return out, nil
}

// follows reports whether a prediction is the one that a plan expects.
func (s *search) follows(answer *model.Answer, p plan) bool {
	if answer.Syntax != nil {
		return false
	}
	// An impure leaf may predict "not reached"; a doubtful plan accepts that.
	if !p.doubtful && slices.ContainsFunc(p.units, func(u int) bool { return !answer.Methods[u].Reached }) {
		return false
	}
	if slices.ContainsFunc(s.avoid, func(u int) bool { return answer.Methods[u].Reached }) {
		return false
	}
	return !p.accepted || s.opt.AnyOutcome || len(answer.Outcomes) == 0 || answer.Outcomes[0].Outcome == string(observation.OK)
}

func (s *search) input(input *generate.Input, answer *model.Answer, p plan) Input {
	out := Input{Input: input, Probability: 1, Doubtful: p.doubtful}
	for _, u := range s.want {
		if m := answer.Methods[u]; m.Reached || u == s.unit {
			out.Units = append(out.Units, u)
			out.Probability = min(out.Probability, m.Probability)
		}
	}
	return out
}
