package server

import (
	"sync"
	"time"
)

// A pace limits the time that a stream waits for its client. It has some time at first,
// which waiting uses up and each byte that is received or sent extends. So a client has
// to keep up a minimum rate on average, and a stream does not wait for a client that has
// stopped.
type pace struct {
	perByte time.Duration
	most    time.Duration

	mu   sync.Mutex
	left time.Duration
}

// maxAhead limits the time that a fast client gains, in multiples of the time at first.
// Buffers between server and client take bytes at once and then none for a while.
const maxAhead = 10

// newPace returns a pace for clients with at least a number of bytes per second.
func newPace(stall time.Duration, bytesPerSecond int64) *pace {
	return &pace{perByte: time.Second / time.Duration(bytesPerSecond), most: maxAhead * stall, left: stall}
}

// deadline returns when a wait that begins now has used up the time.
func (p *pace) deadline(now time.Time) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return now.Add(p.left)
}

// count records a wait for a number of bytes.
func (p *pace) count(bytes int, waited time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = min(p.left-waited+time.Duration(bytes)*p.perByte, p.most)
}
