//go:build !race

package grammars_test

// underRace tells that the race detector is on.
const underRace = false
