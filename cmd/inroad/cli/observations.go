package cli

import (
	"os"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
)

// Observations are open files of observations, whose invalid lines are reported on
// standard error.
type Observations struct {
	api.Observations
	streams Streams
	invalid int
}

// maxInvalidShown is the most invalid lines that are reported one by one.
const maxInvalidShown = 10

// OpenObservations opens files of observations; - is standard input. Strict makes
// an invalid line an error.
func OpenObservations(names []string, strict bool, streams Streams) (*Observations, error) {
	o := &Observations{streams: streams}
	o.Strict, o.Invalid = strict, o.report
	for _, name := range names {
		from := streams.In
		if name != "-" {
			file, err := os.Open(name)
			if err != nil {
				o.Close()
				return nil, FileError(name, err)
			}
			from = file
		}
		o.Files = append(o.Files, api.ObservationFile{Name: InputName(name), Reader: from})
	}
	return o, nil
}

// Close closes the files.
func (o *Observations) Close() {
	for _, f := range o.Files {
		if file, ok := f.Reader.(*os.File); ok && file != o.streams.In {
			_ = file.Close() // it was only read
		}
	}
}

// report reports an invalid line.
func (o *Observations) report(file string, line openapi.LineError) {
	if o.invalid++; o.invalid <= maxInvalidShown {
		o.streams.Notef("%s:%d: left out: %s", file, line.Line, Printable(line.Message))
	}
}

// Summarize reports how many invalid lines there were, unless all were reported.
func (o *Observations) Summarize() {
	if o.invalid > maxInvalidShown {
		o.streams.Notef("%d lines are not observations; the first %d are listed above", o.invalid, maxInvalidShown)
	}
}
