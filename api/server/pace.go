package server

import (
	"sync"
	"time"
)

// A pace limits the time that a stream waits for its client. The client starts with
// an allowance of time. Waiting uses up the allowance, and each byte that is received
// or sent adds to it. So a client must keep up a minimum rate on average, and a
// stream does not wait for a client that has stopped.
type pace struct {
	perByte time.Duration
	most    time.Duration

	mu   sync.Mutex
	left time.Duration
}

// maxAhead limits the allowance that a fast client can save, in multiples of the
// initial allowance. Clients need savings, because buffers between server and client
// accept many bytes at once and then none for a while.
const maxAhead = 10

// newPace returns a pace with the initial allowance stall, for clients that transfer
// at least bytesPerSecond.
func newPace(stall time.Duration, bytesPerSecond int64) *pace {
	return &pace{perByte: time.Second / time.Duration(bytesPerSecond), most: maxAhead * stall, left: stall}
}

// deadline returns the time when a wait that begins now has used up the allowance.
func (p *pace) deadline(now time.Time) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return now.Add(p.left)
}

// count records that the stream waited for the transfer of a number of bytes.
func (p *pace) count(bytes int, waited time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = min(p.left-waited+time.Duration(bytes)*p.perByte, p.most)
}
