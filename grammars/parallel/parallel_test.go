package parallel_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars/parallel"
)

func TestError(t *testing.T) {
	group, ctx := parallel.WithContext(t.Context())
	want := errors.New("no such luck")
	group.Go(func() error { return want })
	group.Go(func() error {
		<-ctx.Done()
		return context.Cause(ctx)
	})
	if err := group.Wait(); !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
}

// A panic ends the other goroutines, and is the caller's.
func TestPanic(t *testing.T) {
	defer func() {
		p, ok := recover().(*parallel.PanicError)
		if !ok || p.Value != "oh" || !strings.Contains(p.Error(), "explode") {
			t.Errorf("got %v", p)
		}
	}()
	outer, _ := parallel.WithContext(t.Context())
	outer.Go(func() error {
		group, ctx := parallel.WithContext(t.Context())
		group.Go(explode)
		group.Go(func() error {
			<-ctx.Done()
			return context.Cause(ctx)
		})
		return group.Wait()
	})
	t.Errorf("got %v, want a panic", outer.Wait())
}

func explode() error { panic("oh") }
