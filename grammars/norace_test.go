//go:build !race

package grammars_test

// underRace reports whether the race detector is on.
const underRace = false
