package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
)

// errNoBackup is returned if the store is not a file.
var errNoBackup = errors.New("the store is not a file: back it up with the tools of its database")

// GetBackup sends a copy of the store. The copy is written to a file first, so that
// a slow client does not block the store.
func (s *Server) GetBackup(ctx context.Context, _ openapi.GetBackupRequestObject) (openapi.GetBackupResponseObject, error) {
	source, ok := s.Store.(store.Copier)
	if !ok {
		return nil, errNoBackup
	}
	backup, err := source.Copy(ctx)
	if err != nil {
		return nil, err
	}
	// Remove the file now, so that a crash leaves nothing behind. Systems that cannot
	// remove an open file remove it after it was sent.
	_ = os.Remove(backup.Name())
	return streamResponse(func(w http.ResponseWriter) error {
		defer func() { _ = backup.Close(); _ = os.Remove(backup.Name()) }()
		info, err := backup.Stat()
		if err != nil {
			return err
		}
		w.Header().Set("Content-Length", strconv.FormatInt(info.Size(), 10))
		w.Header().Set("Content-Disposition", `attachment; filename="inroad.db"`)
		out := stream(ctx, w, "application/octet-stream")
		if _, err := io.Copy(out, contextReader{ctx, backup}); err != nil {
			return err
		}
		return out.flush()
	}), nil
}

// A contextReader reads until its context ends.
type contextReader struct {
	ctx context.Context // of the request
	io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}
