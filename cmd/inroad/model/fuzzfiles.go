package model

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"github.com/inroad/inroad/api/outfile"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/model/gofuzz"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
	"github.com/inroad/inroad/targeting/campaign"
)

// The layouts of exported files.
const (
	plainLayout = "plain"
	goLayout    = "go"
	aflLayout   = "afl"
)

// A fuzzExport writes inputs to files, for other fuzzers.
type fuzzExport struct {
	dir     string // "" for none
	layout  string
	written int // findings written or skipped

	ids  int             // AFL++: number of the next file
	have map[string]bool // AFL++: digests of the inputs that have files
}

// folder returns the folder of the files. For AFL++, --export names the folder of an
// instance whose queue other instances read.
func (e *fuzzExport) folder() string {
	if e.layout == aflLayout {
		return filepath.Join(e.dir, "queue")
	}
	return e.dir
}

// open creates the folder. For AFL++, it continues the numbers of the files in the
// folder.
func (e *fuzzExport) open() error {
	if e.dir == "" {
		return nil
	}
	if err := os.MkdirAll(e.folder(), 0o777); err != nil {
		return fmt.Errorf("--export %w", cli.FileError(e.folder(), err))
	}
	if e.layout != aflLayout {
		return nil
	}
	entries, err := os.ReadDir(e.folder())
	if err != nil {
		return fmt.Errorf("--export %w", cli.FileError(e.folder(), err))
	}
	e.have = map[string]bool{}
	for _, entry := range entries {
		if match := aflName.FindStringSubmatch(entry.Name()); match != nil {
			id, _ := strconv.Atoi(match[1]) // of up to nine digits
			e.ids = max(e.ids, id+1)
			e.have[match[2]] = true
		}
	}
	return nil
}

// aflName matches the names of files in a queue of AFL++. Other instances read the files
// by their numbers, which must have no gaps.
var aflName = regexp.MustCompile(`^id:([0-9]{6,9})(?:,inroad:([0-9a-f]{16}))?`)

// write writes the findings that were not yet written. The name of a file has a digest
// of its content. Inputs that another fuzzer found are not written.
func (e *fuzzExport) write(findings []campaign.Finding) error {
	for ; e.dir != "" && e.written < len(findings); e.written++ {
		finding := findings[e.written]
		if finding.Included {
			continue
		}
		if err := e.writeInput(finding.Text); err != nil {
			return err
		}
	}
	return nil
}

func (e *fuzzExport) writeInput(content []byte) error {
	if e.layout == goLayout {
		content = gofuzz.Encode(content)
	}
	digest := fmt.Sprintf("%x", sha256.Sum256(content))[:16]
	name := digest
	if e.layout == aflLayout {
		if e.have[digest] {
			return nil // written before the campaign was continued
		}
		name = fmt.Sprintf("id:%06d,inroad:%s", e.ids, digest)
	}
	name = filepath.Join(e.folder(), name)
	err := outfile.Write(name, 0o644, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
	if err != nil {
		return fmt.Errorf("--export %w", cli.FileError(name, err))
	}
	if e.layout == aflLayout {
		e.ids++
		e.have[digest] = true
	}
	return nil
}

// A fuzzLog is the file of a campaign's observations. It may be larger than the memory.
type fuzzLog struct {
	program *observe.Program
	out     *observe.Output
	known   map[uint64]observation.Span // observations in the file when it was opened, by hash of the input
	past    []campaign.Past             // observations of inputs from other fuzzers, which have names
}

// openFuzzLog creates a file of observations, or opens one to continue it.
func openFuzzLog(name string, program *observe.Program) (*fuzzLog, error) {
	l := &fuzzLog{program: program, known: map[uint64]observation.Span{}}
	asked := 0
	out, err := observe.OpenOutput(name, program.Header(), func(o observation.Observation, at observation.Span) {
		l.known[xxhash.Sum64(o.Input)] = at
		if o.Name != "" {
			l.past = append(l.past, campaign.Past{Observation: o, After: asked})
		} else {
			asked++
		}
	})
	if err != nil {
		return nil, err
	}
	program.RestoreUnits(out.Units())
	l.out = out
	return l, nil
}

// Lookup returns the observation of an input in the file. An input with the same hash as
// a later one counts as unknown, and is run again.
func (l *fuzzLog) Lookup(input []byte) (observation.Observation, bool) {
	at, ok := l.known[xxhash.Sum64(input)]
	if !ok {
		return observation.Observation{}, false
	}
	o, err := l.out.At(at)
	return o, err == nil && bytes.Equal(o.Input, input)
}

// Append adds an observation to the file.
func (l *fuzzLog) Append(o observation.Observation) error {
	if err := l.out.AddUnits(l.program.Header().Units); err != nil {
		return err
	}
	return l.out.Write(o)
}
