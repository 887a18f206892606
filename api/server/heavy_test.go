package server_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"runtime"
	"runtime/debug"
	runtimemetrics "runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/server"
)

// An upload takes little memory, however long it is and however it is compressed.
func TestUploadMemory(t *testing.T) {
	size, input := 8<<20, 8000
	if *long {
		size, input = 200<<20, 400
	}
	const most = 64 << 20
	defer debug.SetGCPercent(debug.SetGCPercent(25)) // what is not in use any more is not meant
	for _, c := range []struct {
		encoding string
		encode   func(w io.Writer) (io.WriteCloser, error)
	}{
		{"identity", func(w io.Writer) (io.WriteCloser, error) { return nopCloser{w}, nil }},
		{"gzip", func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriterLevel(w, gzip.BestSpeed) }},
		{"zstd", func(w io.Writer) (io.WriteCloser, error) {
			return zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<20))
		}},
	} {
		t.Run(c.encoding, func(t *testing.T) {
			s := start(t)
			body, client := io.Pipe()
			sent := make(chan int, 1)
			go func() {
				w, err := c.encode(client)
				if err != nil {
					t.Error(err)
				}
				sent <- observe(w, size, input)
				client.CloseWithError(w.Close())
			}()
			peak := watchHeap(t)
			resp, text := s.send(t, http.MethodPost, observations, ndjson, body, "Content-Encoding", c.encoding)
			extra := peak()
			var report openapi.UploadReport
			if err := json.Unmarshal(text, &report); err != nil || resp.StatusCode != http.StatusOK || report.Stored != int64(<-sent) {
				t.Errorf("%s %s", resp.Status, text)
			}
			t.Logf("%d MB, of which the heap took %d more", size>>20, extra>>20)
			if extra > most {
				t.Errorf("the heap grew by %d MB, want at most %d", extra>>20, most>>20)
			}
		})
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// observe writes so many bytes of observations, of inputs that have so many each,
// and returns how many observations they are.
func observe(w io.Writer, size, input int) int {
	out := bufio.NewWriter(w)
	r := rand.New(rand.NewPCG(1, 0))
	n := 0
	for written := 0; written < size; n++ {
		m, _ := fmt.Fprintf(out, `{"input":"%x%s","methods":["calc.go#main","calc.go#method%d"]}`+"\n", r.Uint64(), strings.Repeat("+1", input/2), r.IntN(50))
		written += m
	}
	out.Flush()
	return n
}

// watchHeap watches the heap until the function that it returns is called, which
// returns by how much it grew at most.
func watchHeap(t *testing.T) func() int64 {
	t.Helper()
	heap := func() int64 {
		s := []runtimemetrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		runtimemetrics.Read(s)
		return int64(s[0].Value.Uint64())
	}
	runtime.GC()
	before := heap()
	ctx, stop := context.WithCancel(t.Context())
	peak := make(chan int64)
	go func() {
		most := before
		for ticks := time.NewTicker(5 * time.Millisecond); ; {
			select {
			case <-ctx.Done():
				ticks.Stop()
				peak <- most
				return
			case <-ticks.C:
				most = max(most, heap())
			}
		}
	}()
	return func() int64 {
		stop()
		return <-peak - before
	}
}

// active waits until so many requests are being served, beside the one that asks.
func (s *service) active(t *testing.T, want int) {
	t.Helper()
	line := fmt.Sprintf("\ninroad_requests_active %d\n", want+1)
	for t.Context().Err() == nil {
		if _, text := s.send(t, http.MethodGet, "/metrics", "", nil); strings.Contains(string(text), line) {
			return
		}
		time.Sleep(time.Millisecond) // somebody else decides when that is
	}
}

// request opens a connection and sends a request on it, whose answer nobody reads.
func (s *service) request(t *testing.T, method, path, body string) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.(*net.TCPConn).SetReadBuffer(1 << 12)
	fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", method, path, len(body), body)
	return conn
}

// A client that does not read what it asked for keeps nobody from anything, and
// its stream is ended.
func TestSlowClient(t *testing.T) {
	s := start(t, func(c *server.Config) { c.Stall = 200 * time.Millisecond })
	var body bytes.Buffer
	observe(&body, 16<<20, 1<<20) // more than fits into the buffers between server and client
	s.send(t, http.MethodPost, "/v1/subjects/large/observations", ndjson, &body)
	for range 2 {
		s.request(t, http.MethodGet, "/v1/subjects/large/observations", "")
	}
	s.active(t, 2)
	s.trained(t) // others are served meanwhile
	s.active(t, 0)
}

// A stream ends when its client is gone.
func TestAbandonedStreams(t *testing.T) {
	s := start(t) // would wait for half a minute
	s.trained(t)
	s.upload(t, 5000)
	for _, c := range []struct{ name, method, path, body string }{
		{"inputs", http.MethodPost, "/v1/grammars/json/inputs", `{"n":10000}`},
		{"solutions", http.MethodPost, "/v1/grammars/json/solutions", `{"require":["object > member"],"n":1000,"style":"varied"}`},
		{"targets", http.MethodPost, "/v1/models/latest/inputs", `{"methods":["add"],"n":1000,"style":"varied"}`},
		{"a backup", http.MethodGet, "/v1/backup", ""},
		{"observations", http.MethodGet, "/v1/subjects/calc/observations", ""},
	} {
		conn := s.request(t, c.method, c.path, c.body)
		if _, err := conn.Read(make([]byte, 100)); err != nil { // it has begun
			t.Fatalf("%s: %v", c.name, err)
		}
		conn.Close()
		s.active(t, 0)
	}
	if left, err := filepath.Glob(s.path + ".*"); err != nil || len(left) > 0 {
		t.Errorf("left behind are %v, %v", left, err)
	}
}
