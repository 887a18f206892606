package observation

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
)

// Sources are files of observations of one program.
type Sources struct {
	Files  []File
	Strict bool // an invalid line is an error
	// Invalid is called for each line that is not an observation and is left out. It
	// may be nil.
	Invalid func(file string, line *LineError)
}

// A File is an open file of observations.
type File struct {
	Name string // in errors; may be empty
	io.Reader
}

// A Block holds successive observations of a file. Its header has the units that are
// not in earlier blocks.
type Block struct {
	File         string
	Header       Header
	Observations []Observation
}

// The maximum rows of a block, and the approximate maximum of its bytes.
const (
	blockRows  = 512
	blockBytes = 1 << 20
)

// Blocks reads the files one after the other. Each file has at least one block. An
// error follows the observations before it.
func (s Sources) Blocks() iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		subject := ""
		for _, file := range s.Files {
			r := &blockReader{Sources: &s, name: file.Name, reader: NewReader(file)}
			if about := r.reader.Header().Subject; about != "" {
				if subject != "" && about != subject {
					yield(Block{}, fmt.Errorf("%s: observations of %s, but earlier files have observations of %s", file.Name, about, subject))
					return
				}
				subject = about
			}
			for err := error(nil); err == nil; {
				var block Block
				block, err = r.next()
				if !yield(block, nil) {
					return
				}
				if err != nil && !errors.Is(err, io.EOF) {
					yield(Block{}, err)
					return
				}
			}
		}
	}
}

// A blockReader reads the blocks of one file.
type blockReader struct {
	*Sources
	name   string
	reader *Reader
	units  int // in blocks so far
}

// next returns a block, with an error if it is the last one.
func (r *blockReader) next() (Block, error) {
	out := Block{File: r.name}
	var failed error
	for size := 0; failed == nil && len(out.Observations) < blockRows && size < blockBytes; {
		o, err := r.reader.Next()
		line, invalid := errors.AsType[*LineError](err)
		switch {
		case err == nil:
			out.Observations = append(out.Observations, o)
			size += len(o.Input) + 16*len(o.Methods)
		case invalid && !r.Strict:
			if r.Invalid != nil {
				r.Invalid(r.name, line)
			}
		default:
			failed = r.fileError(err)
		}
	}
	out.Header = r.reader.Header()
	out.Header.Units, r.units = out.Header.Units[r.units:], len(out.Header.Units)
	return out, failed
}

// fileError prefixes an error with the name of the file. It returns io.EOF, and
// errors of a file without a name, unchanged.
func (r *blockReader) fileError(err error) error {
	if r.name == "" || errors.Is(err, io.EOF) {
		return err
	}
	if line, ok := errors.AsType[*LineError](err); ok {
		return fmt.Errorf("%s:%d: %w", r.name, line.Line, line.Err)
	}
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		err = file.Err
	}
	return fmt.Errorf("%s: %w", r.name, err)
}
