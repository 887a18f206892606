// Package dtree learns decision trees over rows of binary columns.
//
// A [Table] holds the rows, each as a sparse list of columns. A [Learner] grows
// one [Tree] per set of labels. Every node tests the column with the lowest
// Gini impurity after the split; ties go to the first column.
//
// The same table, labels and options give the same tree on every machine.
package dtree

import (
	"iter"
	"math/bits"
)

// A Table holds rows of binary columns as sparse lists, by row and by column.
type Table struct {
	columns      int
	extra        int     // index of the first extra column
	rowStarts    []int32 // by row: start of its columns in cells
	cells        []int32
	holderStarts []int32 // by column: start of its rows in holders
	holders      []int32
	reciprocals  []float64 // 1/n for every possible number of rows
	rowWords     int
}

// NewTable returns a table of rows. Each row lists its columns in ascending
// order. The columns from extra on are extra columns, which must win a split by
// [Options.Margin].
func NewTable(rows [][]int32, columns, extra int) *Table {
	t := &Table{columns: columns, extra: extra, rowWords: (len(rows) + 63) / 64}
	t.rowStarts = make([]int32, 1, len(rows)+1)
	t.holderStarts = make([]int32, columns+1)
	for _, row := range rows {
		t.cells = append(t.cells, row...)
		t.rowStarts = append(t.rowStarts, int32(len(t.cells)))
		for _, c := range row {
			t.holderStarts[c+1]++
		}
	}
	for c := range columns {
		t.holderStarts[c+1] += t.holderStarts[c]
	}
	t.holders = make([]int32, len(t.cells))
	next := append([]int32(nil), t.holderStarts...)
	for r, row := range rows {
		for _, c := range row {
			t.holders[next[c]] = int32(r)
			next[c]++
		}
	}
	t.reciprocals = make([]float64, len(rows)+1)
	for n := 1; n <= len(rows); n++ {
		t.reciprocals[n] = 1 / float64(n)
	}
	return t
}

// Rows returns the number of rows.
func (t *Table) Rows() int { return len(t.rowStarts) - 1 }

// Columns returns the number of columns.
func (t *Table) Columns() int { return t.columns }

// Row returns the columns of a row. The caller must not modify them.
func (t *Table) Row(r int32) []int32 { return t.cells[t.rowStarts[r]:t.rowStarts[r+1]] }

// Holders returns the rows that contain a column. The caller must not modify
// them.
func (t *Table) Holders(c int32) []int32 { return t.holders[t.holderStarts[c]:t.holderStarts[c+1]] }

// Bits is a set of small non-negative integers, such as the rows with a label
// or the columns of a row.
type Bits []uint64

// NewBits returns an empty set with capacity for the integers below n.
func NewBits(n int) Bits { return make(Bits, (n+63)/64) }

// Set adds i to the set.
func (b Bits) Set(i int32) { b[i>>6] |= 1 << (i & 63) }

// Unset removes i from the set.
func (b Bits) Unset(i int32) { b[i>>6] &^= 1 << (i & 63) }

// Has reports whether i is in the set.
func (b Bits) Has(i int32) bool { return b[i>>6]>>(i&63)&1 == 1 }

// bit returns 1 if i is in the set, else 0.
func (b Bits) bit(i int32) int32 { return int32(b[i>>6] >> (i & 63) & 1) }

// All yields the elements of the set in ascending order.
func (b Bits) All() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for i, w := range b {
			for ; w != 0; w &= w - 1 {
				if !yield(int32(64*i + bits.TrailingZeros64(w))) {
					return
				}
			}
		}
	}
}

// Count returns the size of the set.
func (b Bits) Count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}
