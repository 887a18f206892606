// Package shared runs a computation once for several callers who need its
// result.
package shared

import (
	"context"
	"sync"
)

// A Group runs computations by key. The zero Group is ready for use.
type Group[K comparable, V any] struct {
	mu    sync.Mutex
	calls map[K]*call[V]
}

// A call is a computation under way.
type call[V any] struct {
	waiting int // callers
	cancel  context.CancelCauseFunc
	done    chan struct{}

	// Set before done is closed.
	value    V
	err      error
	panicked any
}

// Do returns the result of compute. Callers with the same key share one
// computation. The computation does not end with the context of the caller who
// began it: its own context ends when the contexts of all callers who wait for it
// have ended. The error of a caller whose context has ended is the cause.
func (g *Group[K, V]) Do(ctx context.Context, key K, compute func(ctx context.Context) (V, error)) (V, error) {
	c := g.join(ctx, key, compute)
	select {
	case <-c.done:
		g.leave(key, c, nil)
		if c.panicked != nil {
			panic(c.panicked)
		}
		return c.value, c.err
	case <-ctx.Done():
		g.leave(key, c, context.Cause(ctx))
		var none V
		return none, context.Cause(ctx)
	}
}

// join returns the computation under way, or begins one.
func (g *Group[K, V]) join(ctx context.Context, key K, compute func(ctx context.Context) (V, error)) *call[V] {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c := g.calls[key]; c != nil {
		c.waiting++
		return c
	}
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	c := &call[V]{waiting: 1, cancel: cancel, done: make(chan struct{})}
	if g.calls == nil {
		g.calls = map[K]*call[V]{}
	}
	g.calls[key] = c
	go func() {
		defer close(c.done)
		defer g.remove(key, c)
		defer func() { c.panicked = recover() }()
		c.value, c.err = compute(own)
	}()
	return c
}

// leave ends the computation if nobody waits for it any more. Later callers begin
// another one.
func (g *Group[K, V]) leave(key K, c *call[V], cause error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.waiting--; c.waiting == 0 {
		c.cancel(cause)
		g.forget(key, c)
	}
}

func (g *Group[K, V]) remove(key K, c *call[V]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.forget(key, c)
}

func (g *Group[K, V]) forget(key K, c *call[V]) {
	if g.calls[key] == c {
		delete(g.calls, key)
	}
}
