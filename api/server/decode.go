package server

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/inroad/inroad/api/openapi"
)

// A serializer decodes bodies that were validated against the contract.
type serializer struct{ echo.DefaultJSONSerializer }

// Deserialize decodes the body of a request.
func (serializer) Deserialize(c echo.Context, to any) error {
	err := decode(json.NewDecoder(c.Request().Body), to)
	if err == nil {
		return nil
	}
	if !is[*openapi.FieldError](err) {
		err = &requestError{"body: " + excerpt(err.Error())}
	}
	return &bindError{err}
}

// A bindError reports a body that cannot be decoded. echo wraps it.
type bindError struct{ error }

// Unwrap returns the error of the field, if it is one of a field.
func (e *bindError) Unwrap() error { return e.error }

// decodeStrict decodes JSON without unknown fields.
func decodeStrict(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return decode(d, to)
}

// decode decodes one value, after which only white space follows. Errors name the
// field and what it can be, not Go types.
func decode(d *json.Decoder, to any) error {
	err := d.Decode(to)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return typeError(wrong)
	}
	if err != nil {
		if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
			if unquoted, err := strconv.Unquote(name); err == nil {
				name = unquoted
			}
			return &openapi.FieldError{Field: excerpt(name), Problem: "unknown field"}
		}
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("expected one JSON value, but more follows it")
	}
	return nil
}

// typeError returns the error for a value that its Go type cannot hold.
func typeError(err *json.UnmarshalTypeError) error {
	kind, value, _ := strings.Cut(err.Value, " ") // "string", or "number 1e2"
	name := cmp.Or(err.Field, "body")
	switch err.Type.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64:
		return &openapi.FieldError{Field: name, Value: openapi.Show(value), Problem: fmt.Sprintf("must be a whole number up to %d, without an exponent", math.MaxInt64)}
	case reflect.String:
		return &openapi.FieldError{Field: name, Problem: "must be a string, not " + article(kind)}
	default:
		return &openapi.FieldError{Field: name, Problem: "cannot be " + article(kind)}
	}
}

// article returns a type of JSON with its article.
func article(kind string) string {
	switch kind {
	case "array", "object":
		return "an " + kind
	case "bool":
		return "a boolean"
	default:
		return "a " + kind
	}
}
