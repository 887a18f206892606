package observation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

// observationsVersion names the format in the first line of a file.
const formatVersion = "observations/1"

// Bounds of the format. A line holds an input of MaxInput bytes at its worst,
// six characters for each, and the methods.
const (
	MaxInput = 8 << 20
	maxLine  = 64 << 20
)

// jsonLine is any line: the header has "inroad", observations have not.
type jsonLine struct {
	Version *string    `json:"inroad"`
	Subject string     `json:"subject"`
	Commit  string     `json:"commit"`
	Units   []jsonUnit `json:"units"`
	jsonObservation
}

type jsonHeader struct {
	Version string     `json:"inroad"`
	Subject string     `json:"subject,omitempty"`
	Commit  string     `json:"commit,omitempty"`
	Units   []jsonUnit `json:"units,omitempty"`
}

type jsonUnit struct {
	ID    string `json:"id"`
	Kind  string `json:"kind,omitempty"`
	Name  string `json:"name,omitempty"`
	File  string `json:"file,omitempty"`
	Start int    `json:"start,omitempty"`
	End   int    `json:"end,omitempty"`
}

// jsonObservation has pointers where being absent means something.
type jsonObservation struct {
	Name        string       `json:"name,omitempty"`
	Input       *string      `json:"input,omitempty"`
	InputBase64 *[]byte      `json:"input_base64,omitempty"`
	Methods     []string     `json:"methods,omitzero"`
	Counts      []int        `json:"counts,omitzero"`
	Outcome     Outcome      `json:"outcome,omitempty"`
	Failure     *jsonFailure `json:"failure,omitempty"`
	DurationMS  float64      `json:"duration_ms,omitempty"`
	Weight      *float64     `json:"weight,omitempty"`
}

type jsonFailure struct {
	Type    string `json:"type,omitempty"`
	Message string `json:"message,omitempty"`
	Stack   string `json:"stack,omitempty"`
}

// unmarshalLine reads a line. Text that JSON would silently change is refused.
func unmarshalLine(line []byte) (*jsonLine, error) {
	if !utf8.Valid(line) {
		return nil, errors.New("not UTF-8; an input that is no text belongs into input_base64")
	}
	if loneSurrogate(line) {
		return nil, errors.New("half a surrogate pair, which is no character; such an input belongs into input_base64")
	}
	var l jsonLine
	err := json.Unmarshal(line, &l)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		field := strings.TrimPrefix(wrong.Field, "jsonObservation.")
		return nil, fmt.Errorf("%s: a JSON %s is not what belongs here", field, wrong.Value)
	}
	if err != nil {
		return nil, fmt.Errorf("not a JSON object: %w", err)
	}
	return &l, nil
}

// loneSurrogate tells whether a \ud800 to \udfff stands without its other half.
func loneSurrogate(line []byte) bool {
	for {
		i := bytes.IndexByte(line, '\\')
		if i < 0 {
			return false
		}
		line = line[i:]
		unit, ok := surrogate(line)
		switch low, pair := surrogate(line[min(6, len(line)):]); {
		case !ok:
			line = line[min(2, len(line)):]
		case unit < 0xDC00 && pair && low >= 0xDC00:
			line = line[12:]
		default:
			return true
		}
	}
}

// surrogate reads the escape of half a pair.
func surrogate(text []byte) (unit int, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	for _, c := range text[2:6] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		unit = unit<<4 | int(c)
	}
	return unit, unit >= 0xD800 && unit <= 0xDFFF
}

func (h jsonHeader) header() Header {
	units := make([]Unit, 0, len(h.Units))
	for _, u := range h.Units {
		if u.Kind == "" {
			u.Kind = KindMethod
		}
		units = append(units, Unit(u))
	}
	return Header{Subject: h.Subject, Commit: h.Commit, Units: units}
}

// check finds what is wrong with the units of a header.
func (h jsonHeader) check() error {
	for _, u := range h.Units {
		switch {
		case u.ID == "":
			return errors.New("units: one has no id")
		case u.Start < 0 || u.End < u.Start:
			return fmt.Errorf("units: %q: lines %d to %d", u.ID, u.Start, u.End)
		}
	}
	return nil
}

// observation checks what a line says.
func (j *jsonObservation) observation() (Observation, error) {
	o := Observation{Name: j.Name, Methods: j.Methods, Counts: j.Counts, Outcome: j.Outcome, Weight: 1}
	switch {
	case j.Input != nil && j.InputBase64 != nil:
		return o, errors.New("both input and input_base64")
	case j.Input != nil:
		o.Input = []byte(*j.Input)
	case j.InputBase64 != nil:
		o.Input = *j.InputBase64
	default:
		return o, errors.New("neither input nor input_base64")
	}
	if j.Failure != nil {
		f := Failure(*j.Failure)
		o.Failure = &f
	}
	switch {
	case o.Outcome != "":
	case o.Failure != nil:
		o.Outcome = Failed
	default:
		o.Outcome = OK
	}
	if j.Weight != nil {
		o.Weight = *j.Weight
	}
	o.Duration = time.Duration(math.Round(min(j.DurationMS, maxMS+1) * float64(time.Millisecond)))
	if err := o.check(); err != nil {
		return o, err
	}
	o.normalize()
	return o, nil
}

// What numbers may be, so that sums of them stay numbers.
const (
	maxMS    = 365 * 24 * 60 * 60 * 1000 // a year
	maxCount = 1 << 40
)

// check finds what the format does not allow.
func (o *Observation) check() error {
	switch {
	case len(o.Input) > MaxInput:
		return fmt.Errorf("input has %d bytes, more than the limit of %d", len(o.Input), MaxInput)
	case o.Outcome != OK && o.Outcome != Failed && o.Outcome != Crashed && o.Outcome != TimedOut:
		return fmt.Errorf("outcome %q: it is ok, failure, crash or timeout", o.Outcome)
	case o.Outcome == OK && o.Failure != nil:
		return errors.New("outcome ok, and yet a failure")
	case o.Counts != nil && len(o.Counts) != len(o.Methods):
		return fmt.Errorf("%d counts for %d methods", len(o.Counts), len(o.Methods))
	case !(o.Weight > 0 && o.Weight <= math.MaxFloat64):
		return fmt.Errorf("weight %v: it is more than 0", o.Weight)
	case o.Duration < 0 || o.Duration > maxMS*time.Millisecond:
		return fmt.Errorf("duration_ms %v: it is from 0 to %d", o.Duration.Milliseconds(), int64(maxMS))
	}
	for i, id := range o.Methods {
		if id == "" {
			return errors.New("a method without a name")
		}
		if o.Counts != nil && (o.Counts[i] < 0 || o.Counts[i] > maxCount) {
			return fmt.Errorf("count %d of %q: it is from 0 to %d", o.Counts[i], id, int64(maxCount))
		}
	}
	return nil
}
