// Package parallel runs goroutines and passes their panics to the caller that waits for
// them.
//
// [golang.org/x/sync/errgroup] lets a panic of a goroutine end the process. In a
// service, one input could then end the work of all clients.
package parallel

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/errgroup"
)

// A Group runs goroutines. Use [WithContext] to create one.
type Group struct {
	group *errgroup.Group

	mu    sync.Mutex
	panic *PanicError // of the first goroutine that panicked
}

// A PanicError is the value of a panic in a goroutine, and its stack.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("%v\n\n%s", e.Value, e.Stack) }

// WithContext returns a group, and a context that ends when a goroutine of the group
// fails or panics, or when all have ended.
func WithContext(ctx context.Context) (*Group, context.Context) {
	group, ctx := errgroup.WithContext(ctx)
	return &Group{group: group}, ctx
}

// SetLimit limits the number of goroutines that run at the same time. At the limit, Go
// waits until one ends.
func (g *Group) SetLimit(n int) { g.group.SetLimit(n) }

// Go runs do in a goroutine.
func (g *Group) Go(do func() error) {
	g.group.Go(func() (err error) {
		defer func() {
			if r := recover(); r != nil {
				err = g.keep(r)
			}
		}()
		return do()
	})
}

// keep keeps the value of a panic, unless another goroutine has panicked before. It returns
// an error, which ends the others.
func (g *Group) keep(value any) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.panic == nil {
		nested, ok := value.(*PanicError) // of a group within this one
		if !ok {
			nested = &PanicError{value, debug.Stack()}
		}
		g.panic = nested
	}
	return fmt.Errorf("panic: %v", value)
}

// Wait waits for all goroutines, and returns the first error. If a goroutine has panicked,
// Wait panics with a [*PanicError].
func (g *Group) Wait() error {
	err := g.group.Wait()
	if g.panic != nil {
		panic(g.panic)
	}
	return err
}
