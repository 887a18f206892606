package server

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/labstack/echo/v4"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
)

// A contract checks requests against the document.
type contract struct {
	json   []byte // as clients get it
	routes map[string]*routers.Route
	scopes map[string]store.Scope // that operations need
}

// ndjson is the type of bodies that are streamed.
const ndjson = "application/x-ndjson"

func loadContract() (*contract, error) {
	doc, err := openapi3.NewLoader().LoadFromData(openapi.Document)
	if err != nil {
		return nil, fmt.Errorf("the contract: %w", err)
	}
	c := &contract{routes: map[string]*routers.Route{}, scopes: map[string]store.Scope{}}
	if c.json, err = doc.MarshalJSON(); err != nil {
		return nil, fmt.Errorf("the contract: %w", err)
	}
	// As 3.1 every schema would be compiled anew for every request. Our schemas
	// mean the same in 3.0, for which there is a validator that needs no
	// compiling; tests see to it that both agree.
	doc.OpenAPI = "3.0.3"
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			name := method + " " + routed(path)
			c.scopes[name] = scopeOf(doc, op)
			// The validator would read a whole body to see whether someone is allowed to
			// send it.
			op.Security = openapi3.NewSecurityRequirements()
			c.routes[name] = &routers.Route{Spec: doc, Path: path, PathItem: item, Method: method, Operation: op}
		}
	}
	return c, nil
}

// routed returns a path of the contract as echo writes it.
func routed(path string) string { return strings.NewReplacer("{", ":", "}", "").Replace(path) }

// scopeOf returns what someone must be allowed to do; nothing if anybody may.
func scopeOf(doc *openapi3.T, op *openapi3.Operation) store.Scope {
	needed := doc.Security
	if op.Security != nil {
		needed = *op.Security
	}
	for _, requirement := range needed {
		for _, scope := range requirement["key"] {
			return store.Scope(scope)
		}
	}
	return ""
}

func (c *contract) serve(ctx echo.Context) error {
	return ctx.Blob(http.StatusOK, echo.MIMEApplicationJSON, c.json)
}

// route returns what the contract says of a request, nil if nothing.
func (c *contract) route(ctx echo.Context) *routers.Route {
	return c.routes[ctx.Request().Method+" "+ctx.Path()]
}

// streams reports whether the body or the answer of an operation is a stream.
func streams(route *routers.Route, r *http.Request) bool {
	if route == nil {
		return false
	}
	if mediaType(r) == ndjson {
		return true
	}
	ok := route.Operation.Responses.Status(http.StatusOK)
	return ok != nil && len(ok.Value.Content) > 0 && ok.Value.Content[echo.MIMEApplicationJSON] == nil
}

func mediaType(r *http.Request) string {
	kind, _, _ := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType))
	return kind
}

// validated refuses requests that are not what the contract says. Bodies that are
// streamed are not read for that.
func (c *contract) validated(next echo.HandlerFunc) echo.HandlerFunc {
	return func(ctx echo.Context) error {
		route := c.route(ctx)
		if route == nil {
			return next(ctx)
		}
		r := ctx.Request()
		kind := mediaType(r)
		if body := route.Operation.RequestBody; body != nil && body.Value.Content[kind] == nil {
			return &mediaError{echo.HeaderContentType, r.Header.Get(echo.HeaderContentType), acceptable(body.Value.Content)}
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

func acceptable(content openapi3.Content) string {
	if content[ndjson] != nil && content[echo.MIMEApplicationJSON] != nil {
		return echo.MIMEApplicationJSON + " and " + ndjson + " are"
	}
	for kind := range content {
		return kind + " is"
	}
	return "nothing is"
}

// A mediaError tells that a body cannot be read.
type mediaError struct{ header, value, read string }

func (e *mediaError) Error() string {
	return fmt.Sprintf("%s %q: %s read here", e.header, e.value, e.read)
}

// A requestError tells that a request is not what the contract says.
type requestError struct{ detail string }

func (e *requestError) Error() string { return e.detail }

// contractError says in a line what is wrong with a request.
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
	where := "body"
	if failed.Parameter != nil {
		where = fmt.Sprintf("%s parameter %s", failed.Parameter.In, failed.Parameter.Name)
	}
	reason := failed.Reason
	if schema, ok := errors.AsType[*openapi3.SchemaError](failed.Err); ok {
		reason = schema.Reason
		if at := schema.JSONPointer(); len(at) > 0 {
			reason = "/" + strings.Join(at, "/") + ": " + reason
		}
	} else if failed.Err != nil && failed.Err.Error() != reason {
		if reason != "" {
			reason += ": "
		}
		reason += failed.Err.Error()
	}
	return &requestError{where + ": " + excerpt(reason)}
}

// excerpt cuts what may have been taken from a request.
func excerpt(text string) string {
	const most = 500
	text = strings.ToValidUTF8(text, "�")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
