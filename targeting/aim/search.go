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

// Bounds on what is tried. The surest ways come first, so that little is lost.
const (
	maxPlans    = 12 // ways to reach a unit, with ways to end
	maxOutcomes = 3  // ways to end for each way to reach a unit
	maxWays     = 4  // ways to reach or to avoid one unit more
	maxJoined   = 6  // ways to reach a unit that are made to reach others too
	maxStronger = 40 // conditions that are added where they can be

	maxPredicted = 4000 // inputs that the model is asked about, besides ten for each that is wanted
)

// A search looks for inputs that reach one unit, and others if they can be
// reached at the same time.
type search struct {
	*Aimer
	rand        *rand.Rand
	opt         Options
	want, avoid []int
	unit        int
	others      []int
	failure     error // the first of those with the least certain verdict
	leftOut     bool  // plans were left out, so that failures of the others prove nothing
	predicted   int   // inputs that the model was asked about
}

// A plan is a way to reach the unit, joined with ways to reach and to avoid
// others.
type plan struct {
	conditions []targeting.Condition
	stronger   []targeting.Condition
	doubtful   bool
	accepted   bool  // the run is expected to end well
	units      []int // that are reached
}

// A route is a plan that has a solution, and how it can be made to reach more.
type route struct {
	plan
	solution *solve.Solution
	wide     plan // the same, or one that reaches other units too
	further  *solve.Solution
}

// lastResort reports whether the route is taken only if there is no other.
func (r route) lastResort() bool { return r.doubtful || !r.accepted }

// find returns inputs for the unit. They are spread over the ways to reach it,
// those first that reach most units.
func (s *search) find(ctx context.Context) ([]Input, error) {
	routes, err := s.routes(ctx)
	if err != nil {
		return nil, err
	}
	var out []Input
	for before := -1; before < len(out) && len(out) < s.opt.N; { // what one way could not give, others may
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

// missed returns why there is no input. That the plans tried are infeasible is a
// proof only if all plans were tried and none of them had a solution.
func (s *search) missed(solved bool) error {
	verdict, _ := targeting.VerdictOf(s.failure)
	switch {
	case verdict == targeting.Solved, verdict == targeting.Infeasible && solved:
		return &solve.UnrealisedError{}
	case verdict == targeting.Infeasible && s.leftOut:
		return fmt.Errorf("%w; those tried are %s", &limit.Error{What: "ways to reach a method", Value: strconv.Itoa(maxPlans)}, s.failure.Error())
	default:
		return s.failure
	}
}

// routes returns the plans that have a solution.
func (s *search) routes(ctx context.Context) ([]route, error) {
	plans, err := s.plans()
	if err != nil {
		return nil, err
	}
	var out []route
	for _, p := range plans {
		solution, p, err := s.avoiding(ctx, p)
		if err := s.note(err); err != nil {
			return nil, err
		}
		if solution == nil {
			continue
		}
		r := route{p, solution, p, solution}
		if len(out) < maxJoined {
			if r.further, r.wide, err = s.joined(ctx, solution, p); err != nil {
				return nil, err
			}
		}
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b route) int {
		switch {
		case a.lastResort() == b.lastResort():
			return len(b.wide.units) - len(a.wide.units)
		case a.lastResort():
			return 1
		default:
			return -1
		}
	})
	return out, nil
}

// plans returns the ways to reach the unit, the surest first, each with ways to
// end. Those that end any way come last.
func (s *search) plans() ([]plan, error) {
	for _, u := range s.avoid {
		if entered, rows := s.model.Support(u); entered == rows && rows > 0 {
			return nil, ErrAlwaysReached
		}
	}
	if s.support(s.unit) == 0 {
		return nil, ErrNeverReached
	}
	var accepted, others []plan
	for _, w := range s.guide.Ways(s.unit, true) {
		base := plan{conditions: w.Conditions, stronger: w.Stronger, doubtful: w.Doubtful, units: []int{s.unit}, accepted: true}
		s.leftOut = s.leftOut || slices.ContainsFunc(w.Outcomes, func(t model.Condition) bool {
			return len(s.guide.OutcomeWays(t.Feature.Outcome, t.Present)) > maxOutcomes
		})
		if s.opt.AnyOutcome || len(s.model.Outcomes) == 0 {
			accepted = append(accepted, s.ending(base, w.Outcomes)...)
			s.leftOut = s.leftOut || len(accepted) > maxPlans
			continue
		}
		tests := w.Outcomes
		if len(tests) == 0 {
			tests = []model.Condition{{Feature: &model.Feature{Outcome: string(observation.OK)}, Present: true}}
		}
		endings := s.ending(base, tests)
		for i := range endings {
			endings[i].accepted = endsWell(tests)
		}
		if !endsWell(tests) {
			others = append(others, endings...)
			continue
		}
		accepted = append(accepted, endings...)
		base.accepted = false
		others = append(others, s.ending(base, w.Outcomes)...)
	}
	// Of the accepted plans, any may be left out: others have each way again.
	s.leftOut = s.leftOut || len(others) > maxPlans
	return append(accepted[:min(len(accepted), maxPlans)], others[:min(len(others), maxPlans)]...), nil
}

// endsWell reports whether tests of outcomes leave room for a run that ends well.
func endsWell(tests []model.Condition) bool {
	return !slices.ContainsFunc(tests, func(t model.Condition) bool { return (t.Feature.Outcome == string(observation.OK)) != t.Present })
}

// ending joins a plan with the ways to the outcomes that it needs.
func (s *search) ending(p plan, tests []model.Condition) []plan {
	out := []plan{p}
	for _, t := range tests {
		var longer []plan
		ways := s.guide.OutcomeWays(t.Feature.Outcome, t.Present)
		for _, p := range out {
			for _, w := range ways[:min(len(ways), maxOutcomes)] {
				q := p
				q.conditions = slices.Concat(p.conditions, w.Conditions)
				longer = append(longer, q)
			}
		}
		if len(ways) > 0 {
			out = longer
		}
	}
	return out
}

// follow makes inputs by a route that reaches other units too, and if that leads
// nowhere by the route itself. The inputs differ from those there are.
func (s *search) follow(ctx context.Context, r route, n int, before []Input) ([]Input, error) {
	if len(r.wide.units) > len(r.units) {
		found, err := s.draw(ctx, r.further, r.wide, n, before)
		if len(found) > 0 || err != nil {
			return found, err
		}
	}
	return s.draw(ctx, r.solution, r.plan, n, before)
}

// note keeps the failure with the least certain verdict, and returns an error
// that has no verdict.
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

// solve solves conditions.
func (s *search) solve(ctx context.Context, conditions []targeting.Condition) (*solve.Solution, error) {
	return s.solver.Solve(ctx, s.constraint(conditions))
}

func (s *search) constraint(conditions []targeting.Condition) targeting.Constraint {
	return targeting.Constraint{Conditions: conditions, MaxNodes: s.opt.MaxNodes}
}

// attempt solves conditions. It returns nil if they have no solution, or if the
// solver reached a limit.
func (s *search) attempt(ctx context.Context, conditions []targeting.Condition) (*solve.Solution, error) {
	solution, err := s.solver.Try(ctx, s.constraint(conditions))
	if _, ok := errors.AsType[*limit.Error](err); ok {
		return nil, nil
	}
	return solution, err
}

// avoiding solves a plan so that nothing is reached that is to be avoided.
func (s *search) avoiding(ctx context.Context, p plan) (*solve.Solution, plan, error) {
	solution, err := s.solve(ctx, p.conditions)
	if err != nil {
		return nil, p, err
	}
	chosen := false // one of several ways to avoid a unit
	for _, u := range s.avoid {
		if s.support(u) == 0 {
			continue
		}
		ways := s.guide.Ways(u, false)
		next, q, err := s.also(ctx, p, ways)
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

// unavoidable returns why none of the ways to avoid a unit can be added to a
// plan. It is a proof only if every way is infeasible, and the plan has no choice
// of another way to avoid the units before.
func (s *search) unavoidable(ctx context.Context, p plan, ways []Way, chosen bool) error {
	_, first := s.solve(ctx, slices.Concat(p.conditions, ways[0].Conditions))
	if verdict, _ := targeting.VerdictOf(first); verdict != targeting.Infeasible {
		return first
	}
	for _, w := range ways[1:min(len(ways), maxWays)] {
		if _, err := s.solver.Try(ctx, s.constraint(slices.Concat(p.conditions, w.Conditions))); err != nil {
			return err
		}
	}
	if chosen || len(ways) > maxWays {
		return fmt.Errorf("%w; the first is %s", &limit.Error{What: "ways to avoid a method", Value: strconv.Itoa(maxWays)}, first.Error())
	}
	return first
}

// also adds the first of some ways to a plan that can be added.
func (s *search) also(ctx context.Context, p plan, ways []Way) (*solve.Solution, plan, error) {
	for _, w := range ways[:min(len(ways), maxWays)] {
		conditions := slices.Concat(p.conditions, w.Conditions)
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

// joined adds ways to reach other units to a plan, as long as there is a
// solution.
func (s *search) joined(ctx context.Context, solution *solve.Solution, p plan) (*solve.Solution, plan, error) {
	for _, u := range s.others {
		if s.support(u) == 0 {
			continue
		}
		next, q, err := s.also(ctx, p, s.guide.Ways(u, true))
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

// strengthened adds what may be what the program really asks for to a plan, as
// far as there is a solution.
func (s *search) strengthened(ctx context.Context, solution *solve.Solution, p plan) (*solve.Solution, error) {
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

// maxCombinations is how many combinations of counts are worth the time where
// what they are for need not be.
const maxCombinations = 2000

// combinations returns how many combinations there are of what is counted, at
// most.
func combinations(conditions []targeting.Condition) int {
	n := 1
	for _, c := range conditions {
		n = min(n*(max(c.Min, c.Max)+1), maxCombinations+1)
	}
	return n
}

// draw makes inputs of a solution that the model says reach what the plan is
// for.
func (s *search) draw(ctx context.Context, solution *solve.Solution, p plan, n int, before []Input) ([]Input, error) {
	stronger, err := s.strengthened(ctx, solution, p)
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
			return s.reaches(answer, p), nil
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

// reaches reports whether an answer is what a plan is for.
func (s *search) reaches(answer *model.Answer, p plan) bool {
	if answer.Syntax != nil {
		return false
	}
	// Of a leaf that is not pure the answer may be no; it is the best there is.
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
