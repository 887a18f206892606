// Package tests selects existing tests for a change, by the methods that each test was
// recorded to reach. It needs neither a grammar nor a model.
//
// A record is a file of observations whose inputs are the IDs of tests. [Select] selects
// the tests that reached a changed method, tests whose own files changed, and tests whose
// methods are not recorded. [Args] formats the selection for the tool that runs the tests.
package tests

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/inroad/inroad/targeting/selection"
)

// A Kind is a tool that runs tests.
type Kind string

// The kinds.
const (
	Go     Kind = "go"     // import/path.TestName
	Pytest Kind = "pytest" // tests/test_a.py::Class::test_name[parameter]
	JUnit  Kind = "junit"  // com.example.ClassTest#method
	Other  Kind = "other"
)

var goName = regexp.MustCompile(`\.(Test|Fuzz|Example)[^./]*$`)

// KindOf returns the kind of a test.
func KindOf(id string) Kind {
	switch {
	case strings.Contains(id, "::"):
		return Pytest
	case strings.Contains(id, "#"):
		return JUnit
	case goName.MatchString(id):
		return Go
	}
	return Other
}

// Group returns the group of a test, which can be run as a whole: its package, file or
// class. Tests of other tools are groups of their own.
func Group(id string) string {
	group, _ := split(id)
	return group
}

// split splits an ID into the group and the name in it.
func split(id string) (group, name string) {
	switch KindOf(id) {
	case Go:
		i := strings.LastIndexByte(id, '.')
		return id[:i], id[i+1:]
	case Pytest:
		group, name, _ = strings.Cut(id, "::")
		return group, name
	case JUnit:
		group, name, _ = strings.Cut(id, "#")
		return group, name
	}
	return id, ""
}

// A Test is a test as it was recorded.
type Test struct {
	ID       string
	Methods  []string // IDs of the units that it reached; nil if unknown
	Duration time.Duration
}

// A Change describes the effects of a change on tests.
type Change struct {
	Units     []string        // IDs of the changed units
	Groups    map[string]bool // groups whose own files changed
	Failed    map[string]bool // tests that failed recently, by ID
	Always    []string        // patterns of IDs
	Fallbacks []selection.Fallback
	Gaps      []string // changed methods that are not recorded
}

// A Selected is a test to run.
type Selected struct {
	Test
	Reasons []selection.Reason
}

// A Selection is the result of [Select].
type Selection struct {
	Tests      []Selected // in the order to run them
	Rest       []Test
	Groups     []string // to run as a whole, so that new tests run as well; sorted
	Everything bool     // all tests are run, including tests without a record
	Gaps       []string // changed methods that no test reached
}

// Select selects the tests to run for a change.
func Select(all []Test, change Change) *Selection {
	s := &Selection{Everything: len(change.Fallbacks) > 0, Gaps: slices.Clone(change.Gaps)}
	changed := map[string]bool{}
	for _, id := range change.Units {
		changed[id] = true
	}
	reached := map[string]bool{}
	left := map[string]int{} // tests that are not selected, by group
	groups := map[string]bool{}
	for _, t := range all {
		reasons := reasonsOf(t, changed, change)
		for _, r := range reasons {
			reached[r.Unit] = true
		}
		if s.Everything && len(reasons) == 0 {
			reasons = []selection.Reason{{Kind: selection.Everything}}
		}
		group := Group(t.ID)
		groups[group] = true
		if len(reasons) == 0 {
			s.Rest = append(s.Rest, t)
			left[group]++
			continue
		}
		s.Tests = append(s.Tests, Selected{t, reasons})
	}
	for group := range change.Groups {
		s.Groups = append(s.Groups, group)
	}
	for group := range groups {
		if left[group] == 0 && !change.Groups[group] {
			s.Groups = append(s.Groups, group)
		}
	}
	slices.Sort(s.Groups)
	for _, id := range change.Units {
		if !reached[id] {
			s.Gaps = append(s.Gaps, id)
		}
	}
	slices.SortStableFunc(s.Tests, func(a, b Selected) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Duration, b.Duration), strings.Compare(a.ID, b.ID))
	})
	return s
}

// reasonsOf returns the reasons to run a test other than fallbacks.
func reasonsOf(t Test, changed map[string]bool, change Change) []selection.Reason {
	var out []selection.Reason
	if change.Failed[t.ID] {
		out = append(out, selection.Reason{Kind: selection.Failing})
	}
	if change.Groups[Group(t.ID)] {
		out = append(out, selection.Reason{Kind: selection.Edited})
	}
	if selection.MatchAny(change.Always, t.ID) {
		out = append(out, selection.Reason{Kind: selection.Always})
	}
	if t.Methods == nil && len(changed) > 0 {
		out = append(out, selection.Reason{Kind: selection.Unknown})
	}
	for _, id := range t.Methods {
		if changed[id] {
			out = append(out, selection.Reason{Kind: selection.Reached, Unit: id, Chance: 1})
		}
	}
	return out
}

// rank orders tests: tests that failed come first, then tests that changed.
func rank(s Selected) int {
	switch s.Reasons[0].Kind {
	case selection.Failing:
		return 0
	case selection.Edited:
		return 1
	case selection.Everything:
		return 3
	}
	return 2
}
