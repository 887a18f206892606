package server

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	runtimemetrics "runtime/metrics"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/inroad/inroad/api/store"
)

// clock is a time that tests set.
type clock struct{ time.Time }

func (c *clock) now() time.Time { return c.Time }

func after(t *testing.T, err error) time.Duration {
	t.Helper()
	busy, ok := errors.AsType[*retryError](err)
	if !ok || busy.status != http.StatusTooManyRequests {
		t.Fatalf("got %v, want too many requests", err)
	}
	return busy.after
}

func TestRate(t *testing.T) {
	c := &clock{time.Unix(1000, 0)}
	q := newQuotas(store.Limits{Rate: 2}, -1)
	q.now = c.now
	slow, standard := store.Key{ID: "slow", Limits: store.Limits{Rate: 0.1}}, store.Key{ID: "standard"}
	pass := func(k store.Key) {
		t.Helper()
		leave, err := q.enter(q.ofKey(k), false)
		if err != nil {
			t.Fatalf("key %s at %v: %v", k.ID, c.Time, err)
		}
		leave()
	}
	refuse := func(k store.Key, want time.Duration) {
		t.Helper()
		_, err := q.enter(q.ofKey(k), false)
		if got := after(t, err); got != want {
			t.Errorf("key %s at %v: retry in %v, want %v", k.ID, c.Time, got, want)
		}
	}
	pass(slow)
	refuse(slow, 10*time.Second)
	pass(standard)
	pass(standard)
	refuse(standard, time.Second/2)
	c.Time = c.Add(time.Second / 2)
	pass(standard)
	refuse(standard, time.Second/2)
	refuse(slow, 9500*time.Millisecond)
	c.Time = c.Add(time.Hour) // what was not used is gone
	pass(standard)
	pass(standard)
	refuse(standard, time.Second/2)
	pass(slow)
	refuse(slow, 10*time.Second)
	hardly := store.Key{ID: "hardly", Limits: store.Limits{Rate: 1e-300}}
	pass(hardly)
	refuse(hardly, 24*time.Hour)
}

// A body may exceed the upload quota by its last read, and what follows waits for
// that much longer, also if a read is larger than the quota.
func TestUpload(t *testing.T) {
	c := &clock{time.Unix(1000, 0)}
	q := newQuotas(store.Limits{Upload: 3600}, -1) // a byte a second
	q.now = c.now
	k := store.Key{ID: "k"}
	send := func(length int64, body io.Reader) (int, error) {
		t.Helper()
		leave, err := q.enter(q.ofKey(k), false)
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", body)
		r.ContentLength = length
		metered, err := q.meter(q.ofKey(k), r)
		if err != nil {
			return 0, err
		}
		read, err := io.ReadAll(bufio.NewReaderSize(metered, 1<<20))
		return len(read), err
	}
	bytes := func(n int) io.Reader { return strings.NewReader(strings.Repeat("x", n)) }
	known := func(n int) (int, error) { // net/http returns the end of such a body with its last bytes
		return send(int64(n), iotest.DataErrReader(bytes(n)))
	}
	if n, err := known(3000); n != 3000 || err != nil {
		t.Errorf("within the quota: read %d bytes, %v", n, err)
	}
	if n, err := known(601); n != 0 || after(t, err) != time.Second {
		t.Errorf("a known length over the quota: read %d bytes, %v", n, err)
	}
	n, err := send(-1, bytes(10_000))
	if n != 3600 || after(t, err) != (3000+360)*time.Second { // as much as an hour allows, and a tenth
		t.Errorf("an unknown length: read %d bytes, %v", n, err)
	}
	c.Time = c.Add(3360 * time.Second)
	if n, err := known(360); n != 360 || err != nil {
		t.Errorf("after the delay: read %d bytes, %v", n, err)
	}
	if _, err := known(3601); !errors.As(err, new(*http.MaxBytesError)) {
		t.Errorf("more than an hour allows: %v", err)
	}
}

func TestActive(t *testing.T) {
	q := newQuotas(store.Limits{Active: 2}, -1)
	k := store.Key{ID: "k"}
	first, _ := q.enter(q.ofKey(k), false)
	if _, err := q.enter(q.ofKey(k), false); err != nil {
		t.Fatal(err)
	}
	_, err := q.enter(q.ofKey(k), false)
	after(t, err)
	if _, err := q.enter(q.ofKey(store.Key{ID: "other"}), false); err != nil {
		t.Errorf("another key: %v", err)
	}
	first()
	if _, err := q.enter(q.ofKey(k), false); err != nil {
		t.Errorf("after one has left: %v", err)
	}
}

// Under overload more and more requests are rejected, but never all; afterwards
// fewer and fewer.
func TestLoadShedder(t *testing.T) {
	s := newLoadShedder(100 * time.Millisecond)
	h := &runtimemetrics.Float64Histogram{Buckets: []float64{0, 0.01, 0.1, 1}, Counts: make([]uint64, 3)}
	wait := func(counts ...uint64) {
		for i, n := range counts {
			h.Counts[i] += n
		}
		s.adjust(h)
	}
	for _, c := range []struct {
		name   string
		counts []uint64
		want   float64
	}{
		{"nothing yet", []uint64{0, 0, 0}, 1},
		{"short waits", []uint64{10_000, 10_000, 100}, 1},
		{"a few long ones", []uint64{0, 0, 49}, 1},
		{"long ones", []uint64{100, 0, 50}, 0.7},
		{"still", []uint64{0, 100, 50}, 0.49},
		{"no more", []uint64{100, 0, 1}, 0.59},
		{"nor now", []uint64{0, 0, 0}, 0.69},
	} {
		wait(c.counts...)
		if got := s.share(); got < c.want-1e-9 || got > c.want+1e-9 {
			t.Errorf("%s: the share is %v, want %v", c.name, got, c.want)
		}
	}
	refused := 0
	for range 1000 {
		if after, ok := s.reject(); ok {
			refused++
			if after < time.Second || after > 3*time.Second {
				t.Errorf("retry in %v", after)
			}
		}
	}
	if refused < 150 || refused > 500 { // 310 are to be expected
		t.Errorf("%d of 1000 requests were refused", refused)
	}
	for range 10 {
		wait(0, 0, 5000)
	}
	if got := s.share(); got != minShare {
		t.Errorf("after long waits the share is %v, want %v", got, minShare)
	}
}
