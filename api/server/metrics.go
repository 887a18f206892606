package server

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/inroad/inroad/api/openapi"
)

// metrics are the Prometheus metrics of a server. Labels are routes, not URLs, so
// that clients cannot create new label values.
type metrics struct {
	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec
	handler  http.Handler
}

func newMetrics(s *Server) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "inroad_requests_total", Help: "Completed requests.",
		}, []string{"method", "route", "status"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "inroad_request_seconds", Help: "Duration of requests.", Buckets: prometheus.ExponentialBuckets(0.0005, 4, 9),
		}, []string{"method", "route"}),
	}
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		m.requests, m.took, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		gauge("inroad_requests_active", "Requests in progress.", func() float64 { return float64(len(s.active)) }),
		gauge("inroad_requests_computing", "Requests that compute for long and have a turn.", func() float64 { taken, _ := s.turns.count(); return float64(taken) }),
		gauge("inroad_requests_waiting", "Requests that wait for a turn.", func() float64 { _, waiting := s.turns.count(); return float64(waiting) }),
		gauge("inroad_requests_admitted_share", "Share of requests that are served; below 1 under overload.", s.shedder.share),
		gauge("inroad_body_bytes", "Memory for the bodies of requests in progress.", func() float64 { return float64(s.memory.inUse()) }),
		gauge("inroad_jobs_waiting", "Queued jobs.", func() float64 { return float64(s.waitingJobs()) }),
		gauge("inroad_campaigns_open", "Campaigns in memory.", func() float64 { open, _ := s.campaigns.count(); return float64(open) }),
		gauge("inroad_campaigns_computing", "Campaigns whose next inputs or states are being computed.", func() float64 { _, computing := s.campaigns.count(); return float64(computing) }),
		gauge("inroad_cache_bytes", "Approximate size of cached grammars and models.", func() float64 { return float64(s.library.bytes()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "inroad_store_failures_total", Help: "Failed writes to the store file; the store refuses writes after the first.",
		}, func() float64 {
			if s.Store.Failure() != nil {
				return 1
			}
			return 0
		}),
		gauge("inroad_store_bytes", "Size of the store file.", func() float64 { return float64(s.Store.Size()) }),
	)
	m.handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return m
}

// waitingJobs returns the number of queued jobs, or 0 if it cannot be read in a second.
func (s *Server) waitingJobs() int {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	n, _ := s.jobs.Waiting(ctx)
	return n
}

// GetMetrics returns the metrics in the text format of Prometheus.
func (s *Server) GetMetrics(context.Context, openapi.GetMetricsRequestObject) (openapi.GetMetricsResponseObject, error) {
	return s.metrics, nil
}

// VisitGetMetricsResponse writes the metrics.
func (m *metrics) VisitGetMetricsResponse(w http.ResponseWriter) error {
	m.handler.ServeHTTP(w, &http.Request{Header: http.Header{}})
	return nil
}

// record records a completed request.
func (m *metrics) record(c echo.Context, took time.Duration) {
	route, method := c.Path(), c.Request().Method
	if c.Response().Status == http.StatusNotFound && route == "" || c.Response().Status == http.StatusMethodNotAllowed {
		route, method = "none", "any"
	}
	m.requests.WithLabelValues(method, route, strconv.Itoa(c.Response().Status)).Inc()
	m.took.WithLabelValues(method, route).Observe(took.Seconds())
}
