package model

import (
	"cmp"
	"slices"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
)

// A Feature is something that an input has or has not, which trees ask for. One
// of Path, Extra and Outcome is set.
type Feature struct {
	Path    features.Path  // the input has this path
	Extra   features.Extra // the input has this, beyond paths
	Outcome string         // the program's run with the input ends so
	// Equal are the features that the same inputs of the training had: any of
	// them may be the reason instead.
	Equal []Feature
}

// Describe shows a feature as a partial input, or in words where it is none.
func (f Feature) Describe(s *features.Space) string {
	switch {
	case f.Outcome != "":
		return "outcome " + f.Outcome
	case f.Extra != 0:
		return f.Extra.Describe(s)
	default:
		return s.Pattern(f.Path)
	}
}

// compareFeatures orders features by what they are, so that the order does not
// depend on the inputs: paths, the shorter before the longer, then extras, then
// outcomes.
func compareFeatures(a, b Feature) int {
	class := func(f Feature) int {
		switch {
		case f.Outcome != "":
			return 2
		case f.Extra != 0:
			return 1
		default:
			return 0
		}
	}
	return cmp.Or(
		cmp.Compare(class(a), class(b)),
		features.Compare(a.Path, b.Path),
		cmp.Compare(a.Outcome, b.Outcome),
		cmp.Compare(a.Extra, b.Extra),
	)
}

// valid reports whether a feature is one of a grammar.
func (f Feature) valid(g *grammars.Grammar) bool {
	switch {
	case f.Outcome != "":
		return f.Extra == 0 && f.Path == nil
	case f.Extra != 0:
		return f.Path == nil && f.Extra.Valid(len(g.Nodes))
	default:
		return len(f.Path) > 0 && len(f.Path) <= features.MaxK &&
			!slices.ContainsFunc(f.Path, func(o grammars.Occurrence) bool { return o < 0 || int(o) >= len(g.Nodes) })
	}
}
