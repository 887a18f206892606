package bolt

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
)

// A cancellingWriter ends a context with its first write.
type cancellingWriter struct {
	cancel context.CancelFunc
	writes int
}

func (w *cancellingWriter) Write(p []byte) (int, error) {
	w.cancel()
	w.writes++
	return len(p), nil
}

// A copy ends with its context: it must not go on for a client that is gone, nor delay the
// end of the service.
func TestCopyEndsWithContext(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	w := &cancellingWriter{cancel: cancel}
	if err := s.writeTo(ctx, w); !errors.Is(err, context.Canceled) || w.writes != 1 {
		t.Errorf("%v after %d writes, want %v after 1", err, w.writes, context.Canceled)
	}
}
