package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/queue"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/generate"
	"github.com/inroad/inroad/targeting/solve"
)

// A problemKind is a type of problem with the errors that it stands for.
type problemKind struct {
	status      int
	name, title string
	errors      []func(error) bool
}

//nolint:gochecknoglobals // constant values
var (
	badRequest = problemKind{http.StatusBadRequest, "bad-request", "Invalid request", []func(error) bool{
		is[*requestError], is[*bodyError], is[*openapi.FieldError], wraps(io.ErrUnexpectedEOF), wraps(os.ErrDeadlineExceeded),
		wraps(context.Canceled), // the client is gone
	}}
	notFound = problemKind{http.StatusNotFound, "not-found", "Not found", []func(error) bool{
		is[*store.NotFoundError], is[*api.NotFoundError], is[*model.UnitError],
	}}
	noEndpoint       = problemKind{http.StatusNotFound, "endpoint", "Endpoint not found", nil}
	methodNotAllowed = problemKind{http.StatusMethodNotAllowed, "method", "Method not allowed", nil}
	internal         = problemKind{http.StatusInternalServerError, "internal", "Internal error", nil}
)

// problemKinds maps errors to problems; the first kind that matches an error applies.
var problemKinds = []problemKind{ //nolint:gochecknoglobals // a constant table
	{http.StatusRequestEntityTooLarge, "too-large", "Request too large", []func(error) bool{is[*http.MaxBytesError], is[*memoryError]}},
	{http.StatusTooManyRequests, "busy", "Too many requests", []func(error) bool{retryStatus(http.StatusTooManyRequests), is[*queue.FullError]}},
	badRequest,
	{http.StatusUnauthorized, "unauthorized", "Missing, unknown or expired key", []func(error) bool{authStatus(http.StatusUnauthorized)}},
	{http.StatusForbidden, "forbidden", "Forbidden", []func(error) bool{authStatus(http.StatusForbidden)}},
	{http.StatusUnsupportedMediaType, "unsupported-media", "Unsupported media type or encoding", []func(error) bool{is[*mediaError]}},
	{http.StatusServiceUnavailable, "unavailable", "Service unavailable", []func(error) bool{
		retryStatus(http.StatusServiceUnavailable), wraps(errShutdown), wraps(context.DeadlineExceeded), wraps(store.ErrStopped), wraps(store.ErrUnavailable),
	}},
	{http.StatusUnprocessableEntity, "grammar", "Invalid grammar", []func(error) bool{is[g4.Diagnostics]}},
	{http.StatusUnprocessableEntity, "infeasible", "No input satisfies the constraint", []func(error) bool{is[*solve.InfeasibleError]}},
	{http.StatusUnprocessableEntity, "unrealised", "No input found", []func(error) bool{is[*solve.UnrealisedError], wraps(generate.ErrUnwritten)}},
	{http.StatusUnprocessableEntity, "path", "Invalid path", []func(error) bool{is[*targeting.PathError]}},
	{http.StatusUnprocessableEntity, "conflict", "Conflict", []func(error) bool{is[*aliasError], is[*repeatError], wraps(model.ErrGrammarMismatch), wraps(errBundled)}},
	{http.StatusConflict, "in-use", "In use", []func(error) bool{is[*store.InUseError]}},
	{http.StatusUnprocessableEntity, "limit", "Limit reached", []func(error) bool{is[*limit.Error]}},
	{http.StatusUnprocessableEntity, "observations", "Invalid observations", []func(error) bool{
		is[*observation.LineError], wraps(observation.ErrIncompatible), wraps(model.ErrNoObservations), wraps(model.ErrFewObservations),
	}},
	{http.StatusUnprocessableEntity, "model", "Unreadable model", []func(error) bool{is[*model.FileError]}},
	notFound,
	{http.StatusNotImplemented, "unsupported", "Not supported", []func(error) bool{wraps(errNoBackup)}},
	{http.StatusInsufficientStorage, "full", "No space left", []func(error) bool{wraps(store.ErrFull)}},
}

// is reports whether an error is or wraps a T.
func is[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

func wraps(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func retryStatus(status int) func(error) bool {
	return func(err error) bool {
		retry, ok := errors.AsType[*retryError](err)
		return ok && retry.status == status
	}
}

func authStatus(status int) func(error) bool {
	return func(err error) bool {
		auth, ok := errors.AsType[*authError](err)
		return ok && auth.status == status
	}
}

func (k problemKind) problem(detail string) openapi.Problem {
	return openapi.Problem{Type: "urn:inroad:problem:" + k.name, Title: k.title, Status: k.status, Detail: detail}
}

// problemOf returns the problem that clients receive for an error. Unknown errors
// become internal errors, whose details are only logged.
func problemOf(err error) openapi.Problem {
	if errors.Is(err, store.ErrUnavailable) {
		err = store.ErrUnavailable // its cause names hosts and users
	}
	for _, kind := range problemKinds {
		if slices.ContainsFunc(kind.errors, func(match func(error) bool) bool { return match(err) }) {
			p := kind.problem(excerpt(err.Error()))
			addDetails(&p, err)
			return p
		}
	}
	if routing, ok := errors.AsType[*echo.HTTPError](err); ok {
		return routingProblem(routing)
	}
	return internal.problem("")
}

// addDetails sets the fields of a problem that depend on the type of its error.
func addDetails(p *openapi.Problem, err error) {
	const maxNear = 20
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		p.Detail = fmt.Sprintf("body too large: must have at most %d bytes", tooLarge.Limit)
	}
	if errors.Is(err, store.ErrFull) {
		p.Detail = "" // names files of the service
	}
	if errors.Is(err, store.ErrStopped) {
		p.Detail = store.ErrStopped.Error() // without its cause, for the same reason
	}
	if field, ok := errors.AsType[*openapi.FieldError](err); ok {
		p.Field, p.Value = field.Field, field.Value
	}
	if diagnostics, ok := errors.AsType[g4.Diagnostics](err); ok {
		p.Findings = api.Findings(diagnostics)
	}
	if infeasible, ok := errors.AsType[*solve.InfeasibleError](err); ok {
		for _, c := range infeasible.Conflict {
			p.Conflict = append(p.Conflict, c.String())
		}
	}
	if over, ok := errors.AsType[*limit.Error](err); ok {
		p.Limit = &openapi.ReachedLimit{Limit: over.What, Value: over.Value, Option: over.Option, Advice: over.Advice}
	}
	if path, ok := errors.AsType[*targeting.PathError](err); ok {
		p.Near = path.Known[:min(len(path.Known), maxNear)]
	}
	if unknown, ok := errors.AsType[*api.NotFoundError](err); ok {
		p.Near = unknown.Known[:min(len(unknown.Known), maxNear)]
	}
	if unit, ok := errors.AsType[*model.UnitError](err); ok {
		if p.Near = unit.Matches[:min(len(unit.Matches), maxNear)]; len(p.Near) == 0 {
			p.Near = unit.Near
		}
	}
}

// routingProblem returns the problem for a request without a handler, or with
// parameters that cannot be decoded.
func routingProblem(err *echo.HTTPError) openapi.Problem {
	switch err.Code {
	case http.StatusNotFound:
		return noEndpoint.problem("endpoint not found; see /openapi.json")
	case http.StatusMethodNotAllowed:
		return methodNotAllowed.problem("see /openapi.json")
	case http.StatusInternalServerError:
		return internal.problem("")
	default:
		detail, _ := err.Message.(string)
		return badRequest.problem(excerpt(detail))
	}
}

// handleError responds with the problem of an error.
func (s *Server) handleError(err error, c echo.Context) {
	ctx := c.Request().Context()
	// If the key has expired or was revoked, that is the cause of any failure since.
	if cause := context.Cause(ctx); cause != nil && (errors.Is(err, ctx.Err()) || is[*authError](cause)) {
		err = cause
	}
	p := problemOf(err)
	p.RequestID = c.Response().Header().Get(echo.HeaderXRequestID)
	if p.Status == http.StatusInternalServerError || errors.Is(err, store.ErrUnavailable) {
		s.log(ctx).ErrorContext(ctx, "request failed", "route", c.Path(), "err", err, "request_id", p.RequestID)
	}
	if c.Response().Committed { // by a stream
		return
	}
	header := c.Response().Header()
	header.Set(echo.HeaderContentType, "application/problem+json")
	if mediaType(c.Request()) == ndjson { // else net/http reads the rest of the body first, which may take as long as the client wants
		header.Set(echo.HeaderConnection, "close")
	}
	if p.Status == http.StatusTooManyRequests || p.Status == http.StatusServiceUnavailable {
		header.Set("Retry-After", retryAfter(err))
	}
	if p.Status == http.StatusUnauthorized {
		header.Set(echo.HeaderWWWAuthenticate, "Bearer")
	}
	c.Response().WriteHeader(p.Status)
	if c.Request().Method != http.MethodHead {
		_, _ = c.Response().Write(append(api.AppendJSON(nil, p), '\n'))
	}
}

// retryAfter returns the seconds to wait before a retry.
func retryAfter(err error) string {
	after := time.Second
	if retry, ok := errors.AsType[*retryError](err); ok {
		after = max(after, retry.after)
	}
	return strconv.FormatInt(int64((after+time.Second-1)/time.Second), 10)
}
