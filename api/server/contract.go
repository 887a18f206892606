package server

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/labstack/echo/v4"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	apicontract "github.com/inroad/inroad/api/openapi/contract"
	"github.com/inroad/inroad/api/store"
)

// A contract validates requests. Its maps are indexed by method and route, such as
// "GET /v1/jobs/:job".
type contract struct {
	json   []byte // the contract as it is served
	routes map[string]*routers.Route
	scopes map[string]store.Scope // required scopes; empty for public operations
	heavy  map[string]int64       // sizes of bodies from which requests compute for long
}

// ndjson is the media type of streamed bodies.
const ndjson = "application/x-ndjson"

func loadContract() (*contract, error) {
	doc, err := apicontract.Load(openapi.Document)
	if err != nil {
		return nil, err
	}
	c := &contract{routes: map[string]*routers.Route{}, scopes: map[string]store.Scope{}, heavy: map[string]int64{}}
	if c.json, err = doc.MarshalJSON(); err != nil {
		return nil, fmt.Errorf("encode the contract: %w", err)
	}
	// The validator for 3.1 compiles every schema on every request. The validator for
	// 3.0 does not, and our schemas mean the same in both versions, which tests check.
	doc.OpenAPI = "3.0.3"
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			name := method + " " + strings.NewReplacer("{", ":", "}", "").Replace(path) // as echo writes it
			c.scopes[name] = requiredScope(doc, op)
			if from, ok := op.Extensions["x-heavy-from"].(float64); ok {
				c.heavy[name] = int64(from)
			}
			// authenticate checks keys; the validator would read the whole body first.
			op.Security = openapi3.NewSecurityRequirements()
			c.routes[name] = &routers.Route{Spec: doc, Path: path, PathItem: item, Method: method, Operation: op}
		}
	}
	return c, nil
}

// requiredScope returns the scope that an operation needs; empty if it is public.
func requiredScope(doc *openapi3.T, op *openapi3.Operation) store.Scope {
	security := doc.Security
	if op.Security != nil {
		security = *op.Security
	}
	for _, requirement := range security {
		for _, scope := range requirement["key"] {
			return store.Scope(scope)
		}
	}
	return ""
}

func (c *contract) serve(ctx echo.Context) error {
	return ctx.Blob(http.StatusOK, echo.MIMEApplicationJSON, c.json)
}

// route returns the operation of a request, or nil if it is not in the contract.
func (c *contract) route(ctx echo.Context) *routers.Route {
	return c.routes[ctx.Request().Method+" "+ctx.Path()]
}

// streams reports whether the body or the answer of a request is a stream.
func (c *contract) streams(ctx echo.Context) bool {
	route := c.route(ctx)
	if route == nil {
		return false
	}
	if mediaType(ctx.Request()) == ndjson {
		return true
	}
	ok := route.Operation.Responses.Status(http.StatusOK)
	return ok != nil && len(ok.Value.Content) > 0 && ok.Value.Content[echo.MIMEApplicationJSON] == nil && ok.Value.Content[echo.MIMETextPlain] == nil
}

// computes reports whether a request may compute for long.
func (c *contract) computes(ctx echo.Context) bool {
	r := ctx.Request()
	from, ok := c.heavy[r.Method+" "+ctx.Path()]
	unknown := r.ContentLength < 0 || r.Header.Get(echo.HeaderContentEncoding) != ""
	return ok && (unknown || r.ContentLength >= from)
}

func mediaType(r *http.Request) string {
	header := r.Header.Get(echo.HeaderContentType)
	if header == echo.MIMEApplicationJSON || header == ndjson { // nearly always
		return header
	}
	kind, _, _ := mime.ParseMediaType(header)
	return kind
}

// validate rejects requests that violate the contract. It does not read streamed
// bodies.
func (c *contract) validate(next echo.HandlerFunc) echo.HandlerFunc {
	return func(ctx echo.Context) error {
		route := c.route(ctx)
		if route == nil {
			return next(ctx)
		}
		r := ctx.Request()
		kind := mediaType(r)
		if body := route.Operation.RequestBody; body != nil && body.Value.Content[kind] == nil {
			return &mediaError{echo.HeaderContentType, r.Header.Get(echo.HeaderContentType), slices.Sorted(maps.Keys(body.Value.Content))}
		}
		params := map[string]string{}
		for i, name := range ctx.ParamNames() {
			params[name] = ctx.ParamValues()[i]
		}
		err := openapi3filter.ValidateRequest(r.Context(), &openapi3filter.RequestValidationInput{
			Request: r, PathParams: params, Route: route,
			Options: &openapi3filter.Options{
				ExcludeRequestBody:  kind == ndjson,
				SkipSettingDefaults: true,
			},
		})
		if err != nil {
			return contractError(err)
		}
		return next(ctx)
	}
}

// A mediaError reports an unsupported media type or encoding of a body.
type mediaError struct {
	header, value string
	supported     []string
}

func (e *mediaError) Error() string {
	return fmt.Sprintf("%s %q: must be %s", e.header, excerpt(e.value), openapi.List(e.supported))
}

// A requestError reports a request that violates the contract.
type requestError struct{ detail string }

func (e *requestError) Error() string { return e.detail }

// contractError returns the error for a request that violates the contract: an
// [openapi.FieldError] if one of its fields is invalid.
func contractError(err error) error {
	failed, ok := errors.AsType[*openapi3filter.RequestError](err)
	if !ok {
		return &requestError{err.Error()}
	}
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return tooLarge
	}
	if failed.RequestBody != nil && failed.Reason == "reading failed" && failed.Err != nil {
		return &bodyError{failed.Err}
	}
	if schema, ok := errors.AsType[*openapi3.SchemaError](failed.Err); ok {
		prefix := ""
		if failed.Parameter != nil {
			prefix = failed.Parameter.Name
		}
		return fieldError(prefix, schema)
	}
	if p := failed.Parameter; p != nil {
		if parse, ok := errors.AsType[*openapi3filter.ParseError](failed.Err); ok {
			return apicontract.Schema(p.Schema.Value).TypeError(p.Name, fmt.Sprint(parse.Value))
		}
		return &openapi.FieldError{Field: p.Name, Problem: cmp.Or(failed.Reason, "required")}
	}
	reason := failed.Reason
	if failed.Err != nil && failed.Err.Error() != reason {
		reason = strings.TrimPrefix(reason+": "+failed.Err.Error(), ": ")
	}
	return &requestError{"body: " + excerpt(reason)}
}

// fieldError converts a schema violation to the error that [openapi.Validate] returns
// for it.
func fieldError(prefix string, err *openapi3.SchemaError) *openapi.FieldError {
	name := strings.Trim(prefix+"."+strings.Join(err.JSONPointer(), "."), ".")
	schema := apicontract.Schema(err.Schema)
	switch err.SchemaField {
	case "required":
		return &openapi.FieldError{Field: name, Problem: "required"}
	case "properties", "additionalProperties":
		object, _ := err.Value.(map[string]any)
		for property := range object {
			if err.Schema.Properties[property] == nil {
				return &openapi.FieldError{Field: strings.Trim(name+"."+excerpt(property), "."), Problem: "unknown field"}
			}
		}
		return &openapi.FieldError{Field: cmp.Or(name, "body"), Problem: err.Reason}
	case "type":
		return schema.TypeError(cmp.Or(name, "body"), err.Value)
	case "format": // the only one that the contract has: of numbers
		return schema.OverflowError(cmp.Or(name, "body"), err.Value)
	default:
		return schema.Error(cmp.Or(name, "body"), err.Value)
	}
}

// excerpt shortens a text that a request may contain.
func excerpt(text string) string { return api.Excerpt(text) }
