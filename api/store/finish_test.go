package store_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inroad/inroad/api/store"
)

// A write outlives its caller, but not for ever.
func TestFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		caller, gone := context.WithCancel(t.Context())
		begin := time.Now()
		ctx, cancel := store.Finish(caller)
		defer cancel()
		gone()
		<-ctx.Done()
		if took := time.Since(begin); took != store.WriteLimit || !errors.Is(context.Cause(ctx), store.ErrUnavailable) {
			t.Errorf("ended after %v with %v", took, context.Cause(ctx))
		}
	})
}
