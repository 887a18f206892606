package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// A Progress shows the progress of a command on a terminal. A nil Progress shows
// nothing; [NewProgress] returns nil if standard error is not a terminal.
type Progress struct {
	w     io.Writer
	what  string
	total int
	done  int
	shown time.Time
}

// NewProgress returns a progress bar on a terminal; total is 0 if it is unknown.
func NewProgress(stderr io.Writer, what string, total int) *Progress {
	if w := terminalOf(stderr); w != nil {
		return &Progress{w: w, what: what, total: total}
	}
	return nil
}

// terminalOf returns standard error without escaping if it is a terminal, and nil
// otherwise.
func terminalOf(stderr io.Writer) io.Writer {
	if t, ok := stderr.(*TerminalWriter); ok {
		stderr = t.W
	}
	if file, ok := stderr.(*os.File); !ok || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return stderr
}

// Set shows the number of completed items.
func (p *Progress) Set(done int) {
	if p == nil {
		return
	}
	p.done = done
	if now := time.Now(); now.Sub(p.shown) > 100*time.Millisecond {
		p.shown = now
		fmt.Fprintf(p.w, "\r\x1b[K%s", p)
	}
}

// SetOf shows the number of completed items and the total.
func (p *Progress) SetOf(done, total int) {
	if p != nil {
		p.total = total
		p.Set(done)
	}
}

// SetStage shows the current stage and its progress; total is 0 if it is unknown.
func (p *Progress) SetStage(what string, done, total int) {
	if p != nil {
		p.what = what
		p.SetOf(done, total)
	}
}

const barWidth = 30

// String returns the line that is shown.
func (p *Progress) String() string {
	if p.total <= 0 {
		return fmt.Sprintf("%s %d", p.what, p.done)
	}
	full := min(p.done*barWidth/p.total, barWidth)
	return fmt.Sprintf("%s [%s%s] %d of %d", p.what, strings.Repeat("#", full), strings.Repeat(" ", barWidth-full), p.done, p.total)
}

// End removes the progress bar.
func (p *Progress) End() {
	if p != nil && !p.shown.IsZero() {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
