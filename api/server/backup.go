package server

import (
	"context"
	"io"
	"net/http"
	"os"
	"strconv"

	"github.com/inroad/inroad/api/openapi"
)

// GetBackup sends a copy of the store. The copy is made in a file first: who is
// slow to take it holds nothing up.
func (s *Server) GetBackup(ctx context.Context, _ openapi.GetBackupRequestObject) (openapi.GetBackupResponseObject, error) {
	copied, err := s.Store.Copy()
	if err != nil {
		return nil, err
	}
	// The name is not needed any more, and nothing is left behind by a crash. Where
	// an open file cannot be removed, it goes once it was sent.
	_ = os.Remove(copied.Name())
	return streamed{ctx, func(ctx context.Context, w http.ResponseWriter) error {
		defer func() { _ = copied.Close(); _ = os.Remove(copied.Name()) }()
		info, err := copied.Stat()
		if err != nil {
			return err
		}
		w.Header().Set("Content-Length", strconv.FormatInt(info.Size(), 10))
		w.Header().Set("Content-Disposition", `attachment; filename="inroad.db"`)
		out := s.stream(w, "application/octet-stream")
		buf := make([]byte, 64<<10)
		for {
			n, err := copied.Read(buf)
			if _, werr := out.Write(buf[:n]); werr != nil {
				return werr
			}
			if err == io.EOF { //nolint:errorlint // a file returns it as it is
				return out.flush()
			}
			if err == nil {
				err = context.Cause(ctx)
			}
			if err != nil {
				return err
			}
		}
	}}, nil
}
