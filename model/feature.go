package model

import (
	"cmp"
	"slices"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
)

// A Feature is a property of an input that a decision tree can test. One of Path,
// Extra and Outcome is set.
type Feature struct {
	Path    features.Path  // the input has this path
	Extra   features.Extra // the input has this feature, which is not a path
	Outcome string         // the run of the input has this outcome
	// Equal lists the features that held for the same training inputs. Any of them
	// may be the one that the program depends on.
	Equal []Feature
}

// Describe returns the pattern of a path, or a description of any other feature.
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

// compareFeatures orders features independently of the inputs: paths, shorter
// ones first, then extras, then outcomes.
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

// valid reports whether the feature exists in grammar g.
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
