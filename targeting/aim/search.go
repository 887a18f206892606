package aim

import (
	"cmp"
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
	maxPlans    = 16  // plans of each tier
	maxOutcomes = 3   // ways to an outcome per way to reach a unit
	maxWays     = 4   // ways to reach or to avoid each further unit
	maxRoutes   = 8   // routes that inputs are spread over
	maxJoined   = 6   // routes that are extended to further units
	maxStronger = 40  // stronger conditions per plan
	maxAttempts = 16  // attempts to add stronger conditions to a plan
	maxExamples = 3   // examples of each plan that inputs resemble
	maxResemble = 4   // attempts to add paths of an example to a plan
	maxTrees    = 200 // trees that are tried for inputs that resemble an example

	maxTried = 500 // predictions for each tier and requested outcome, plus 25 per requested input
)

// A search looks for inputs that reach one unit, and as many others as possible, or
// that have an outcome.
type search struct {
	*Targeter
	rand        *rand.Rand
	opt         Options
	want, avoid []int
	unit        int // or NoUnit
	others      []int
	outcomes    []string              // inputs must have one of them; any if empty
	failure     error                 // the first error with the least certain verdict
	conflict    []targeting.Condition // the conditions of the first infeasible plan
	leftOut     bool                  // plans were left out, so failure of the others proves nothing
	tried       int                   // inputs that the model predicted so far
	spent       map[string]int        // predictions in the current tier, by the outcome of their plan
	solves      int                   // constraints that were solved
	unlikely    int                   // of the inputs in tried: predicted not to reach the unit or not to have the outcome
}

// A tier ranks plans. Plans of a tier are tried only if better tiers gave too few
// inputs.
type tier int

const (
	preferred  tier = iota // a trusted way to the unit or the outcome; for a unit without an outcome, to ok as well
	uncertain              // like preferred, but the way is not trusted
	refused                // for a unit without an outcome, a way with an outcome other than ok
	improbable             // any way; the model may predict that inputs do not reach the unit or do not have the outcome
)

// fills reports whether inputs of the tier are added to inputs of better tiers.
func (t tier) fills() bool { return t <= uncertain }

// A plan is a way to reach the unit, combined with ways to reach and to avoid
// other units.
type plan struct {
	conditions []targeting.Condition
	necessary  []targeting.Condition // those of the conditions that all inputs in the leaves meet
	stronger   []targeting.Condition
	texts      []solve.TokenText // of tokens; the solver does not guarantee them
	pairs      []solve.Pair      // of children; likewise
	tier       tier
	outcome    string        // the requested outcome that the plan is for; empty if only one is requested
	units      []int         // the units that inputs reach
	leaves     []*model.Leaf // of the ways; that of the unit, or else of the outcome, comes first
	examples   []*example    // in all leaves, with the predictions that the plan expects
	unseen     bool          // no example is in all leaves; examples holds those in the first leaf
}

// and returns the plan combined with another way. It ignores the way's stronger
// conditions.
func (p plan) and(w way) plan {
	p.conditions = slices.Concat(p.conditions, w.conditions)
	p.necessary = slices.Concat(p.necessary, w.necessary)
	p.texts = slices.Concat(p.texts, w.texts)
	p.pairs = slices.Concat(p.pairs, w.pairs)
	p.leaves = append(slices.Clip(p.leaves), &w.leaf)
	return p
}

// A route is a plan with a solution, an extension of the plan to further units, and
// an example of the plan that inputs resemble.
type route struct {
	plan     *solved
	extended *solved  // the plan itself if it cannot be extended
	example  *example // nil if there is none
}

// A solved plan has solutions of its conditions.
type solved struct {
	plan
	solution *solve.Solution
	stronger *solve.Solution              // with stronger conditions; nil until needed
	near     map[*example]*solve.Solution // with paths of an example as well
	strong   []targeting.Condition        // of stronger
	barren   bool                         // no input was found, with or without the paths of the first example
}

// find returns inputs for the unit. They are spread over the routes to it,
// starting with those that reach the most units; some are mutants of examples.
func (s *search) find(ctx context.Context) ([]Input, error) {
	plans, err := s.plans()
	if err != nil {
		return nil, err
	}
	all := plans
	var out []Input
	feasible := false
	last := tier(-1)
	for len(plans) > 0 && len(out) < s.opt.N && (len(out) == 0 || plans[0].tier.fills()) {
		if plans[0].tier != last {
			last = plans[0].tier
			clear(s.spent)
		}
		var routes []route
		if routes, plans, err = s.routes(ctx, plans); err != nil {
			return nil, err
		}
		feasible = feasible || len(routes) > 0
		if out, err = s.spread(ctx, routes, out); err != nil {
			return nil, err
		}
	}
	if out, err = s.withMutants(ctx, all, last, out); err != nil {
		return nil, err
	}
	if len(out) > 0 {
		return out, nil
	}
	if err := s.explain(ctx); err != nil {
		return nil, err
	}
	return nil, s.missed(feasible)
}

// spread adds inputs of the routes to inputs. If a route gives fewer inputs than its
// share, the other routes give more.
func (s *search) spread(ctx context.Context, routes []route, inputs []Input) ([]Input, error) {
	for len(routes) > 0 && len(inputs) < s.opt.N {
		var productive []route // that gave inputs
		for i, r := range routes {
			missing := s.opt.N - len(inputs)
			share := (missing + len(routes) - i - 1) / (len(routes) - i)
			found, err := s.follow(ctx, r, share, inputs)
			if err != nil {
				return nil, err
			}
			inputs = append(inputs, found...)
			if len(found) > 0 {
				productive = append(productive, r)
			}
		}
		routes = productive
	}
	return inputs, nil
}

// all reports whether inputs are proved to be all inputs that the model predicts to
// reach the unit, apart from trivia and letter case.
func (s *search) all(ctx context.Context, inputs []Input) (bool, error) {
	plans, err := s.plans()
	if err != nil || s.leftOut || len(s.avoid) > 0 || len(s.outcomes) > 0 || slices.ContainsFunc(s.ways.toUnitAnyhow(s.unit), func(w way) bool { return len(w.outcomes) > 0 }) {
		return false, err
	}
	if r := s.model.Regression(s.unit); r != nil && r.ToReached { // it may predict the unit in any leaf
		return false, nil
	}
	for _, p := range plans {
		solution, err := s.attempt(ctx, p.necessary)
		if err != nil {
			return false, ignoreLimit(err)
		}
		if solution == nil {
			continue
		}
		every, complete, err := solution.All(ctx, s.rand)
		if !complete || err != nil {
			return false, err
		}
		for _, input := range every {
			if slices.ContainsFunc(inputs, func(i Input) bool { return string(i.Text) == string(input.Text) }) {
				continue
			}
			answer, err := s.model.Predict(ctx, input.Text, grammars.Limits{})
			if err != nil || answer.Syntax == nil && forecastOf(answer).reaches(s.unit) {
				return false, err
			}
		}
	}
	return true, nil
}

// missed returns the reason why the search found no input. Infeasible plans are a
// proof only if all plans were tried and none had a solution.
func (s *search) missed(feasible bool) error {
	verdict, _ := targeting.VerdictOf(s.failure)
	decided := verdict == targeting.Solved || verdict == targeting.Infeasible || verdict == targeting.Unrealised
	switch {
	case decided && s.unlikely > 0:
		return &UnlikelyError{s.unlikely, s.goal()}
	case verdict == targeting.Solved, verdict == targeting.Infeasible && feasible:
		return &solve.UnrealisedError{}
	case verdict == targeting.Infeasible && s.leftOut:
		return fmt.Errorf("%w; the ways tried are %s", &limit.Error{What: "ways to reach a method", Value: strconv.Itoa(maxPlans)}, s.failure.Error())
	default:
		return s.failure
	}
}

// explain replaces the failure of infeasible plans by an error that names the
// contradictory conditions.
func (s *search) explain(ctx context.Context) error {
	if verdict, _ := targeting.VerdictOf(s.failure); verdict != targeting.Infeasible || s.opt.Steps > 0 {
		return nil
	}
	_, err := s.solver.Solve(ctx, s.constraint(relax(s.conflict)))
	if _, ok := targeting.VerdictOf(err); !ok {
		return err
	}
	s.failure = err
	return nil
}

// routes returns as many feasible plans of the first tier as are needed, sorted by the
// number of units they reach, largest first. It also returns the plans that it did not
// try.
func (s *search) routes(ctx context.Context, plans []plan) (out []route, rest []plan, err error) {
	enough, perPlan := min(s.opt.N, maxRoutes), maxExamples
	if len(s.others) > 0 {
		enough, perPlan = max(enough, maxJoined), 1
	}
	first, unseen := plans[0].tier, plans[0].unseen
	for len(plans) > 0 && plans[0].tier == first && plans[0].unseen == unseen && len(out) < enough {
		p, err := s.solvePlan(ctx, plans[0])
		if plans = plans[1:]; err != nil {
			return nil, nil, err
		}
		if p == nil {
			continue
		}
		r := route{plan: p, extended: p}
		if len(out) < maxJoined && p.tier != refused {
			if r.extended, err = s.extend(ctx, p); err != nil {
				return nil, nil, err
			}
		}
		out = append(out, r.forExamples(perPlan)...)
	}
	slices.SortStableFunc(out, func(a, b route) int { return len(b.extended.units) - len(a.extended.units) })
	return out, plans, nil
}

// plans returns the ways to reach the unit, combined with ways to an outcome, or the
// ways to the outcome alone, by tier. Within a tier, the most certain ways come first.
func (s *search) plans() ([]plan, error) {
	for _, u := range s.avoid {
		if reached, rows := s.model.Support(u); reached == rows && rows > 0 {
			return nil, ErrAlwaysReached
		}
	}
	if s.unit != NoUnit && s.support(s.unit) == 0 {
		return nil, ErrNeverReached
	}
	tiers := make([][][]plan, improbable+1) // by tier and way
	add := func(t tier, w way, outcomes ...[]model.Condition) {
		for _, conditions := range outcomes {
			p := plan{stronger: w.stronger, tier: t}.and(w)
			if len(s.outcomes) > 1 && s.unit != NoUnit {
				p.outcome = conditions[0].Feature.Outcome
			}
			if s.unit != NoUnit {
				p.units = []int{s.unit}
			}
			tiers[t] = append(tiers[t], s.withOutcomes(p, conditions))
		}
	}
	ways, anyhow := s.toGoal()
	for _, w := range ways {
		outcomes := s.outcomesOf(w)
		s.leftOut = s.leftOut || slices.ContainsFunc(slices.Concat(outcomes...), func(c model.Condition) bool {
			return len(s.ways.toOutcome(c.Feature.Outcome, c.Present)) > maxOutcomes
		})
		t := preferred
		if w.trust != trusted {
			t = uncertain
		}
		switch {
		case s.anyOutcome():
			add(t, w, outcomes...)
		case !allow(w.outcomes, string(observation.OK)):
			add(refused, w, w.outcomes)
		case len(w.outcomes) > 0:
			add(t, w, w.outcomes)
			add(refused, w, w.outcomes)
		default:
			add(t, w, isOutcome(string(observation.OK)))
			add(refused, w, nil)
		}
	}
	switch {
	case len(anyhow) == 0 && len(s.outcomes) > 0:
		return nil, ErrOtherOutcome
	case s.opt.AllowUnlikely:
		for _, w := range anyhow {
			add(improbable, w, s.outcomesOf(w)...)
		}
	case len(ways) == 0:
		return nil, &UnlikelyError{goal: s.goal()}
	}
	var out []plan
	for t, byWay := range tiers {
		plans := interleave(byWay)
		s.findExamples(plans)
		// Leaving out plans for the outcome ok loses no way: refused has every way again.
		s.leftOut = s.leftOut || len(plans) > maxPlans && (tier(t) >= refused || s.anyOutcome())
		out = append(out, plans[:min(len(plans), maxPlans)]...)
	}
	return out, nil
}

// anyOutcome reports whether the search does not prefer the outcome ok.
func (s *search) anyOutcome() bool {
	return s.opt.AnyOutcome || len(s.outcomes) > 0 || len(s.model.Outcomes) == 0
}

// toGoal returns the ways to leaves that predict the unit, or the outcome if there is
// no unit, most certain first. If no leaf predicts the outcome, ways has only the way to
// its likeliest leaf, where other outcomes may be even less likely. anyhow holds all ways
// to leaves with an observation of the unit or the outcome, predicting leaves first.
func (s *search) toGoal() (ways, anyhow []way) {
	if s.unit != NoUnit {
		return s.allowed(s.ways.toUnit(s.unit, true)), s.allowed(s.ways.toUnitAnyhow(s.unit))
	}
	var likeliest, all [][]way // by outcome
	for _, o := range s.outcomes {
		likeliest, all = append(likeliest, s.ways.toOutcome(o, true)), append(all, s.ways.toOutcomeAnyhow(o, true))
	}
	return interleave(likeliest), interleave(all)
}

// goal says what inputs should do.
func (s *search) goal() string {
	switch {
	case s.unit == NoUnit:
		return "has it"
	case len(s.outcomes) > 0:
		return "reaches it with the outcome " + s.opt.Outcome
	default:
		return "reaches it"
	}
}

// allowed returns the ways to a unit that allow a requested outcome.
func (s *search) allowed(ways []way) []way {
	if len(s.outcomes) == 0 {
		return ways
	}
	return slices.DeleteFunc(ways, func(w way) bool { return len(s.outcomesOf(w)) == 0 })
}

// outcomesOf returns the conditions on the outcome under which inputs follow a way: one
// list for each requested outcome that the way allows, or a single list with the way's
// own conditions if no outcome is requested.
func (s *search) outcomesOf(w way) [][]model.Condition {
	if len(s.outcomes) == 0 || s.unit == NoUnit {
		return [][]model.Condition{w.outcomes}
	}
	var out [][]model.Condition
	for _, o := range s.outcomes {
		if allow(w.outcomes, o) {
			out = append(out, isOutcome(o))
		}
	}
	return out
}

// isOutcome returns the condition that an input has an outcome.
func isOutcome(outcome string) []model.Condition {
	return []model.Condition{{Feature: &model.Feature{Outcome: outcome}, Present: true}}
}

// interleave returns the first item of each list, then the second, and so on.
func interleave[T any](lists [][]T) []T {
	var out []T
	for i, more := 0, true; more; i++ {
		more = false
		for _, list := range lists {
			if i < len(list) {
				out, more = append(out, list[i]), true
			}
		}
	}
	return out
}

// allow reports whether conditions on the outcome allow an outcome.
func allow(conditions []model.Condition, outcome string) bool {
	return !slices.ContainsFunc(conditions, func(c model.Condition) bool { return (c.Feature.Outcome == outcome) != c.Present })
}

// withOutcomes combines a plan with the ways to meet conditions on the outcome.
func (s *search) withOutcomes(p plan, outcomes []model.Condition) []plan {
	out := []plan{p}
	for _, c := range outcomes {
		var longer []plan
		ways := s.ways.toOutcome(c.Feature.Outcome, c.Present)
		for _, p := range out {
			for _, w := range ways[:min(len(ways), maxOutcomes)] {
				longer = append(longer, p.and(w))
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
	if n == 0 {
		return nil, nil
	}
	if r.extended != r.plan {
		found, err := s.draw(ctx, r.extended, r.example, n, before)
		if len(found) > 0 || err != nil {
			return found, err
		}
	}
	found, err := s.draw(ctx, r.plan, r.example, n, before)
	if len(found) > 0 || len(before) > 0 || err != nil || len(relax(r.plan.conditions)) == len(targeting.Simplify(r.plan.conditions)) {
		return found, err
	}
	// The relaxed conditions gave no input, so solve all conditions.
	solution, err := s.try(ctx, r.plan.conditions)
	if solution == nil {
		return nil, s.note(err)
	}
	return s.draw(ctx, &solved{plan: r.plan.plan, solution: solution, stronger: solution}, nil, n, before)
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

// noteInfeasible records that the conditions of a plan are infeasible. This proves
// something only if the necessary ones are.
func (s *search) noteInfeasible(ctx context.Context, p plan) error {
	switch {
	case len(p.necessary) == len(p.conditions):
	case s.opt.Steps > 0: // the search is too short for proofs
		s.leftOut = true
	default:
		solution, err := s.solver.Try(ctx, s.constraint(relax(p.necessary)))
		switch {
		case err != nil && !overLimit(err):
			return err
		case err != nil || solution != nil:
			s.leftOut = true
		default:
			p.conditions = p.necessary
		}
	}
	if s.conflict == nil {
		s.conflict = p.conditions
	}
	return s.note(&solve.InfeasibleError{})
}

func (s *search) constraint(conditions []targeting.Condition) targeting.Constraint {
	return targeting.Constraint{Conditions: conditions, MaxNodes: s.opt.MaxNodes}
}

// attempt solves the relaxed conditions. It returns nil if they are infeasible.
func (s *search) attempt(ctx context.Context, conditions []targeting.Condition) (*solve.Solution, error) {
	return s.try(ctx, relax(conditions))
}

// try solves conditions. It returns nil if they are infeasible.
func (s *search) try(ctx context.Context, conditions []targeting.Condition) (*solve.Solution, error) {
	if s.solves++; s.opt.Steps > 0 && s.solves > s.opt.Steps {
		return nil, &limit.Error{What: "constraints solved", Value: strconv.Itoa(s.opt.Steps)}
	}
	return s.solver.Try(ctx, s.constraint(conditions))
}

// ignoreLimit returns err, or nil if err is a [*limit.Error].
func ignoreLimit(err error) error {
	if overLimit(err) {
		return nil
	}
	return err
}

// overLimit reports whether err is a [*limit.Error].
func overLimit(err error) bool {
	_, ok := errors.AsType[*limit.Error](err)
	return ok
}

// solvePlan adds a way to avoid each unit of s.avoid to a plan, and solves it. It
// returns nil if it finds no solution, and notes why.
func (s *search) solvePlan(ctx context.Context, p plan) (*solved, error) {
	solution, err := s.attempt(ctx, p.conditions)
	switch {
	case err != nil:
		return nil, s.note(err)
	case solution == nil:
		return nil, s.noteInfeasible(ctx, p)
	}
	out := &solved{plan: p, solution: solution}
	chosen := false // a unit had several ways to avoid it
	for _, u := range s.avoid {
		if s.support(u) == 0 {
			continue
		}
		ways := s.ways.toUnit(u, false)
		if len(ways) == 0 {
			return nil, s.note(ErrNeverAvoided)
		}
		next, over, err := s.addWay(ctx, out, ways)
		switch {
		case err != nil:
			return nil, err
		case next != nil:
			out, chosen = next, chosen || len(ways) > 1
			continue
		case over != nil:
			return nil, s.note(over)
		}
		if chosen || len(ways) > maxWays {
			return nil, s.note(&limit.Error{What: "ways to avoid a method", Value: strconv.Itoa(maxWays)})
		}
		for _, w := range ways {
			if err = s.noteInfeasible(ctx, out.and(w)); err != nil {
				break
			}
		}
		return nil, err
	}
	return out, nil
}

// addWay adds the first way that leaves a plan feasible. It returns nil if there is
// none, and the limit that the solver reached, if any.
func (s *search) addWay(ctx context.Context, p *solved, ways []way) (next *solved, over, err error) {
	for _, w := range ways[:min(len(ways), maxWays)] {
		q := p.and(w)
		solution, err := s.attempt(ctx, q.conditions)
		switch {
		case overLimit(err):
			over = err
		case err != nil:
			return nil, nil, err
		case solution != nil:
			return &solved{plan: q, solution: solution}, nil, nil
		}
	}
	return nil, over, nil
}

// extend adds ways to reach other units to a plan. It leaves out units that
// would make the plan infeasible.
func (s *search) extend(ctx context.Context, p *solved) (*solved, error) {
	for _, u := range s.others {
		if s.support(u) == 0 {
			continue
		}
		next, _, err := s.addWay(ctx, p, s.allowed(s.ways.toUnit(u, true)))
		if err != nil {
			return nil, err
		}
		if next != nil {
			next.units = append(slices.Clip(p.units), u)
			p = next
		}
	}
	return p, nil
}

// strengthen solves a plan with as many of its stronger conditions as stay
// feasible.
func (s *search) strengthen(ctx context.Context, p *solved) (err error) {
	if p.stronger == nil {
		group := p.plan.stronger[:min(len(p.plan.stronger), maxStronger)]
		p.stronger, p.strong, err = s.add(ctx, p.solution, relax(p.conditions), group, maxAttempts, maxCombinations)
	}
	return err
}

// resemble solves a strengthened plan with as many paths of an example as stay feasible.
func (s *search) resemble(ctx context.Context, p *solved, e *example) (near *solve.Solution, err error) {
	if e == nil {
		return p.stronger, nil
	}
	near, ok := p.near[e]
	if !ok {
		near, _, err = s.add(ctx, p.stronger, p.strong, s.examples.context(e, p.examples), maxResemble, maxContext)
		if p.near == nil {
			p.near = map[*example]*solve.Solution{}
		}
		p.near[e] = near
	}
	return near, err
}

// add adds as many conditions of a group to solved conditions as stay feasible: the whole
// group, or else as many as possible of each half.
func (s *search) add(ctx context.Context, solution *solve.Solution, conditions, group []targeting.Condition, attempts, most int) (*solve.Solution, []targeting.Condition, error) {
	if s.opt.Steps > 0 {
		attempts = min(attempts, s.opt.Steps/4)
	}
	var add func(group []targeting.Condition) error
	add = func(group []targeting.Condition) error {
		if len(group) == 0 {
			return nil
		}
		if longer := slices.Concat(conditions, group); combinations(longer) <= most {
			if attempts--; attempts < 0 {
				return nil
			}
			next, err := s.try(ctx, longer)
			switch {
			case err != nil && !overLimit(err):
				return err
			case next != nil:
				solution, conditions = next, longer
				return nil
			}
		}
		if len(group) == 1 {
			return nil
		}
		if err := add(group[:len(group)/2]); err != nil {
			return err
		}
		return add(group[len(group)/2:])
	}
	err := add(group)
	return solution, conditions, err
}

// maxCombinations limits the combinations of path counts that the solver tracks.
// Its time grows faster than their number.
const maxCombinations = 512

// combinations returns an upper bound on the combinations of path counts that
// the solver tracks for conditions.
func combinations(conditions []targeting.Condition) int {
	n := 1
	for _, c := range targeting.Simplify(conditions) {
		n = min(n*(max(c.Min, c.Max)+1), maxCombinations+1)
	}
	return n
}

// relax returns the conditions that the solver handles quickly: all that forbid paths,
// and as many of the others as maxCombinations allows. Conditions near the root of a
// decision tree come first and say most, so the last ones are left out; predictions
// check all of them.
func relax(conditions []targeting.Condition) []targeting.Condition {
	n := 1
	return slices.DeleteFunc(targeting.Simplify(conditions), func(c targeting.Condition) bool {
		more := max(c.Min, c.Max) + 1
		if n*more > maxCombinations && more > 1 {
			return true
		}
		n *= more
		return false
	})
}

// draw returns up to n inputs of a solved plan that are not in before and that the model
// predicts to follow the plan. The inputs resemble an example. If e is the plan's first
// example and no input resembles it, draw returns other inputs.
func (s *search) draw(ctx context.Context, p *solved, e *example, n int, before []Input) ([]Input, error) {
	if p.barren {
		return nil, nil
	}
	if err := s.strengthen(ctx, p); err != nil {
		return nil, err
	}
	near, err := s.resemble(ctx, p, e)
	if err != nil {
		return nil, err
	}
	if s.spent == nil {
		s.spent = map[string]int{}
	}
	var out []Input
	solutions := slices.Compact([]*solve.Solution{near, p.stronger, p.solution})
	if e != nil && e != p.examples[0] {
		solutions = solutions[:slices.Index(solutions, p.stronger)]
	}
	for _, solution := range solutions {
		// A kind such as crash stands for several outcomes. Plans for an outcome that is
		// improbable together with the unit must leave predictions to the other plans.
		if s.spent[p.outcome] > maxTried+25*s.opt.N {
			break
		}
		tries := s.opt.Steps
		if solution != p.stronger && solution != p.solution {
			tries = maxTrees
		}
		forecasts := map[*generate.Input]forecast{}
		found, err := s.opt.Draw(ctx, solution.WithTexts(p.texts).WithPairs(p.pairs).WithMaxTries(tries).Where(func(ctx context.Context, input *generate.Input) (bool, error) {
			if slices.ContainsFunc(before, func(i Input) bool { return string(i.Text) == string(input.Text) }) {
				return false, nil
			}
			s.tried++
			s.spent[p.outcome]++
			answer, err := s.model.PredictTree(input.Tree)
			if err != nil {
				return false, err
			}
			f := forecastOf(answer)
			forecasts[input] = f
			if p.tier < improbable && s.misses(f) {
				s.unlikely++
			}
			return s.follows(f, p.plan), nil
		}), s.rand, n)
		if tries == maxTrees {
			err = ignoreLimit(err)
		}
		if err := s.note(err); err != nil {
			return nil, err
		}
		for _, input := range found {
			out = append(out, s.input(input, forecasts[input]))
		}
		if len(out) > 0 {
			break
		}
		if e != nil {
			p.near[e] = p.stronger
		}
	}
	p.barren = len(out) == 0 && e != nil && e == p.examples[0]
	return out, nil
}

// A forecast holds the predictions of the model for an input or an example.
type forecast struct {
	outcomes   []model.OutcomeProbability // by descending probability
	prediction func(unit int) (reached bool, probability float64)
}

// forecastOf returns the forecast of an answer for an input of the grammar.
func forecastOf(a *model.Answer) forecast {
	return forecast{a.Outcomes, func(unit int) (bool, float64) { return a.Methods[unit].Reached, a.Methods[unit].Probability }}
}

// reaches reports whether an input is predicted to reach a unit.
func (f forecast) reaches(unit int) bool {
	reached, probability := f.prediction(unit)
	return reached && probability >= 0.5
}

// isOK reports whether the program is expected to accept the input, as far as the model
// predicts outcomes.
func (f forecast) isOK() bool {
	return len(f.outcomes) == 0 || f.outcomes[0].Outcome == string(observation.OK)
}

// outcome returns the likeliest of some outcomes, and the probability that an input has
// one of them: 1 if there are none.
func (f forecast) outcome(outcomes []string) (likeliest string, probability float64) {
	if len(outcomes) == 0 {
		return "", 1
	}
	for _, o := range f.outcomes {
		if slices.Contains(outcomes, o.Outcome) {
			likeliest, probability = cmp.Or(likeliest, o.Outcome), probability+o.Probability
		}
	}
	return likeliest, probability
}

// follows reports whether a forecast meets the expectations of a plan.
func (s *search) follows(f forecast, p plan) bool {
	if p.tier < improbable && (s.misses(f) || slices.ContainsFunc(p.units, func(u int) bool { return !f.reaches(u) })) {
		return false
	}
	if slices.ContainsFunc(s.avoid, func(u int) bool { reached, _ := f.prediction(u); return reached }) {
		return false
	}
	return p.tier >= refused || s.anyOutcome() || f.isOK()
}

// misses reports whether an input is predicted not to reach the unit or not to have the
// outcome.
func (s *search) misses(f forecast) bool {
	_, probability := f.outcome(s.outcomes)
	return probability < 0.5 || s.unit != NoUnit && !f.reaches(s.unit)
}

func (s *search) input(input *generate.Input, f forecast) Input {
	out := Input{Input: input}
	alone := s.endsEarly(f)
	out.Outcome, out.Probability = f.outcome(s.outcomes)
	out.UnlikelyOutcome = out.Probability < 0.5
	for _, u := range s.want {
		if r := f.reaches(u); u == s.unit || r && !alone {
			_, probability := f.prediction(u)
			out.Units = append(out.Units, u)
			out.Probability = min(out.Probability, probability)
			if !r {
				out.Unlikely = append(out.Unlikely, u)
			}
		}
	}
	return out
}

// endsEarly reports whether the program is expected to refuse an input though ok is
// preferred. The run may end before it reaches other units, so the input is only for the
// unit of the search. If no observation was ok, refusals say nothing about where runs end.
func (s *search) endsEarly(f forecast) bool {
	return !s.anyOutcome() && !f.isOK() && slices.Contains(s.model.Outcomes, string(observation.OK))
}
