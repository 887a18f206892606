package selection

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// A PatternError tells that a pattern is none.
type PatternError struct{ Pattern string }

func (e *PatternError) Error() string { return fmt.Sprintf("%q is no pattern of paths", e.Pattern) }

// CheckPatterns returns a *PatternError for the first that is wrong.
func CheckPatterns(patterns []string) error {
	for _, p := range patterns {
		for part := range strings.SplitSeq(p, "/") {
			if _, err := path.Match(part, ""); err != nil || p == "" {
				return &PatternError{p}
			}
		}
	}
	return nil
}

// MatchAny tells whether a path matches one of the patterns. A pattern without a
// slash is matched against the last part of the path.
func MatchAny(patterns []string, name string) bool {
	parts := strings.Split(name, "/")
	return slices.ContainsFunc(patterns, func(p string) bool {
		if !strings.Contains(p, "/") {
			ok, err := path.Match(p, parts[len(parts)-1])
			return ok && err == nil
		}
		return matchParts(strings.Split(p, "/"), parts)
	})
}

// matchParts matches part by part. Of several ** only the last is tried anew:
// what is before it could match no better elsewhere.
func matchParts(pattern, parts []string) bool {
	star, from := -1, 0
	i, j := 0, 0
	for j < len(parts) || i < len(pattern) {
		if i < len(pattern) && pattern[i] == "**" {
			star, from = i, j
			i++
			continue
		}
		if i < len(pattern) && j < len(parts) {
			if ok, err := path.Match(pattern[i], parts[j]); ok && err == nil {
				i++
				j++
				continue
			}
		}
		if star < 0 || from >= len(parts) {
			return false
		}
		from++
		i, j = star+1, from
	}
	return true
}
