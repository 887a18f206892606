package grammars

import (
	"context"

	"golang.org/x/sync/semaphore"
)

const (
	maxLoading   = 512 << 10 // bytes of text that are loaded at a time; a larger text is loaded alone
	leastLoading = 16 << 10  // bytes that a shorter text counts as
)

// loading limits the memory of all grammars that are being loaded: a byte of
// text takes up to a kilobyte of memory until its grammar is loaded.
var loading = semaphore.NewWeighted(maxLoading) //nolint:gochecknoglobals // the limit is the process's

// reserve waits until a text of the given number of bytes may be loaded, and returns a
// function that ends the reservation.
func reserve(ctx context.Context, text int) (release func(), err error) {
	weight := int64(min(max(text, leastLoading), maxLoading))
	if err := loading.Acquire(ctx, weight); err != nil {
		return nil, context.Cause(ctx)
	}
	return func() { loading.Release(weight) }, nil
}
