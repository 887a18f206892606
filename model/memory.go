package model

import "github.com/inroad/inroad/model/dtree"

// A Size describes the amount of training data.
type Size struct {
	Observations int
	Features     int // distinct features
	Cells        int // features, summed over observations
	Methods      int // distinct methods
	Reached      int // reached methods, summed over observations
}

// Size returns the amount of training data added so far.
func (t *Trainer) Size() Size {
	s := Size{Observations: len(t.records), Features: len(t.features), Methods: len(t.units)}
	for i := range t.records {
		s.Cells += len(t.records[i].features)
		s.Reached += len(t.records[i].methods)
	}
	return s
}

// Measured memory use in bytes, including the spare capacity of slices.
const (
	bytesPerObservation = 400 // the record and its index entry
	bytesPerFeature     = 350 // the path and its index entry
	bytesPerKnownPath   = 80  // per worker
	bytesPerCell        = 40  // in the record, and in the matrix by row and by column
	bytesPerReached     = 6
	bytesPerMethod      = 1000
	bytesPerNode        = 160 // in the tree, the file and the predictions
)

// EstimateMemory returns an upper estimate of the live heap in bytes while a
// model is trained. It excludes the sampled inputs and the parser's caches.
// With the default GOGC the process may use twice the live heap.
func EstimateMemory(s Size, opt Options) int64 {
	opt = opt.withDefaults()
	n := func(of int, bytes int64) int64 { return int64(of) * bytes }
	nodes := min(1<<(opt.MaxDepth+1), 2*s.Observations) / 4 // trees are seldom full
	return n(s.Observations, bytesPerObservation) +
		n(s.Features, bytesPerFeature+bytesPerKnownPath*int64(opt.Workers)) +
		n(s.Cells, bytesPerCell) +
		n(s.Reached, bytesPerReached) +
		n(s.Methods, bytesPerMethod+n(s.Observations, 1)/8+n(nodes, bytesPerNode)) +
		2*int64(opt.Workers)*dtree.LearnerMemory(s.Features, opt.tree())
}
