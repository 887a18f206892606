package coverage

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// A jsonReader streams a JSON report, so that only one part of it is in memory.
type jsonReader struct{ *json.Decoder }

// readJSON reads the values of a report, usually one object.
func readJSON(text io.Reader, value func(j jsonReader) error) error {
	j := jsonReader{json.NewDecoder(text)}
	for j.More() {
		if err := value(j); err != nil {
			return j.explain(err)
		}
	}
	// More is also false at a closing bracket.
	if _, err := j.Token(); !errors.Is(err, io.EOF) {
		return j.explain(err)
	}
	return nil
}

// find reads an object that must have a member of this name, and skips all others.
func (j jsonReader) find(name string, member func() error) error {
	found := false
	err := j.object(func(key string) error {
		if key != name {
			return j.skip()
		}
		found = true
		return member()
	})
	if err == nil && !found {
		err = &missingError{name}
	}
	return err
}

// A missingError reports that an object lacks a member.
type missingError struct{ member string }

func (e *missingError) Error() string { return fmt.Sprintf("the report has no %q", e.member) }

// object reads an object. member reads the value of each key.
func (j jsonReader) object(member func(key string) error) error {
	if err := j.open('{', "an object"); err != nil {
		return err
	}
	for j.More() {
		key, err := j.Token()
		if err != nil {
			return err
		}
		if err := member(key.(string)); err != nil { // the decoder checks that keys are strings
			return err
		}
	}
	_, err := j.Token()
	return err
}

// array reads an array. element reads each element.
func (j jsonReader) array(element func() error) error {
	if err := j.open('[', "an array"); err != nil {
		return err
	}
	for j.More() {
		if err := element(); err != nil {
			return err
		}
	}
	_, err := j.Token()
	return err
}

func (j jsonReader) open(bracket json.Delim, name string) error {
	token, err := j.Token()
	if err == nil && token != bracket {
		err = fmt.Errorf("byte %d: must be %s", j.InputOffset(), name)
	}
	return err
}

// skip reads a value and drops it.
func (j jsonReader) skip() error {
	depth := 0
	for {
		token, err := j.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// explain adds the position to an error of the decoder.
func (j jsonReader) explain(err error) error {
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("byte %d: unexpected %s in %q", j.InputOffset(), mismatch.Value, mismatch.Field)
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("byte %d: invalid JSON: %w", syntax.Offset, err)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("truncated after byte %d", j.InputOffset())
	}
	return err
}

// A jsonCount is a count or a line number. Counters may be larger than an int64,
// negative after an overflow, or written as floats.
type jsonCount int

// UnmarshalJSON accepts any number, and null for 0.
func (c *jsonCount) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*c = 0
		return nil
	}
	n, err := strconv.ParseFloat(string(text), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return fmt.Errorf("%.20s: must be a number", text)
	}
	*c = jsonCount(min(max(n, 0), maxCount))
	return nil
}
