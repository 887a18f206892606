package observe

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"

	"github.com/inroad/inroad/model/observation"
)

// An Output is a file of observations. It grows by whole lines, so that it can
// be continued after a crash.
type Output struct {
	file   *os.File
	reader *observation.Reader // of the existing file; may be nil
	writer *observation.Writer
	header observation.Header // as stored in the file
}

// OpenOutput creates a file of observations, or opens one to continue it. It
// removes an incomplete last line. If the file belongs to another program or is
// not a file of observations, it returns an error and does not change the file.
// OpenOutput calls visit for each observation in the file, even if it then returns an
// error; [ObservedInputs.Add] and nil are possible values.
func OpenOutput(name string, header observation.Header, visit func(observation.Observation, observation.Span)) (*Output, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	out := &Output{file: file}
	if err := out.open(header, visit); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), file.Close())
	}
	return out, nil
}

func (out *Output) open(header observation.Header, visit func(observation.Observation, observation.Span)) error {
	if err := lockFile(out.file); err != nil {
		return fmt.Errorf("locked by another process: %w", err)
	}
	var first bytes.Buffer
	writer, err := observation.NewWriter(&first, header)
	if err != nil {
		return err
	}
	end, err := lastLineEnd(out.file)
	if err != nil {
		return err
	}
	if end == 0 {
		out.writer = writer
		return out.begin(header, first.Bytes())
	}
	if err := out.readExisting(header, end, visit); err != nil {
		return err
	}
	if err := out.file.Truncate(end); err != nil {
		return err
	}
	_, err = out.file.Seek(end, io.SeekStart)
	out.writer = out.reader.Appender(out.file)
	return err
}

// begin writes the header to a file without a complete line. Existing contents
// must be a prefix of the header.
func (out *Output) begin(h observation.Header, header []byte) error {
	had, err := io.ReadAll(io.NewSectionReader(out.file, 0, int64(len(header))+1))
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(header, had) {
		return errors.New("exists and is not a file of observations")
	}
	if _, err := out.file.WriteAt(header, 0); err != nil {
		return err
	}
	out.header = h
	_, err = out.file.Seek(int64(len(header)), io.SeekStart)
	out.writer.SetOutput(out.file)
	return err
}

// readExisting reads the observations that the file contains.
func (out *Output) readExisting(header observation.Header, end int64, visit func(observation.Observation, observation.Span)) error {
	r := observation.NewReader(io.NewSectionReader(out.file, 0, end))
	out.reader = r
	for {
		o, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("cannot continue the file: %w", err)
		}
		if visit != nil {
			visit(o, r.Span())
		}
	}
	had := r.Header()
	out.header = had
	switch {
	case had.Subject != header.Subject || had.Commit != header.Commit:
		return fmt.Errorf("contains observations of %s: must be of %s", programName(had), programName(header))
	case len(header.Units) > 0 && !reflect.DeepEqual(had.Units, header.Units):
		return errors.New("contains observations of the same program with other methods: use a new file")
	}
	return nil
}

func programName(h observation.Header) string {
	if h.Commit == "" {
		return fmt.Sprintf("%q", h.Subject)
	}
	return fmt.Sprintf("%q at %q", h.Subject, h.Commit)
}

// lastLineEnd returns the offset after the last complete line.
func lastLineEnd(f *os.File) (int64, error) {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	buf := make([]byte, 1<<16)
	for end > 0 {
		n := min(end, int64(len(buf)))
		if _, err := f.ReadAt(buf[:n], end-n); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return end - n + int64(i) + 1, nil
		}
		end -= n
	}
	return 0, nil
}

// At returns the observation in a line that the file had when it was opened.
func (out *Output) At(at observation.Span) (observation.Observation, error) {
	line := make([]byte, at.Size)
	if _, err := out.file.ReadAt(line, at.Start); err != nil {
		return observation.Observation{}, err
	}
	return out.reader.Parse(line, at)
}

// Units returns the units in the file.
func (out *Output) Units() []observation.Unit { return out.header.Units }

// AddUnits adds the units that the file does not have. units must start with
// those it has.
func (out *Output) AddUnits(units []observation.Unit) error {
	known := len(out.header.Units)
	if len(units) <= known {
		return nil
	}
	more := out.header
	more.Units = units[known:]
	out.header.Units = units
	return out.writer.WriteHeader(more)
}

// Write appends an observation.
func (out *Output) Write(o observation.Observation) error { return out.writer.Write(o) }

// Close closes the file.
func (out *Output) Close() error { return out.file.Close() }
