package observe

import (
	"context"
	"fmt"
	"slices"

	"github.com/inroad/inroad/model/observation"
)

// A Runner runs a program on one input at a time, in one process. It replaces the
// process when an input ends it. It is not safe for concurrent use.
type Runner struct {
	program *Program
	limits  Limits
	warmup  [][]byte
	process process // nil if none is running
}

// NewRunner returns a runner, which the caller closes.
func (p *Program) NewRunner(limits Limits) *Runner {
	return &Runner{program: p, limits: limits.withDefaults()}
}

// WarmUp makes each process run some inputs before its first observation. Otherwise,
// one-time work such as filling a cache would be attributed to the first input. Inputs
// that end a process are left out from then on.
func (r *Runner) WarmUp(inputs [][]byte) { r.warmup = slices.Clone(inputs) }

// Run returns the observation of an input.
func (r *Runner) Run(ctx context.Context, input []byte) (observation.Observation, error) {
	o, err := r.runOnce(ctx, input)
	if err == nil && neverStarted(o) {
		return r.runOnce(ctx, input)
	}
	return o, err
}

// neverStarted reports whether a run timed out before it reached any method. On a busy
// machine, this can happen to any input, so the input is run once more.
func neverStarted(o observation.Observation) bool {
	return o.Outcome == observation.TimedOut && o.Methods != nil && len(o.Methods) == 0
}

func (r *Runner) runOnce(ctx context.Context, input []byte) (observation.Observation, error) {
	for r.process == nil {
		if err := r.start(ctx); err != nil {
			return observation.Observation{}, err
		}
	}
	o, over, err := r.process.run(ctx, input)
	if over || err != nil {
		r.Close()
	}
	return o, err
}

// start starts and warms up a process. r.process is nil afterwards if an input ended it.
func (r *Runner) start(ctx context.Context) error {
	p, err := r.program.begin(ctx, r.limits)
	if err != nil {
		return err
	}
	r.process = p
	for i, input := range r.warmup {
		_, over, err := p.run(ctx, input)
		if over || err != nil {
			r.Close()
			r.warmup = slices.Delete(r.warmup, i, i+1)
		}
		if err != nil {
			return fmt.Errorf("warm-up: %w", err)
		}
		if over {
			return nil
		}
	}
	return nil
}

// Close ends the process.
func (r *Runner) Close() {
	if r.process != nil {
		r.process.stop()
		r.process = nil
	}
}
