package server_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/inroad/inroad/api/server"
)

// open sends a request and returns its answer, of which nothing is read yet.
func (s *service) open(t *testing.T, method, path, contentType string, body io.Reader) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s", method, path, resp.Status)
	}
	return resp
}

// shutDown begins the shutdown of a service and returns when it has begun.
func (s *service) shutDown(t *testing.T) {
	t.Helper()
	go s.stop()
	for {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			return
		}
		conn.Close()
	}
}

// Downloads that the end of the service interrupts do not look complete.
func TestInterruptedDownloads(t *testing.T) {
	s := start(t)
	var large bytes.Buffer // more than fits into the buffers between server and client, in the store as well
	random := make([]byte, 1<<20)
	for i := range uint64(16) {
		rand.NewChaCha8([32]byte{byte(i)}).Read(random)
		fmt.Fprintf(&large, `{"input_base64":%q,"methods":[]}`+"\n", base64.StdEncoding.EncodeToString(random))
	}
	s.send(t, http.MethodPost, "/v1/subjects/large/observations", ndjson, &large)
	const shuttingDown = `"error":"the service is shutting down"}` + "\n"
	downloads := []struct {
		method, path, body, last string
		answer                   *bufio.Reader
	}{
		{http.MethodGet, "/v1/subjects/large/observations", "", shuttingDown, nil},
		{http.MethodPost, "/v1/grammars/json/inputs", `{"n":1000000}`, shuttingDown, nil},
		{http.MethodGet, "/v1/grammars/javascript/paths?k=4", "", shuttingDown, nil},
		{http.MethodGet, "/v1/backup", "", "", nil},
	}
	if !s.isFile() {
		downloads = downloads[:len(downloads)-1]
	}
	for i, d := range downloads {
		answer := bufio.NewReader(s.open(t, d.method, d.path, "application/json", strings.NewReader(d.body)).Body)
		if _, err := answer.Peek(100); err != nil { // it has begun
			t.Fatal(err)
		}
		downloads[i].answer = answer
	}
	s.shutDown(t)
	for _, d := range downloads {
		text, err := io.ReadAll(d.answer)
		if !errors.Is(err, io.ErrUnexpectedEOF) || !bytes.HasSuffix(text, []byte(d.last)) {
			t.Errorf("%s ended with %.200q, %v; want %q and a connection that is closed", d.path, text[max(0, len(text)-200):], err, d.last)
		}
	}
}

// The events of a job that has not ended when the service ends do not look complete.
func TestInterruptedEvents(t *testing.T) {
	s := start(t)
	s.upload(t, 20000)
	resp, text := s.send(t, http.MethodPost, "/v1/models", "application/json", strings.NewReader(`{"subject":"calc","grammar":"expr"}`))
	if resp.StatusCode != http.StatusAccepted {
		t.Fatalf("%s %s", resp.Status, text)
	}
	body := bufio.NewReader(s.open(t, http.MethodGet, "/v1/jobs/1/events", "", nil).Body)
	if _, err := body.Peek(10); err != nil {
		t.Fatal(err)
	}
	s.shutDown(t)
	if rest, err := io.ReadAll(body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the events ended with %.200q, %v", rest, err)
	}
}

// A stream that fails has the number of its lines and the error on its last line.
func TestFailedStream(t *testing.T) {
	s := start(t, func(c *server.Config) { c.MaxUpload = 20000 })
	s.trained(t)
	resp := s.open(t, http.MethodPost, "/v1/models/latest/predictions?method=add", ndjson, strings.NewReader(strings.Repeat(`{"input":"1"}`+"\n", 2000)))
	text, err := io.ReadAll(resp.Body)
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	last := string(lines[len(lines)-1])
	if want := `{"count":1428,"error":"body too large: must have at most 20000 bytes"}`; err == nil || last != want {
		t.Errorf("the last line is %s, %v; want %s", last, err, want)
	}
}

// A stream that is complete ends with the number of its lines.
func TestCompleteDownload(t *testing.T) {
	s := start(t)
	s.upload(t, 10)
	_, text := s.send(t, http.MethodGet, observations, "", nil)
	if got, want := bytes.Count(complete(t, text), []byte("\n")), 11; got != want { // with the header
		t.Errorf("%d lines, want %d", got, want)
	}
	_, report := s.send(t, http.MethodPost, "/v1/subjects/copy/observations", ndjson, bytes.NewReader(text))
	if !strings.Contains(string(report), `"invalid":0,"stored":10`) {
		t.Errorf("an upload of what was downloaded: %s", report)
	}
}
