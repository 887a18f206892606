package observation

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// An OutcomeGroup holds the observations with one outcome, type of failure and stack.
type OutcomeGroup struct {
	Count   int
	Example Observation // with the smallest input
}

// OutcomeGroups groups observations that did not end with ok. The zero value is empty.
type OutcomeGroups struct{ groups map[Property]*OutcomeGroup }

// Add adds an observation. It keeps the input.
func (g *OutcomeGroups) Add(o Observation) {
	if o.Outcome == OK {
		return
	}
	key := OutcomeOf(o)
	group := g.groups[key]
	if group == nil {
		if g.groups == nil {
			g.groups = map[Property]*OutcomeGroup{}
		}
		group = &OutcomeGroup{Example: o}
		g.groups[key] = group
	}
	group.Count++
	if before := group.Example; cmp.Or(cmp.Compare(len(o.Input), len(before.Input)), bytes.Compare(o.Input, before.Input), strings.Compare(o.Name, before.Name)) < 0 {
		group.Example = o
	}
}

// Size returns the number of groups and the approximate number of bytes that their
// examples take, without their methods.
func (g *OutcomeGroups) Size() (groups, bytes int) {
	for _, group := range g.groups {
		f := group.Failure()
		bytes += len(group.Example.Input) + len(group.Example.Name) + len(f.Type) + len(f.Message) + len(f.Stack)
	}
	return len(g.groups), bytes
}

// All returns the groups: crashes, timeouts, then failures, most frequent first. The
// order of the observations has no influence.
func (g *OutcomeGroups) All() []OutcomeGroup {
	var all []OutcomeGroup
	for _, group := range g.groups {
		all = append(all, *group)
	}
	order := []Outcome{Crashed, TimedOut, Failed}
	slices.SortFunc(all, func(a, b OutcomeGroup) int {
		x, y := OutcomeOf(a.Example), OutcomeOf(b.Example)
		return cmp.Or(slices.Index(order, x.outcome)-slices.Index(order, y.outcome), b.Count-a.Count,
			strings.Compare(x.failure, y.failure), strings.Compare(x.stack, y.stack))
	})
	return all
}

// Failure returns the failure of the example, empty if it is unknown.
func (g OutcomeGroup) Failure() Failure {
	if g.Example.Failure == nil {
		return Failure{}
	}
	return *g.Example.Failure
}
