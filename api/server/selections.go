package server

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/inroad/inroad/api/openapi"
)

// selectRequest returns the request of a selection and its inputs. The inputs of a
// streamed body are read while they are iterated over.
func selectRequest(ctx context.Context, req openapi.SelectInputsRequestObject) (*openapi.SelectRequest, iter.Seq2[openapi.SelectInput, error], error) {
	if req.JSONBody != nil {
		return req.JSONBody, values(req.JSONBody.Inputs), nil
	}
	lines := newLineDecoder(ctx, req.Body)
	asked := &openapi.SelectRequest{}
	err := lines.next(asked)
	if errors.Is(err, io.EOF) {
		return nil, nil, &requestError{"body: line 1: empty: must be the request"}
	}
	if err != nil {
		return nil, nil, lineError(lines.Line(), err)
	}
	if asked.Inputs != nil {
		return nil, nil, &requestError{"body: line 1: inputs are not allowed here; send one input per following line"}
	}
	lines.lease.keep()
	return asked, decodeLines[openapi.SelectInput](lines), nil
}
