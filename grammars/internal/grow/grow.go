// Package grow makes room in large slices without long pauses.
package grow

import "slices"

// piece is the number of elements that are copied at once.
const piece = 1 << 15

// Slice returns s with room for at least n more elements. It copies a large slice in
// pieces, and allocates room for many elements by make, which clears memory in pieces
// and only if it was used before. If the runtime grew the slice, it would copy and
// clear the memory in one go, and the garbage collector, and with it every other
// goroutine, would have to wait.
func Slice[E any](s []E, n int) []E {
	switch {
	case cap(s)-len(s) >= n:
		return s
	case max(len(s), n) <= piece:
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
