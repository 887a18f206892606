package model

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"
)

// keptShards computes a share of the shards and has the results of the others.
type keptShards struct {
	results [][]byte
	share   int
}

// Run implements [Shards].
func (s *keptShards) Run(ctx context.Context, _ []byte, n int, compute func(ctx context.Context, shards []int) ([][]byte, error), _ func(shards []int)) ([][]byte, error) {
	var shards []int
	for i := range n / s.share {
		shards = append(shards, i)
	}
	results, err := compute(ctx, shards)
	if s.results == nil {
		s.results = results
	}
	return s.results, err
}

// BenchmarkShards trains with all shards, half of them, and so on. It measures the processor
// time of one of several processes that share a training equally.
func BenchmarkShards(b *testing.B) {
	observations := manyMethods(observe(1, 400))
	shards := &keptShards{}
	for _, share := range []int{1, 2, 4, 8} {
		b.Run(fmt.Sprintf("1 of %d", share), func(b *testing.B) {
			shards.share = share
			before := processorTime(b)
			for b.Loop() {
				opt := Defaults()
				opt.Shards = shards
				train(b, observations, opt)
			}
			b.ReportMetric((processorTime(b)-before).Seconds()/float64(b.N), "processor-s/op")
		})
	}
}

// processorTime returns the time that the process has used processors for.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
