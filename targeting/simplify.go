package targeting

import (
	"slices"

	"github.com/inroad/inroad/features"
)

// Simplify returns the conditions without those that always hold or follow from
// another condition.
func Simplify(conditions []Condition) []Condition {
	var out []Condition
	for i, c := range conditions {
		if c.Min == 0 && c.Max == Unbounded {
			continue
		}
		if slices.ContainsFunc(conditions[:i], func(o Condition) bool { return follows(c, o) }) {
			continue
		}
		if slices.ContainsFunc(conditions[i+1:], func(o Condition) bool { return follows(c, o) && !follows(o, c) }) {
			continue
		}
		out = append(out, c)
	}
	return out
}

// follows reports whether a condition follows from another one. A path that
// contains a forbidden path is absent, and a path inside a required path is
// present.
func follows(c, from Condition) bool {
	switch {
	case c.Trivia != from.Trivia:
		return false
	case c.Max == 0 && from.Max == 0:
		return eachContains(c.Paths, from.Paths)
	case c.Min == 1 && c.Max == Unbounded && from.Min >= 1:
		return eachContains(from.Paths, c.Paths)
	case c.Max == Unbounded && from.Min >= c.Min: // the same paths, required more often
		return slices.EqualFunc(c.Paths, from.Paths, func(a, b features.Path) bool { return slices.Equal(a, b) })
	default:
		return false
	}
}

// eachContains reports whether each path contains one of the others.
func eachContains(paths, others []features.Path) bool {
	for _, p := range paths {
		if !slices.ContainsFunc(others, func(o features.Path) bool { return contains(p, o) }) {
			return false
		}
	}
	return len(paths) > 0
}

func contains(p, part features.Path) bool {
	for i := range len(p) - len(part) + 1 {
		if slices.Equal(p[i:i+len(part)], part) {
			return true
		}
	}
	return false
}
