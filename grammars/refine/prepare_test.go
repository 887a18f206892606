package refine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/grammars/limit"
)

// A countdown is a context that ends after a number of looks at it.
type countdown struct {
	context.Context
	looks int
}

func (c *countdown) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// refineAll computes everything that [Prepare] computes.
func refineAll(ctx context.Context, g *grammars.Grammar) (err error) {
	defer limit.Catch(&err)
	m := limit.NewMeter(ctx, maxSteps, &limit.Error{})
	newPlain(m, g, g.Start)
	newRefinement(m, g, g.Start).newGraph(m)
	return nil
}

// TestRefiningEndsWithItsContext checks that refining a grammar stops soon after
// its context has ended, at any time.
func TestRefiningEndsWithItsContext(t *testing.T) {
	for name, text := range map[string]string{
		"operators":    "grammar g; e : " + strings.Repeat("e 'o' e | 'p' e | e 'q' | ", 600) + "'x' ;",
		"alternatives": "grammar g; s : " + strings.Repeat("'x' s | ", 3000) + "'y' ;",
	} {
		t.Run(name, func(t *testing.T) {
			g := grammartest.Load(t, text)
			whole := &countdown{context.Background(), 1 << 30}
			if err := refineAll(whole, g); err != nil {
				t.Fatal(err)
			}
			looks := 1<<30 - whole.looks
			if looks < 4 {
				t.Errorf("%d looks at the context", looks)
			}
			for _, n := range []int{0, looks / 3, looks - 1} {
				ctx := &countdown{context.Background(), n}
				if err := refineAll(ctx, g); !errors.Is(err, context.Canceled) || ctx.looks < -2 {
					t.Errorf("ended after %d of %d looks: %v, and %d looks more", n, looks, err, -1-ctx.looks)
				}
			}
		})
	}
}

// TestPrepareKeepsNoFailure checks that a refinement that was given up is computed
// when it is needed.
func TestPrepareKeepsNoFailure(t *testing.T) {
	g := grammartest.Load(t, "grammar g; e : e '+' e | 'x' ;")
	errGone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errGone)
	if err := Prepare(ctx, g, "e"); err != nil && !errors.Is(err, errGone) {
		t.Errorf("got %v, want the cause", err)
	}
	if err := Prepare(t.Context(), g, "e"); err != nil {
		t.Error(err)
	}
	if len(Of(g, "e").Graph().Bodies) == 0 || len(Plain(g, "e").Bodies) == 0 {
		t.Error("a graph without bodies")
	}
}
