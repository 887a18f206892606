package server

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/inroad/inroad/api/store"
)

// A Role says what a replica of the service does.
type Role string

// The roles of a replica.
const (
	RoleAll    Role = "all"    // takes requests and runs jobs
	RoleAPI    Role = "api"    // takes requests
	RoleWorker Role = "worker" // runs jobs, and answers only health checks and requests for metrics
)

// share makes the server one of the replicas that use a store.
func (s *Server) share(with store.Shared) {
	s.quotas.replicas = with.Replicas
	s.unsubscribe = with.Subscribe(func(c store.Change) {
		switch c.Kind {
		case store.KeyChange:
			if c.Deleted {
				s.keyRequests.end(c.ID)
			}
		case store.CampaignChange:
			if id, err := strconv.ParseUint(c.ID, 10, 64); err == nil {
				s.campaigns.notify(id)
			}
		case store.AnyChange:
			s.campaigns.notifyAll()
			select {
			case s.missed <- struct{}{}:
			default: // keys will be checked
			}
		case store.JobChange, store.ModelChange: // handled by the queue and the store
		}
	})
}

// checkKeys ends requests with revoked keys whenever the server may have missed a
// revocation, until ctx ends.
func (s *Server) checkKeys(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.missed:
		}
		used := s.keyRequests.keys()
		known, err := s.Store.Keys(ctx)
		if err != nil { // the store announces that it is back
			continue
		}
		for _, id := range used {
			if !slices.ContainsFunc(known, func(k store.Key) bool { return k.ID == id }) {
				s.keyRequests.end(id)
			}
		}
	}
}

// limitRole rejects requests that a replica with the role of a worker does not answer.
func (s *Server) limitRole(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if s.Role == RoleWorker && !isHealthCheck(c) && c.Path() != "/metrics" {
			return &retryError{status: http.StatusServiceUnavailable, detail: "this replica only runs jobs", after: time.Minute}
		}
		return next(c)
	}
}
