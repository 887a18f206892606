package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// An attacker sends requests with one key and counts the answers.
type attacker struct {
	address, key string
	duration     time.Duration // of an attack, without its preparation
	client       *http.Client

	verbose bool

	mu      sync.Mutex
	got     map[string]int // by status, or by how a connection ended
	printed map[string]bool
}

// beAttacker reads a key, attacks a service and prints the counts.
func (opt options) beAttacker(ctx context.Context, stdin io.Reader) error {
	key, err := io.ReadAll(stdin)
	if err != nil {
		return err
	}
	all := attacks()
	i := slices.IndexFunc(all, func(a attack) bool { return a.name == opt.attack })
	if i < 0 {
		return fmt.Errorf("-attack %s: must be a name that -list prints", opt.attack)
	}
	a := &attacker{
		address: opt.address, key: string(key), duration: time.Duration(opt.seconds) * time.Second, got: map[string]int{},
		verbose: opt.verbose, printed: map[string]bool{},
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000, DisableCompression: true}},
	}
	if all[i].prepare != nil {
		limited, cancel := context.WithTimeout(ctx, maxPreparation)
		err := all[i].prepare(limited, a)
		cancel()
		if err != nil { // refused, which is fine
			a.count("not prepared")
		}
	}
	all[i].run(ctx, a)
	_, err = fmt.Fprintln(opt.stdout, a)
	return err
}

// maxPreparation is the longest time that an attacker prepares an attack.
const maxPreparation = 30 * time.Second

func (a *attacker) count(what string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.got[what]++
}

// String returns the counts.
func (a *attacker) String() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.got) == 0 {
		return "nothing"
	}
	var out []string
	for _, what := range slices.Sorted(maps.Keys(a.got)) {
		out = append(out, fmt.Sprintf("%s: %d", what, a.got[what]))
	}
	return strings.Join(out, ", ")
}

// A request is a request to the service.
type request struct {
	method, path          string
	contentType, encoding string
	body                  []byte
}

func get(path string) request { return request{method: http.MethodGet, path: path} }

func post(path, body string) request {
	return request{method: http.MethodPost, path: path, contentType: "application/json", body: []byte(body)}
}

// lines returns a request with a body of lines.
func lines(path, body string) request {
	return request{method: http.MethodPost, path: path, contentType: "application/x-ndjson", body: []byte(body)}
}

// gzipped returns the request with its body compressed. An unfinished body lacks its
// last bytes, but all its content can be decompressed.
func (r request) gzipped(finished bool) request {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(r.body) // a buffer takes everything
	_ = w.Flush()
	if finished {
		_ = w.Close()
	}
	r.body, r.encoding = out.Bytes(), "gzip"
	return r
}

// compressed returns requests with their bodies compressed.
func compressed(requests ...request) []request {
	for i, r := range requests {
		requests[i] = r.gzipped(true)
	}
	return requests
}

// send sends a request and reads the answer.
func (a *attacker) send(ctx context.Context, r request) (status int, answer []byte, err error) {
	return a.exchange(ctx, r, io.ReadAll)
}

func (a *attacker) exchange(ctx context.Context, r request, read func(io.Reader) ([]byte, error)) (status int, answer []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, r.method, "http://"+a.address+r.path, bytes.NewReader(r.body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+a.key)
	if r.contentType != "" {
		req.Header.Set("Content-Type", r.contentType)
	}
	if r.encoding != "" {
		req.Header.Set("Content-Encoding", r.encoding)
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = resp.Body.Close() }() // only read
	answer, err = read(resp.Body)
	return resp.StatusCode, answer, err
}

// discard reads everything and returns the beginning.
func discard(r io.Reader) ([]byte, error) {
	begin, err := io.ReadAll(io.LimitReader(r, 300))
	if err == nil {
		_, err = io.Copy(io.Discard, r)
	}
	return begin, err
}

// answered counts an answer, and prints the first of each status from each path.
func (a *attacker) answered(r request, status int, answer []byte) {
	a.count(fmt.Sprint(status))
	if !a.verbose {
		return
	}
	path, _, _ := strings.Cut(r.path, "?")
	first := fmt.Sprintf("%s %s: %d", r.method, path, status)
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.printed[first] {
		a.printed[first] = true
		fmt.Fprintf(os.Stderr, "attack: %s %s\n", first, bytes.TrimSpace(answer[:min(len(answer), 300)]))
	}
}

// flood sends requests in turn from n clients for the duration of the attack.
func (a *attacker) flood(ctx context.Context, n int, requests ...request) {
	a.floodFor(ctx, n, time.Hour, requests...)
}

// floodFor is like flood, but each client abandons a request that has no answer after
// the duration wait.
func (a *attacker) floodFor(ctx context.Context, n int, wait time.Duration, requests ...request) {
	ctx, cancel := context.WithTimeout(ctx, a.duration)
	defer cancel()
	var next atomic.Int64
	each(n, func() {
		for ctx.Err() == nil {
			r := requests[int(next.Add(1)-1)%len(requests)]
			limited, cancel := context.WithTimeout(ctx, wait)
			status, answer, err := a.exchange(limited, r, discard)
			switch {
			case status != 0:
				a.answered(r, status, answer)
			case limited.Err() != nil:
				a.count("left")
			case err != nil:
				a.count("closed")
				pause(ctx)
			}
			cancel()
		}
	})
}

// each calls a function from n goroutines and waits for them.
func each(n int, do func()) {
	var group sync.WaitGroup
	for range n {
		group.Go(do)
	}
	group.Wait()
}

// wait waits for the duration of the attack.
func (a *attacker) wait(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(a.duration):
	}
}

// pause waits for a second, or until ctx ends.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Second):
	}
}

// hold opens n connections for the duration of the attack. On each it sends head,
// then a byte of tail per second. It reads the status, then a byte per second. A
// connection that is closed or refused is opened again after a second.
func (a *attacker) hold(ctx context.Context, n int, head []byte, tail string) {
	ctx, cancel := context.WithTimeout(ctx, a.duration)
	defer cancel()
	each(n, func() {
		for ctx.Err() == nil {
			if err := a.holdOne(ctx, head, tail); ctx.Err() != nil {
				a.count("held")
			} else if err != nil {
				a.count("closed")
			}
			pause(ctx)
		}
	})
}

func (a *attacker) holdOne(ctx context.Context, head []byte, tail string) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", a.address)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer func() {
		if stop() {
			_ = conn.Close()
		}
	}()
	if err := conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		return err
	}
	go func() {
		_, err := conn.Write(head)
		for i := 0; i < len(tail) && err == nil; i++ {
			if pause(ctx); ctx.Err() != nil {
				return
			}
			_, err = conn.Write([]byte{tail[i]})
		}
	}()
	status := make([]byte, len("HTTP/1.1 200"))
	if _, err := io.ReadFull(conn, status); err != nil {
		return err
	}
	a.count(string(status[9:]))
	if status[9] != '2' {
		return nil
	}
	for {
		pause(ctx)
		if _, err := conn.Read(status[:1]); err != nil {
			return err
		}
	}
}

// head returns the text of a request whose Content-Length exceeds its body by missing
// bytes.
func (a *attacker) head(r request, missing int) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n", r.method, r.path, a.address, a.key)
	if r.contentType != "" {
		fmt.Fprintf(&out, "Content-Type: %s\r\n", r.contentType)
	}
	if r.encoding != "" {
		fmt.Fprintf(&out, "Content-Encoding: %s\r\n", r.encoding)
	}
	fmt.Fprintf(&out, "Content-Length: %d\r\n\r\n%s", len(r.body)+missing, r.body)
	return out.Bytes()
}

// upload uploads a grammar and returns its ID.
func (a *attacker) upload(ctx context.Context, r request) (string, error) {
	status, answer, err := a.send(ctx, r)
	if err != nil {
		return "", err
	}
	a.answered(r, status, answer)
	var made struct{ ID string }
	if err := json.Unmarshal(answer, &made); err != nil {
		return "", err
	}
	if made.ID == "" {
		return "", errors.New("the grammar was refused")
	}
	return made.ID, nil
}

// grammar returns a request with a grammar of one file.
func grammar(path, text string) request {
	type file struct {
		Name string `json:"name"`
		Text string `json:"text"`
	}
	body, _ := json.Marshal(map[string][]file{"files": {{"g.g4", text}}}) // strings can be encoded
	return post(path, string(body))
}
