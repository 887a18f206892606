// Package dtree learns decision trees over rows of binary columns.
//
// A [Table] holds the rows, each as the columns that it has; most rows have few
// of them. A [Learner] grows one [Tree] after the other on it, each for its own
// labels. The tree asks in every node for the column that leaves the least
// impurity by Gini; of several that are equally good, for the first.
//
// The same table, labels and options give the same tree on every machine.
package dtree

import "math/bits"

// A Table is rows of binary columns, sparse in both directions.
type Table struct {
	columns      int
	extra        int     // columns from here on are extras
	rowStarts    []int32 // by row: where its columns begin in cells
	cells        []int32
	holderStarts []int32 // by column: where its rows begin in holders
	holders      []int32
	reciprocals  []float64 // 1/n, for all numbers of rows
	rowWords     int
}

// NewTable returns a table of rows, each with its columns in ascending order.
// Columns from extra on are extras, which have to win a split by a margin.
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

// Row returns the columns of a row. The caller must not change them.
func (t *Table) Row(r int32) []int32 { return t.cells[t.rowStarts[r]:t.rowStarts[r+1]] }

// Holders returns the rows that have a column. The caller must not change them.
func (t *Table) Holders(c int32) []int32 { return t.holders[t.holderStarts[c]:t.holderStarts[c+1]] }

// Bits are a set of small numbers: rows with a label, or the columns of a row.
type Bits []uint64

// NewBits returns an empty set of numbers below n.
func NewBits(n int) Bits { return make(Bits, (n+63)/64) }

// Set puts a number into the set.
func (b Bits) Set(i int32) { b[i>>6] |= 1 << (i & 63) }

// Unset takes a number out of the set.
func (b Bits) Unset(i int32) { b[i>>6] &^= 1 << (i & 63) }

// Has reports whether a number is in the set.
func (b Bits) Has(i int32) bool { return b[i>>6]>>(i&63)&1 == 1 }

// bit returns 1 for a number in the set and 0 for any other.
func (b Bits) bit(i int32) int32 { return int32(b[i>>6] >> (i & 63) & 1) }

// Count returns how many numbers are in the set.
func (b Bits) Count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}
