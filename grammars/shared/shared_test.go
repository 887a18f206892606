package shared_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/inroad/inroad/grammars/shared"
)

var errGone = errors.New("gone")

// TestResultIsShared checks that callers with the same key get the result of one
// computation, and that callers with another key get their own.
func TestResultIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g shared.Group[string, int]
		computed := 0
		proceed := make(chan struct{})
		var callers sync.WaitGroup
		for range 5 {
			callers.Go(func() {
				got, err := g.Do(t.Context(), "a", func(context.Context) (int, error) {
					computed++
					<-proceed
					return 7, nil
				})
				if got != 7 || err != nil {
					t.Errorf("got %d, %v; want 7", got, err)
				}
			})
		}
		synctest.Wait()
		if got, err := g.Do(t.Context(), "b", func(context.Context) (int, error) { return 8, errGone }); got != 8 || !errors.Is(err, errGone) {
			t.Errorf("another key: got %d, %v", got, err)
		}
		close(proceed)
		callers.Wait()
		if computed != 1 {
			t.Errorf("computed %d times", computed)
		}
	})
}

// TestEndsWithTheLastCaller checks that a computation goes on while a caller
// waits for it, even if the caller who began it has gone, and that it ends when
// all have gone.
func TestEndsWithTheLastCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g shared.Group[int, string]
		ended := make(chan error, 1)
		compute := func(ctx context.Context) (string, error) {
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return "", context.Cause(ctx)
		}
		var leave []context.CancelCauseFunc
		var callers sync.WaitGroup
		for range 3 {
			ctx, cancel := context.WithCancelCause(t.Context())
			leave = append(leave, cancel)
			callers.Go(func() {
				if _, err := g.Do(ctx, 1, compute); !errors.Is(err, errGone) {
					t.Errorf("got %v, want the cause", err)
				}
			})
			synctest.Wait() // the first one begins
		}
		for i, cancel := range leave {
			select {
			case <-ended:
				t.Fatalf("it ended with %d callers waiting", len(leave)-i)
			default:
			}
			cancel(errGone)
			synctest.Wait()
		}
		callers.Wait()
		if err := <-ended; !errors.Is(err, errGone) {
			t.Errorf("the cause is %v", err)
		}
		if got, err := g.Do(t.Context(), 1, func(context.Context) (string, error) { return "again", nil }); got != "again" || err != nil {
			t.Errorf("afterwards: got %q, %v", got, err)
		}
	})
}

// TestPanicReachesTheCaller checks that a panic is not lost.
func TestPanicReachesTheCaller(t *testing.T) {
	defer func() {
		if got := recover(); got != "oh" {
			t.Errorf("recovered %v", got)
		}
	}()
	var g shared.Group[int, int]
	_, _ = g.Do(t.Context(), 1, func(context.Context) (int, error) { panic("oh") })
}
