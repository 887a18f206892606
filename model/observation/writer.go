package observation

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"time"
	"unicode/utf8"
)

// A Writer writes observations. It writes every line with a single call to the
// underlying writer.
type Writer struct {
	w         io.Writer
	buf       bytes.Buffer
	encoder   *json.Encoder
	numbering numbering
}

// NewWriter returns a Writer and writes the header to w.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	out := NewAppender(w)
	return out, out.WriteHeader(h)
}

// NewAppender returns a Writer that writes no header. [Reader.Appender] also uses the
// numbers of units in a file.
func NewAppender(w io.Writer) *Writer {
	out := &Writer{w: w}
	out.encoder = json.NewEncoder(&out.buf)
	out.encoder.SetEscapeHTML(false)
	return out
}

// SetOutput continues with another underlying writer.
func (w *Writer) SetOutput(to io.Writer) { w.w = to }

// WriteHeader writes a header. A header after the first must name the same
// program; it adds units.
func (w *Writer) WriteHeader(h Header) error {
	line := jsonHeader{Version: versionNames, Subject: h.Subject, Commit: h.Commit}
	for _, u := range h.Units {
		if u.Kind == KindMethod {
			u.Kind = ""
		}
		line.Units = append(line.Units, jsonUnit(u))
	}
	if err := line.check(); err != nil {
		return err
	}
	line.From = w.numbering.add(h.Units)
	if w.numbering.on {
		line.Version = versionNumbers
	}
	return w.writeLine(line)
}

// Write writes an observation. An empty outcome is written as OK.
func (w *Writer) Write(o Observation) error {
	o.Outcome = cmp.Or(o.Outcome, OK)
	if err := o.check(); err != nil {
		return err
	}
	o = o.Normalized()
	line := jsonObservation[any]{
		Name: o.Name, Methods: w.numbering.list(o.Methods), Counts: o.Counts, Calls: w.numbering.list(o.Calls), Outcome: o.Outcome,
		DurationMS: float64(o.Duration) / float64(time.Millisecond),
	}
	if utf8.Valid(o.Input) {
		text := string(o.Input)
		line.Input = &text
	} else {
		line.InputBase64 = &o.Input
	}
	if o.Failure != nil {
		f := jsonFailure(*o.Failure)
		line.Failure = &f
	}
	return w.writeLine(line)
}

func (w *Writer) writeLine(line any) error {
	w.buf.Reset()
	if err := w.encoder.Encode(line); err != nil {
		return err
	}
	if w.buf.Len() > maxLine {
		return fmt.Errorf("line of %d bytes: must be at most %d", w.buf.Len(), maxLine)
	}
	_, err := w.w.Write(w.buf.Bytes())
	return err
}
