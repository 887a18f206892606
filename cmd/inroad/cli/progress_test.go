package cli

import (
	"bytes"
	"testing"
)

func TestProgress(t *testing.T) {
	for _, c := range []struct {
		name        string
		done, total int
		want        string
	}{
		{"nothing yet", 0, 10, "inputs [                              ] 0 of 10"},
		{"half", 5, 10, "inputs [###############               ] 5 of 10"},
		{"more than expected", 11, 10, "inputs [##############################] 11 of 10"},
		{"of an unknown number", 7, 0, "inputs 7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			p := &Progress{w: &out, what: "inputs", total: c.total}
			p.Set(c.done)
			if got := out.String(); got != "\r\x1b[K"+c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestProgressStages(t *testing.T) {
	var out bytes.Buffer
	p := &Progress{w: &out}
	p.SetStage("learning", 1, 2)
	if got, want := out.String(), "\r\x1b[Klearning [###############               ] 1 of 2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestProgressOnlyOnTerminals(t *testing.T) {
	var out bytes.Buffer
	p := NewProgress(&TerminalWriter{W: &out}, "inputs", 3)
	p.Set(1)
	p.SetStage("learning", 1, 2)
	p.End()
	if out.Len() > 0 {
		t.Errorf("wrote %q where nobody watches", out.String())
	}
}
