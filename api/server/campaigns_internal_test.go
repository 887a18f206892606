package server

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
)

// newCampaigns returns campaigns with one that is stored.
func newCampaigns(t *testing.T) (*campaigns, store.Campaign) {
	t.Helper()
	st := openStore(t)
	c, err := st.NewCampaign(t.Context(), store.Campaign{Subject: "s", Options: []byte("{}")}, []byte("{}"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return &campaigns{store: st, log: slog.New(slog.DiscardHandler), now: time.Now, maxOpen: 8, changes: map[uint64]chan struct{}{}}, c
}

// A panic in a request leaves its campaign usable.
func TestPanicUnlocksCampaign(t *testing.T) {
	q, c := newCampaigns(t)
	func() {
		defer func() { _ = recover() }()
		_ = q.with(t.Context(), c.ID, func(*openCampaign) error { panic("oh") })
	}()
	done := make(chan error, 1)
	go func() { done <- q.stop(t.Context(), c.ID) }()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the campaign is still locked")
	}
}

// A panic at the end of a computation fails the campaign, not the process.
func TestPanicFailsCampaign(t *testing.T) {
	q, c := newCampaigns(t)
	ctx, cancel := context.WithCancel(t.Context())
	o := &openCampaign{id: c.ID, record: c, loaded: true, cancel: cancel}
	q.finish(ctx, &computation{campaigns: q, open: o, record: c}, nil) // without a state
	stored, err := q.store.Campaign(t.Context(), c.ID)
	if err != nil || stored.State != store.CampaignFailed || stored.Error != errPanicked.Error() || !o.mu.TryLock() {
		t.Errorf("got %+v, %v", stored, err)
	}
}

// Requests for campaigns that do not exist or do not run leave nothing in memory.
func TestNoChannelsLeft(t *testing.T) {
	q, c := newCampaigns(t)
	if err := q.stop(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	for id := c.ID; id < c.ID+10; id++ {
		if _, err := q.ask(t.Context(), id, openapi.AskRequest{N: 1, WaitMs: new(0)}); err != nil && !is[*store.NotFoundError](err) {
			t.Error(err)
		}
	}
	if len(q.changes) > 0 {
		t.Errorf("%d channels are left", len(q.changes))
	}
}
