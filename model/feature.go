package model

import (
	"cmp"
	"fmt"
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
	// expected to stop the program, or the negative number of the phase that any
	// refusal stops.
	Refusal int
	// If Before is not 0, Path or Extra must begin before the place where a refusal stops
	// the phase with this number, if one does.
	Before int
	// Equal lists the features that held for the same training inputs. Any of them
	// may be the one that the program depends on.
	Equal []Feature
}

// specific reports whether the feature is of a kind with very many features.
func (f Feature) specific() bool {
	return f.Extra != 0 && features.Of(features.Value, features.Operands, features.Character).Has(f.Extra.Kind())
}

// Describe returns the pattern of a path, or a description of any other feature.
func (m *Model) Describe(f Feature) string {
	switch {
	case f.Outcome != "":
		return "outcome " + f.Outcome
	case f.Refusal > 0:
		return "a refusal at " + m.Describe(m.Refusals[f.Refusal-1].Feature)
	case f.Refusal < 0:
		return "a refusal" + m.inPhase(-f.Refusal)
	}
	before := ""
	if f.Before > 0 {
		before = " before any refusal" + m.inPhase(f.Before)
	}
	if f.Extra != 0 {
		return f.Extra.Describe(m.space) + before
	}
	return m.space.Pattern(f.Path) + before
}

// inPhase names a phase if the program refuses inputs in several phases.
func (m *Model) inPhase(phase int) string {
	if !slices.ContainsFunc(m.Refusals, func(r Refusal) bool { return r.Phase > 1 }) {
		return ""
	}
	return fmt.Sprintf(" in phase %d", phase)
}

// compareFeatures orders features independently of the inputs: paths, shorter
// ones first, refusals, extras, and outcomes. A feature before a refusal precedes
// the feature anywhere: if both hold for the same training inputs, the program more
// likely depends on the part that it has read.
func compareFeatures(a, b Feature) int {
	class := func(f Feature) int {
		switch {
		case f.Outcome != "":
			return 6
		case f.Extra != 0:
			return 5 - btoi(f.Before != 0)
		case f.Refusal != 0:
			return 2
		case f.Before > 1:
			return 3
		default:
			return 1 - f.Before
		}
	}
	return cmp.Or(
		cmp.Compare(class(a), class(b)),
		cmp.Compare(a.Before, b.Before),
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
		return f.Extra == 0 && f.Path == nil && f.Before == 0 && (f.Outcome == "") == (f.Refusal >= -maxPhases && f.Refusal != 0)
	case f.Before < 0 || f.Before > maxPhases:
		return false
	case f.Extra != 0:
		return f.Path == nil && f.Extra.Valid(len(g.Nodes))
	default:
		return len(f.Path) > 0 && len(f.Path) <= features.MaxK &&
			!slices.ContainsFunc(f.Path, func(o grammars.Occurrence) bool { return o < 0 || int(o) >= len(g.Nodes) })
	}
}
