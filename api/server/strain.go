package server

import (
	"context"
	"math"
	"math/rand/v2"
	runtimemetrics "runtime/metrics"
	"sync/atomic"
	"time"
)

// A strain tells whether requests come in faster than they are served. Most of
// them take no time but that of a processor, so it is there that they wait, before
// anybody has looked at them: the runtime knows for how long. While waits are too
// long a part of the requests is refused, more and more of them until the others
// are served in time.
type strain struct {
	most   time.Duration // how long a request should wait at most
	admit  atomic.Uint64 // the share of requests that are served, as the bits of a float
	sample []runtimemetrics.Sample
	before []uint64 // counts of waits, by length
}

const (
	waits      = "/sched/latencies:seconds"
	look       = 100 * time.Millisecond // how often waits are looked at
	leastWaits = 50                     // fewer say nothing
	leastShare = 0.1                    // of requests are served whatever comes
)

func newStrain(most time.Duration) *strain {
	s := &strain{most: most, sample: []runtimemetrics.Sample{{Name: waits}}}
	s.admit.Store(math.Float64bits(1))
	return s
}

// share returns the share of requests that are to be served.
func (s *strain) share() float64 { return math.Float64frombits(s.admit.Load()) }

// refused draws whether a request is refused, and when it is to come again: not all
// at the same time.
func (s *strain) refused() (after time.Duration, refused bool) {
	share := s.share()
	if share >= 1 || rand.Float64() < share { //nolint:forbidigo // which requests are refused is no result
		return 0, false
	}
	return time.Duration(1+rand.IntN(3)) * time.Second, true //nolint:forbidigo // nor is this
}

// watch looks at waits until ctx ends.
func (s *strain) watch(ctx context.Context) {
	ticks := time.NewTicker(look)
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

// adjust changes the share by the waits since it was called last.
func (s *strain) adjust(h *runtimemetrics.Float64Histogram) {
	var all, long uint64
	for i, n := range h.Counts {
		if s.before != nil {
			n -= s.before[i]
		}
		all += n
		if h.Buckets[i] >= s.most.Seconds() {
			long += n
		}
	}
	s.before = append(s.before[:0], h.Counts...)
	share := s.share()
	if all >= leastWaits && long*4 > all {
		share = max(leastShare, share*0.7)
	} else {
		share = min(1, share+0.1)
	}
	s.admit.Store(math.Float64bits(share))
}
