package server

import (
	"encoding/json"
	"errors"
	"io"
	"iter"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/labstack/echo/v4"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
)

// selectRequest returns the request of a selection and its inputs. The inputs of a
// streamed body are read while they are iterated over.
func (c *contract) selectRequest(req openapi.SelectInputsRequestObject) (*openapi.SelectRequest, iter.Seq2[openapi.SelectInput, error], error) {
	if req.JSONBody != nil {
		return req.JSONBody, values(req.JSONBody.Inputs), nil
	}
	schema := c.routes["POST /v1/selections"].Operation.RequestBody.Value.Content[echo.MIMEApplicationJSON].Schema.Value
	lines := newLineReader(req.Body)
	head, err := api.ReadLine(lines, maxLine)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, wrapBodyError(err)
	}
	asked := &openapi.SelectRequest{}
	if err := lineError(1, decodeValid(schema, head, asked)); err != nil {
		return nil, nil, err
	}
	if asked.Inputs != nil {
		return nil, nil, &requestError{"body: line 1: inputs are not allowed here; send one input per following line"}
	}
	item := schema.Properties["inputs"].Value.Items.Value
	return asked, decodeLines[openapi.SelectInput](lines, 2, func(text []byte, to any) error { return decodeValid(item, text, to) }), nil
}

// decodeValid decodes JSON and checks it against a schema.
func decodeValid(schema *openapi3.Schema, text []byte, to any) error {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	if err := schema.VisitJSON(value); err != nil {
		if invalid, ok := errors.AsType[*openapi3.SchemaError](err); ok {
			return fieldError("", invalid)
		}
		return err
	}
	return json.Unmarshal(text, to)
}
