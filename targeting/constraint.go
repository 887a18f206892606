// Package targeting describes which inputs to generate.
//
// A [Constraint] is a conjunction of conditions on the paths of an input's
// derivation tree. A [Reader] parses paths from text. A [Verdict] says how a
// search for inputs ended. The subpackages generate inputs, solve constraints
// and select inputs.
package targeting

import (
	"fmt"
	"strings"

	"github.com/inroad/inroad/features"
)

// A Constraint is the conjunction of its conditions and limits. A limit of zero
// means no limit.
type Constraint struct {
	Conditions []Condition
	MaxNodes   int // symbols in the tree, including those inside tokens
	MaxDepth   int // symbols from the root to a leaf
	MaxChars   int // characters in tokens, without trivia
}

// A Condition bounds the number of places in a tree where one of its paths ends.
type Condition struct {
	Paths  []features.Path
	Trivia bool // the paths belong to skipped and hidden tokens
	Min    int
	Max    int    // or Unbounded
	Text   string // the paths as the user wrote them; may be empty
}

// Unbounded is the Max of a condition without an upper bound.
const Unbounded = -1

// Require returns the condition that the tree has at least one of the paths.
func Require(paths ...features.Path) Condition {
	return Condition{Paths: paths, Min: 1, Max: Unbounded}
}

// Forbid returns the condition that the tree has none of the paths.
func Forbid(paths ...features.Path) Condition { return Condition{Paths: paths} }

// String describes the condition, as in "value > array at least 2 times".
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
