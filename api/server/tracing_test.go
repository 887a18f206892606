package server_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/inroad/inroad/api/server"
)

// Requests are spans of the trace that they name. Jobs are traces of their own.
func TestTraces(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	log := &lockedBuffer{}
	s := start(t, func(c *server.Config) {
		c.Tracer = trace.NewTracerProvider(trace.WithSpanProcessor(spans))
		c.Log = slog.New(slog.NewTextHandler(log, nil))
	})
	model := s.trained(t)
	const caller = "4bf92f3577b34da6a3ce929d0e0e4736"
	resp, _ := s.send(t, http.MethodPost, "/v1/models/none/predictions", "application/json", strings.NewReader(`{"inputs":[{"input":"1"}]}`),
		"Traceparent", "00-"+caller+"-00f067aa0ba902b7-01")
	s.send(t, http.MethodGet, "/healthz", "", nil)
	s.stop()
	byName := map[string]trace.ReadOnlySpan{}
	for _, span := range spans.Ended() {
		byName[span.Name()] = span
	}
	of := func(name, key string) string {
		t.Helper()
		if byName[name] == nil {
			t.Fatalf("there is no span %s in %v", name, byName)
		}
		at := slices.IndexFunc(byName[name].Attributes(), func(kv attribute.KeyValue) bool { return string(kv.Key) == key })
		if at < 0 {
			t.Fatalf("span %s has no %s: %v", name, key, byName[name].Attributes())
		}
		return byName[name].Attributes()[at].Value.Emit()
	}
	const predict = "POST /v1/models/:model/predictions"
	if got := of(predict, "inroad.request_id"); got != resp.Header.Get("X-Request-Id") {
		t.Errorf("the request is %s, want %s", got, resp.Header.Get("X-Request-Id"))
	}
	if got := of(predict, "http.response.status_code"); got != "404" {
		t.Errorf("the status is %s, want 404", got)
	}
	if got := byName[predict].SpanContext().TraceID().String(); got != caller {
		t.Errorf("the trace is %s, want the caller's", got)
	}
	if got := of("train", "inroad.model"); got != model || byName["train"].Parent().IsValid() {
		t.Errorf("the training made %s, want %s, in a trace of its own", got, model)
	}
	if !strings.Contains(log.String(), "trace_id="+caller) {
		t.Errorf("the log does not name the trace:\n%s", log)
	}
	for name := range byName {
		if strings.Contains(name, "healthz") {
			t.Error("asking for health is traced")
		}
	}
}

// Streams are as they are without traces.
func TestTracedStream(t *testing.T) {
	predictStream(t, start(t, func(c *server.Config) { c.Tracer = trace.NewTracerProvider() }))
}

// A lockedBuffer is written to by several goroutines.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
