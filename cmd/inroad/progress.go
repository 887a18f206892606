package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// A progress shows on a terminal how far a command has come. It is nil, and
// shows nothing, where nobody watches.
type progress struct {
	w     io.Writer
	what  string
	total int
	done  int
	shown time.Time
}

// newProgress returns a progress of something, of so many; 0 if nobody knows
// how many.
func newProgress(stderr io.Writer, what string, total int) *progress {
	if t, ok := stderr.(*terminalWriter); ok { // bars are ours and need no cleaning
		stderr = t.w
	}
	if file, ok := stderr.(*os.File); !ok || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return &progress{w: stderr, what: what, total: total}
}

// set tells how far things have come.
func (p *progress) set(done int) {
	if p == nil {
		return
	}
	p.done = done
	if now := time.Now(); now.Sub(p.shown) > 100*time.Millisecond {
		p.shown = now
		fmt.Fprintf(p.w, "\r\x1b[K%s", p)
	}
}

// setOf tells how far things have come, and of how many.
func (p *progress) setOf(done, total int) {
	if p != nil {
		p.total = total
		p.set(done)
	}
}

const barWidth = 30

// String returns the line that is shown.
func (p *progress) String() string {
	if p.total <= 0 {
		return fmt.Sprintf("%s %d", p.what, p.done)
	}
	full := min(p.done*barWidth/p.total, barWidth)
	return fmt.Sprintf("%s [%s%s] %d of %d", p.what, strings.Repeat("#", full), strings.Repeat(" ", barWidth-full), p.done, p.total)
}

// end takes the line away.
func (p *progress) end() {
	if p != nil && !p.shown.IsZero() {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
