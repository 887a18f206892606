package server

import (
	"context"
	"math"
	"math/rand/v2"
	runtimemetrics "runtime/metrics"
	"sync/atomic"
	"time"
)

// A strain measures whether requests arrive faster than they are served. Most
// requests need nothing but a processor, so under overload goroutines wait to be
// scheduled, before any handler runs; the runtime measures these waits. While
// they are too long, a growing share of requests is refused until the others are
// served in time.
type strain struct {
	most   time.Duration // the longest wait that is acceptable
	admit  atomic.Uint64 // the share of requests that are served, as the bits of a float64
	sample []runtimemetrics.Sample
	before []uint64 // the histogram of waits at the previous adjustment
}

const (
	waits      = "/sched/latencies:seconds"
	look       = 100 * time.Millisecond // the interval between adjustments
	leastWaits = 50                     // with fewer waits the share is not lowered
	leastShare = 0.1                    // the share of requests that are served under any load
)

func newStrain(most time.Duration) *strain {
	s := &strain{most: most, sample: []runtimemetrics.Sample{{Name: waits}}}
	s.admit.Store(math.Float64bits(1))
	return s
}

// share returns the share of requests to serve.
func (s *strain) share() float64 { return math.Float64frombits(s.admit.Load()) }

// refused decides at random whether to refuse a request, and after how long the
// client may retry. The delay is random, so that clients do not retry at the same time.
func (s *strain) refused() (after time.Duration, refused bool) {
	share := s.share()
	if share >= 1 || rand.Float64() < share { //nolint:forbidigo // which requests are refused need not be reproducible
		return 0, false
	}
	return time.Duration(1+rand.IntN(3)) * time.Second, true //nolint:forbidigo // nor need delays be
}

// watch adjusts the share at intervals until ctx ends.
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

// adjust lowers the share if more than a quarter of the waits since the previous call
// were too long, and raises it otherwise.
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
