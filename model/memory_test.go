package model

import (
	"runtime"
	"testing"

	"github.com/inroad/inroad/model/observation"
)

// TestEstimateMemory compares the estimate with the live heap during training.
func TestEstimateMemory(t *testing.T) {
	for _, tc := range []struct {
		name         string
		observations []observation.Observation
		workers      int
	}{
		{"few methods", observe(1, 2000), 1},
		{"many methods", manyMethods(observe(1, 1000)), 1},
		{"many workers", manyMethods(observe(1, 1000)), 8},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := inUse()
			opt := Defaults()
			opt.Workers, opt.Inputs, opt.Folds = tc.workers, 0, 2
			most, looked := int64(0), false
			opt.Progress = func(done, total int) {
				if done < total/3 || looked && done < total {
					return
				}
				looked = true
				most = max(most, inUse()-before)
			}
			trainer, err := NewTrainer(t.Context(), "", jsonSources(t), opt)
			if err != nil {
				t.Fatal(err)
			}
			if err := trainer.Add(t.Context(), tc.observations); err != nil {
				t.Fatal(err)
			}
			m, err := trainer.Train(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			most = max(most, inUse()-before)
			runtime.KeepAlive(m)
			estimate := EstimateMemory(trainer.Size(), opt)
			t.Logf("%+v: estimated %d bytes, measured %d", trainer.Size(), estimate, most)
			if estimate < most || estimate > 3*most {
				t.Errorf("estimated %d bytes, want from %d to three times that", estimate, most)
			}
		})
	}
}

// inUse returns the size of the live heap.
func inUse() int64 {
	runtime.GC()
	runtime.GC() // the second collection empties the pools
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}
