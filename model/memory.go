package model

import "github.com/inroad/inroad/model/dtree"

// A Size is how much there is to learn from.
type Size struct {
	Observations int
	Features     int // that any input has
	Cells        int // features, summed up over the observations
	Methods      int // that there are
	Reached      int // methods, summed up over the observations
}

// Size returns how much there is to learn from so far.
func (t *Trainer) Size() Size {
	s := Size{Observations: len(t.records), Features: len(t.features), Methods: len(t.units)}
	for i := range t.records {
		s.Cells += len(t.records[i].features)
		s.Reached += len(t.records[i].methods)
	}
	return s
}

// Bytes that things take, as measured. Slices that grow have room to spare.
const (
	bytesPerObservation = 400 // the record, and finding it again
	bytesPerFeature     = 350 // its path, and finding it by its ID
	bytesPerKnownPath   = 80  // each worker knows all
	bytesPerCell        = 40  // in the record, and in the matrix by row and by column
	bytesPerReached     = 6
	bytesPerMethod      = 1000
	bytesPerNode        = 160 // in the tree, the file and the answers
)

// EstimateMemory returns about how many bytes are in use at once while a model
// is learned, rather too many than too few. The inputs that it keeps and what
// parsing remembers of the grammar come on top, and the garbage collector lets a
// process have twice of all that.
func EstimateMemory(s Size, opt Options) int64 {
	opt = opt.withDefaults()
	n := func(of int, bytes int64) int64 { return int64(of) * bytes }
	nodes := min(1<<(opt.MaxDepth+1), 2*s.Observations) / 4 // as trees are seldom full
	return n(s.Observations, bytesPerObservation) +
		n(s.Features, bytesPerFeature+bytesPerKnownPath*int64(opt.Workers)) +
		n(s.Cells, bytesPerCell) +
		n(s.Reached, bytesPerReached) +
		n(s.Methods, bytesPerMethod+n(s.Observations, 1)/8+n(nodes, bytesPerNode)) +
		2*int64(opt.Workers)*dtree.LearnerMemory(s.Features, opt.tree())
}
