package spill

import (
	"encoding/binary"
	"sort"
)

// rowBlock is the approximate size of a block of rows in bytes, which is read at once.
const rowBlock = 256 << 10

// Rows are lists of ascending numbers in a file, each with a list of values if the rows
// have any. After [Rows.Finish], they are safe for concurrent use.
type Rows struct {
	out    writer
	values bool // each number has a value
	count  int32
	blocks []rowsBlock
	body   []byte // scratch space of Add
}

type rowsBlock struct {
	first  int32 // row
	offset int64
}

// NewRows returns an empty list of rows in a new file. values says whether each number
// has a value.
func NewRows(file File, values bool) *Rows {
	return &Rows{out: writer{file: file}, values: values}
}

// Len returns the number of rows.
func (r *Rows) Len() int { return int(r.count) }

// Size returns the number of bytes of the rows.
func (r *Rows) Size() int64 { return r.out.size() }

// Add adds a row of ascending numbers, with their values.
func (r *Rows) Add(numbers, values []int32) error {
	r.body = AppendAscending(r.body[:0], numbers)
	if r.values {
		r.body = AppendNumbers(r.body, values)
	}
	return r.AddEncoded(r.body)
}

// AddEncoded adds a row as encoded by [AppendAscending] and, if the rows have values,
// [AppendNumbers].
func (r *Rows) AddEncoded(row []byte) error {
	if n := len(r.blocks); n == 0 || r.out.size()-r.blocks[n-1].offset >= rowBlock {
		r.blocks = append(r.blocks, rowsBlock{r.count, r.out.size()})
	}
	r.count++
	var length [binary.MaxVarintLen64]byte
	if err := r.out.append(length[:binary.PutUvarint(length[:], uint64(len(row)))]); err != nil {
		return err
	}
	return r.out.append(row)
}

// Finish ends the list. Then it can be read.
func (r *Rows) Finish() error {
	err := r.out.flush()
	r.out.buffer, r.body = nil, nil
	return err
}

// Close closes the file.
func (r *Rows) Close() error { return r.out.file.Close() }

// A Reader reads rows. It is not safe for concurrent use.
type Reader struct {
	rows       *Rows
	block      int    // index of the block in data, or -1
	data       []byte // of the block
	rest       []byte // of data, from the next row on
	next       int32  // the next row
	current    int32  // the decoded row, or -1
	numbers    []int32
	itsNumbers []int32
	itsValues  []int32
}

// Reader returns a reader. Reading rows in ascending order is fast.
func (r *Rows) Reader() *Reader { return &Reader{rows: r, block: -1, current: -1} }

// Row returns the numbers of a row and their values, which the next call overwrites.
func (c *Reader) Row(row int32) (numbers, values []int32, err error) {
	if row == c.current {
		return c.itsNumbers, c.itsValues, nil
	}
	if err := c.seek(row); err != nil {
		return nil, nil, err
	}
	body, err := c.take()
	if err != nil {
		return nil, nil, err
	}
	c.current = -1
	c.numbers, body, err = DecodeAscending(body, c.numbers[:0])
	count := len(c.numbers)
	if err == nil && c.rows.values {
		c.numbers, _, err = DecodeNumbers(body, c.numbers)
		if err == nil && len(c.numbers) != 2*count {
			err = errDamaged
		}
	}
	if err != nil {
		return nil, nil, err
	}
	c.itsNumbers, c.itsValues = c.numbers[:count:count], c.numbers[count:]
	c.current = row
	return c.itsNumbers, c.itsValues, nil
}

// seek moves to a row.
func (c *Reader) seek(row int32) error {
	blocks := c.rows.blocks
	if c.block < 0 || row < blocks[c.block].first || c.block+1 < len(blocks) && row >= blocks[c.block+1].first {
		if err := c.load(sort.Search(len(blocks), func(i int) bool { return blocks[i].first > row }) - 1); err != nil {
			return err
		}
	}
	if row < c.next {
		c.rest, c.next = c.data, blocks[c.block].first
	}
	for c.next < row {
		if _, err := c.take(); err != nil {
			return err
		}
	}
	return nil
}

// load reads a block.
func (c *Reader) load(block int) error {
	blocks := c.rows.blocks
	end := c.rows.out.offset
	if block+1 < len(blocks) {
		end = blocks[block+1].offset
	}
	size := int(end - blocks[block].offset)
	c.block = -1
	if cap(c.data) < size {
		c.data = make([]byte, size, size+size/8)
	}
	c.data = c.data[:size]
	if err := readAt(c.rows.out.file, c.data, blocks[block].offset); err != nil {
		return err
	}
	c.block, c.rest, c.next = block, c.data, blocks[block].first
	return nil
}

// take returns the encoded form of the next row and moves behind it.
func (c *Reader) take() ([]byte, error) {
	n, rest, err := decodeCount(c.rest)
	if err != nil || n > len(rest) {
		return nil, errDamaged
	}
	c.rest = rest[n:]
	c.next++
	return rest[:n], nil
}
