package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
)

// confirm runs the inputs, tells how many of them reach what they were made for,
// and returns the methods that each one entered.
func (opt *targetOptions) confirm(ctx context.Context, found *aimed) (ran map[string][]string, err error) {
	opt.program.units, opt.program.subject, opt.program.commit = "method", found.subject, found.commit
	program, err := opt.program.build(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, program.Close()) }()
	var out *observe.Output
	if opt.addTo != "" {
		if out, err = observe.OpenOutput(opt.addTo, program.Header()); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, out.Close()) }()
		program.RestoreUnits(out.Units())
	}
	options := observe.Options{}
	if opt.program.command != "" {
		options.Warmup = -1
	}
	ran = map[string][]string{}
	err = program.Observe(ctx, texts(found.inputs), options, func(o observation.Observation) error {
		ran[string(o.Input)] = o.Methods
		if out == nil || out.Observed(observe.Input{Name: o.Name, Data: o.Input}) {
			return nil
		}
		return errors.Join(out.AddUnits(program.Header().Units), out.Write(o))
	})
	if err != nil {
		return nil, err
	}
	for _, id := range found.want {
		made, reached := 0, 0
		for _, input := range found.inputs {
			if slices.Contains(input.methods, id) {
				made++
				if slices.Contains(ran[string(input.text)], id) {
					reached++
				}
			}
		}
		if made > 0 {
			fmt.Fprintf(opt.stderr, "inroad: %s: reached by %d of %s made for it\n", printable(id), reached, count(made, "input", "inputs"))
		}
	}
	for _, id := range found.avoid {
		reached := 0
		for _, methods := range ran {
			if slices.Contains(methods, id) {
				reached++
			}
		}
		fmt.Fprintf(opt.stderr, "inroad: %s: reached by %d of %s made to avoid it\n", printable(id), reached, count(len(ran), "input", "inputs"))
	}
	return ran, nil
}

// texts yields inputs as a program is run on them.
func texts(inputs []aimedInput) iter.Seq2[observe.Input, error] {
	return func(yield func(observe.Input, error) bool) {
		for _, input := range inputs {
			if !yield(observe.Input{Data: input.text}, nil) {
				return
			}
		}
	}
}
