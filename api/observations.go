package api

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/model/observation"
)

// Observations are files of observations of one program.
type Observations struct {
	Files  []ObservationFile
	Strict bool // an invalid line is an error
	// Invalid is called for each line that is not an observation and is left out. It
	// may be nil.
	Invalid func(file string, line openapi.LineError)
}

// An ObservationFile is a file of observations that is open.
type ObservationFile struct {
	Name string // in errors; may be empty
	io.Reader
}

// A Block holds successive observations of a file. Its header has the units that
// the blocks before did not have.
type Block struct {
	File         string
	Header       observation.Header
	Observations []observation.Observation
}

// A block has at most this many rows and approximately this many bytes.
const (
	blockRows  = 512
	blockBytes = 1 << 20
)

// Blocks reads the files one after the other. Each file has at least one block. An
// error follows the observations before it.
func (o Observations) Blocks() iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		subject := ""
		for _, file := range o.Files {
			r := &blockReader{Observations: &o, name: file.Name, reader: observation.NewReader(file)}
			if about := r.reader.Header().Subject; about != "" {
				if subject != "" && about != subject {
					yield(Block{}, fmt.Errorf("%s: observations of %s, but the files before have observations of %s", file.Name, about, subject))
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
	*Observations
	name   string
	reader *observation.Reader
	units  int // in blocks so far
}

// next returns a block, with an error if it is the last one.
func (r *blockReader) next() (Block, error) {
	out := Block{File: r.name}
	var failed error
	for size := 0; failed == nil && len(out.Observations) < blockRows && size < blockBytes; {
		o, err := r.reader.Next()
		line, invalid := errors.AsType[*observation.LineError](err)
		switch {
		case err == nil:
			out.Observations = append(out.Observations, o)
			size += len(o.Input) + 16*len(o.Methods)
		case invalid && !r.Strict:
			if r.Invalid != nil {
				r.Invalid(r.name, openapi.LineError{Line: line.Line, Message: Excerpt(line.Err.Error())})
			}
		case r.name == "" || errors.Is(err, io.EOF):
			failed = err
		case invalid:
			failed = fmt.Errorf("%s:%d: %w", r.name, line.Line, line.Err)
		default:
			failed = fileError(r.name, err)
		}
	}
	out.Header = r.reader.Header()
	out.Header.Units, r.units = out.Header.Units[r.units:], len(out.Header.Units)
	return out, failed
}

// maxLineErrors is the most invalid lines that an answer lists.
const maxLineErrors = 100

// InvalidLines counts lines that are not observations, and lists the first of them.
type InvalidLines struct {
	Count  int
	Errors []openapi.LineError
}

// CountInvalid counts the invalid lines of o while they are read.
func (o *Observations) CountInvalid() *InvalidLines {
	out := &InvalidLines{Errors: []openapi.LineError{}}
	report := o.Invalid
	o.Invalid = func(file string, line openapi.LineError) {
		if out.Count++; len(out.Errors) < maxLineErrors {
			out.Errors = append(out.Errors, line)
		}
		if report != nil {
			report(file, line)
		}
	}
	return out
}
