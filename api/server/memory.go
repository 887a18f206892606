package server

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
)

// A memory counts the memory that the bodies of all requests in progress take.
// Requests never wait for memory: a request that exceeds a limit is rejected.
type memory struct {
	limit int64 // of all requests
	share int64 // of one key, and of one request

	mu    sync.Mutex
	used  int64
	byKey map[string]int64
}

// The first freeMemory bytes of each request are not counted.
const (
	keyShare   = 4 // a key has at most this fraction of the memory
	freeMemory = 64 << 10
)

func newMemory(limit int64) *memory {
	return &memory{limit: limit, share: limit / keyShare, byKey: map[string]int64{}}
}

// inUse returns the counted memory of all requests.
func (m *memory) inUse() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used
}

// take counts bytes for a key, or rejects them. Requests without a key have no limit
// of their own, only the limit of all requests.
func (m *memory) take(key string, bytes int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if key != "" && m.byKey[key]+bytes > m.share {
		return tooManyRequests(time.Second, "key %s: limit of %d bytes for the bodies of concurrent requests exceeded", key, m.share)
	}
	if m.used+bytes > m.limit {
		return unavailable("limit of %d bytes for the bodies of concurrent requests exceeded", m.limit)
	}
	m.used += bytes
	m.byKey[key] += bytes
	return nil
}

func (m *memory) give(key string, bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used -= bytes
	if m.byKey[key] -= bytes; m.byKey[key] == 0 {
		delete(m.byKey, key)
	}
}

// A lease is the memory of one request. One goroutine at a time uses it.
type lease struct {
	memory *memory
	key    string

	bytes int64 // in use
	fixed int64 // in use until the request ends
	taken int64 // counted by memory
}

// reserve adds bytes to the memory of the request.
func (l *lease) reserve(bytes int) error {
	l.bytes += int64(bytes)
	if l.bytes > l.memory.share {
		return &memoryError{l.memory.share}
	}
	missing := l.bytes - freeMemory - l.taken
	if missing <= 0 {
		return nil
	}
	if err := l.memory.take(l.key, missing); err != nil {
		return err
	}
	l.taken += missing
	return nil
}

// reserveFixed adds bytes until the request ends.
func (l *lease) reserveFixed(bytes int) error {
	l.fixed += int64(bytes)
	return l.reserve(bytes)
}

// reset ends the use of all memory that is not fixed.
func (l *lease) reset() {
	l.bytes = l.fixed
	if kept := max(0, l.bytes-freeMemory); kept < l.taken {
		l.memory.give(l.key, l.taken-kept)
		l.taken = kept
	}
}

// keep makes the memory in use fixed.
func (l *lease) keep() { l.fixed = l.bytes }

// end ends the use of all memory.
func (l *lease) end() {
	l.fixed = 0
	l.reset()
}

// A memoryError reports a body that takes more memory than one request may have.
type memoryError struct{ limit int64 }

func (e *memoryError) Error() string {
	return fmt.Sprintf("body too large: must take at most %d bytes of memory", e.limit)
}

type leaseContext struct{}

// leaseOf returns the memory of a request.
func leaseOf(ctx context.Context) *lease { return ctx.Value(leaseContext{}).(*lease) }

// limitMemory counts the memory of the body of a request until the request ends.
func (s *Server) limitMemory(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		l := &lease{memory: s.memory, key: keyID(c)}
		defer l.end()
		c.SetRequest(r.WithContext(context.WithValue(r.Context(), leaseContext{}, l)))
		return next(c)
	}
}

// A lineMeter counts the memory of the longest line of a body for its reader, which
// holds one line at a time.
type lineMeter struct {
	io.Reader
	lease   *lease
	line    int // bytes of the current line
	longest int
}

func (m *lineMeter) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	rest := p[:n]
	for len(rest) > 0 {
		part, after, ended := bytes.Cut(rest, []byte("\n"))
		m.line += len(part)
		if more := m.line - m.longest; more > 0 {
			m.longest = m.line
			if err := m.lease.reserve(more + more/4); err != nil { // a buffer grows by a quarter
				return 0, err
			}
		}
		if ended {
			m.line = 0
		}
		rest = after
	}
	return n, err
}
