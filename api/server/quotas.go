package server

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"golang.org/x/time/rate"

	"github.com/inroad/inroad/api/store"
)

// quotas counts the requests and bytes of each key against its limits. The counts
// start at zero with the process.
type quotas struct {
	standard store.Limits // for keys without limits of their own
	now      func() time.Time

	mu    sync.Mutex
	byKey map[string]*usage
}

// usage is what one key uses. A limiter is nil if the key has no such limit.
type usage struct {
	active   int           // requests that are being served
	requests *rate.Limiter // requests a second
	bytes    *rate.Limiter // bytes of request bodies, as many as an hour allows at once
}

// newUsage returns the usage of a key that has sent nothing.
func newUsage(limits store.Limits) *usage {
	u := &usage{}
	if limits.Rate > 0 {
		burst := int(min(max(1, limits.Rate), math.MaxInt32))
		u.requests = rate.NewLimiter(rate.Limit(limits.Rate), burst)
	}
	if limits.Upload > 0 {
		u.bytes = rate.NewLimiter(rate.Limit(float64(limits.Upload)/time.Hour.Seconds()), int(min(limits.Upload, math.MaxInt)))
	}
	return u
}

// untilAllowed returns how long it takes until a limiter has the tokens: at most a
// day, however low the rate.
func untilAllowed(l *rate.Limiter, now time.Time, tokens float64) time.Duration {
	const most = 24 * time.Hour
	missing := max(0, tokens-l.TokensAt(now))
	return time.Duration(min(math.Ceil(missing/float64(l.Limit())*float64(time.Second)), float64(most)))
}

func newQuotas(standard store.Limits) *quotas {
	return &quotas{standard: standard, now: time.Now, byKey: map[string]*usage{}}
}

// limits returns the limits of a key; zero means no limit.
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

// enter counts a request of a key, or refuses it. The caller calls leave when the
// request has been served.
func (q *quotas) enter(k store.Key) (leave func(), err error) {
	limits := q.limits(k)
	q.mu.Lock()
	defer q.mu.Unlock()
	u := q.byKey[k.ID]
	if u == nil {
		u = newUsage(limits)
		q.byKey[k.ID] = u
	}
	if limits.Active > 0 && u.active >= limits.Active {
		return nil, overQuota(time.Second, "key %s: %d of its requests are being served already", k.ID, limits.Active)
	}
	if now := q.now(); u.requests != nil && !u.requests.AllowN(now, 1) {
		return nil, overQuota(untilAllowed(u.requests, now, 1), "key %s: rate limit of %g requests a second exceeded", k.ID, limits.Rate)
	}
	u.active++
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		u.active--
	}, nil
}

// A meteredBody is a request body whose bytes count against the upload quota of a key.
type meteredBody struct {
	io.ReadCloser
	q     *quotas
	key   store.Key
	bytes *rate.Limiter
	quota int64 // bytes an hour
}

// metered returns the body of a request of a key that has entered. Reading fails
// once the upload quota is used up. A body that is known to exceed the quota is
// refused before it is read.
func (q *quotas) metered(k store.Key, r *http.Request) (io.ReadCloser, error) {
	quota := q.limits(k).Upload
	if quota == 0 || r.ContentLength == 0 {
		return r.Body, nil
	}
	if r.ContentLength > quota {
		return nil, &http.MaxBytesError{Limit: quota}
	}
	q.mu.Lock()
	bytes := q.byKey[k.ID].bytes
	q.mu.Unlock()
	b := &meteredBody{r.Body, q, k, bytes, quota}
	return b, b.check(max(1, r.ContentLength))
}

// check returns an error if the quota does not allow so many bytes more now.
func (b *meteredBody) check(bytes int64) error {
	now := b.q.now()
	wanted := float64(bytes)
	if b.bytes.TokensAt(now) >= wanted {
		return nil
	}
	wanted = max(wanted, float64(b.quota)/10) // or clients would retry for a byte at a time
	return overQuota(untilAllowed(b.bytes, now, wanted), "key %s: upload quota of %d bytes an hour used up", b.key.ID, b.quota)
}

// Read reads bytes and counts them. The last read may exceed the quota; the next
// bytes are allowed that much later.
func (b *meteredBody) Read(p []byte) (int, error) {
	if err := b.check(1); err != nil {
		return 0, err
	}
	p = p[:min(len(p), b.bytes.Burst())] // a limiter takes no more at once
	n, err := b.ReadCloser.Read(p)
	b.bytes.ReserveN(b.q.now(), n)
	return n, err
}

// limited refuses requests of keys that exceed their limits.
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
