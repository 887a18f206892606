package server_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/server"
	"github.com/inroad/inroad/api/store"
)

// A featureStore counts the blocks that are read with features.
type featureStore struct {
	store.Store
	with, without atomic.Int64
}

func (s *featureStore) Block(ctx context.Context, subject, commit string, from uint64, key []byte) (store.Block, error) {
	b, err := s.Store.Block(ctx, subject, commit, from, key)
	switch {
	case b.Number == 0 || key == nil:
	case b.Features == nil:
		s.without.Add(1)
	default:
		s.with.Add(1)
	}
	return b, err
}

// Features are extracted once for each block and each set of options that they depend on.
// The models are the same as without a cache.
func TestFeatureCache(t *testing.T) {
	var models [2][]string
	for i, size := range []int64{-1, 1 << 20} {
		path := filepath.Join(t.TempDir(), "s.db")
		counted := &featureStore{Store: openStore(t, path)}
		s := startWith(t, path, counted, func(c *server.Config) { c.FeatureCache = size })
		for _, step := range []struct {
			upload                int
			options               string
			wantWith, wantWithout int64 // with a cache
		}{
			{100, `{"seed":1}`, 0, 1},
			{100, `{"seed":2,"max_depth":3}`, 1, 0},
			{150, `{"seed":1}`, 1, 1},
			{150, `{"seed":1,"k":2}`, 0, 2},
			{150, `{"seed":2}`, 2, 0},
		} {
			s.upload(t, step.upload)
			counted.with.Store(0)
			counted.without.Store(0)
			var j openapi.Job
			s.post(t, "/v1/models", fmt.Sprintf(`{"subject":"calc","grammar":"expr","options":%s}`, step.options), http.StatusAccepted, &j)
			events := s.follow(t, j.ID)
			models[i] = append(models[i], events[len(events)-1].Model)
			if size > 0 && (counted.with.Load() != step.wantWith || counted.without.Load() != step.wantWithout) {
				t.Errorf("%d observations, %s: %d blocks with features and %d without, want %d and %d",
					step.upload, step.options, counted.with.Load(), counted.without.Load(), step.wantWith, step.wantWithout)
			}
			if size < 0 && counted.with.Load() != 0 {
				t.Error("features were kept although the cache is off")
			}
		}
	}
	if !slices.Equal(models[0], models[1]) || slices.Contains(models[0], "") {
		t.Errorf("models without a cache: %q, with one: %q", models[0], models[1])
	}
}

// A trimStore reports the limits to which its features are trimmed.
type trimStore struct {
	store.Store
	limits chan int64
}

func (s *trimStore) TrimFeatures(ctx context.Context, limit int64) error {
	s.limits <- limit
	return s.Store.TrimFeatures(ctx, limit)
}

// A lower limit of the cache takes effect when the server starts.
func TestFeatureCacheShrinks(t *testing.T) {
	for size, want := range map[int64]int64{-1: 0, 1 << 20: 1 << 20} {
		path := filepath.Join(t.TempDir(), "s.db")
		s := &trimStore{openStore(t, path), make(chan int64, 1)}
		startWith(t, path, s, func(c *server.Config) { c.FeatureCache = size })
		if got := <-s.limits; got != want {
			t.Errorf("a cache of %d bytes: features are trimmed to %d bytes, want %d", size, got, want)
		}
	}
}
