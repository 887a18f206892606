//go:build race

package grammars_test

// underRace reports whether the race detector is on. It slows everything down
// and makes memory measurements meaningless.
const underRace = true
