package server

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
)

const (
	// logPeriod is how often uses and refusals are written to the store.
	logPeriod = time.Minute
	// countPeriod is how long uses and refusals are counted in the same entry of the
	// key log.
	countPeriod = time.Hour
)

// A keyLog counts uses and refusals of keys in memory, and writes the counts to the
// store periodically. Requests of the same kind share an entry, so that clients cannot
// fill the log, and do not wait for the disk.
type keyLog struct {
	store store.Store
	log   *slog.Logger
	now   func() time.Time

	writing sync.Mutex // held by flush; before mu

	mu     sync.Mutex
	counts map[requestKind]*requestCount
}

// A requestKind identifies the requests that share an entry of the key log.
type requestKind struct {
	kind   store.EventKind
	key    string // ID of the key; empty if unknown
	scope  store.Scope
	reason store.RefusalReason
}

// A requestCount is an entry of the key log that may still grow.
type requestCount struct {
	event   store.Event
	begin   time.Time // with the monotonic clock, so that setting the clock has no effect
	changed bool      // since it was written
}

func newKeyLog(s store.Store, log *slog.Logger) *keyLog {
	return &keyLog{store: s, log: log, now: time.Now, counts: map[requestKind]*requestCount{}}
}

// used counts a request that a key was accepted for.
func (l *keyLog) used(k store.Key, scope store.Scope) {
	l.count(k, requestKind{kind: store.KeyUsed, key: k.ID, scope: scope})
}

// refused counts a request that was rejected. The key is zero if it is not known.
func (l *keyLog) refused(k store.Key, scope store.Scope, reason store.RefusalReason) {
	l.count(k, requestKind{kind: store.KeyRefused, key: k.ID, scope: scope, reason: reason})
}

func (l *keyLog) count(k store.Key, kind requestKind) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.counts[kind]
	if c == nil {
		c = &requestCount{begin: now, event: store.Event{
			Kind: kind.kind, Key: k.ID, Name: k.Name, Scopes: []store.Scope{kind.scope}, Reason: kind.reason, First: now.UTC(),
		}}
		l.counts[kind] = c
	}
	c.event.Count++
	c.event.Last, c.changed = now.UTC(), true
}

// flush writes the counts that have changed, in one transaction. If it fails, or if ctx
// ends while another flush writes, the next flush writes them.
func (l *keyLog) flush(ctx context.Context) {
	l.writing.Lock()
	defer l.writing.Unlock()
	if ctx.Err() != nil {
		return
	}
	changed := map[requestKind]*store.Event{}
	var events []*store.Event
	l.mu.Lock()
	for kind, c := range l.counts {
		if c.changed {
			changed[kind] = new(c.event)
			events = append(events, changed[kind])
		}
	}
	l.mu.Unlock()
	if len(events) > 0 {
		slices.SortFunc(events, func(a, b *store.Event) int { // those in the log first, then by time
			return cmp.Or(cmp.Compare(a.Number-1, b.Number-1), a.First.Compare(b.First))
		})
		if err := l.write(ctx, events); err != nil {
			l.log.ErrorContext(ctx, "key log not written", "err", err)
			return
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for kind, c := range l.counts {
		if written := changed[kind]; written != nil {
			c.event.Number, c.changed = written.Number, c.event.Count > written.Count
		}
		if !c.changed && l.now().Sub(c.begin) >= countPeriod {
			delete(l.counts, kind)
		}
	}
}

// write writes events to the store, even if the request that asked for them has ended.
func (l *keyLog) write(ctx context.Context, events []*store.Event) error {
	ctx, cancel := store.Finish(ctx)
	defer cancel()
	return l.store.LogEvents(ctx, events)
}

// run writes the counts periodically until ctx ends.
func (l *keyLog) run(ctx context.Context) {
	ticker := time.NewTicker(logPeriod)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			l.flush(ctx)
		}
	}
}

// ListKeyEvents lists the key log, newest first.
func (s *Server) ListKeyEvents(ctx context.Context, req openapi.ListKeyEventsRequestObject) (openapi.ListKeyEventsResponseObject, error) {
	s.keyLog.flush(ctx)
	out, err := KeyLog(ctx, s.Store, req.Params)
	return openapi.ListKeyEvents200JSONResponse(out), err
}

// KeyLog returns a page of the key log of a store.
func KeyLog(ctx context.Context, st store.Store, req openapi.ListKeyEventsParams) (openapi.KeyLog, error) {
	found, next, err := newest("key events", req.Cursor, req.Limit, func(e store.Event) uint64 { return e.Number }, func(before uint64, limit int) ([]store.Event, error) {
		return st.Events(ctx, before, limit)
	})
	if err != nil {
		return openapi.KeyLog{}, err
	}
	return openapi.KeyLog{Next: next, Events: convert(found, func(e store.Event) openapi.KeyEvent {
		return openapi.KeyEvent{
			Number: int64(e.Number), Kind: openapi.KeyEventKind(e.Kind), Key: e.Key, Name: e.Name, By: e.By, Scopes: scopesOf(e.Scopes),
			Reason: openapi.KeyEventReason(e.Reason), Count: e.Count, First: e.First, Last: e.Last,
		}
	})}, nil
}
