// Package targeting says which inputs are wanted.
//
// A [Constraint] is a conjunction of conditions on the paths of an input's tree:
// which it has, how often, and which it must not have. A [Reader] reads paths as
// people write them. The packages below make the inputs.
package targeting

import (
	"fmt"
	"strings"

	"github.com/inroad/inroad/features"
)

// A Constraint is what an input has to satisfy: all of its conditions, and its
// limits. Limits that are zero do not bind.
type Constraint struct {
	Conditions []Condition
	MaxNodes   int // symbols in the tree, those in tokens too
	MaxDepth   int // symbols below each other
	MaxChars   int // characters in all tokens that the parser sees
}

// A Condition tells in how many places of a tree any of some paths may end.
type Condition struct {
	Paths  []features.Path
	Trivia bool // the paths are those of skipped and hidden tokens
	Min    int
	Max    int    // or Unbounded
	Text   string // as someone wrote it, if someone did
}

// Unbounded is the most of a condition that has none.
const Unbounded = -1

// Require returns the condition that one of the paths is there.
func Require(paths ...features.Path) Condition {
	return Condition{Paths: paths, Min: 1, Max: Unbounded}
}

// Forbid returns the condition that none of the paths is there.
func Forbid(paths ...features.Path) Condition { return Condition{Paths: paths} }

// String says the condition in words.
func (c Condition) String() string {
	text := c.Text
	if text == "" {
		var paths []string
		for _, p := range c.Paths {
			var symbols []string
			for _, o := range p {
				symbols = append(symbols, fmt.Sprintf("#%d", o))
			}
			paths = append(paths, strings.Join(symbols, " > "))
		}
		text = strings.Join(paths, " or ")
	}
	switch {
	case c.Max == 0 && c.Min == 0:
		return "no " + text
	case c.Max == Unbounded && c.Min == 1:
		return text
	case c.Max == Unbounded:
		return fmt.Sprintf("%s at least %d times", text, c.Min)
	case c.Min == c.Max:
		return fmt.Sprintf("%s exactly %d times", text, c.Min)
	case c.Min == 0:
		return fmt.Sprintf("%s at most %d times", text, c.Max)
	default:
		return fmt.Sprintf("%s from %d to %d times", text, c.Min, c.Max)
	}
}
