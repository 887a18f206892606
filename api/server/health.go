package server

import (
	"context"
	"runtime"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
)

// GetHealth reports that the process is alive.
func (s *Server) GetHealth(context.Context, openapi.GetHealthRequestObject) (openapi.GetHealthResponseObject, error) {
	return openapi.GetHealth200JSONResponse{HealthyJSONResponse: openapi.HealthyJSONResponse{Status: openapi.Ok}}, nil
}

// GetReadiness reports whether the server accepts requests.
func (s *Server) GetReadiness(ctx context.Context, _ openapi.GetReadinessRequestObject) (openapi.GetReadinessResponseObject, error) {
	if s.shuttingDown.Load() {
		return nil, errShutdown
	}
	if err := s.Store.Ping(ctx); err != nil {
		s.Log.ErrorContext(ctx, "store not readable", "err", err)
		return nil, unavailable("the store cannot be read")
	}
	if err := s.Store.Failure(); err != nil {
		s.Log.ErrorContext(ctx, "store not writable", "err", err)
		return nil, unavailable("%v", store.ErrStopped)
	}
	return openapi.GetReadiness200JSONResponse{HealthyJSONResponse: openapi.HealthyJSONResponse{Status: openapi.Ok}}, nil
}

// GetVersion returns the version of the server.
func (s *Server) GetVersion(context.Context, openapi.GetVersionRequestObject) (openapi.GetVersionResponseObject, error) {
	return openapi.GetVersion200JSONResponse{Version: s.Version, Go: runtime.Version()}, nil
}
