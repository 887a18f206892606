//go:build race

package grammars_test

// underRace tells that the race detector is on, which makes everything slow and
// memory no measure.
const underRace = true
