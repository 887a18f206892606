package observation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Versions of the format, in the first line of a file. In version 2, numbers may stand
// for units.
const (
	versionNames   = "observations/1"
	versionNumbers = "observations/2"
)

// Limits of the format. maxLine has room for an input of MaxInput bytes with
// every byte escaped (\u00XX), and for the methods.
const (
	MaxInput = 8 << 20
	maxLine  = 64 << 20
)

// jsonLine is a header, an observation, or the last line of a download from a service.
// Only a header has the field "inroad". The last line has a count, no input, and an
// error if the download is incomplete.
type jsonLine struct {
	Version *string    `json:"inroad"`
	Subject string     `json:"subject"`
	Commit  string     `json:"commit"`
	Units   []jsonUnit `json:"units"`
	From    int        `json:"from"`
	readObservation

	Count json.RawMessage `json:"count"`
	Error json.RawMessage `json:"error"`
}

// endsDownload reports whether a line is the last one of a download, and returns an
// error if the download is incomplete.
func (l *jsonLine) endsDownload() (bool, error) {
	if l.Count == nil || l.Input != nil || l.InputBase64 != nil {
		return false, nil
	}
	if l.Error != nil {
		return true, fmt.Errorf("incomplete download: %s", l.Error)
	}
	return true, nil
}

type jsonHeader struct {
	Version string     `json:"inroad"`
	Subject string     `json:"subject,omitempty"`
	Commit  string     `json:"commit,omitempty"`
	From    int        `json:"from,omitempty"` // number of the first of Units
	Units   []jsonUnit `json:"units,omitempty"`
}

type jsonUnit struct {
	ID    string `json:"id"`
	Kind  string `json:"kind,omitempty"`
	Name  string `json:"name,omitempty"`
	File  string `json:"file,omitempty"`
	Start int    `json:"start,omitempty"`
	End   int    `json:"end,omitempty"`

	StartColumn int `json:"start_column,omitempty"`
	EndColumn   int `json:"end_column,omitempty"`
}

// readObservation is an observation whose units may have names and numbers.
type readObservation = jsonObservation[json.RawMessage]

// jsonObservation uses pointers for fields whose absence is significant. IDs is the type
// of lists of units.
type jsonObservation[IDs any] struct {
	Name        string       `json:"name,omitempty"`
	Input       *string      `json:"input,omitempty"`
	InputBase64 *[]byte      `json:"input_base64,omitempty"`
	Methods     IDs          `json:"methods,omitzero"`
	Counts      []int        `json:"counts,omitzero"`
	Calls       IDs          `json:"calls,omitzero"`
	Outcome     Outcome      `json:"outcome,omitempty"`
	Failure     *jsonFailure `json:"failure,omitempty"`
	DurationMS  float64      `json:"duration_ms,omitempty"`
}

type jsonFailure struct {
	Type    string `json:"type,omitempty"`
	Message string `json:"message,omitempty"`
	Stack   string `json:"stack,omitempty"`
}

// unmarshalLine decodes a line. It rejects text that encoding/json would
// silently replace.
func unmarshalLine(line []byte) (*jsonLine, error) {
	if !utf8.Valid(line) {
		return nil, errors.New("not UTF-8: binary inputs must be in input_base64")
	}
	if loneSurrogate(line) {
		return nil, errors.New("unpaired surrogate: inputs that are not valid Unicode must be in input_base64")
	}
	var l jsonLine
	err := json.Unmarshal(line, &l)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		field := strings.TrimPrefix(wrong.Field, "readObservation.")
		return nil, fmt.Errorf("%s: %w", field, &typeError{wrong.Value, jsonType(wrong.Type)})
	}
	if err != nil {
		return nil, fmt.Errorf("not a JSON object: %w", err)
	}
	return &l, nil
}

// jsonType returns the JSON type that decodes into t.
func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "a base64 string"
		}
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	default:
		return "a number"
	}
}

// loneSurrogate reports whether the line has an escaped surrogate that is not
// part of a pair.
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

// surrogate decodes a \uXXXX escape if it is a surrogate.
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

// check validates the units.
func (h jsonHeader) check() error {
	for _, u := range h.Units {
		switch {
		case u.ID == "":
			return errors.New("units: missing id")
		case u.Start < 0 || u.End < u.Start:
			return fmt.Errorf("units: %q: start %d, end %d: must be 0 <= start <= end", u.ID, u.Start, u.End)
		case u.StartColumn < 0 || u.EndColumn < 0:
			return fmt.Errorf("units: %q: start_column %d, end_column %d: must not be negative", u.ID, u.StartColumn, u.EndColumn)
		}
	}
	return nil
}

// observation validates the line and converts it.
func (l *jsonLine) observation(units *unitNames) (Observation, error) {
	j := &l.readObservation
	o := Observation{Name: j.Name, Counts: j.Counts, Outcome: j.Outcome}
	var err error
	if o.Methods, err = units.list(j.Methods); err != nil {
		return o, fmt.Errorf("methods: %w", err)
	}
	if o.Calls, err = units.list(j.Calls); err != nil {
		return o, fmt.Errorf("calls: %w", err)
	}
	switch {
	case j.Input != nil && j.InputBase64 != nil:
		return o, errors.New("both input and input_base64: must have one of them")
	case j.Input != nil:
		o.Input = []byte(*j.Input)
	case j.InputBase64 != nil:
		o.Input = *j.InputBase64
	default:
		return o, errors.New("neither input nor input_base64: must have one of them")
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
	o.Duration = time.Duration(math.Round(min(j.DurationMS, maxMS+1) * float64(time.Millisecond)))
	if err := o.check(); err != nil {
		return o, err
	}
	o.normalize()
	return o, nil
}

// MaxCalls is the maximum number of calls of an observation.
const MaxCalls = 100_000

// Limits that keep sums of durations and counts from overflowing.
const (
	maxMS    = 365 * 24 * 60 * 60 * 1000 // one year
	maxCount = 1 << 40
)

// check validates the observation.
func (o *Observation) check() error {
	switch {
	case len(o.Input) > MaxInput:
		return fmt.Errorf("input of %d bytes: must be at most %d", len(o.Input), MaxInput)
	case o.Outcome != OK && o.Outcome != Failed && o.Outcome != Crashed && o.Outcome != TimedOut:
		return fmt.Errorf("outcome %q: must be ok, failure, crash or timeout", o.Outcome)
	case o.Outcome == OK && o.Failure != nil:
		return errors.New("outcome ok: must not have a failure")
	case o.Counts != nil && len(o.Counts) != len(o.Methods):
		return fmt.Errorf("%d counts for %d methods: must be equal", len(o.Counts), len(o.Methods))
	case len(o.Calls) > MaxCalls:
		return fmt.Errorf("%d calls: must be at most %d", len(o.Calls), MaxCalls)
	case slices.Contains(o.Calls, ""):
		return errors.New("calls: empty ID")
	case o.Duration < 0 || o.Duration > maxMS*time.Millisecond:
		return fmt.Errorf("duration_ms %v: must be between 0 and %d", o.Duration.Milliseconds(), int64(maxMS))
	}
	for i, id := range o.Methods {
		if id == "" {
			return errors.New("methods: empty ID")
		}
		if o.Counts != nil && (o.Counts[i] < 0 || o.Counts[i] > maxCount) {
			return fmt.Errorf("count %d of %q: must be between 0 and %d", o.Counts[i], id, int64(maxCount))
		}
	}
	return nil
}
