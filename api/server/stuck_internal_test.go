package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/model/observation"
)

// A stuckStore does not answer.
type stuckStore struct{ store.Store }

func (stuckStore) wait(ctx context.Context) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

func (s stuckStore) AddObservations(ctx context.Context, _, _ string, _ []observation.Unit, _ []observation.Observation) (store.Added, error) {
	return store.Added{}, s.wait(ctx)
}

func (s stuckStore) LogEvents(ctx context.Context, _ []*store.Event) error { return s.wait(ctx) }

func (s stuckStore) Tell(ctx context.Context, c store.Campaign, _ []store.Told, _ []store.CampaignPoint, _ bool) (store.Campaign, error) {
	return c, s.wait(ctx)
}

func (s stuckStore) Authenticate(ctx context.Context, _ string) (store.Key, error) {
	return store.Key{}, s.wait(ctx)
}

// Writes that a stuck store does not finish end some time after their request.
func TestStuckWrites(t *testing.T) {
	for name, write := range map[string]func(ctx context.Context) error{
		"observations": func(ctx context.Context) error {
			u := &upload{store: stuckStore{}}
			return u.add(ctx, observation.Block{Observations: []observation.Observation{{Input: []byte("1")}}})
		},
		"campaign": func(ctx context.Context) error {
			_, err := (&campaigns{store: stuckStore{}}).save(ctx, store.Campaign{}, nil, nil, false)
			return err
		},
		"key log": func(ctx context.Context) error {
			l := newKeyLog(stuckStore{}, slog.New(slog.DiscardHandler))
			l.used(store.Key{ID: "k"}, store.ScopeRead)
			l.flush(ctx)
			return store.ErrUnavailable // flush logs it
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				begin := time.Now()
				if err := write(ctx); !errors.Is(err, store.ErrUnavailable) || time.Since(begin) != store.WriteLimit {
					t.Errorf("ended after %v with %v", time.Since(begin), err)
				}
			})
		})
	}
}

// Requests that wait for a flush to a stuck store do not begin another one after their end.
func TestStuckFlushes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newKeyLog(stuckStore{}, slog.New(slog.DiscardHandler))
		l.used(store.Key{ID: "k"}, store.ScopeRead)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		<-ctx.Done()
		begin := time.Now()
		if l.flush(ctx); time.Since(begin) != 0 {
			t.Errorf("took %v", time.Since(begin))
		}
	})
}

// A request whose key a stuck store does not check is answered in time.
func TestStuckAuthentication(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := New(Config{Store: stuckStore{openStore(t)}, NeedKeys: true})
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/jobs", nil)
		r.Header.Set("Authorization", "Bearer secret")
		s.ServeHTTP(w, r)
		if w.Code != http.StatusServiceUnavailable || time.Since(begin) != s.Timeout {
			t.Errorf("after %v: %d %s", time.Since(begin), w.Code, w.Body)
		}
	})
}
