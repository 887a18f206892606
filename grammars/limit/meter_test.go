package limit_test

import (
	"context"
	"errors"
	"testing"

	"github.com/inroad/inroad/grammars/limit"
)

// TestMeterPoll ends a computation at once when its context is cancelled.
func TestMeterPoll(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m := limit.NewMeter(ctx, 1000, &limit.Error{What: "steps", Value: "1000"})
	compute := func(poll bool) (err error) {
		defer limit.Catch(&err)
		m.Step(1)
		if poll {
			m.Poll()
		}
		return nil
	}
	if err := compute(true); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := compute(false); err != nil {
		t.Errorf("a single step checks the context: %v", err)
	}
	if err := compute(true); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
