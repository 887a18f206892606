package cli

import (
	"context"
	"io"
	"os"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/model/observation"
)

// Observations are open files of observations, whose invalid lines are reported on
// standard error.
type Observations struct {
	observation.Sources
	streams Streams
	invalid int
}

// maxInvalidShown is the maximum number of invalid lines to print.
const maxInvalidShown = 10

// OpenObservations opens files of observations; - is standard input. Strict makes
// an invalid line an error. The end of ctx ends the wait for standard input.
func OpenObservations(ctx context.Context, names []string, strict bool, streams Streams) (*Observations, error) {
	if err := CheckStdin(names); err != nil {
		return nil, err
	}
	o := &Observations{streams: streams}
	o.Strict, o.Invalid = strict, o.report
	for _, name := range names {
		var from io.Reader
		if name == "-" {
			from = interruptible(ctx, streams.In)
		} else {
			file, err := os.Open(name)
			if err != nil {
				o.Close()
				return nil, FileError(name, err)
			}
			from = file
		}
		o.Files = append(o.Files, observation.File{Name: InputName(name), Reader: from})
	}
	return o, nil
}

// Close closes the files.
func (o *Observations) Close() {
	for _, f := range o.Files {
		if file, ok := f.Reader.(io.Closer); ok {
			_ = file.Close() // it was only read
		}
	}
}

// report reports an invalid line.
func (o *Observations) report(file string, line *observation.LineError) {
	if o.invalid++; o.invalid <= maxInvalidShown {
		o.streams.Notef("%s:%d: left out: %s", file, line.Line, Printable(api.Excerpt(line.Err.Error())))
	}
}

// Summarize prints the number of invalid lines, unless all of them were printed.
func (o *Observations) Summarize() {
	if o.invalid > maxInvalidShown {
		o.streams.Notef("%d lines are not observations; the first %d are listed above", o.invalid, maxInvalidShown)
	}
}
