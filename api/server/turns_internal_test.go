package server

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"
)

// enterAll has requests of clients enter one after the other, and returns their turns in
// the order in which they get them.
func enterAll(t *testing.T, q *turns, clients ...string) <-chan *turn {
	t.Helper()
	got := make(chan *turn, len(clients))
	for _, client := range clients {
		taken, before := q.count()
		go func() {
			if turn, err := q.enter(t.Context(), client, time.Minute); err == nil { // else the test has ended
				got <- turn
			}
		}()
		for { // until the request has its turn, or waits
			if now, waiting := q.count(); now > taken || waiting > before {
				break
			}
		}
	}
	return got
}

// A client never has all turns, and the client with the fewest comes first.
func TestTurns(t *testing.T) {
	q := newTurns(3)
	order := enterAll(t, q, "a", "a", "a", "a", "b", "b", "c")
	first, second, third := <-order, <-order, <-order
	if first.client+second.client+third.client != "aab" && first.client+second.client+third.client != "aba" && first.client+second.client+third.client != "baa" {
		t.Errorf("the first turns are of %s, %s and %s; want two of a and one of b", first.client, second.client, third.client)
	}
	for _, turn := range []*turn{first, second, third} {
		if turn.client == "b" {
			turn.end()
		}
	}
	if next := <-order; next.client != "b" { // it came before c, and both have none
		t.Errorf("then %s, want b", next.client)
	}
	if first.client == "b" {
		first = second
	}
	first.pause() // waits for its client
	if next := <-order; next.client != "c" {
		t.Errorf("then %s, want c", next.client)
	}
	first.end()
	if taken, waiting := q.count(); taken != 3 || waiting != 2 {
		t.Errorf("%d turns taken and %d requests waiting, want 3 and 2", taken, waiting)
	}
}

// Few requests wait, and not for ever.
func TestFullTurns(t *testing.T) {
	q := newTurns(1)
	if q.most != 2 || q.ofClient != 1 {
		t.Errorf("%d turns, %d of a client; want 2 and 1", q.most, q.ofClient)
	}
	enterAll(t, q, "a")
	enterAll(t, q, repeat("a", maxWaitingClient)...)
	_, err := q.enter(t.Context(), "a", time.Minute)
	if busy, ok := errors.AsType[*retryError](err); !ok || busy.status != http.StatusTooManyRequests {
		t.Errorf("one more of a: %v", err)
	}
	for _, client := range []string{"b", "c", "d"} {
		enterAll(t, q, repeat(client, maxWaitingClient)...)
	}
	enterAll(t, q, "e")
	_, err = q.enter(t.Context(), "f", time.Minute)
	if busy, ok := errors.AsType[*retryError](err); !ok || busy.status != http.StatusServiceUnavailable {
		t.Errorf("one more of f: %v", err)
	}
	if taken, waiting := q.count(); taken != 2 || waiting != maxWaiting {
		t.Errorf("%d turns taken and %d requests waiting, want 2 and %d", taken, waiting, maxWaiting)
	}
}

func repeat(client string, n int) (out []string) {
	for range n {
		out = append(out, client)
	}
	return out
}

// A request that stops waiting gets no turn.
func TestAbandonedTurn(t *testing.T) {
	q := newTurns(1)
	held := <-enterAll(t, q, "a")
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	if _, err := q.enter(ctx, "a", time.Minute); !errors.Is(err, gone) {
		t.Errorf("got %v, want %v", err, gone)
	}
	if _, err := q.enter(t.Context(), "a", time.Nanosecond); problemOf(err).Status != http.StatusServiceUnavailable {
		t.Errorf("after a nanosecond: %v", err)
	}
	held.end()
	if err := held.take(t.Context()); err != nil { // nor does one whose request has ended
		t.Error(err)
	}
	if taken, waiting := q.count(); taken != 0 || waiting != 0 {
		t.Errorf("%d turns taken and %d requests waiting, want none", taken, waiting)
	}
	var none *turn // a request that needs no turn
	none.pause()
	if err := none.take(t.Context()); err != nil {
		t.Error(err)
	}
}

// A slow client keeps its stream as long as it keeps up the rate.
func TestPace(t *testing.T) {
	now := time.Unix(1000, 0)
	left := func(p *pace) time.Duration { return p.deadline(now).Sub(now) }
	honest := newPace(30*time.Second, 500)
	for range 1000 { // 1 kB/s, of which buffers let nothing through for 25 seconds
		honest.count(0, 25*time.Second)
		honest.count(25_000, 0)
	}
	if left(honest) < 30*time.Second {
		t.Errorf("a client of 1 kB/s has %v left", left(honest))
	}
	dripping := newPace(30*time.Second, 500)
	dripping.count(1, 29*time.Second)
	dripping.count(1, 29*time.Second)
	if left(dripping) > 0 {
		t.Errorf("a client of a byte every 29 seconds has %v left", left(dripping))
	}
	fast := newPace(30*time.Second, 500)
	fast.count(1<<30, 0)
	if left(fast) != 300*time.Second {
		t.Errorf("a client that sent much has %v left, want 5 minutes", left(fast))
	}
}
