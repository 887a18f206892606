package atn

import (
	"context"
	"sync/atomic"
	"time"
)

// A lock is a mutex that waiting runs stop waiting for when their context or
// their time ends: the holder may be processing a hostile input. Like
// sync.Mutex it is unfair, since most runs hold it briefly and soon need it
// again.
type lock struct {
	held  atomic.Bool
	freed chan struct{} // buffered signal that the lock was released
}

func newLock() *lock { return &lock{freed: make(chan struct{}, 1)} }

// acquire waits for the lock. It panics with a stop when the run's context or
// time ends.
func (l *lock) acquire(r *run) {
	if !l.held.CompareAndSwap(false, true) {
		l.wait(r)
	}
}

func (l *lock) wait(r *run) {
	var late <-chan time.Time // nil without a deadline
	if !r.deadline.IsZero() {
		timer := time.NewTimer(time.Until(r.deadline))
		defer timer.Stop()
		late = timer.C
	}
	for !l.held.CompareAndSwap(false, true) {
		select {
		case <-l.freed: // retry
		case <-r.ctx.Done():
			panic(stop{context.Cause(r.ctx)})
		case <-late:
			panic(stop{ErrTime})
		}
	}
}

// release frees the lock and wakes one waiting run. If another run acquires it
// first, that run wakes the waiter later.
func (l *lock) release() {
	l.held.Store(false)
	select {
	case l.freed <- struct{}{}:
	default:
	}
}
