package main

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
		{"more than was thought", 11, 10, "inputs [##############################] 11 of 10"},
		{"nobody knows of how many", 7, 0, "inputs 7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			p := &progress{w: &out, what: "inputs", total: c.total}
			p.set(c.done)
			if got := out.String(); got != "\r\x1b[K"+c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestProgressOnlyOnTerminals(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&terminalWriter{w: &out}, "inputs", 3)
	p.set(1)
	p.end()
	if out.Len() > 0 {
		t.Errorf("wrote %q where nobody watches", out.String())
	}
}
