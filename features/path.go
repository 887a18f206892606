package features

import "github.com/inroad/inroad/grammars"

// A Path is a k-path: a chain of occurrences, each a child of the one before it.
type Path []grammars.Occurrence

// mix appends a symbol to the hash of a path. It is the finaliser of splitmix64,
// which is a permutation: paths that differ in one symbol never collide.
func mix(h, symbol uint64) uint64 {
	h = h*0x9E3779B97F4A7C15 + symbol
	h ^= h >> 30
	h *= 0xBF58476D1CE4E5B9
	h ^= h >> 27
	h *= 0x94D049BB133111EB
	return h ^ h>>31
}

// hashText is 64-bit FNV-1a.
func hashText(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// Extend returns the ID of the path that appends o to the path with the given ID.
// The empty path has ID 0.
func Extend(id uint64, o grammars.Occurrence) uint64 { return mix(id, uint64(o)+1) }
