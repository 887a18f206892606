package server

import (
	"context"
	"slices"
	"sync"
	"time"
)

// turns shares the processors among requests that compute for long. A limited number
// of requests have a turn at the same time. One client has at most all turns but one,
// so that other clients need not wait for its requests to end. Of the waiting
// requests, those of the client with the fewest turns come first, the oldest of them
// first.
type turns struct {
	most      int // turns at the same time
	ofClient  int // turns of a client at the same time
	mayWait   int // requests that may wait for their first turn
	clientMay int // requests of a client that may wait for their first turn

	mu      sync.Mutex
	taken   int
	held    map[string]int // turns by client
	waiting []*turn
}

// Numbers of requests that may wait for their first turn.
const (
	maxWaiting       = 64
	maxWaitingClient = 16
)

// newTurns returns turns for a number of processors.
func newTurns(processors int) *turns {
	most := max(2, processors)
	return &turns{most: most, ofClient: most - 1, mayWait: maxWaiting, clientMay: maxWaitingClient, held: map[string]int{}}
}

// A turn is the right of a request to compute. Requests that do not need one have a nil
// turn.
type turn struct {
	of      *turns
	client  string
	granted chan struct{} // receives when the request has its turn
	taking  sync.Mutex    // held while the request waits for its turn

	// guarded by the mutex of turns
	first bool // the request has not had a turn yet
	has   bool
	ended bool // the request does not get a turn any more
}

// enter waits for the first turn of a client's request, for at most the duration
// most. It rejects the request if too many requests wait.
func (q *turns) enter(ctx context.Context, client string, most time.Duration) (*turn, error) {
	t := &turn{of: q, client: client, first: true, granted: make(chan struct{}, 1)}
	q.mu.Lock()
	var all, own int
	for _, w := range q.waiting {
		if w.first {
			all++
		}
		if w.first && w.client == client {
			own++
		}
	}
	q.mu.Unlock()
	switch {
	case own >= q.clientMay:
		return nil, tooManyRequests(time.Second, "%s: %d requests that compute for long are waiting, the most allowed", client, own)
	case all >= q.mayWait:
		return nil, unavailable("%d requests that compute for long are waiting, the most allowed", all)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, most, unavailable("waited %v for other requests that compute", most))
	defer cancel()
	return t, t.take(ctx)
}

// take waits until the request has a turn.
func (t *turn) take(ctx context.Context) error {
	if t == nil {
		return nil
	}
	t.taking.Lock()
	defer t.taking.Unlock()
	q := t.of
	q.mu.Lock()
	if t.has || t.ended {
		q.mu.Unlock()
		return nil
	}
	q.waiting = append(q.waiting, t)
	q.grant()
	q.mu.Unlock()
	select {
	case <-t.granted:
		return nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if at := slices.Index(q.waiting, t); at >= 0 {
		q.waiting = slices.Delete(q.waiting, at, at+1)
		return context.Cause(ctx)
	}
	<-t.granted // in the meantime
	return nil
}

// pause ends the turn, so that others have one while the request waits for its client.
func (t *turn) pause() {
	if t == nil {
		return
	}
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.release()
}

// end ends the turn for good.
func (t *turn) end() {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.ended = true
	t.release()
}

func (t *turn) release() {
	if !t.has {
		return
	}
	q := t.of
	t.has = false
	q.taken--
	if q.held[t.client]--; q.held[t.client] == 0 {
		delete(q.held, t.client)
	}
	q.grant()
}

// grant gives free turns to waiting requests.
func (q *turns) grant() {
	for q.taken < q.most {
		next := -1
		for i, t := range q.waiting {
			if q.held[t.client] < q.ofClient && (next < 0 || q.held[t.client] < q.held[q.waiting[next].client]) {
				next = i
			}
		}
		if next < 0 {
			return
		}
		t := q.waiting[next]
		q.waiting = slices.Delete(q.waiting, next, next+1)
		t.first = false
		if t.granted <- struct{}{}; t.ended {
			continue
		}
		t.has = true
		q.taken++
		q.held[t.client]++
	}
}

// count returns the numbers of turns that are taken and of requests that wait for one.
func (q *turns) count() (taken, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.taken, len(q.waiting)
}
