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

// quotas counts the requests and bytes of each client against its limits. The counts
// start at zero with the process. Each replica of a service grants its share of a limit, so
// that no request waits for the others.
type quotas struct {
	standard store.Limits // for keys without limits of their own
	streams  int          // of a client at the same time; negative means no limit
	replicas func() int   // that share the limits of a client evenly
	now      func() time.Time

	mu       sync.Mutex
	byClient map[string]*usage
}

// A client is a key with its limits, or the address of requests without a key.
type client struct {
	name   string       // for error messages
	limits store.Limits // zero or negative means no limit
}

// client returns the client of a request.
func (q *quotas) client(c echo.Context) client {
	if key, ok := c.Get(keyContext).(store.Key); ok {
		return q.ofKey(key)
	}
	return client{"address " + c.RealIP(), q.share(store.Limits{Active: q.standard.Active})}
}

func (q *quotas) ofKey(k store.Key) client {
	return client{"key " + k.ID, q.share(store.Limits{
		Rate:   cmp.Or(k.Limits.Rate, q.standard.Rate),
		Active: cmp.Or(k.Limits.Active, q.standard.Active),
		Upload: cmp.Or(k.Limits.Upload, q.standard.Upload),
	})}
}

// share returns the share of limits that this replica grants.
func (q *quotas) share(l store.Limits) store.Limits {
	n := q.replicas()
	return store.Limits{Rate: l.Rate / float64(n), Active: shareOf(l.Active, n), Upload: shareOf(l.Upload, int64(n))}
}

// shareOf divides a limit, which is off if it is not positive. The share is at least 1.
func shareOf[N int | int64](limit, n N) N {
	if limit <= 0 {
		return limit
	}
	return (limit + n - 1) / n
}

// usage counts the requests of one client. A nil limiter means no limit.
type usage struct {
	active   int           // requests in progress
	streams  int           // streams among them
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

// adjust adapts the limiters to limits that have changed, because replicas have come or gone.
func (u *usage) adjust(limits store.Limits, now time.Time) {
	fresh := newUsage(limits)
	for _, l := range []struct{ old, new *rate.Limiter }{{u.requests, fresh.requests}, {u.bytes, fresh.bytes}} {
		if l.old != nil && l.new != nil && l.old.Limit() != l.new.Limit() {
			l.old.SetLimitAt(now, l.new.Limit())
			l.old.SetBurstAt(now, l.new.Burst())
		}
	}
}

// untilAllowed returns the time until a limiter has enough tokens, at most a day.
func untilAllowed(l *rate.Limiter, now time.Time, tokens float64) time.Duration {
	missing := max(0, tokens-l.TokensAt(now))
	return time.Duration(min(math.Ceil(missing/float64(l.Limit())*float64(time.Second)), float64(24*time.Hour)))
}

func newQuotas(standard store.Limits, streams int) *quotas {
	alone := func() int { return 1 }
	return &quotas{standard: standard, streams: streams, replicas: alone, now: time.Now, byClient: map[string]*usage{}}
}

// enter counts a request of a client, or rejects it. The caller calls leave when the
// request is done.
func (q *quotas) enter(c client, stream bool) (leave func(), err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	u := q.byClient[c.name]
	if u == nil {
		u = newUsage(c.limits)
	}
	u.adjust(c.limits, q.now())
	if c.limits.Active > 0 && u.active >= c.limits.Active {
		return nil, tooManyRequests(time.Second, "%s: limit of %d concurrent requests exceeded", c.name, c.limits.Active)
	}
	if most := shareOf(q.streams, q.replicas()); stream && most >= 0 && u.streams >= most {
		return nil, tooManyRequests(time.Second, "%s: limit of %d concurrent streams exceeded", c.name, most)
	}
	if now := q.now(); u.requests != nil && !u.requests.AllowN(now, 1) {
		return nil, tooManyRequests(untilAllowed(u.requests, now, 1), "%s: rate limit of %g requests per second exceeded", c.name, c.limits.Rate)
	}
	streams := 0
	if stream {
		streams = 1
	}
	u.active++
	u.streams += streams
	q.byClient[c.name] = u
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		u.active--
		u.streams -= streams
		if u.active == 0 && u.requests == nil && u.bytes == nil { // there may be many addresses
			delete(q.byClient, c.name)
		}
	}, nil
}

// A meteredBody is a request body whose bytes count against the upload quota of a
// client.
type meteredBody struct {
	io.ReadCloser
	q      *quotas
	client client
	bytes  *rate.Limiter
}

// meter returns the body of a request that [quotas.enter] has counted. Reading fails
// when the upload quota is exceeded. A body with a Content-Length above the quota is
// rejected before it is read.
func (q *quotas) meter(c client, r *http.Request) (io.ReadCloser, error) {
	quota := c.limits.Upload
	if quota <= 0 || r.ContentLength == 0 {
		return r.Body, nil
	}
	if r.ContentLength > quota {
		return nil, &http.MaxBytesError{Limit: quota}
	}
	q.mu.Lock()
	bytes := q.byClient[c.name].bytes
	q.mu.Unlock()
	b := &meteredBody{r.Body, q, c, bytes}
	return b, b.check(max(1, r.ContentLength))
}

// check returns an error if the quota does not allow a number of bytes now.
func (b *meteredBody) check(bytes int64) error {
	now := b.q.now()
	wanted := float64(bytes)
	if b.bytes.TokensAt(now) >= wanted {
		return nil
	}
	quota := b.client.limits.Upload
	wanted = max(wanted, float64(quota)/10) // so that clients do not retry for a byte at a time
	return tooManyRequests(untilAllowed(b.bytes, now, wanted), "%s: upload quota of %d bytes per hour exceeded", b.client.name, quota)
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

// limitClient rejects requests of clients that exceed their limits.
func (s *Server) limitClient(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if isHealthCheck(c) {
			return next(c)
		}
		client := s.quotas.client(c)
		leave, err := s.quotas.enter(client, s.contract.streams(c))
		if err != nil {
			return err
		}
		defer leave()
		body, err := s.quotas.meter(client, c.Request())
		if err != nil {
			return err
		}
		c.Request().Body = body
		return next(c)
	}
}
