package selection

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// A PatternError reports a file pattern that [CheckPatterns] rejects.
type PatternError struct{ Pattern, Reason string }

func (e *PatternError) Error() string {
	return fmt.Sprintf("invalid file pattern %.80q: %s", e.Pattern, e.Reason)
}

// maxAlternatives limits the number of plain patterns that a pattern with
// braces expands to, because matching tries them one by one.
const maxAlternatives = 256

// CheckPatterns returns a *PatternError for the first invalid pattern.
func CheckPatterns(patterns []string) error {
	for _, p := range patterns {
		switch {
		case p == "":
			return &PatternError{p, "must not be empty"}
		case !doublestar.ValidatePattern(p):
			return &PatternError{p, "unclosed '[' or '{', unopened '}', or trailing '\\'"}
		case alternatives(p) > maxAlternatives:
			return &PatternError{p, fmt.Sprintf("must have at most %d alternatives", maxAlternatives)}
		}
	}
	return nil
}

// alternatives returns an upper bound on the number of plain patterns that a
// valid pattern expands to, or a number above [maxAlternatives].
func alternatives(pattern string) int {
	total := 1
	var open []int // by group: its alternatives up to here
	for _, c := range pattern {
		switch {
		case c == '{':
			open = append(open, 1)
		case c == ',' && len(open) > 0:
			open[len(open)-1]++
		case c == '}' && len(open) > 0:
			total *= open[len(open)-1]
			open = open[:len(open)-1]
		}
		if total > maxAlternatives {
			return total
		}
	}
	for _, n := range open { // a brace in a class or behind a backslash
		total = min(total*n, maxAlternatives+1)
	}
	return total
}

// MatchAny reports whether a path matches one of the patterns, in which * stands
// for anything but a slash, ** between slashes for any folders, and {a,b} for
// either. A pattern without a slash is matched against the last element of the
// path.
func MatchAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		if !strings.Contains(p, "/") {
			return doublestar.MatchUnvalidated(p, path.Base(name))
		}
		return doublestar.MatchUnvalidated(p, name)
	})
}
