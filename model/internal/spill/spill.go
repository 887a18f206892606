// Package spill keeps sparse rows of numbers in temporary files, so that training data
// may exceed the memory.
//
// A [Log] is a sequence of records, read in the order in which it was written. [Rows]
// are lists of ascending numbers, by row, and [Columns] are the same numbers by column.
package spill

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A File is a temporary file. Its owner removes it when it is closed.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
}

// errDamaged reports a file that does not contain what was written to it.
var errDamaged = errors.New("temporary file: unexpected contents")

// bufferSize is the size of the buffers for writing and for reading a log.
const bufferSize = 1 << 20

// A writer appends to a file through a buffer.
type writer struct {
	file   File
	buffer []byte
	offset int64 // of the buffer in the file
}

// size returns the number of bytes written.
func (w *writer) size() int64 { return w.offset + int64(len(w.buffer)) }

func (w *writer) append(p []byte) error {
	w.buffer = append(w.buffer, p...)
	if len(w.buffer) < bufferSize {
		return nil
	}
	return w.flush()
}

func (w *writer) flush() error {
	if len(w.buffer) == 0 {
		return nil
	}
	if _, err := w.file.WriteAt(w.buffer, w.offset); err != nil {
		return fmt.Errorf("write a temporary file: %w", err)
	}
	w.offset += int64(len(w.buffer))
	w.buffer = w.buffer[:0]
	return nil
}

// readAt fills p from the file.
func readAt(file File, p []byte, offset int64) error {
	if _, err := file.ReadAt(p, offset); err != nil {
		return fmt.Errorf("read a temporary file: %w", err)
	}
	return nil
}

// A Log is a sequence of records of bytes. It is not safe for concurrent use.
type Log struct {
	out   writer
	count int
}

// NewLog returns an empty log in a new file.
func NewLog(file File) *Log { return &Log{out: writer{file: file}} }

// Len returns the number of records.
func (l *Log) Len() int { return l.count }

// Size returns the number of bytes of the log.
func (l *Log) Size() int64 { return l.out.size() }

// Append appends a record.
func (l *Log) Append(record []byte) error {
	l.count++
	if err := l.out.append(binary.AppendUvarint(nil, uint64(len(record)))); err != nil {
		return err
	}
	return l.out.append(record)
}

// Each calls use for every record, in the order of the log, until it returns an error.
// The record is valid until use returns.
func (l *Log) Each(use func(i int, record []byte) error) error {
	if err := l.out.flush(); err != nil {
		return err
	}
	r := bufio.NewReaderSize(io.NewSectionReader(l.out.file, 0, l.out.offset), bufferSize)
	var record []byte
	for i := range l.count {
		n, err := binary.ReadUvarint(r)
		if err == nil && n > uint64(l.out.offset) {
			err = errDamaged
		}
		if err != nil {
			return fmt.Errorf("read a temporary file: %w", err)
		}
		if uint64(cap(record)) < n {
			record = make([]byte, n, n+n/2)
		}
		record = record[:n]
		if _, err := io.ReadFull(r, record); err != nil {
			return fmt.Errorf("read a temporary file: %w", err)
		}
		if err := use(i, record); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the file.
func (l *Log) Close() error { return l.out.file.Close() }

// AppendAscending appends the encoded form of ascending numbers to p.
func AppendAscending(p []byte, numbers []int32) []byte {
	p = binary.AppendUvarint(p, uint64(len(numbers)))
	before := int32(0)
	for _, n := range numbers {
		p = binary.AppendUvarint(p, uint64(n-before))
		before = n
	}
	return p
}

// DecodeAscending appends the numbers at the start of p to out, and returns the rest of p.
func DecodeAscending(p []byte, out []int32) (numbers []int32, rest []byte, err error) {
	count, rest, err := decodeCount(p)
	if err != nil {
		return out, nil, err
	}
	at, before := 0, int32(0)
	for range count {
		if at < len(rest) && rest[at] < 0x80 { // nearly all
			before += int32(rest[at])
			at++
		} else {
			n, size := binary.Uvarint(rest[at:])
			if size <= 0 {
				return out, nil, errDamaged
			}
			before += int32(n)
			at += size
		}
		out = append(out, before)
	}
	return out, rest[at:], nil
}

// AppendNumbers appends the encoded form of non-negative numbers to p.
func AppendNumbers(p []byte, numbers []int32) []byte {
	p = binary.AppendUvarint(p, uint64(len(numbers)))
	for _, n := range numbers {
		p = binary.AppendUvarint(p, uint64(n))
	}
	return p
}

// DecodeNumbers appends the numbers at the start of p to out, and returns the rest of p.
func DecodeNumbers(p []byte, out []int32) (numbers []int32, rest []byte, err error) {
	first := len(out)
	out, rest, err = DecodeAscending(p, out)
	for i := len(out) - 1; i > first; i-- {
		out[i] -= out[i-1]
	}
	return out, rest, err
}

// Count returns the number of encoded numbers at the start of p.
func Count(p []byte) (int, error) {
	n, _, err := decodeCount(p)
	return n, err
}

func decodeCount(p []byte) (count int, rest []byte, err error) {
	n, size := binary.Uvarint(p)
	if size <= 0 || n > uint64(len(p)) {
		return 0, nil, errDamaged
	}
	return int(n), p[size:], nil
}
