package model

import (
	"context"
	"errors"
	"slices"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
)

// confirm runs the program on the inputs, if a program is given. It prints how many
// inputs reach their methods and have their outcome, and returns the observation of
// each input.
func (c *targetCommand) confirm(ctx context.Context, service api.Service, m openapi.Model, answers []openapi.TargetAnswer) (observations []observation.Observation, err error) {
	if !c.program.given() || len(answers) == 0 {
		return nil, nil
	}
	units, err := modelUnits(ctx, service, m.ID)
	if err != nil {
		return nil, err
	}
	c.program.units, c.program.subject, c.program.commit = unitsLike(units), m.Subject, m.Commit
	program, err := c.program.build(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, program.Close()) }()
	inputs := make([][]byte, len(answers))
	for i, a := range answers {
		if inputs[i], err = api.Decode(a.Input, a.InputBase64); err != nil {
			return nil, err
		}
	}
	ran, err := c.runInputs(ctx, program, inputs)
	if err != nil {
		return nil, err
	}
	for _, input := range inputs {
		observations = append(observations, ran[string(input)])
	}
	c.noteReached(answers, c.avoided(units), observations)
	return observations, nil
}

// runInputs runs a program on inputs and returns the observation of each. If --add-to
// is set, it adds the observations to that file.
func (c *targetCommand) runInputs(ctx context.Context, program *observe.Program, inputs [][]byte) (ran map[string]observation.Observation, err error) {
	var out *addToFile
	if c.addTo != "" {
		if out, err = openAddTo(c.addTo, program); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, out.Close()) }()
		program.RestoreUnits(out.Units())
	}
	options := observe.Options{}
	if c.program.command != "" {
		options.Warmup = -1
	}
	ran = map[string]observation.Observation{}
	each := func(yield func(observe.Input, error) bool) {
		for _, input := range inputs {
			if !yield(observe.Input{Data: input}, nil) {
				return
			}
		}
	}
	return ran, program.Observe(ctx, each, options, func(o observation.Observation) error {
		ran[string(o.Input)] = o
		if out == nil {
			return nil
		}
		return out.add(o)
	})
}

// noteReached prints how many inputs reach the methods that they were generated for,
// have the requested outcome, and reach methods to avoid.
func (c *targetCommand) noteReached(answers []openapi.TargetAnswer, avoid []string, ran []observation.Observation) {
	made, hit := map[string]int{}, map[string]int{}
	var order []string
	for i, a := range answers {
		for _, id := range a.Methods {
			if made[id]++; made[id] == 1 {
				order = append(order, id)
			}
			if slices.Contains(ran[i].Methods, id) {
				hit[id]++
			}
		}
	}
	for _, id := range order {
		c.Notef("%s: reached by %d of %s generated for it", cli.Printable(id), hit[id], cli.Count(made[id], "input", "inputs"))
	}
	count := func(holds func(observation.Observation) bool) (n int) {
		for _, o := range ran {
			if holds(o) {
				n++
			}
		}
		return n
	}
	inputs := cli.Count(len(ran), "input", "inputs")
	if c.req.Outcome != "" {
		n := count(func(o observation.Observation) bool { return model.IsOutcome(model.OutcomeName(o), c.req.Outcome) })
		c.Notef("%s: the outcome of %d of %s generated for it", cli.Printable(c.req.Outcome), n, inputs)
	}
	for _, id := range avoid {
		n := count(func(o observation.Observation) bool { return slices.Contains(o.Methods, id) })
		c.Notef("%s: reached by %d of %s generated to avoid it", cli.Printable(id), n, inputs)
	}
}

// modelUnits returns the units of a model.
func modelUnits(ctx context.Context, service api.Service, model string) ([]observation.Unit, error) {
	list, err := service.Methods(ctx, model, openapi.ListMethodsParams{})
	if err != nil {
		return nil, err
	}
	var out []observation.Unit
	for _, m := range list.Methods {
		out = append(out, observation.Unit{ID: m.ID, Kind: m.Kind, Name: m.Name})
	}
	return out, nil
}

// avoided returns the IDs of the methods to avoid, which the request may name in other
// ways.
func (c *targetCommand) avoided(units []observation.Unit) []string {
	var out []string
	for _, name := range c.req.Avoid {
		for _, i := range observation.MatchUnits(units, name) { // one, or the request would have failed
			out = append(out, units[i].ID)
		}
	}
	return out
}
