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

// add counts the contents of a record.
func (s *Size) add(r *record) {
	s.Cells += len(r.features)
	s.Reached += len(r.methods)
	s.Failed += btoi(r.outcome != string(observation.OK))
}

// Measured memory use in bytes, including the spare capacity of slices.
const (
	bytesPerObservation = 530 // the record, its index entry and a short input
	bytesPerFeature     = 350 // the path and its index entry
	bytesPerKnownPath   = 80  // per worker
	bytesPerCell        = 44  // in the record, and in the matrix by row and by column
	bytesPerCellBefore  = 20  // in two matrices, for each phase that a refusal can stop
	bytesPerReached     = 6
	bytesPerMethod      = 2000
	bytesPerNode        = 160 // in the tree, the file and the predictions
)

func estimateInMemory(s Size, opt Options) int64 { return EstimateMemory(s, opt) }

// EstimateMemory returns an upper estimate of the live heap in bytes while a
// model is trained. It excludes the sampled inputs and the parser's caches.
// With the default GOGC the process may use twice the live heap.
func EstimateMemory(s Size, opt Options) int64 {
	opt = opt.withDefaults()
	n := func(of int, bytes int64) int64 { return int64(of) * bytes }
	nodes := min(1<<(opt.MaxDepth+1), s.Observations/8) / 4 // trees are seldom full
	if s.Failed > 0 && opt.Refusals {
		s.Cells += s.Cells * maxPhases * bytesPerCellBefore / bytesPerCell
	}
	return n(s.Observations, bytesPerObservation) +
		n(s.Features, bytesPerFeature+bytesPerKnownPath*int64(opt.Workers)) +
		n(s.Cells, bytesPerCell) +
		n(s.Reached, bytesPerReached) +
		n(s.Methods, bytesPerMethod+n(s.Observations, 1)/8+n(nodes, bytesPerNode)) +
		int64(opt.Workers)*(2*dtree.LearnerMemory(s.Features, opt.tree())+logit.FitterMemory(s.Features, s.Observations, s.Cells/4))
}
