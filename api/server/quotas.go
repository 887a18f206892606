package server

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/inroad/inroad/api/store"
)

// quotas know what each key has used of what it may. They begin anew with the
// process.
type quotas struct {
	standard store.Limits // of keys that have none of their own
	now      func() time.Time

	mu    sync.Mutex
	byKey map[string]*usage
}

// usage is what a key has left.
type usage struct {
	active          int
	requests, bytes bucket
}

// A bucket fills as time goes by, up to what it holds at most.
type bucket struct {
	level float64
	at    time.Time // when it had that; it is full if that is not known
}

func (b *bucket) fill(now time.Time, rate, most float64) {
	b.level = min(most, b.level+rate*now.Sub(b.at).Seconds())
	if b.at.IsZero() {
		b.level = most
	}
	b.at = now
}

// until returns how long it takes until a bucket has so much; no more than a day,
// however slowly it fills.
func (b *bucket) until(level, rate float64) time.Duration {
	const most = 24 * time.Hour
	return time.Duration(min(math.Ceil(max(0, level-b.level)/rate*float64(time.Second)), float64(most)))
}

func newQuotas(standard store.Limits) *quotas {
	return &quotas{standard: standard, now: time.Now, byKey: map[string]*usage{}}
}

// limits returns what holds for a key; what is zero has no bound.
func (q *quotas) limits(k store.Key) store.Limits {
	out := k.Limits
	if out.Rate == 0 {
		out.Rate = q.standard.Rate
	}
	if out.Active == 0 {
		out.Active = q.standard.Active
	}
	if out.Upload == 0 {
		out.Upload = q.standard.Upload
	}
	return out
}

func overQuota(after time.Duration, format string, args ...any) error {
	return &busyError{status: http.StatusTooManyRequests, detail: fmt.Sprintf(format, args...), after: after}
}

// enter counts a request of a key. If it may be served, leave is to be called when
// that is done.
func (q *quotas) enter(k store.Key) (leave func(), err error) {
	limits := q.limits(k)
	q.mu.Lock()
	defer q.mu.Unlock()
	u := q.byKey[k.ID]
	if u == nil {
		u = &usage{}
		q.byKey[k.ID] = u
	}
	if limits.Active > 0 && u.active >= limits.Active {
		return nil, overQuota(time.Second, "key %s: %d of its requests are being served already", k.ID, limits.Active)
	}
	if limits.Rate > 0 {
		u.requests.fill(q.now(), limits.Rate, max(1, limits.Rate))
		if u.requests.level < 1 {
			return nil, overQuota(u.requests.until(1, limits.Rate), "key %s: it may send %g requests a second", k.ID, limits.Rate)
		}
		u.requests.level--
	}
	u.active++
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		u.active--
	}, nil
}

// A meteredBody counts the bytes of a body as they come in.
type meteredBody struct {
	io.ReadCloser
	q      *quotas
	key    store.Key
	limits store.Limits
}

// metered returns a body that ends when its key has sent what it may. One that is
// known to be too large is refused at once.
func (q *quotas) metered(k store.Key, r *http.Request) (io.ReadCloser, error) {
	limits := q.limits(k)
	if limits.Upload == 0 || r.ContentLength == 0 {
		return r.Body, nil
	}
	if r.ContentLength > limits.Upload {
		return nil, &http.MaxBytesError{Limit: limits.Upload}
	}
	b := &meteredBody{r.Body, q, k, limits}
	return b, b.need(r.ContentLength)
}

// need tells how long to wait until a key may send so many bytes more, or any if
// that is not known, if it may not now.
func (b *meteredBody) need(bytes int64) error {
	b.q.mu.Lock()
	defer b.q.mu.Unlock()
	left := &b.q.byKey[b.key.ID].bytes
	rate := float64(b.limits.Upload) / time.Hour.Seconds()
	left.fill(b.q.now(), rate, float64(b.limits.Upload))
	if wanted := max(1, float64(bytes)); left.level < wanted {
		// Not for a byte at a time.
		wanted = max(wanted, float64(b.limits.Upload)/10)
		return overQuota(left.until(wanted, rate), "key %s: it may send %d bytes an hour", b.key.ID, b.limits.Upload)
	}
	return nil
}

func (b *meteredBody) Read(p []byte) (int, error) {
	if err := b.need(-1); err != nil {
		return 0, err
	}
	n, err := b.ReadCloser.Read(p)
	b.q.mu.Lock()
	defer b.q.mu.Unlock()
	b.q.byKey[b.key.ID].bytes.level -= float64(n)
	return n, err
}

// limited refuses requests of keys that have used up what they may.
func (s *Server) limited(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		key, ok := c.Get(keyContext).(store.Key)
		if !ok {
			return next(c)
		}
		leave, err := s.quotas.enter(key)
		if err != nil {
			return err
		}
		defer leave()
		body, err := s.quotas.metered(key, c.Request())
		if err != nil {
			return err
		}
		c.Request().Body = body
		return next(c)
	}
}
