package cli

import (
	"errors"
	"sync"

	"github.com/inroad/inroad/model/gofuzz"
)

// UndecodedInputs counts files of Go fuzz corpora from which no single input can be
// taken. The zero value has counted none.
type UndecodedInputs struct {
	mu    sync.Mutex
	n     int
	first string // first of their names in sorted order
	err   error  // of the file first
}

// Add counts a file if err is a [gofuzz.SignatureError], and reports whether it is one.
func (u *UndecodedInputs) Add(name string, err error) bool {
	if _, ok := errors.AsType[*gofuzz.SignatureError](err); !ok {
		return false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.n == 0 || name < u.first {
		u.first, u.err = name, err
	}
	u.n++
	return true
}

// Note prints the number of files that were counted, if any, and the consequence.
func (u *UndecodedInputs) Note(streams Streams, consequence string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.n > 0 {
		streams.Notef("note: %s cannot be decoded, so %s: %s: %v", Count(u.n, "Go fuzz input", "Go fuzz inputs"), consequence, Printable(u.first), u.err)
	}
}
