package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/solve"
)

// problemOf returns what a client is told of an error. This is the one place that
// knows which status an error has. What it does not know is the service's fault,
// and its cause is for the log alone.
func problemOf(err error) openapi.Problem {
	detail := excerpt(err.Error())
	of := func(status int, name, title string) openapi.Problem {
		return openapi.Problem{Type: "urn:inroad:problem:" + name, Title: title, Status: status, Detail: detail}
	}
	var (
		request   *requestError
		body      *bodyError
		forbidden *forbiddenError
		media     *mediaError
		tooLarge  *http.MaxBytesError
		busy      *busyError
		found     g4.Diagnostics
		over      *limit.Error
		option    *model.OptionError
		unit      *model.UnitError
		notFound  *store.NotFoundError
		routing   *echo.HTTPError
		line      *observation.LineError
		alias     *aliasError
		path      *targeting.PathError
		asked     *askedError
		auth      *authError
		file      *model.FileError

		infeasible *solve.InfeasibleError
		unrealised *solve.UnrealisedError
	)
	switch {
	case errors.As(err, &tooLarge):
		detail = "the body is over " + strconv.FormatInt(tooLarge.Limit, 10) + " bytes"
		return of(http.StatusRequestEntityTooLarge, "too-large", "The request is too large")
	case errors.As(err, &busy) && busy.status == http.StatusTooManyRequests: // also where it ends a body
		return of(http.StatusTooManyRequests, "busy", "There is too much to do")
	case errors.As(err, &request), errors.As(err, &body), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, os.ErrDeadlineExceeded),
		errors.Is(err, context.Canceled): // the client is gone
		return of(http.StatusBadRequest, "bad-request", "The request is not what the contract says")
	case errors.As(err, &auth) && auth.status == http.StatusUnauthorized:
		return of(http.StatusUnauthorized, "unauthorized", "The request has no key that is known")
	case errors.As(err, &forbidden), errors.As(err, &auth):
		return of(http.StatusForbidden, "forbidden", "The request is not allowed")
	case errors.As(err, &media):
		return of(http.StatusUnsupportedMediaType, "unsupported-media", "The body is of a type or an encoding that is not read here")
	case errors.As(err, &busy), errors.Is(err, errEnding), errors.Is(err, context.DeadlineExceeded):
		return of(http.StatusServiceUnavailable, "unavailable", "The request cannot be served now")
	case errors.As(err, &found):
		p := of(http.StatusUnprocessableEntity, "grammar", "The grammar cannot be used")
		p.Findings = findingsOf(found)
		return p
	case errors.As(err, &infeasible):
		p := of(http.StatusUnprocessableEntity, "infeasible", "No input meets the conditions")
		for _, c := range infeasible.Conflict {
			p.Conflict = append(p.Conflict, c.String())
		}
		return p
	case errors.As(err, &unrealised):
		return of(http.StatusUnprocessableEntity, "unrealised", "No input was found that meets the conditions")
	case errors.As(err, &path):
		p := of(http.StatusUnprocessableEntity, "path", "A path is not one of the grammar")
		p.Near = path.Known[:min(len(path.Known), 20)]
		return p
	case errors.As(err, &alias), errors.Is(err, model.ErrGrammarMismatch):
		return of(http.StatusUnprocessableEntity, "conflict", "It does not go together")
	case errors.As(err, &over):
		return of(http.StatusUnprocessableEntity, "limit", "A limit was reached")
	case errors.As(err, &option), errors.As(err, &asked):
		return of(http.StatusUnprocessableEntity, "option", "What was asked for cannot be had")
	case errors.As(err, &line), errors.Is(err, observation.ErrIncompatible), errors.Is(err, model.ErrNoObservations):
		return of(http.StatusUnprocessableEntity, "observations", "The observations cannot be used")
	case errors.As(err, &file): // of another version; training makes one that can
		return of(http.StatusUnprocessableEntity, "model", "The model cannot be read")
	case errors.As(err, &notFound):
		return of(http.StatusNotFound, "not-found", "There is no such thing")
	case errors.As(err, &unit):
		p := of(http.StatusNotFound, "not-found", "There is no such thing")
		p.Near = unit.Near
		if len(unit.Matches) > 0 {
			p.Near = unit.Matches
		}
		return p
	case errors.Is(err, store.ErrFull):
		return openapi.Problem{Type: "urn:inroad:problem:full", Title: "There is no space left", Status: http.StatusInsufficientStorage}
	case errors.As(err, &routing):
		return routingProblem(routing)
	default:
		return openapi.Problem{Type: "urn:inroad:problem:internal", Title: "Something is wrong with the service", Status: http.StatusInternalServerError}
	}
}

// routingProblem returns what a client is told where no handler was found, or one
// whose parameters could not be read.
func routingProblem(err *echo.HTTPError) openapi.Problem {
	switch err.Code {
	case http.StatusNotFound:
		return openapi.Problem{Type: "urn:inroad:problem:not-found", Title: "There is no such thing", Status: err.Code, Detail: "nothing is served here; see /openapi.json"}
	case http.StatusMethodNotAllowed:
		return openapi.Problem{Type: "urn:inroad:problem:method", Title: "The method is not allowed here", Status: err.Code, Detail: "see /openapi.json"}
	case http.StatusInternalServerError:
		return openapi.Problem{Type: "urn:inroad:problem:internal", Title: "Something is wrong with the service", Status: err.Code}
	default:
		detail, _ := err.Message.(string)
		return openapi.Problem{Type: "urn:inroad:problem:bad-request", Title: "The request is not what the contract says", Status: http.StatusBadRequest, Detail: excerpt(detail)}
	}
}

// handleError answers a request with a problem.
func (s *Server) handleError(err error, c echo.Context) {
	ctx := c.Request().Context()
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, ctx.Err()) {
		err = cause
	}
	p := problemOf(err)
	p.RequestID = c.Response().Header().Get(echo.HeaderXRequestID)
	if p.Status == http.StatusInternalServerError {
		s.log(ctx).ErrorContext(ctx, "request failed", "route", c.Path(), "err", err, "request_id", p.RequestID)
	}
	if c.Response().Committed { // a stream broke off
		return
	}
	header := c.Response().Header()
	header.Set(echo.HeaderContentType, "application/problem+json")
	if p.Status == http.StatusTooManyRequests || p.Status == http.StatusServiceUnavailable {
		header.Set("Retry-After", retryAfter(err))
	}
	c.Response().WriteHeader(p.Status)
	if c.Request().Method != http.MethodHead {
		_, _ = c.Response().Write(append(appendJSON(nil, p), '\n'))
	}
}

// retryAfter returns in how many seconds a request is to be sent again.
func retryAfter(err error) string {
	after := time.Second
	if busy, ok := errors.AsType[*busyError](err); ok {
		after = max(after, busy.after)
	}
	return strconv.FormatInt(int64((after+time.Second-1)/time.Second), 10)
}
