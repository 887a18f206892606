package web_test

import (
	"context"
	"testing"
	"time"
)

// TestCorpusPage runs test/corpus.mjs on a service with the demo, its observations, and
// a program whose names and inputs have markup.
func TestCorpusPage(t *testing.T) {
	node, chromium := browser(t)
	t.Parallel()
	st := newStore(t)
	demo := distributiveObservations(t)
	train(t, st, "demo", demo)
	large := withFailures(t, manyMethods(t))
	train(t, st, "large", large)
	observe(t, st, "calc", "", demo)
	observe(t, st, "<i>large</i>", "", large)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	runNode(ctx, t, node, "test/corpus.mjs", "CHROMIUM="+chromium, "INROAD_PAGE="+serve(t, st, false))
}
