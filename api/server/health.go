package server

import (
	"context"
	"net/http"
	"runtime"

	"github.com/inroad/inroad/api/openapi"
)

// GetHealth tells that the process answers.
func (s *Server) GetHealth(context.Context, openapi.GetHealthRequestObject) (openapi.GetHealthResponseObject, error) {
	return openapi.GetHealth200JSONResponse{WellJSONResponse: openapi.WellJSONResponse{Status: openapi.Ok}}, nil
}

// GetReadiness tells whether requests can be served.
func (s *Server) GetReadiness(ctx context.Context, _ openapi.GetReadinessRequestObject) (openapi.GetReadinessResponseObject, error) {
	if s.ending.Load() {
		return nil, errEnding
	}
	if err := s.Store.Ping(); err != nil {
		s.Log.ErrorContext(ctx, "store not readable", "err", err)
		return nil, &busyError{status: http.StatusServiceUnavailable, detail: "the store cannot be read"}
	}
	return openapi.GetReadiness200JSONResponse{WellJSONResponse: openapi.WellJSONResponse{Status: openapi.Ok}}, nil
}

// GetVersion tells which version answers.
func (s *Server) GetVersion(context.Context, openapi.GetVersionRequestObject) (openapi.GetVersionResponseObject, error) {
	return openapi.GetVersion200JSONResponse{Version: s.Version, Go: runtime.Version()}, nil
}
