package model

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/inroad/inroad/api/outfile"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/model/gofuzz"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
	"github.com/inroad/inroad/targeting/campaign"
)

// A fuzzExport writes inputs to files, for other fuzzers.
type fuzzExport struct {
	dir     string // "" for none
	layout  string
	written int // number of findings
}

// open creates the folder.
func (e *fuzzExport) open() error {
	if e.dir == "" {
		return nil
	}
	if err := os.MkdirAll(e.dir, 0o777); err != nil {
		return fmt.Errorf("--export %w", cli.FileError(e.dir, err))
	}
	return nil
}

// write writes the findings that were not yet written. The name of a file is a digest of
// its content.
func (e *fuzzExport) write(findings []campaign.Finding) error {
	for ; e.dir != "" && e.written < len(findings); e.written++ {
		content := findings[e.written].Text
		if e.layout == "go" {
			content = gofuzz.Encode(content)
		}
		name := filepath.Join(e.dir, fmt.Sprintf("%x", sha256.Sum256(content))[:16])
		err := outfile.Write(name, 0o644, func(w io.Writer) error {
			_, err := w.Write(content)
			return err
		})
		if err != nil {
			return fmt.Errorf("--export %w", cli.FileError(name, err))
		}
	}
	return nil
}

// A fuzzLog is the file of a campaign's observations.
type fuzzLog struct {
	program *observe.Program
	out     *observe.Output
	known   map[string]observation.Observation // in the file when it was opened, by input
}

// openFuzzLog creates a file of observations, or opens one to continue it.
func openFuzzLog(name string, program *observe.Program) (*fuzzLog, error) {
	out, err := observe.OpenOutput(name, program.Header())
	if err != nil {
		return nil, err
	}
	program.RestoreUnits(out.Units())
	l := &fuzzLog{program, out, map[string]observation.Observation{}}
	lists := map[string][]string{} // many inputs reach the same methods
	err = out.Read(func(o observation.Observation) {
		key := strings.Join(o.Methods, "\x00")
		if shared, ok := lists[key]; ok && (shared == nil) == (o.Methods == nil) {
			o.Methods = shared
		} else {
			lists[key] = o.Methods
		}
		l.known[string(o.Input)] = o
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), out.Close())
	}
	return l, nil
}

// Lookup returns the observation of an input in the file.
func (l *fuzzLog) Lookup(input []byte) (observation.Observation, bool) {
	o, ok := l.known[string(input)]
	return o, ok
}

// Append adds an observation to the file.
func (l *fuzzLog) Append(o observation.Observation) error {
	if err := l.out.AddUnits(l.program.Header().Units); err != nil {
		return err
	}
	return l.out.Write(o)
}
