package server

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/inroad/inroad/api/store/bolt"
)

const mib = 1 << 20

// newTestServer returns a server that is called without a network.
func newTestServer(t *testing.T, c Config) *Server {
	t.Helper()
	var err error
	if c.Store, err = bolt.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), bolt.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Store.Close() })
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestMemory(t *testing.T) {
	m := newMemory(100 * mib)
	status := func(err error) int {
		if err == nil {
			return 0
		}
		return problemOf(err).Status
	}
	var leases []*lease
	for _, c := range []struct {
		name, key string
		bytes     int
		want      int
	}{
		{"a request", "a", 20 * mib, 0},
		{"a second request of the key", "a", 10 * mib, http.StatusTooManyRequests},
		{"another key", "b", 20 * mib, 0},
		{"more than a request may have", "c", 26 * mib, http.StatusRequestEntityTooLarge},
		{"a request without a key", "", 20 * mib, 0},
		{"a second request without a key", "", 20 * mib, 0},
		{"the last memory", "d", 20*mib - mib, 0},
		{"more than there is", "e", 10 * mib, http.StatusServiceUnavailable},
		{"little", "e", freeMemory, 0},
	} {
		l := &lease{memory: m, key: c.key}
		leases = append(leases, l)
		if got := status(l.reserve(c.bytes)); got != c.want {
			t.Errorf("%s: status %d, want %d", c.name, got, c.want)
		}
	}
	for _, l := range leases {
		l.end()
	}
	if m.inUse() != 0 || len(m.byKey) != 0 {
		t.Errorf("%d bytes are in use after all requests, %v", m.inUse(), m.byKey)
	}
}

// The memory of a line is given back with the next one, but not what is kept.
func TestLease(t *testing.T) {
	m := newMemory(100 * mib)
	l := &lease{memory: m}
	inUse := func(want int64) {
		t.Helper()
		if got := m.inUse(); got != want {
			t.Errorf("%d bytes are in use, want %d", got, want)
		}
	}
	l.reserveFixed(mib)
	l.reserve(2 * mib)
	inUse(3*mib - freeMemory)
	l.reset()
	inUse(mib - freeMemory)
	l.reserve(mib)
	l.keep()
	l.reset()
	inUse(2*mib - freeMemory)
	l.end()
	inUse(0)
}

// filler is a body of a start, a part as often as fits into a size, and an end.
func filler(start, part, end string, size int) io.Reader {
	n := (size - len(start) - len(end)) / len(part) * len(part)
	return io.MultiReader(strings.NewReader(start), io.LimitReader(&repeater{text: part}, int64(n)), strings.NewReader(end))
}

type repeater struct {
	text string
	at   int
}

func (r *repeater) Read(p []byte) (n int, err error) {
	for n < len(p) {
		more := copy(p[n:], r.text[r.at:])
		n, r.at = n+more, (r.at+more)%len(r.text)
	}
	return n, nil
}

// largeBodies are bodies that are small when compressed, and have many values.
var largeBodies = []struct{ path, start, part, end string }{
	{"/v1/grammars/json/coverage", `{"inputs":[`, `{},`, `{}]}`},
	{"/v1/grammars/json/coverage", `{"inputs":[`, `[],`, `[]]}`},
	{"/v1/grammars/json/coverage", `{"inputs":[{"input":"`, `\u0001`, `"}]}`},
	{"/v1/grammars/json/coverage", `[`, `{"a":[]},`, `{}]`},
	{"/v1/grammars/json/inputs", `{"tokens":{"a":[`, `"x",`, `"x"]}}`},
	{"/v1/grammars/json/inputs", `{"tokens":{"a":["`, `x`, `"]}}`},
	{"/v1/grammars/json/inputs", `{"probabilities":{"a":[`, `0,`, `0]}}`},
	{"/v1/grammars/json/inputs", `{"probabilities":{"a":[`, `{},`, `0]}}`},
	{"/v1/grammars", `{"files":[`, `{"name":"a","text":""},`, `{}]}`},
	{"/v1/comparisons", `{"before":"a","after":"b","inputs":[`, `{},`, `{}]}`},
	{"/v1/selections", `{"model":"m","ignored":[`, `"",`, `""]}`},
	{"/v1/selections", `{"model":"m","inputs":[`, `{"path":"a"},`, `{}]}`},
	{"/v1/selections", `{"model":"m","inputs":[`, `{"path":"a","reached":["","",""]},`, `{}]}`},
	{"/v1/selections", `{"model":"m","inputs":[{"path":"a","reached":[`, `"",`, `""]}]}`},
	{"/v1/models", `{"subject":"a","grammar":"b","options":{"features":[`, `"all",`, `"all"]}}`},
}

// A body that takes a few kilobytes when compressed takes little memory.
func TestLargeBodies(t *testing.T) {
	const size, most = 8 * mib, 64 * mib
	s := newTestServer(t, Config{})
	for _, c := range largeBodies {
		body := strings.Builder{}
		w, _ := gzip.NewWriterLevel(&body, gzip.BestSpeed)
		io.Copy(w, filler(c.start, c.part, c.end, size))
		w.Close()
		var group sync.WaitGroup
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		requests := 1
		if c.path == "/v1/comparisons" {
			requests = 6
		}
		for range requests {
			group.Go(func() {
				r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost"+c.path, strings.NewReader(body.String()))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Content-Encoding", "gzip")
				w := httptest.NewRecorder()
				s.ServeHTTP(w, r)
				if w.Code == http.StatusInternalServerError {
					t.Errorf("%s%s…: %d %s", c.start, c.part, w.Code, w.Body)
				}
			})
		}
		group.Wait()
		runtime.ReadMemStats(&after)
		// All that was allocated, not only what was in use at the same time.
		if each := (after.TotalAlloc - before.TotalAlloc) / uint64(requests); each > most {
			t.Errorf("%s%s… allocates %d MiB, want at most %d", c.start, c.part, each/mib, most/mib)
		} else {
			t.Logf("%s%s… allocates %d MiB", c.start, c.part, each/mib)
		}
		if used := s.memory.inUse(); used != 0 {
			t.Errorf("%s%s…: %d bytes are in use afterwards", c.start, c.part, used)
		}
	}
}

// A stalledReader signals when a text has been read, and ends when it is told to.
type stalledReader struct {
	text io.Reader
	read func()
	end  <-chan struct{}
}

func (r *stalledReader) Read(p []byte) (int, error) {
	n, err := r.text.Read(p)
	if errors.Is(err, io.EOF) {
		r.read()
		<-r.end
	}
	return n, err
}

// Lines that clients do not finish take no more memory than all bodies may.
func TestUnfinishedLines(t *testing.T) {
	const streams, size, limit = 20, mib, 8 * mib
	s := newTestServer(t, Config{MaxBodies: limit})
	for _, c := range []struct{ path, start, part string }{
		{"/v1/grammars/json/coverage", `{"input":"`, `x`},
		{"/v1/grammars/json/coverage", `{"input":"`, `\n`},
		{"/v1/grammars/json/coverage", `{"input_base64":"`, `M`},
		{"/v1/selections", `{"model":"m","ignored":[`, `"a",`},
		{"/v1/subjects/s/observations", `{"input":"`, `x`},
	} {
		t.Run(c.path+" "+c.part, func(t *testing.T) {
			end := make(chan struct{})
			var read, done sync.WaitGroup
			codes := make([]int, streams)
			var before, during runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			for i := range streams {
				read.Add(1)
				finished := sync.OnceFunc(read.Done)
				done.Go(func() {
					defer finished()
					r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost"+c.path, &stalledReader{filler(c.start, c.part, "", size), finished, end})
					r.Header.Set("Content-Type", ndjson)
					w := httptest.NewRecorder()
					s.ServeHTTP(w, r)
					codes[i] = w.Code
				})
			}
			read.Wait() // each stream was rejected, or waits for the rest of its line
			runtime.GC()
			runtime.ReadMemStats(&during)
			if grown := int64(during.HeapAlloc) - int64(before.HeapAlloc); grown > 2*limit {
				t.Errorf("the heap grew by %d MiB, want at most %d", grown/mib, 2*limit/mib)
			}
			close(end)
			done.Wait()
			rejected := 0
			for _, code := range codes {
				if code == http.StatusServiceUnavailable {
					rejected++
				}
			}
			if rejected == 0 || rejected == streams {
				t.Errorf("%d of %d streams were rejected: %v", rejected, streams, codes)
			}
			if used := s.memory.inUse(); used != 0 {
				t.Errorf("%d bytes are in use afterwards", used)
			}
		})
	}
}

// A body that zstd compressed with the largest window counts as this window.
func TestDecompressorMemory(t *testing.T) {
	s := newTestServer(t, Config{MaxBodies: maxWindow * 2})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/v1/grammars/json/inputs", strings.NewReader("x"))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Content-Encoding", "zstd")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if want := fmt.Sprintf("must take at most %d bytes of memory", maxWindow/2); w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(w.Body.String(), want) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
