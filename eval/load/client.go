package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A result counts the responses to clients.
type result struct {
	took    []time.Duration // time to each response, sorted
	refused int             // responses with status 429 or 503
	errors  int
	first   error
}

func (r *result) responses() int { return len(r.took) }

// percentile returns the n-th percentile of the response times, in milliseconds.
func (r *result) percentile(n int) float64 {
	if len(r.took) == 0 {
		return 0
	}
	return float64(r.took[min(len(r.took)*n/100, len(r.took)-1)].Microseconds()) / 1000
}

// run sends requests from all clients until the duration is over. The clients are spread
// over the addresses.
func (l load) run(ctx context.Context, addresses []string, opt options) (*result, error) {
	requests := map[string][][]byte{}
	for _, address := range addresses {
		requests[address] = l.requests(address, opt.seed)
	}
	ctx, cancel := context.WithTimeout(ctx, opt.duration)
	defer cancel()
	results := make([]result, l.connections)
	var group sync.WaitGroup
	for i := range results {
		group.Go(func() {
			address := addresses[i%len(addresses)]
			c := &client{address: address, requests: requests[address], at: i, result: &results[i]}
			for ctx.Err() == nil {
				c.ask(ctx)
			}
			c.hangUp()
		})
	}
	group.Wait()
	sum := &result{}
	for _, r := range results {
		sum.took = append(sum.took, r.took...)
		sum.refused += r.refused
		sum.errors += r.errors
		if sum.first == nil {
			sum.first = r.first
		}
	}
	slices.Sort(sum.took)
	if err := context.Cause(ctx); !errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	return sum, nil
}

// requests returns 1,000 serialized HTTP requests with different inputs.
func (l load) requests(address string, seed uint64) [][]byte {
	r := rand.New(rand.NewPCG(seed, 0))
	out := make([][]byte, 1000)
	for i := range out {
		body := fmt.Sprintf(`{"inputs":[{"input":%q}]}`, expression(r, 100))
		out[i] = fmt.Appendf(nil, "POST /v1/models/%s/predictions HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			l.model, address, len(body), body)
	}
	return out
}

// expression returns a random expression of size bytes.
func expression(r *rand.Rand, size int) string {
	var b strings.Builder
	pick := func(from string) byte { return from[r.IntN(len(from))] }
	open := 0
	for b.Len() < size-2*open-8 {
		switch r.IntN(5) {
		case 0:
			b.WriteByte(pick("xyz0123456789"))
			b.WriteByte(pick("+-*/%"))
			b.WriteByte('(')
			open++
		case 1:
			b.WriteByte(pick("+-"))
			b.WriteByte(pick("xyz"))
			if open > 0 {
				b.WriteByte(')')
				open--
			}
			b.WriteByte(pick("*/%"))
		default:
			b.WriteByte(pick("xyz123456789"))
			b.WriteByte(pick("+-*/%"))
		}
	}
	b.WriteString("x")
	b.WriteString(strings.Repeat(")", open))
	b.WriteString("+" + strings.Repeat("7", size-b.Len()-1))
	return b.String()
}

// A client sends requests on one connection, one after the other.
type client struct {
	address  string
	requests [][]byte
	at       int
	*result

	conn net.Conn
	in   *bufio.Reader
}

// patience is the timeout of a request.
const patience = 10 * time.Second

// ask sends one request and counts the response.
func (c *client) ask(ctx context.Context) {
	begin := time.Now()
	status, wait, err := c.exchange(ctx)
	switch {
	case err != nil && ctx.Err() != nil: // the duration is over
	case err != nil:
		c.fail(err)
	case status == http.StatusOK:
		c.took = append(c.took, time.Since(begin))
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		c.refused++
		select { // wait for the time in Retry-After
		case <-ctx.Done():
		case <-time.After(wait):
		}
	default:
		c.fail(fmt.Errorf("status %d", status))
	}
}

func (c *client) fail(err error) {
	c.errors++
	if c.first == nil {
		c.first = err
	}
	c.hangUp()
}

func (c *client) hangUp() {
	if c.conn != nil {
		_ = c.conn.Close() // responses were read or counted as errors
		c.conn = nil
	}
}

// exchange sends a request and reads the response. wait is the response's
// Retry-After, if any.
func (c *client) exchange(ctx context.Context) (status int, wait time.Duration, err error) {
	if c.conn == nil {
		if c.conn, err = (&net.Dialer{Timeout: patience}).DialContext(ctx, "tcp", c.address); err != nil {
			return 0, 0, err
		}
		c.in = bufio.NewReaderSize(c.conn, 16<<10)
	}
	if err := c.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return 0, 0, err
	}
	c.at = (c.at + 1) % len(c.requests)
	if _, err := c.conn.Write(c.requests[c.at]); err != nil {
		return 0, 0, err
	}
	resp, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return 0, 0, err
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0, 0, err
	}
	if resp.Close {
		c.hangUp()
	}
	seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
	return resp.StatusCode, time.Duration(seconds) * time.Second, resp.Body.Close()
}
