package observe

import (
	"context"

	"github.com/inroad/inroad/model/observation"
)

// A Runner runs a program on one input at a time, in one process. It replaces the
// process when an input ends it. It is not safe for concurrent use.
type Runner struct {
	program *Program
	limits  Limits
	process process // nil if none is running
}

// NewRunner returns a runner, which the caller closes.
func (p *Program) NewRunner(limits Limits) *Runner {
	return &Runner{program: p, limits: limits.withDefaults()}
}

// Run returns the observation of an input.
func (r *Runner) Run(ctx context.Context, input []byte) (observation.Observation, error) {
	if r.process == nil {
		p, err := r.program.begin(ctx, r.limits)
		if err != nil {
			return observation.Observation{}, err
		}
		r.process = p
	}
	o, over, err := r.process.run(ctx, input)
	if over || err != nil {
		r.Close()
	}
	return o, err
}

// Close ends the process.
func (r *Runner) Close() {
	if r.process != nil {
		r.process.stop()
		r.process = nil
	}
}
