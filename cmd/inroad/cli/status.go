package cli

import (
	"fmt"
	"io"
	"time"
)

// A StatusLine shows the state of a long run on standard error: on a terminal one line
// that changes, and elsewhere a line from time to time.
type StatusLine struct {
	streams  Streams
	terminal io.Writer // nil if standard error is not a terminal
	shown    time.Time
}

// Intervals between the states that are shown.
const (
	terminalInterval = 100 * time.Millisecond
	plainInterval    = 10 * time.Second
)

// NewStatusLine returns a status line. The first state is shown after an interval.
func NewStatusLine(s Streams) *StatusLine {
	return &StatusLine{streams: s, terminal: terminalOf(s.Err), shown: time.Now()}
}

// Set shows the text that state returns, unless the last text was shown within the
// interval.
func (l *StatusLine) Set(state func() string) {
	now := time.Now()
	switch {
	case l.terminal != nil && now.Sub(l.shown) > terminalInterval:
		fmt.Fprintf(l.terminal, "\r\x1b[K%s", Printable(state()))
	case l.terminal == nil && now.Sub(l.shown) > plainInterval:
		l.streams.Notef("%s", Printable(state()))
	default:
		return
	}
	l.shown = now
}

// End removes the line from a terminal.
func (l *StatusLine) End() {
	if l.terminal != nil {
		fmt.Fprint(l.terminal, "\r\x1b[K")
	}
}
