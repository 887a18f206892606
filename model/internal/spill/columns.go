package spill

import (
	"cmp"
	"slices"
)

// Columns list the rows that contain each number. The rows are added in ascending
// order. After [Columns.Finish], they are safe for concurrent use.
type Columns struct {
	out    writer
	chunks []columnsChunk
	limit  int // cells of a chunk

	// Of the chunk that is being filled.
	rows    []int32 // of each cell
	cells   []int32
	counts  []int32 // by column
	touched []int32
	byCol   []int32
	body    []byte
}

// A columnsChunk has the cells of successive rows.
type columnsChunk struct {
	columns []int32 // that some of the rows contain, ascending
	offsets []int64 // of their lists of rows, and the end of the last list
}

// NewColumns returns columns in a new file. It keeps up to limit cells in memory until
// [Columns.Finish].
func NewColumns(file File, columns, limit int) *Columns {
	return &Columns{out: writer{file: file}, limit: limit, counts: make([]int32, columns)}
}

// CellMemory is the approximate number of bytes that columns take for each cell of
// their limit.
const CellMemory = 12

// Add adds a row.
func (c *Columns) Add(row int32, columns []int32) error {
	for _, column := range columns {
		if c.counts[column]++; c.counts[column] == 1 {
			c.touched = append(c.touched, column)
		}
		c.cells, c.rows = append(c.cells, column), append(c.rows, row)
	}
	if len(c.cells) < c.limit {
		return nil
	}
	return c.flush()
}

// flush writes a chunk.
func (c *Columns) flush() error {
	if len(c.cells) == 0 {
		return nil
	}
	slices.Sort(c.touched)
	chunk := columnsChunk{columns: slices.Clone(c.touched)}
	start := int32(0)
	for _, column := range c.touched { // the counts become the starts of the lists
		start, c.counts[column] = start+c.counts[column], start
	}
	c.byCol = slices.Grow(c.byCol[:0], len(c.cells))[:len(c.cells)]
	for i, column := range c.cells {
		c.byCol[c.counts[column]] = c.rows[i]
		c.counts[column]++
	}
	start = 0
	for _, column := range c.touched {
		end := c.counts[column]
		c.counts[column] = 0
		chunk.offsets = append(chunk.offsets, c.out.size())
		c.body = AppendAscending(c.body[:0], c.byCol[start:end])
		if err := c.out.append(c.body); err != nil {
			return err
		}
		start = end
	}
	chunk.offsets = append(chunk.offsets, c.out.size())
	c.chunks = append(c.chunks, chunk)
	c.cells, c.rows, c.touched = c.cells[:0], c.rows[:0], c.touched[:0]
	return nil
}

// Finish ends the columns. Then they can be read.
func (c *Columns) Finish() error {
	err := c.flush()
	err = cmp.Or(err, c.out.flush())
	c.out.buffer, c.rows, c.cells, c.counts, c.touched, c.byCol, c.body = nil, nil, nil, nil, nil, nil, nil
	return err
}

// Size returns the number of bytes of the columns.
func (c *Columns) Size() int64 { return c.out.size() }

// Each calls use with the rows that contain a column, in ascending order.
func (c *Columns) Each(column int32, use func(rows []int32) error) error {
	var body []byte
	var rows []int32
	for _, chunk := range c.chunks {
		i, ok := slices.BinarySearch(chunk.columns, column)
		if !ok {
			continue
		}
		size := int(chunk.offsets[i+1] - chunk.offsets[i])
		body = slices.Grow(body[:0], size)[:size]
		err := readAt(c.out.file, body, chunk.offsets[i])
		if err == nil {
			rows, _, err = DecodeAscending(body, rows[:0])
		}
		if err == nil {
			err = use(rows)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Close closes the file.
func (c *Columns) Close() error { return c.out.file.Close() }
