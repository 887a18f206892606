package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics count what the service does. Labels are routes and not paths, so that
// nobody can make up new ones.
type metrics struct {
	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec
	handler  http.Handler
}

func newMetrics(s *Server) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "inroad_requests_total", Help: "Requests that were answered.",
		}, []string{"method", "route", "status"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "inroad_request_seconds", Help: "How long answers took.", Buckets: prometheus.ExponentialBuckets(0.0005, 4, 9),
		}, []string{"method", "route"}),
	}
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		m.requests, m.took, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		gauge("inroad_requests_active", "Requests that are being served.", func() float64 { return float64(len(s.active)) }),
		gauge("inroad_requests_admitted_share", "The share of requests that are served; below 1 there are too many.", s.strain.share),
		gauge("inroad_jobs_waiting", "Jobs that wait for their turn.", func() float64 { return float64(s.jobs.waiting()) }),
		gauge("inroad_cache_bytes", "Grammars and models in memory, about.", func() float64 { return float64(s.grammars.bytes() + s.models.bytes()) }),
		gauge("inroad_store_bytes", "The size of the store.", func() float64 { return float64(s.Store.Size()) }),
	)
	m.handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return m
}

// count counts an answer.
func (m *metrics) count(c echo.Context, took time.Duration) {
	route, method := c.Path(), c.Request().Method
	if c.Response().Status == http.StatusNotFound && route == "" || c.Response().Status == http.StatusMethodNotAllowed {
		route, method = "none", "any"
	}
	m.requests.WithLabelValues(method, route, strconv.Itoa(c.Response().Status)).Inc()
	m.took.WithLabelValues(method, route).Observe(took.Seconds())
}
