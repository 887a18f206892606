package model

import (
	"github.com/inroad/inroad/model/dtree"
	"github.com/inroad/inroad/model/logit"
	"github.com/inroad/inroad/model/observation"
)

// A Size describes the amount of training data.
type Size struct {
	Observations int
	Features     int // distinct features
	Cells        int // features, summed over observations
	Methods      int // distinct methods
	Reached      int // reached methods, summed over observations
	Failed       int // observations that failed
}

// Size returns the amount of training data added so far.
func (t *Trainer) Size() Size {
	s := t.size
	s.Observations, s.Features, s.Methods = len(t.records), len(t.features), len(t.units)
	return s
}

// count counts a record with an outcome and numbers of features and methods.
func (s *Size) count(outcome string, features, methods int) {
	s.Cells += features
	s.Reached += methods
	s.Failed += btoi(outcome != string(observation.OK))
}

// Measured memory use in bytes, including the spare capacity of slices.
const (
	bytesPerObservation = 530 // the record, its index entry and a short input
	bytesPerFeature     = 350 // the path and its index entry
	bytesPerKnownPath   = 80  // per worker
	bytesPerCell        = 32  // in the record, and by row and by column in two tables
	bytesPerCellBefore  = 16  // in two tables, for each phase that a refusal can stop
	bytesPerReached     = 6
	bytesPerMethod      = 2000
	bytesPerNode        = 160 // in the tree, the file and the predictions

	// With scratch files.
	bytesPerStored        = 350 // the record, its index entry and its row
	bytesPerStoredRow     = 32  // per worker
	bytesPerStoredFeature = 800 // the path, its index entry and its columns
)

// EstimateMemory returns an upper estimate of the live heap in bytes while a
// model is trained. It excludes the sampled inputs and the parser's caches.
// With the default GOGC the process may use twice the live heap.
func EstimateMemory(s Size, opt Options) int64 {
	opt = opt.withDefaults()
	if opt.spills() && 2*estimateInMemory(s, opt) > opt.Memory {
		return estimateStored(s, opt)
	}
	return estimateInMemory(s, opt)
}

// estimateInMemory returns the estimate for a training without scratch files.
func estimateInMemory(s Size, opt Options) int64 {
	cells := int64(s.Cells) * bytesPerCell
	if s.Failed > 0 && opt.Refusals {
		cells += int64(s.Cells) * maxPhases * bytesPerCellBefore
	}
	return int64(s.Observations)*bytesPerObservation + int64(s.Features)*bytesPerFeature + cells + int64(s.Reached)*bytesPerReached + estimateShared(s, opt)
}

// estimateStored returns the estimate for a training with scratch files.
func estimateStored(s Size, opt Options) int64 {
	buffers := opt.Memory/sortShare + opt.Memory/columnShare + opt.Memory/cacheShare
	return int64(s.Observations)*(bytesPerStored+bytesPerStoredRow*int64(opt.Workers)) + int64(s.Features)*bytesPerStoredFeature + buffers + estimateShared(s, opt)
}

// estimateShared returns the part of the estimate that does not depend on scratch files.
func estimateShared(s Size, opt Options) int64 {
	nodes := int64(min(1<<(opt.MaxDepth+1), s.Observations/8) / 4) // trees are seldom full
	return int64(s.Features)*bytesPerKnownPath*int64(opt.Workers) +
		int64(s.Methods)*(bytesPerMethod+int64(s.Observations)/8+nodes*bytesPerNode) +
		int64(opt.Workers)*(2*dtree.LearnerMemory(s.Features, opt.tree())+logit.FitterMemory(s.Features, s.Observations, s.Cells/4))
}
