package server

import (
	"context"
	"math"
	"math/rand/v2"
	runtimemetrics "runtime/metrics"
	"sync/atomic"
	"time"
)

// A loadShedder rejects a share of the requests under overload. Most requests need only
// CPU time, so under overload goroutines wait to be scheduled, before any handler runs.
// The runtime measures these waits. While they are too long, the share of rejected
// requests grows, until the remaining requests are served in time.
type loadShedder struct {
	maxWait time.Duration // the longest acceptable wait
	admit   atomic.Uint64 // the share of requests to serve, as the bits of a float64
	sample  []runtimemetrics.Sample
	counts  []uint64 // the histogram of waits at the previous adjustment
}

const (
	adjustInterval = 100 * time.Millisecond
	minWaits       = 50  // with fewer waits the share is not lowered
	minShare       = 0.1 // the share of requests that are served under any load
)

func newLoadShedder(maxWait time.Duration) *loadShedder {
	s := &loadShedder{maxWait: maxWait, sample: []runtimemetrics.Sample{{Name: "/sched/latencies:seconds"}}}
	s.admit.Store(math.Float64bits(1))
	return s
}

// share returns the share of requests to serve.
func (s *loadShedder) share() float64 { return math.Float64frombits(s.admit.Load()) }

// reject decides at random whether to reject a request, and after how long the
// client may retry. The delay is random, so that clients do not retry at the same time.
func (s *loadShedder) reject() (retryAfter time.Duration, rejected bool) {
	share := s.share()
	if share >= 1 || rand.Float64() < share { //nolint:forbidigo // which requests are rejected need not be reproducible
		return 0, false
	}
	return time.Duration(1+rand.IntN(3)) * time.Second, true //nolint:forbidigo // nor need delays be
}

// watch adjusts the share at intervals until ctx ends.
func (s *loadShedder) watch(ctx context.Context) {
	ticks := time.NewTicker(adjustInterval)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			runtimemetrics.Read(s.sample)
			if s.sample[0].Value.Kind() == runtimemetrics.KindFloat64Histogram {
				s.adjust(s.sample[0].Value.Float64Histogram())
			}
		}
	}
}

// adjust lowers the share if more than a quarter of the waits since the previous call
// were too long, and raises it otherwise.
func (s *loadShedder) adjust(h *runtimemetrics.Float64Histogram) {
	var all, long uint64
	for i, n := range h.Counts {
		if s.counts != nil {
			n -= s.counts[i]
		}
		all += n
		if h.Buckets[i] >= s.maxWait.Seconds() {
			long += n
		}
	}
	s.counts = append(s.counts[:0], h.Counts...)
	share := min(1, s.share()+0.1)
	if all >= minWaits && long*4 > all {
		share = max(minShare, s.share()*0.7)
	}
	s.admit.Store(math.Float64bits(share))
}
