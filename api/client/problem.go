package client

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/targeting"
)

// An UnreachableError reports a service that did not answer.
type UnreachableError struct {
	URL string
	Err error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("%s: cannot reach the service: %v", e.URL, e.Err)
}

// Unwrap returns the network error.
func (e *UnreachableError) Unwrap() error { return e.Err }

// A ProblemError is an error that a service reports.
type ProblemError struct {
	openapi.Problem
	url   string
	retry bool          // the same request may succeed later
	delay time.Duration // before the next try
}

// Kind returns the last part of the type of a problem, such as not-found.
func (e *ProblemError) Kind() string { return strings.TrimPrefix(e.Type, "urn:inroad:problem:") }

// Is reports whether target is [fs.ErrNotExist] and the service does not know a name in
// the request. Without a service, the names are file names.
func (e *ProblemError) Is(target error) bool {
	return target == fs.ErrNotExist && e.Status == http.StatusNotFound
}

// Verdict returns the verdict of a solve request that ended without inputs, or "" for
// other problems.
func (e *ProblemError) Verdict() targeting.Verdict {
	switch v := targeting.Verdict(e.Kind()); v {
	case targeting.Infeasible, targeting.Unrealised:
		return v
	default:
		return ""
	}
}

// Error reads like the error of an engine in this process if the request is invalid,
// and names the service otherwise.
func (e *ProblemError) Error() string {
	switch e.Status {
	case http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity, http.StatusBadRequest, http.StatusRequestEntityTooLarge:
		if e.Detail != "" {
			return e.Detail
		}
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Sprintf("%s: %s; the key is read from INROAD_KEY", e.url, cmp.Or(e.Detail, e.Title))
	}
	return fmt.Sprintf("%s: %s", e.url, strings.TrimSuffix(e.Title+": "+e.Detail, ": "))
}

// problem returns the error of a response. Proxies may have written the response.
func (c *Client) problem(resp *http.Response) error {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	p := &ProblemError{url: c.url}
	if kind != "application/problem+json" || json.NewDecoder(io.LimitReader(resp.Body, maxProblem)).Decode(&p.Problem) != nil || p.Title == "" {
		return fmt.Errorf("%s: not an inroad service: it responds with %s", c.url, resp.Status)
	}
	if p.Kind() == "endpoint" { // not a name that the service does not know
		return fmt.Errorf("%s: endpoint not found; the address may have another path, or the service another version", c.url)
	}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds >= 0 {
		p.retry, p.delay = true, time.Duration(min(seconds, 3600))*time.Second
	}
	return p.restore()
}

// restore returns the error that an engine in this process would have returned, if the
// problem identifies it.
func (e *ProblemError) restore() error {
	switch {
	case e.Kind() == "grammar":
		found := g4.Diagnostics{}
		for _, f := range e.Findings {
			d := g4.Diagnostic{Pos: g4.Pos{File: f.File, Line: f.Line, Column: f.Column}, Severity: g4.Error, Message: f.Message}
			if f.Severity == openapi.Warning {
				d.Severity = g4.Warning
			}
			found = append(found, d)
		}
		return found
	case e.Limit != nil:
		return &limit.Error{What: e.Limit.Limit, Value: e.Limit.Value, Option: e.Limit.Option, Advice: e.Limit.Advice}
	case e.Field != "":
		f := &openapi.FieldError{Field: e.Field, Value: e.Value}
		f.Problem = strings.TrimPrefix(e.Detail, strings.TrimSuffix(f.Error(), ": ")+": ")
		return f
	default:
		return e
	}
}
