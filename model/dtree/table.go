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

// A Table holds rows of binary columns as sparse lists, by row and by column. The
// lists are in memory or in a [Storage].
type Table struct {
	columns      int
	extra        int     // index of the first extra column
	rowStarts    []int32 // by row: start of its columns in cells
	rowEnds      []int32 // by row: end of its columns in cells
	cells        []int32
	holderStarts []int32 // by column: start of its rows in holders
	holders      []int32
	storage      Storage // instead of the lists in memory
	rows         int
	visible      int32     // columns from this one on are left out
	reciprocals  []float64 // 1/n for every possible number of rows
}

// A Storage holds the cells of a table outside memory. It is safe for concurrent use.
type Storage interface {
	// Reader returns a reader of rows for one goroutine.
	Reader() Reader
	// Holders returns the set of rows that contain a column. The caller must not modify
	// it.
	Holders(column int32) (Bits, error)
}

// A Reader reads rows of a table. Reading them in ascending order is fast.
type Reader interface {
	// Row returns the columns of a row in ascending order. The next call overwrites
	// them.
	Row(r int32) ([]int32, error)
}

// NewTable returns a table of rows. Each row lists its columns in ascending
// order. The columns from extra on are extra columns, which must win a split by
// [Options.Margin].
func NewTable(rows [][]int32, columns, extra int) *Table {
	cells := 0
	for _, row := range rows {
		cells += len(row)
	}
	b := NewBuilder(len(rows), cells, columns)
	for _, row := range rows {
		b.Add(row)
	}
	return b.Table(extra)
}

// NewStoredTable returns a table with the given number of rows in s.
func NewStoredTable(s Storage, rows, columns, extra int) *Table {
	return &Table{columns: columns, extra: extra, storage: s, rows: rows, visible: int32(columns), reciprocals: reciprocals(rows)}
}

// A Builder builds a table in memory.
type Builder struct{ table *Table }

// NewBuilder returns a builder of a table with a number of columns, and allocates
// memory for the given numbers of rows and cells.
func NewBuilder(rows, cells, columns int) *Builder {
	t := &Table{columns: columns, visible: int32(columns), cells: make([]int32, 0, cells)}
	t.rowStarts = make([]int32, 0, rows+1)
	t.holderStarts = make([]int32, columns+1)
	return &Builder{t}
}

// Add adds a row, given by its columns in ascending order.
func (b *Builder) Add(row []int32) {
	t := b.table
	t.rowStarts = append(t.rowStarts, int32(len(t.cells)))
	t.cells = append(t.cells, row...)
	for _, c := range row {
		t.holderStarts[c+1]++
	}
}

// Table returns the table. The columns from extra on are extra columns. The builder
// must not be used any more.
func (b *Builder) Table(extra int) *Table {
	t := b.table
	t.extra, t.rows = extra, len(t.rowStarts)
	t.rowStarts = append(t.rowStarts, int32(len(t.cells)))
	t.rowEnds = t.rowStarts[1:]
	for c := range t.columns {
		t.holderStarts[c+1] += t.holderStarts[c]
	}
	t.holders = make([]int32, len(t.cells))
	next := append([]int32(nil), t.holderStarts...)
	for r := range int32(t.rows) {
		for _, c := range t.Row(r) {
			t.holders[next[c]] = r
			next[c]++
		}
	}
	t.reciprocals = reciprocals(t.rows)
	return t
}

func reciprocals(rows int) []float64 {
	out := make([]float64, rows+1)
	for n := 1; n <= rows; n++ {
		out[n] = 1 / float64(n)
	}
	return out
}

// Before returns a table whose rows lack the columns from the given one on. It shares
// its memory with t.
func (t *Table) Before(column int32) *Table {
	out := *t
	out.visible = min(t.visible, column)
	if t.storage != nil {
		return &out
	}
	out.rowEnds = make([]int32, t.rows)
	for r := range int32(t.rows) {
		row := t.Row(r)
		n := len(row)
		for n > 0 && row[n-1] >= column {
			n--
		}
		out.rowEnds[r] = t.rowStarts[r] + int32(n)
	}
	return &out
}

// Rows returns the number of rows.
func (t *Table) Rows() int { return t.rows }

// Columns returns the number of columns.
func (t *Table) Columns() int { return t.columns }

// InMemory reports whether the table is in memory. [Table.Row] and [Table.Holders] need
// this.
func (t *Table) InMemory() bool { return t.storage == nil }

// Row returns the columns of a row. The caller must not modify them.
func (t *Table) Row(r int32) []int32 { return t.cells[t.rowStarts[r]:t.rowEnds[r]] }

// Holders returns the rows that contain a column. The caller must not modify
// them.
func (t *Table) Holders(c int32) []int32 { return t.holders[t.holderStarts[c]:t.holderStarts[c+1]] }

// AppendHolders appends the rows that contain a column to out, in ascending order. The
// table may be in a storage.
func (t *Table) AppendHolders(out []int32, c int32) ([]int32, error) {
	if t.storage == nil {
		return append(out, t.Holders(c)...), nil
	}
	holders, err := t.storage.Holders(c)
	if err != nil {
		return out, err
	}
	for r := range holders.All() {
		out = append(out, r)
	}
	return out, nil
}

// Reader returns a reader of the rows for one goroutine.
func (t *Table) Reader() Reader {
	if t.storage == nil {
		return memoryReader{t}
	}
	return &storedReader{t.storage.Reader(), t.visible}
}

type memoryReader struct{ table *Table }

func (r memoryReader) Row(row int32) ([]int32, error) { return r.table.Row(row), nil }

// A storedReader leaves out the columns from visible on.
type storedReader struct {
	Reader
	visible int32
}

func (r *storedReader) Row(row int32) ([]int32, error) {
	cells, err := r.Reader.Row(row)
	for len(cells) > 0 && cells[len(cells)-1] >= r.visible {
		cells = cells[:len(cells)-1]
	}
	return cells, err
}

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
