package atn

import (
	"context"
	"time"
)

// A gate lets one run through at a time. It is a lock that those who wait for it
// give up when their context or their time ends: who holds it may be at a
// hostile input.
type gate chan struct{}

func newGate() gate { return make(gate, 1) }

// enter waits until the gate is free. What it gives up with is a panic, as all
// ends of runs are.
func (g gate) enter(r *run) {
	select {
	case g <- struct{}{}:
		return
	default:
	}
	var late <-chan time.Time // never, if the run has all the time
	if !r.deadline.IsZero() {
		timer := time.NewTimer(time.Until(r.deadline))
		defer timer.Stop()
		late = timer.C
	}
	select {
	case g <- struct{}{}:
	case <-r.ctx.Done():
		panic(stop{context.Cause(r.ctx)})
	case <-late:
		panic(stop{ErrTime})
	}
}

func (g gate) leave() { <-g }
