package service

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
	"github.com/inroad/inroad/cmd/inroad/cli"
)

// trace makes a service send traces if the environment names a collector. The returned
// function sends the remaining traces when the service ends.
func trace(ctx context.Context, log *slog.Logger, config *server.Config) (end func(), err error) {
	tracer, err := newTracer(ctx)
	if tracer == nil {
		return func() {}, err
	}
	config.Tracer = tracer
	ctx = context.WithoutCancel(ctx)
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.WarnContext(ctx, "sending traces failed", "err", err) }))
	return func() {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		if err := tracer.Shutdown(ctx); err != nil {
			log.WarnContext(ctx, "sending traces failed", "err", err)
		}
	}, nil
}

// newTracer returns a tracer for the collector that OpenTelemetry's environment
// variables name; nil if they name none.
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
		return nil, nil //nolint:nilnil // no tracing
	case exporters != "" && exporters != "otlp":
		return nil, fmt.Errorf("OTEL_TRACES_EXPORTER %s: must be otlp or none", exporters)
	}
	if protocol := env("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"); protocol != "" && protocol != "http/protobuf" {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL %s: must be http/protobuf", protocol)
	}
	exporter, err := otlptracehttp.New(ctx) // it reads the other variables
	if err != nil {
		return nil, err
	}
	described, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "inroad"), attribute.String("service.version", cli.Version())),
		resource.WithTelemetrySDK(), resource.WithFromEnv()) // the last one wins
	if err != nil {
		return nil, err
	}
	return sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(described)), nil // the environment also sets the sampler
}
