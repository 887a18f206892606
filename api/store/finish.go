package store

import (
	"context"
	"fmt"
	"time"
)

// WriteLimit is the maximum duration of a write that does not end with the context of its
// caller.
const WriteLimit = 30 * time.Second

// Finish returns a context for a write that is finished even if ctx ends, for example
// because a client is gone. The context ends after [WriteLimit], so that no caller waits
// forever for a store that is stuck. Its cause wraps [ErrUnavailable].
func Finish(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(context.WithoutCancel(ctx), WriteLimit, fmt.Errorf("%w: a write took longer than %v", ErrUnavailable, WriteLimit))
}
