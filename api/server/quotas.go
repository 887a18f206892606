package server

import (
	"cmp"
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

// usage counts the requests of one key. A nil limiter means no limit.
type usage struct {
	active   int           // requests in progress
	requests *rate.Limiter // requests per second
	bytes    *rate.Limiter // bytes of request bodies; the burst is the quota of an hour
}

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

// untilAllowed returns the time until a limiter has enough tokens, at most a day.
func untilAllowed(l *rate.Limiter, now time.Time, tokens float64) time.Duration {
	missing := max(0, tokens-l.TokensAt(now))
	return time.Duration(min(math.Ceil(missing/float64(l.Limit())*float64(time.Second)), float64(24*time.Hour)))
}

func newQuotas(standard store.Limits) *quotas {
	return &quotas{standard: standard, now: time.Now, byKey: map[string]*usage{}}
}

// limits returns the limits of a key; zero means no limit.
func (q *quotas) limits(k store.Key) store.Limits {
	return store.Limits{
		Rate:   cmp.Or(k.Limits.Rate, q.standard.Rate),
		Active: cmp.Or(k.Limits.Active, q.standard.Active),
		Upload: cmp.Or(k.Limits.Upload, q.standard.Upload),
	}
}

// enter counts a request of a key, or rejects it. The caller calls leave when the
// request is done.
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
		return nil, tooManyRequests(time.Second, "key %s: limit of %d concurrent requests exceeded", k.ID, limits.Active)
	}
	if now := q.now(); u.requests != nil && !u.requests.AllowN(now, 1) {
		return nil, tooManyRequests(untilAllowed(u.requests, now, 1), "key %s: rate limit of %g requests per second exceeded", k.ID, limits.Rate)
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
	quota int64 // bytes per hour
}

// meter returns the body of a request that was entered. Reading fails when the
// upload quota is exceeded. A body with a Content-Length above the quota is rejected
// before it is read.
func (q *quotas) meter(k store.Key, r *http.Request) (io.ReadCloser, error) {
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

// check returns an error if the quota does not allow a number of bytes now.
func (b *meteredBody) check(bytes int64) error {
	now := b.q.now()
	wanted := float64(bytes)
	if b.bytes.TokensAt(now) >= wanted {
		return nil
	}
	wanted = max(wanted, float64(b.quota)/10) // so that clients do not retry for a byte at a time
	return tooManyRequests(untilAllowed(b.bytes, now, wanted), "key %s: upload quota of %d bytes per hour exceeded", b.key.ID, b.quota)
}

// Read reads and counts bytes. The last read may exceed the quota, which delays the
// next bytes accordingly.
func (b *meteredBody) Read(p []byte) (int, error) {
	if err := b.check(1); err != nil {
		return 0, err
	}
	p = p[:min(len(p), b.bytes.Burst())] // the maximum that ReserveN accepts
	n, err := b.ReadCloser.Read(p)
	b.bytes.ReserveN(b.q.now(), n)
	return n, err
}

// limitKey rejects requests of keys that exceed their limits.
func (s *Server) limitKey(next echo.HandlerFunc) echo.HandlerFunc {
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
		body, err := s.quotas.meter(key, c.Request())
		if err != nil {
			return err
		}
		c.Request().Body = body
		return next(c)
	}
}
