package server

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
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
	heavy  map[string]int64       // minimum body sizes of requests that compute for long
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

// route returns the operation of a request, or nil if the contract has none.
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

// validate rejects requests whose parameters or media type violate the contract. Bodies
// are checked while they are decoded.
func (c *contract) validate(next echo.HandlerFunc) echo.HandlerFunc {
	return func(ctx echo.Context) error {
		route := c.route(ctx)
		if route == nil {
			return next(ctx)
		}
		r := ctx.Request()
		if body := route.Operation.RequestBody; body != nil && body.Value.Content[mediaType(r)] == nil {
			return &mediaError{echo.HeaderContentType, r.Header.Get(echo.HeaderContentType), slices.Sorted(maps.Keys(body.Value.Content))}
		}
		if err := checkQuery(route, r.URL.RawQuery); err != nil {
			return err
		}
		params := map[string]string{}
		for i, name := range ctx.ParamNames() {
			params[name] = ctx.ParamValues()[i]
		}
		err := openapi3filter.ValidateRequest(r.Context(), &openapi3filter.RequestValidationInput{
			Request: r, PathParams: params, Route: route,
			Options: &openapi3filter.Options{ExcludeRequestBody: true, SkipSettingDefaults: true},
		})
		if err != nil {
			return contractError(err)
		}
		return next(ctx)
	}
}

// checkQuery rejects a query that cannot be decoded, unknown parameters, and parameters
// that are given more than once but are not lists.
func checkQuery(route *routers.Route, query string) error {
	if query == "" {
		return nil
	}
	given, err := url.ParseQuery(query)
	if err != nil {
		return &requestError{"query: " + excerpt(err.Error())}
	}
	lists := map[string]bool{}
	for _, p := range slices.Concat(route.PathItem.Parameters, route.Operation.Parameters) {
		if p.Value.In == openapi3.ParameterInQuery {
			lists[p.Value.Name] = p.Value.Schema.Value.Type.Is(openapi3.TypeArray)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		list, known := lists[name]
		switch {
		case !known && len(lists) == 0:
			return openapi.FieldErrorf(excerpt(name), "unknown parameter: the operation has no parameters")
		case !known:
			return openapi.FieldErrorf(excerpt(name), "unknown parameter: must be %s", openapi.List(slices.Sorted(maps.Keys(lists))))
		case !list && len(given[name]) > 1:
			return openapi.FieldErrorf(name, "given more than once")
		}
	}
	return nil
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

// contractError returns the error for a parameter that violates the contract.
func contractError(err error) error {
	failed, ok := errors.AsType[*openapi3filter.RequestError](err)
	if !ok || failed.Parameter == nil {
		return &requestError{excerpt(err.Error())}
	}
	p := failed.Parameter
	if invalid, ok := errors.AsType[*openapi3.SchemaError](failed.Err); ok {
		return fieldError(p.Name, invalid)
	}
	if parse, ok := errors.AsType[*openapi3filter.ParseError](failed.Err); ok {
		return apicontract.Schema(p.Schema.Value).TypeError(p.Name, fmt.Sprint(parse.Value))
	}
	return &openapi.FieldError{Field: p.Name, Problem: cmp.Or(failed.Reason, "required")}
}

// fieldError converts a schema violation of a parameter to the error that
// [openapi.Validate] returns for it.
func fieldError(name string, err *openapi3.SchemaError) *openapi.FieldError {
	schema := apicontract.Schema(err.Schema)
	name = strings.Join(append([]string{name}, err.JSONPointer()...), ".")
	switch err.SchemaField {
	case "type":
		return schema.TypeError(name, err.Value)
	case "format":
		if schema.Type == "string" { // the only format of strings in parameters
			return &openapi.FieldError{Field: name, Value: openapi.Show(err.Value), Problem: "must be a time such as 2027-01-31T12:00:00Z"}
		}
		return schema.OverflowError(name, err.Value)
	default:
		return schema.Error(name, err.Value)
	}
}

// excerpt shortens a text that may come from a request.
func excerpt(text string) string { return api.Excerpt(text) }
