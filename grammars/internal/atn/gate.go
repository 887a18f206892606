package atn

import (
	"context"
	"sync/atomic"
	"time"
)

// A gate lets one run through at a time. It is a lock that those who wait for it
// give up when their context or their time ends: who holds it may be at a
// hostile input. As with a mutex, whoever comes by when it is free goes first:
// most hold it for a moment only, and need it again soon.
type gate struct {
	held  atomic.Bool
	freed chan struct{} // has room for one note that it was freed
}

func newGate() *gate { return &gate{freed: make(chan struct{}, 1)} }

// enter waits until the gate is free. What it gives up with is a panic, as all
// ends of runs are.
func (g *gate) enter(r *run) {
	if !g.held.CompareAndSwap(false, true) {
		g.wait(r)
	}
}

func (g *gate) wait(r *run) {
	var late <-chan time.Time // never, if the run has all the time
	if !r.deadline.IsZero() {
		timer := time.NewTimer(time.Until(r.deadline))
		defer timer.Stop()
		late = timer.C
	}
	for !g.held.CompareAndSwap(false, true) {
		select {
		case <-g.freed: // since it was found held, or before: look again
		case <-r.ctx.Done():
			panic(stop{context.Cause(r.ctx)})
		case <-late:
			panic(stop{ErrTime})
		}
	}
}

// leave frees the gate, and wakes one of those who wait. Should another be
// faster, it will do the same.
func (g *gate) leave() {
	g.held.Store(false)
	select {
	case g.freed <- struct{}{}:
	default:
	}
}
