package model

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/inroad/inroad/model/internal/spill"
)

// A ScratchFile is a temporary file. Its contents are lost when it is closed.
type ScratchFile = spill.File

// A Scratch creates scratch files, in which a training keeps data that exceeds
// [Options.Memory].
type Scratch func() (ScratchFile, error)

// create returns a new scratch file.
func (s Scratch) create() (ScratchFile, error) {
	file, err := s()
	if err != nil {
		return nil, fmt.Errorf("create a temporary file: %w", err)
	}
	return file, nil
}

// spills reports whether training data may be kept in scratch files.
func (opt Options) spills() bool {
	return opt.Memory > 0 && opt.Scratch != nil && !opt.Learner.InMemory
}

// Shares of [Options.Memory] that a training with scratch files uses for its buffers.
const (
	sortShare   = 16 // records that are sorted at once
	columnShare = 32 // cells that are transposed at once
	cacheShare  = 16 // sets of rows that contain a column
)

// columnCells returns the number of cells that are transposed at once.
func (opt Options) columnCells() int {
	return int(max(opt.Memory/columnShare/spill.CellMemory, 1))
}

// spillContents moves the contents of all records to a scratch file if a training would
// otherwise take too much memory.
func (t *Trainer) spillContents() error {
	if t.log != nil || !t.opt.spills() || 2*estimateInMemory(t.Size(), t.opt) <= t.opt.Memory {
		return nil
	}
	file, err := t.opt.Scratch.create()
	if err != nil {
		return err
	}
	t.log = spill.NewLog(file)
	for i := range t.records {
		if err := t.spillContent(&t.records[i]); err != nil {
			return err
		}
	}
	return nil
}

// spillContent moves the content of the next record to the log.
func (t *Trainer) spillContent(r *record) error {
	c := r.content
	order := make([]int, len(c.features))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(c.features[a], c.features[b]) })
	features, at := make([]int32, len(order)), make([]int32, len(order))
	for i, from := range order {
		features[i], at[i] = c.features[from], c.at[from]
	}
	body := spill.AppendAscending(nil, c.methods)
	body = spill.AppendAscending(body, features)
	body = spill.AppendNumbers(body, at)
	r.content = nil
	return t.log.Append(body)
}

// Close removes the trainer's scratch files. The trainer must not be used any more.
func (t *Trainer) Close() error {
	if t.log == nil {
		return nil
	}
	return t.log.Close()
}

// newSpillRows returns empty rows and columns in scratch files.
func (opt Options) newSpillRows(values bool, columns int) (*spill.Rows, *spill.Columns, error) {
	rowFile, err := opt.Scratch.create()
	if err != nil {
		return nil, nil, err
	}
	columnFile, err := opt.Scratch.create()
	if err != nil {
		return nil, nil, errors.Join(err, rowFile.Close())
	}
	return spill.NewRows(rowFile, values), spill.NewColumns(columnFile, columns, opt.columnCells()), nil
}
