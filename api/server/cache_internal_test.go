package server

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

func TestCacheKeepsWhatWasUsedLast(t *testing.T) {
	c := newCache[int](10)
	var loaded []int
	get := func(key, size int) {
		t.Helper()
		got, err := c.get(t.Context(), fmt.Sprint(key), func(context.Context) (int, int64, error) {
			loaded = append(loaded, key)
			return key, int64(size), nil
		})
		if err != nil || got != key {
			t.Errorf("got %d, %v; want %d", got, err, key)
		}
	}
	get(1, 4)
	get(2, 4)
	get(1, 4)
	get(3, 4)  // 2 goes
	get(1, 4)  // still there
	get(2, 4)  // 3 goes
	get(4, 99) // larger than all: all others go
	get(4, 99)
	if got, want := fmt.Sprint(loaded), "[1 2 3 2 4]"; got != want || c.size != 99 {
		t.Errorf("loaded %s, want %s; size %d", got, want, c.size)
	}
}

func TestCacheLoadsOnce(t *testing.T) {
	c := newCache[int](10)
	var loads atomic.Int32
	release := make(chan struct{})
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			got, err := c.get(t.Context(), "k", func(context.Context) (int, int64, error) {
				loads.Add(1)
				<-release
				return 7, 1, nil
			})
			if got != 7 || err != nil {
				t.Errorf("got %d, %v", got, err)
			}
		})
	}
	close(release)
	group.Wait()
	if loads.Load() != 1 {
		t.Errorf("loaded %d times", loads.Load())
	}
}

func TestCacheKeepsNoFailure(t *testing.T) {
	c := newCache[int](10)
	want := errors.New("no")
	if _, err := c.get(t.Context(), "k", func(context.Context) (int, int64, error) { return 0, 0, want }); !errors.Is(err, want) {
		t.Errorf("got %v", err)
	}
	if got, err := c.get(t.Context(), "k", func(context.Context) (int, int64, error) { return 1, 1, nil }); got != 1 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(want)
	ended := make(chan error, 1)
	load := func(ctx context.Context) (int, int64, error) {
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return 0, 0, context.Cause(ctx)
	}
	if _, err := c.get(ctx, "slow", load); !errors.Is(err, want) {
		t.Errorf("who does not wait: %v", err)
	}
	if err := <-ended; !errors.Is(err, want) {
		t.Errorf("the load that nobody waits for ended with %v", err)
	}
}
