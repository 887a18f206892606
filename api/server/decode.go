package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/labstack/echo/v4"

	"github.com/inroad/inroad/api/openapi"
)

// Sizes of the buffers for a body that is one JSON value, and for a streamed body.
const (
	bodyBuffer   = 4 << 10
	streamBuffer = 64 << 10
)

// A binder decodes JSON bodies and checks them against the contract.
type binder struct{}

// Bind decodes the body of a request.
func (binder) Bind(to any, c echo.Context) error {
	r := c.Request()
	d := openapi.NewDecoder(bufio.NewReaderSize(r.Body, bodyBuffer), leaseOf(r.Context()).reserve)
	err := wrapBodyError(d.Decode(to))
	if is[*openapi.JSONError](err) {
		return &requestError{"body: " + excerpt(err.Error())}
	}
	return err
}

// A lineDecoder decodes a streamed body, which has one value per line.
type lineDecoder struct {
	*openapi.Decoder
	lease *lease
}

func newLineDecoder(ctx context.Context, body io.Reader) *lineDecoder {
	l := leaseOf(ctx)
	return &lineDecoder{openapi.NewDecoder(bufio.NewReaderSize(body, streamBuffer), l.reserve), l}
}

// next decodes the next line that is not blank, and no longer counts the memory of
// the previous one. After an error for which [invalid] is true, the next call
// continues with the following line.
func (d *lineDecoder) next(to any) error {
	d.lease.reset()
	return wrapBodyError(d.DecodeLine(to))
}

// invalid reports whether an error concerns one line, and not the whole body.
func invalid(err error) bool { return is[*openapi.FieldError](err) || is[*openapi.JSONError](err) }

// decodeLines yields the values of a streamed body. It ends at the first error.
func decodeLines[V any](d *lineDecoder) iter.Seq2[V, error] {
	return func(yield func(V, error) bool) {
		for {
			var v V
			err := d.next(&v)
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(v, lineError(d.Line(), err)) || err != nil {
				return
			}
		}
	}
}

// lineError adds the number of a line to the error of an invalid line.
func lineError(number int, err error) error {
	if !invalid(err) {
		return err
	}
	return &requestError{fmt.Sprintf("body: line %d: %s", number, excerpt(err.Error()))}
}
