package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/grammars/refine"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/aim"
	"github.com/inroad/inroad/targeting/selection"
)

// untilReached holds the flags --until-reached and --max-runs.
type untilReached struct {
	Enabled bool `json:"until_reached"`
	MaxRuns int  `json:"max_runs"`
}

func (u *untilReached) bind(flags *pflag.FlagSet) {
	cli.BindFields(flags, u,
		openapi.Field{Name: "until_reached", Description: "Run the program until inputs reach each method", Schema: openapi.Schema{Type: "boolean"}},
		openapi.Field{Name: "max_runs", Description: "With --until-reached, maximum number of runs for a method", Default: 200, Schema: cli.Between(1, 1_000_000)})
}

// A reachingInput is the output of target --until-reached for an input.
type reachingInput struct {
	openapi.TargetAnswer
	Origin  aim.Origin `json:"origin"`
	Runs    int        `json:"runs"`
	Reached []string   `json:"reached,omitzero"`
}

// runUntilReached runs the program until inputs reach the methods, and writes the
// inputs.
func (c *targetCommand) runUntilReached(ctx context.Context) (err error) {
	if err := openapi.Validate(&c.req); err != nil {
		return err
	}
	service, described, err := c.server.OpenModel(ctx, c.model, c.Streams)
	if err != nil {
		return err
	}
	engine, local := service.(*api.Engine)
	if !local {
		return errors.New("--until-reached: not possible with --server; give the model as a file")
	}
	m, err := engine.Library.Model(ctx, described.ID)
	if err != nil {
		return err
	}
	if c.selected == "" || len(c.req.Methods) > 0 || c.req.Outcome != "" {
		if err := m.CheckTarget(&c.req); err != nil {
			return err
		}
	}
	want, err := m.Resolve(c.req.Methods)
	if err != nil {
		return err
	}
	unobserved, err := readUnobserved(m, c.selected)
	if err != nil {
		return err
	}
	if len(want) == 0 && c.selected == "" {
		want = []int{aim.NoUnit}
	}
	avoid, err := m.Resolve(c.req.Avoid)
	if err != nil {
		return err
	}
	known, err := c.readKnown(ctx, m, want)
	if err != nil {
		return err
	}
	if err := refine.Prepare(ctx, m.Grammar, m.Grammar.Start); err != nil {
		return err
	}
	targeter, err := aim.New(m.Model)
	if err != nil {
		return err
	}
	c.program.units, c.program.subject, c.program.commit = unitsLike(m.Units), described.Subject, described.Commit
	program, err := c.program.build(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, program.Close()) }()
	if err := checkAddTo(c.addTo, program); err != nil {
		return err
	}
	runner := program.NewRunner(observe.Limits{})
	defer runner.Close()
	reacher := aim.NewReacher(targeter, runner, known, aim.ReachOptions{
		N: c.req.N, MaxRuns: c.until.MaxRuns, Avoid: avoid, MaxNodes: c.req.MaxNodes, AnyOutcome: c.req.AnyOutcome, Outcome: c.req.Outcome,
	})
	g, err := service.Grammar(ctx, described.Grammar)
	if err != nil {
		return err
	}
	out, err := c.output.Open(c.Out, g.Report.Summary.Name)
	if err != nil {
		return err
	}
	seed := api.Seed(c.req.Seed)
	cli.NoteSeed(c.Streams, c.req.Seed, int64(seed))
	allReached := true
	for _, unit := range want {
		var attempt *aim.Attempt
		if attempt, err = reacher.Reach(ctx, rand.New(rand.NewPCG(seed, uint64(unit))), unit); err != nil {
			break
		}
		var methods []string
		if unit != aim.NoUnit {
			methods = []string{m.Units[unit].ID}
		}
		c.noteAttempt(methods, attempt)
		allReached = allReached && attempt.Reached()
		if err = c.writeReaching(out, methods, attempt.Inputs); err != nil {
			break
		}
	}
	for i := 0; err == nil && i < len(unobserved); i++ {
		u := unobserved[i]
		var attempt *aim.Attempt
		r := rand.New(rand.NewPCG(seed, uint64(len(m.Units)+i)))
		if attempt, err = reacher.Explore(ctx, r, u.near, func(o observation.Observation) bool { return u.isReached(o) }); err != nil {
			break
		}
		c.noteAttempt([]string{u.method}, attempt)
		allReached = allReached && attempt.Reached()
		err = c.writeReaching(out, []string{u.method}, attempt.Inputs)
	}
	// Observations are kept even if a run failed.
	if err = errors.Join(out.Close(err), addObservations(c.addTo, program, reacher.Observations())); err != nil {
		return err
	}
	if !allReached {
		return &cli.VerdictError{Verdict: targeting.Limit}
	}
	return nil
}

// An unobservedMethod is a changed method that no observation reached.
type unobservedMethod struct {
	method string // ID of a unit, or file#name of a declaration
	near   []int  // units that may call it
}

func (u *unobservedMethod) isReached(o observation.Observation) bool {
	return slices.ContainsFunc(o.Methods, func(id string) bool { return selection.IsMethod(id, u.method) })
}

// readUnobserved returns the changed methods of a selection that no observation reached.
func readUnobserved(m *api.Model, name string) ([]unobservedMethod, error) {
	if name == "" {
		return nil, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("--selection %s: %w", cli.Printable(name), cli.Cause(err))
	}
	var s openapi.Selection
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("--selection %s: %w; must be a file of inroad select --json-out", cli.Printable(name), err)
	}
	var out []unobservedMethod
	for _, u := range s.Unobserved {
		method := unobservedMethod{method: u.Method}
		for _, change := range s.Changes {
			if !selection.IsMethod(u.Method, change.Name) {
				continue
			}
			for i, unit := range m.Units {
				if slices.Contains(change.Methods, unit.ID) && unit.ID != u.Method {
					method.near = append(method.near, i)
				}
			}
		}
		out = append(out, method)
	}
	return out, nil
}

// readKnown returns the observations of --observations that reached any of the
// methods, and had the outcome.
func (c *targetCommand) readKnown(ctx context.Context, m *api.Model, want []int) ([]observation.Observation, error) {
	if len(c.known.names) == 0 {
		return nil, nil
	}
	files, err := c.known.open(ctx, c.Streams)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	var out []observation.Observation
	for block, err := range files.Blocks() {
		if err != nil {
			return nil, err
		}
		for _, o := range block.Observations {
			reached := slices.ContainsFunc(want, func(u int) bool { return u == aim.NoUnit || slices.Contains(o.Methods, m.Units[u].ID) })
			if reached && (c.req.Outcome == "" || model.IsOutcome(model.OutcomeName(o), c.req.Outcome)) {
				out = append(out, o)
			}
		}
	}
	files.Summarize()
	return out, nil
}

// noteAttempt prints how many runs it took to reach a method, or to observe the
// outcome if there is no method.
func (c *targetCommand) noteAttempt(methods []string, a *aim.Attempt) {
	goal, reached, by, before := c.req.Outcome, "observed", "for", "had it"
	if len(methods) > 0 {
		goal, reached, by, before = methods[0], "reached", "by", "reached it"
		if c.req.Outcome != "" {
			reached += " with the outcome " + cli.Printable(c.req.Outcome)
		}
	}
	goal = cli.Printable(goal)
	runs := cli.Count(a.Runs, "run", "runs")
	switch {
	case a.Reached() && len(a.Inputs) < c.req.N:
		c.Notef("%s: %s %s %d of %s, in %s", goal, reached, by, len(a.Inputs), cli.Count(c.req.N, "input", "inputs"), runs)
	case a.Reached():
		c.Notef("%s: %s in %s", goal, reached, runs)
	case len(a.Inputs) > 0:
		c.Notef("%s: not %s in %s; an input that %s when it was observed is printed", goal, reached, runs, before)
	default:
		c.Notef("%s: not %s in %s", goal, reached, runs)
	}
}

func (c *targetCommand) writeReaching(out *cli.InputWriter, methods []string, inputs []aim.Reaching) error {
	for _, input := range inputs {
		line := reachingInput{TargetAnswer: openapi.TargetAnswer{Methods: methods}, Origin: input.Origin, Runs: input.Runs}
		if c.req.Outcome != "" {
			line.Outcome = input.Outcome
		}
		line.Input, line.InputBase64 = api.Encode(input.Text)
		if !input.Unconfirmed {
			line.Reached = line.Methods
		}
		var err error
		if input.Origin == aim.Observed {
			err = out.WriteMarked(line, line.Input, line.InputBase64, string(input.Origin))
		} else {
			err = out.Write(line, line.Input, line.InputBase64, 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkAddTo returns an error if [addObservations] cannot add to the file of --add-to.
// It is called before the program is run, because the runs would be lost.
func checkAddTo(name string, program *observe.Program) error {
	if name == "" {
		return nil
	}
	_, missing := os.Stat(name)
	out, err := openAddTo(name, program)
	if err != nil {
		return err
	}
	if err = out.Close(); err == nil && errors.Is(missing, os.ErrNotExist) {
		err = os.Remove(name) // there may be no observations to add
	}
	return err
}

// An addToFile is the file of --add-to.
type addToFile struct {
	*observe.Output

	program  *observe.Program
	observed observe.ObservedInputs
}

// openAddTo opens the file of --add-to.
func openAddTo(name string, program *observe.Program) (*addToFile, error) {
	header := program.Header()
	if program.Growing() { // the file may lack the last units
		header.Units = nil
	}
	f := &addToFile{program: program}
	var err error
	f.Output, err = observe.OpenOutput(name, header, f.observed.Add)
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, fmt.Errorf("--add-to %s: %w", cli.Printable(name), path.Err)
	}
	if err != nil {
		return nil, fmt.Errorf("--add-to %w", err)
	}
	return f, nil
}

// add adds an observation, unless the file had one of the input.
func (f *addToFile) add(o observation.Observation) error {
	if f.observed.Take(observe.Input{Name: o.Name, Data: o.Input}) {
		return nil
	}
	return errors.Join(f.AddUnits(f.program.Header().Units), f.Write(o))
}

// addObservations adds observations to the file of --add-to, if the flag is set.
func addObservations(name string, program *observe.Program, observations []observation.Observation) (err error) {
	if name == "" || len(observations) == 0 {
		return nil
	}
	out, err := openAddTo(name, program)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	for _, o := range observations {
		if err := out.add(o); err != nil {
			return err
		}
	}
	return nil
}
