package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/server"
	"github.com/inroad/inroad/api/store"
)

// key creates a key that may read and write, and returns its header.
func (s *service) key(t *testing.T, name string) string {
	t.Helper()
	_, secret, err := s.store.NewKey(t.Context(), store.Key{Name: name, Scopes: []store.Scope{store.ScopeRead, store.ScopeWrite}})
	if err != nil {
		t.Fatal(err)
	}
	return "Bearer " + secret
}

// idle opens a stream on a connection of its own, sends nothing more, and returns the
// status of the answer; 0 if the stream was admitted.
func (s *service) idle(t *testing.T, key string) (net.Conn, int) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "POST /v1/models/latest/predictions?method=add HTTP/1.1\r\nHost: localhost\r\nAuthorization: %s\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\n\r\n", key, ndjson)
	const line = `{"input":"1"}` + "\n"
	fmt.Fprintf(conn, "%x\r\n%s\r\n", len(line), line)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode == http.StatusOK {
		return conn, 0
	}
	return conn, resp.StatusCode
}

// Streams of one key that are nearly idle do not keep other keys from anything.
func TestIdleStreams(t *testing.T) {
	s := start(t)
	s.trained(t)
	s.stop()
	s = startOn(t, s.path, func(c *server.Config) { c.NeedKeys = true })
	greedy, other := s.key(t, "greedy"), s.key(t, "other")
	statuses := map[int]int{}
	for range 256 {
		_, status := s.idle(t, greedy)
		statuses[status]++
	}
	if statuses[0] != 64 || statuses[http.StatusTooManyRequests] != 192 {
		t.Errorf("256 streams of one key: statuses %v, want 64 admitted and 192 refused with 429", statuses)
	}
	resp, text := s.send(t, http.MethodPost, "/v1/models/latest/predictions", "application/json", strings.NewReader(`{"inputs":[{"input":"1"}]}`), "Authorization", other)
	if resp.StatusCode != http.StatusOK {
		t.Errorf("a prediction of another key: %s %s", resp.Status, text)
	}
	if _, status := s.idle(t, other); status != 0 {
		t.Errorf("a stream of another key: %d", status)
	}
	if resp, text := s.send(t, http.MethodGet, "/v1/models", "", nil, "Authorization", greedy); resp.StatusCode != http.StatusOK {
		t.Errorf("a short request of the same key: %s %s", resp.Status, text)
	}
}

// Without keys, an address has the limits of a key. Streams leave room for short requests.
func TestIdleStreamsWithoutKeys(t *testing.T) {
	s := start(t, func(c *server.Config) { c.MaxActive, c.MaxStreams = 8, -1 })
	s.trained(t)
	statuses := map[int]int{}
	for range 8 {
		_, status := s.idle(t, "")
		statuses[status]++
	}
	if statuses[0] != 6 || statuses[http.StatusTooManyRequests] != 2 { // three quarters
		t.Errorf("statuses %v, want 6 admitted and 2 refused with 429", statuses)
	}
	s = startOn(t, s.path+"2", func(c *server.Config) { c.MaxActive, c.MaxStreams, c.Quotas.Active = 8, -1, -1 })
	s.trained(t)
	for range 8 {
		_, status := s.idle(t, "")
		statuses[status]++
	}
	if statuses[0] != 12 || statuses[http.StatusServiceUnavailable] != 2 {
		t.Errorf("without a limit for the address: statuses %v, want 6 admitted and 2 refused with 503", statuses)
	}
	s.get(t, "/v1/version", new(openapi.Version))
}

// A client that sends a byte now and then does not hold its stream open.
func TestDrippingClient(t *testing.T) {
	s := start(t, func(c *server.Config) { c.Stall, c.MinRate = 200*time.Millisecond, 1000 })
	s.trained(t)
	conn, _ := s.idle(t, "")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		io.Copy(io.Discard, conn)
	}()
	for range 200 { // at 50 bytes a second
		select {
		case <-ended:
			return
		case <-time.After(20 * time.Millisecond):
			fmt.Fprint(conn, "1\r\n \r\n")
		}
	}
	t.Error("the stream did not end")
}
