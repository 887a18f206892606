// Package grow makes room in large slices without long pauses.
package grow

import "slices"

// piece is the number of elements that are copied at once.
const piece = 1 << 15

// Slice returns s with room for n more elements, or for a quarter more. It copies a large slice in pieces:
// a single copy cannot be interrupted, so the garbage collector, and with it every
// other goroutine, would have to wait for its end.
func Slice[E any](s []E, n int) []E {
	if len(s) <= piece || cap(s)-len(s) >= n {
		return slices.Grow(s, n)
	}
	out := make([]E, len(s), len(s)+max(n, len(s)/4))
	for at := 0; at < len(s); at += piece {
		copy(out[at:], s[at:min(at+piece, len(s))])
	}
	return out
}

// Append appends a value. It doubles the capacity of a full slice.
func Append[E any](s []E, value E) []E {
	if len(s) == cap(s) {
		s = Slice(s, max(8, len(s)))
	}
	return append(s, value)
}
