package server

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/inroad/inroad/api/store"
)

// traced returns a handler whose requests are spans, of the trace that they name if
// they name one. Without a tracer it is the handler itself.
func (s *Server) traced(h http.Handler) http.Handler {
	if s.Tracer == nil {
		return h
	}
	return otelhttp.NewHandler(h, "request",
		otelhttp.WithTracerProvider(s.Tracer),
		otelhttp.WithPropagators(propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})),
		otelhttp.WithFilter(func(r *http.Request) bool {
			return r.URL.Path != "/healthz" && r.URL.Path != "/readyz" && r.URL.Path != "/metrics"
		}),
	)
}

// nameSpan calls a request's span by its route, which is not known before.
func nameSpan(c echo.Context, requestID string) {
	span := trace.SpanFromContext(c.Request().Context())
	if !span.IsRecording() {
		return
	}
	if route := c.Path(); route != "" {
		span.SetName(c.Request().Method + " " + route)
		span.SetAttributes(attribute.String("http.route", route))
	}
	span.SetAttributes(attribute.String("inroad.request_id", requestID))
}

// traceOf returns the id of the trace that a request is part of; nothing if there
// is none.
func traceOf(ctx context.Context) string {
	if of := trace.SpanContextFromContext(ctx); of.IsValid() {
		return of.TraceID().String()
	}
	return ""
}

// tracedJob does a job in a span of its own: who asked for it does not wait for it.
func (s *Server) tracedJob(ctx context.Context, j store.Job, do func(ctx context.Context) (string, error)) (string, error) {
	if s.Tracer == nil {
		return do(ctx)
	}
	ctx, span := s.Tracer.Tracer("github.com/inroad/inroad/api/server").Start(ctx, "train", trace.WithNewRoot(), trace.WithAttributes(
		attribute.Int64("inroad.job", int64(j.ID)), attribute.String("inroad.subject", j.Subject), attribute.String("inroad.grammar", j.Grammar)))
	defer span.End()
	made, err := do(ctx)
	if err != nil {
		span.SetStatus(codes.Error, excerpt(err.Error()))
	}
	span.SetAttributes(attribute.String("inroad.model", made))
	return made, err
}
