package server

import (
	"context"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/inroad/inroad/api/queue"
	"github.com/inroad/inroad/api/store"
)

// trace returns a handler that records a span for each request, within the trace of
// the client if there is one. Without a tracer it returns h.
func (s *Server) trace(h http.Handler) http.Handler {
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

// nameSpan names the span of a request after its route, once the route is known.
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

// traceID returns the ID of the trace of a request; empty if there is none.
func traceID(ctx context.Context) string {
	if of := trace.SpanContextFromContext(ctx); of.IsValid() {
		return of.TraceID().String()
	}
	return ""
}

// traceJob runs a job in a new trace, because its request ends before the job.
func (s *Server) traceJob(ctx context.Context, j store.Job, run func(ctx context.Context) (queue.Result, error)) (queue.Result, error) {
	if s.Tracer == nil {
		return run(ctx)
	}
	ctx, span := s.Tracer.Tracer("github.com/inroad/inroad/api/server").Start(ctx, "train", trace.WithNewRoot(), trace.WithAttributes(
		attribute.Int64("inroad.job", int64(j.ID)), attribute.String("inroad.subject", j.Subject), attribute.String("inroad.grammar", j.Grammar)))
	defer span.End()
	result, err := run(ctx)
	if err != nil && !errors.Is(err, queue.ErrHelped) {
		span.SetStatus(codes.Error, excerpt(err.Error()))
	}
	span.SetAttributes(attribute.String("inroad.model", result.Model.ID))
	return result, err
}
