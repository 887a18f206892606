package g4_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars/g4"
)

// parse parses a text with a context that never ends.
func parse(name, text string) (*g4.File, g4.Diagnostics) {
	file, found, err := g4.Parse(context.Background(), name, text)
	if err != nil {
		panic(err)
	}
	return file, found
}

// A countdown is a context that ends after a number of looks at it.
type countdown struct {
	context.Context
	asks int
}

func (c *countdown) Err() error {
	if c.asks--; c.asks < 0 {
		return context.Canceled
	}
	return nil
}

// TestParseEndsWithItsContext checks that a parse looks at its context again
// and again, and stops when the context has ended.
func TestParseEndsWithItsContext(t *testing.T) {
	text := "grammar G; a : " + strings.Repeat("b ", 100_000) + ";"
	for _, asks := range []int{0, 1, 50} {
		ctx := &countdown{t.Context(), asks}
		if _, _, err := g4.Parse(ctx, "f.g4", text); !errors.Is(err, context.Canceled) || ctx.asks < -2 {
			t.Errorf("a context that ends after %d looks: error %v, and %d looks more", asks, err, -1-ctx.asks)
		}
	}
}
