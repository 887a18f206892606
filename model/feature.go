package model

import (
	"cmp"
	"slices"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
)

// A Feature is a property of an input that a decision tree can test. One of Path,
// Extra, Refusal and Outcome is set.
type Feature struct {
	Path    features.Path  // the input has this path
	Extra   features.Extra // the input has this feature, which is not a path
	Outcome string         // the run of the input has this outcome
	// Refusal is 1 plus the index in [Model.Refusals] of the refusal that is
	// expected to stop the program, or AnyRefusal.
	Refusal int
	Before  bool // Path or Extra begins before the place of the refusal, if there is one
	// Equal lists the features that held for the same training inputs. Any of them
	// may be the one that the program depends on.
	Equal []Feature
}

// specific reports whether the feature is of a kind with very many features.
func (f Feature) specific() bool {
	return f.Extra != 0 && features.Of(features.Value, features.Operands).Has(f.Extra.Kind())
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
			return 5
		case f.Refusal != 0:
			return 4
		case f.Extra != 0:
			return 2 + btoi(f.Before)
		case f.Before:
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
		cmp.Compare(a.Refusal, b.Refusal),
	)
}

// valid reports whether the feature exists in grammar g.
func (f Feature) valid(g *grammars.Grammar) bool {
	switch {
	case f.Outcome != "" || f.Refusal != 0:
		return f.Extra == 0 && f.Path == nil && !f.Before && (f.Outcome == "") == (f.Refusal >= AnyRefusal && f.Refusal != 0)
	case f.Extra != 0:
		return f.Path == nil && f.Extra.Valid(len(g.Nodes))
	default:
		return len(f.Path) > 0 && len(f.Path) <= features.MaxK &&
			!slices.ContainsFunc(f.Path, func(o grammars.Occurrence) bool { return o < 0 || int(o) >= len(g.Nodes) })
	}
}

// AnyRefusal is the value of [Feature.Refusal] for inputs that any refusal stops.
const AnyRefusal = -1
