package web_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/inroad/inroad/model/observation"
)

// TestCorpusPage runs test/corpus.mjs on a service with the demo, its observations, and
// a program whose names and inputs have markup.
func TestCorpusPage(t *testing.T) {
	node, chromium := browser(t)
	st := newStore(t)
	demo := distributiveObservations(t)
	train(t, st, "demo", demo)
	large := withFailures(t, manyMethods(t))
	train(t, st, "large", large)
	for _, text := range [][]byte{demo, large} {
		r := observation.NewReader(bytes.NewReader(text))
		var all []observation.Observation
		for o, err := r.Next(); err == nil; o, err = r.Next() {
			all = append(all, o)
		}
		if _, err := st.AddObservations(r.Header().Subject, "", r.Header().Units, all); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	runNode(ctx, t, node, "test/corpus.mjs", "CHROMIUM="+chromium, "INROAD_PAGE="+serve(t, st, false))
}
