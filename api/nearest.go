package api

import (
	"slices"
	"strings"
)

// didYouMean returns a suggestion to append to an error about an unknown name,
// empty if no name is near.
func didYouMean(written string, names []string) string {
	near := nearest(written, names)
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(near, " or ") + "?"
}

// nearest returns up to three names that resemble a misspelled name, most similar
// first.
func nearest(written string, names []string) []string {
	const most = 3
	written = strings.ToLower(written)
	var near []string
	for edits := range 3 {
		for _, name := range names {
			if len(near) < most && distance(written, strings.ToLower(name)) == edits {
				near = append(near, name)
			}
		}
	}
	for _, name := range names {
		if len(near) < most && strings.Contains(strings.ToLower(name), written) && !slices.Contains(near, name) {
			near = append(near, name)
		}
	}
	return near
}

// distance returns the Levenshtein distance of two texts in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
