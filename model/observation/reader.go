package observation

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// ErrIncompatible reports a file whose format version is unknown, or whose
// observations belong to two programs.
var ErrIncompatible = errors.New("incompatible observations")

// A LineError reports an invalid line. The reader can continue with the next
// line.
type LineError struct {
	Line int // from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// A Reader reads observations one at a time. It keeps only the current line and
// the units in memory.
type Reader struct {
	r       *bufio.Reader
	line    int
	start   int64    // of the current line
	end     int64    // behind the current line
	pieces  [][]byte // of the current line before text, if it is long
	text    []byte   // the current line, if longer than the buffer of r
	started bool
	header  Header
	units   map[string]bool // IDs of the units in header
	names   unitNames       // of the units in lines
	meant   int64           // start of the lines whose numbers have the same meaning as those of the last line
	numbers bool            // the last header allows numbers
	peeked  func() (Observation, error)
	err     error // sticky
}

// NewReader returns a Reader that reads from r.
func NewReader(r io.Reader) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, 1<<16), units: map[string]bool{}, names: unitNames{interned: map[string]string{}}}
}

// Header returns the header as read so far. Files that were continued or
// concatenated have further headers, which add units.
func (r *Reader) Header() Header {
	if !r.started {
		o, err := r.next(true)
		if !errors.Is(err, errHeader) {
			r.peeked = func() (Observation, error) { return o, err }
		}
	}
	return r.header
}

// Next returns the next observation, or io.EOF at the end. After a *[LineError]
// the next call continues with the following line; any other error is final.
func (r *Reader) Next() (Observation, error) {
	if r.peeked != nil {
		ahead := r.peeked
		r.peeked = nil
		return ahead()
	}
	for {
		o, err := r.next(!r.started)
		if !errors.Is(err, errHeader) {
			return o, err
		}
	}
}

// Line returns the number of the last line read.
func (r *Reader) Line() int { return r.line }

// A Span is a part of a file, in bytes.
type Span struct {
	Start int64
	Size  int
}

// Span returns where the last line read is. [Reader.Parse] reads the observation in it
// again.
func (r *Reader) Span() Span { return Span{r.start, int(r.end - r.start)} }

// Parse reads the observation in a line that was read before. It fails if a later header
// has given the numbers in the line another meaning.
func (r *Reader) Parse(line []byte, at Span) (Observation, error) {
	l, err := unmarshalLine(bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff"))))
	if err != nil {
		return Observation{}, err
	}
	names := &r.names
	if at.Start < r.meant {
		names = &unitNames{interned: r.names.interned}
	}
	return l.observation(names)
}

// Appender returns a Writer that appends to the file, with the numbers of its units. The
// file must have been read to its end.
func (r *Reader) Appender(w io.Writer) *Writer {
	out := NewAppender(w)
	if out.numbering.on = r.numbers; r.numbers {
		out.numbering.units, out.numbering.numbers = len(r.names.numbered), make(map[string]int, len(r.names.numbered))
		for i, id := range r.names.numbered {
			out.numbering.numbers[id] = i
		}
	}
	return out
}

// errHeader signals that a line was a header, or the last line of a download.
var errHeader = errors.New("header")

// next decodes the next line that is not blank.
func (r *Reader) next(first bool) (Observation, error) {
	r.started = true
	if r.err != nil {
		return Observation{}, r.err
	}
	var text []byte
	for len(text) == 0 {
		var err error
		text, err = r.readLine()
		if _, ok := errors.AsType[*LineError](err); ok {
			r.forgetNumbers()
			return Observation{}, err
		}
		if err != nil {
			r.err = err
			return Observation{}, err
		}
		// Some editors and shells begin a file with a byte order mark. Files may have been
		// concatenated, so it can be at the start of any line.
		text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
	}
	if by := compression(text); first && by != "" {
		r.err = io.EOF // nothing else can be read
		return Observation{}, &LineError{r.line, fmt.Errorf("compressed by %s: decompress it first", by)}
	}
	line, err := unmarshalLine(text)
	if err != nil {
		if bytes.Contains(text, []byte(`"inroad":`)) {
			r.forgetNumbers()
		}
		return Observation{}, &LineError{r.line, err}
	}
	if line.Version != nil {
		err := r.readHeader(jsonHeader{*line.Version, line.Subject, line.Commit, line.From, line.Units}, first)
		return Observation{}, err
	}
	ended, err := line.endsDownload()
	if ended && err == nil {
		return Observation{}, errHeader
	}
	var o Observation
	if err == nil {
		o, err = line.observation(&r.names)
	}
	if err != nil {
		return Observation{}, &LineError{r.line, err}
	}
	return o, nil
}

// forgetNumbers forgets the meaning of the numbers of units, after a line that cannot be
// read and may be a header.
func (r *Reader) forgetNumbers() { r.names.numbered, r.meant = nil, r.end }

// compression returns the name of the program that compressed a text, or "".
func compression(text []byte) string {
	for by, magic := range map[string]string{"gzip": "\x1f\x8b", "zstd": "\x28\xb5\x2f\xfd", "xz": "\xfd7zXZ\x00", "bzip2": "BZh"} {
		if bytes.HasPrefix(text, []byte(magic)) {
			return by
		}
	}
	return ""
}

// readLine returns the next line. The slice is valid until the next call.
func (r *Reader) readLine() ([]byte, error) {
	r.line++
	r.start = r.end
	r.text = r.text[:0]
	size, tooLong := 0, false
	for {
		part, err := r.r.ReadSlice('\n')
		r.end += int64(len(part))
		whole := !errors.Is(err, bufio.ErrBufferFull)
		if whole && err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if whole && size == 0 && len(part) > 0 {
			return part, nil
		}
		if size += len(part); size > maxLine {
			r.pieces, r.text, tooLong = nil, nil, true
		} else {
			r.add(part)
		}
		switch {
		case !whole:
		case tooLong:
			return nil, &LineError{r.line, fmt.Errorf("must be at most %d bytes", maxLine)}
		case r.pieces != nil:
			line := bytes.Join(append(r.pieces, r.text), nil)
			r.pieces = nil
			return line, nil
		case len(r.text) > 0:
			return r.text, nil
		case err != nil:
			return nil, err
		}
	}
}

// add adds a part to the current line. A long line is kept in pieces until it is
// complete: a buffer that grows would leave several times its size as garbage.
func (r *Reader) add(part []byte) {
	const pieceSize = 1 << 20
	if cap(r.text) >= pieceSize && cap(r.text)-len(r.text) < len(part) {
		r.pieces = append(r.pieces, r.text)
		r.text = make([]byte, 0, pieceSize)
	}
	r.text = append(r.text, part...)
}

// readHeader handles a header. Every header after the first adds its units.
func (r *Reader) readHeader(h jsonHeader, first bool) error {
	if h.Version != versionNames && h.Version != versionNumbers {
		r.err = fmt.Errorf("line %d: %w: version %q: must be %q or %q", r.line, ErrIncompatible, h.Version, versionNames, versionNumbers)
		return r.err
	}
	if err := h.check(); err != nil {
		r.forgetNumbers()
		return &LineError{r.line, err}
	}
	header := h.header()
	if first {
		r.header.Subject, r.header.Commit = header.Subject, header.Commit
	}
	if header.Subject != r.header.Subject || header.Commit != r.header.Commit {
		r.err = fmt.Errorf("line %d: %w: program %s: must be %s, as before",
			r.line, ErrIncompatible, header.program(), r.header.program())
		return r.err
	}
	changed, err := r.names.number(h.From, header.Units)
	if err != nil {
		r.forgetNumbers()
		return &LineError{r.line, err}
	}
	if changed {
		r.meant = r.end
	}
	r.numbers = h.Version == versionNumbers
	for _, u := range header.Units {
		if !r.units[u.ID] {
			r.units[u.ID] = true
			r.header.Units = append(r.header.Units, u)
		}
	}
	return errHeader
}

func (h Header) program() string {
	if h.Commit == "" {
		return fmt.Sprintf("%q", h.Subject)
	}
	return fmt.Sprintf("%q at %q", h.Subject, h.Commit)
}
