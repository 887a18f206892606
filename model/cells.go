package model

import (
	"errors"

	"github.com/inroad/inroad/model/internal/spill"
)

// cells hold the features of the rows of a task, in memory or in scratch files.
type cells interface {
	// reader returns a reader for one goroutine.
	reader() cellReader
	// holders calls use with the rows that have a feature, in ascending order.
	holders(feature int32, use func(rows []int32) error) error
	close() error
}

// A cellReader reads the features of rows. Reading rows in ascending order is fast.
type cellReader interface {
	// row returns the features of a row and their first positions, which the next call
	// may overwrite.
	row(r int32) (features, at []int32, err error)
}

// memoryCells hold features in memory.
type memoryCells struct {
	rows     []*record
	features int
	starts   []int32 // by feature: start of its rows in byRow; nil until they are needed
	byRow    []int32
}

func (m *memoryCells) reader() cellReader { return m }

func (m *memoryCells) row(r int32) (features, at []int32, err error) {
	c := m.rows[r].content
	return c.features, c.at, nil
}

func (m *memoryCells) holders(feature int32, use func(rows []int32) error) error {
	if m.starts == nil {
		m.index()
	}
	return use(m.byRow[m.starts[feature]:m.starts[feature+1]])
}

// index lists the rows of each feature.
func (m *memoryCells) index() {
	m.starts = make([]int32, m.features+2)
	next := m.starts[1:] // of each feature; becomes the start of the following feature
	for _, r := range m.rows {
		for _, f := range r.features {
			next[f+1]++
		}
	}
	for f := range m.features {
		next[f+1] += next[f]
	}
	m.byRow = make([]int32, next[m.features])
	for i, r := range m.rows {
		for _, f := range r.features {
			m.byRow[next[f]] = int32(i)
			next[f]++
		}
	}
}

func (m *memoryCells) close() error { return nil }

// storedCells hold features in scratch files.
type storedCells struct {
	rows    *spill.Rows
	columns *spill.Columns
}

func (s *storedCells) reader() cellReader { return storedCellReader{s.rows.Reader()} }

type storedCellReader struct{ *spill.Reader }

func (s storedCellReader) row(r int32) (features, at []int32, err error) { return s.Row(r) }

func (s *storedCells) holders(feature int32, use func(rows []int32) error) error {
	return s.columns.Each(feature, use)
}

func (s *storedCells) close() error { return errors.Join(s.rows.Close(), s.columns.Close()) }
