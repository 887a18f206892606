package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/inroad/inroad/api/server"
)

// trace has a service send traces, if the environment says where to. What is to be
// sent when the service ends is sent by end.
func trace(ctx context.Context, log *slog.Logger, config *server.Config) (end func(), err error) {
	tracer, err := newTracer(ctx)
	if tracer == nil {
		return func() {}, err
	}
	config.Tracer = tracer
	ctx = context.WithoutCancel(ctx)
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.WarnContext(ctx, "traces were not sent", "err", err) }))
	return func() {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		if err := tracer.Shutdown(ctx); err != nil {
			log.WarnContext(ctx, "traces were not sent", "err", err)
		}
	}, nil
}

// newTracer returns what sends traces to the collector that the environment names
// in OpenTelemetry's variables, nil if it names none.
func newTracer(ctx context.Context) (*sdktrace.TracerProvider, error) {
	env := func(names ...string) string {
		for _, name := range names {
			if value := strings.TrimSpace(os.Getenv(name)); value != "" {
				return value
			}
		}
		return ""
	}
	exporters := env("OTEL_TRACES_EXPORTER")
	switch {
	case env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT") == "",
		strings.EqualFold(env("OTEL_SDK_DISABLED"), "true"), exporters == "none":
		return nil, nil //nolint:nilnil // nothing is traced
	case exporters != "" && exporters != "otlp":
		return nil, fmt.Errorf("OTEL_TRACES_EXPORTER %s: it is otlp or none", exporters)
	}
	if protocol := env("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"); protocol != "" && protocol != "http/protobuf" {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL %s: it is http/protobuf", protocol)
	}
	exporter, err := otlptracehttp.New(ctx) // which reads the other variables
	if err != nil {
		return nil, err
	}
	described, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "inroad"), attribute.String("service.version", version())),
		resource.WithTelemetrySDK(), resource.WithFromEnv()) // what is said last holds
	if err != nil {
		return nil, err
	}
	return sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(described)), nil // the sampler is the environment's, too
}
