package observation

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// An OutcomeGroup holds observations with the same outcome, type of failure and stack or,
// without a stack, with messages of the same shape.
type OutcomeGroup struct {
	Count   int
	Example Observation // with the smallest input
}

// Limits of the shapes of messages with one outcome and type. If there are more, the
// shapes have fewer words.
const (
	maxKeptShapes = 1000 // in memory
	maxShapes     = 100  // in a list
)

// OutcomeGroups groups observations whose outcome is not ok. The zero value is empty.
type OutcomeGroups struct{ kinds map[Property]*outcomeKind }

// An outcomeKind holds the observations with one outcome, type of failure and stack.
type outcomeKind struct {
	words  int                    // of the shapes
	shapes map[string]*shapeGroup // by the text of the shape
}

// A shapeGroup holds the observations whose messages have one shape. A word of the shape
// is given if it occurs in the inputs of all of them.
type shapeGroup struct {
	shape shape
	OutcomeGroup
}

// Add adds an observation. It keeps the input.
func (g *OutcomeGroups) Add(o Observation) {
	if o.Outcome == OK {
		return
	}
	key := OutcomeOf(o)
	kind := g.kinds[key]
	if kind == nil {
		if g.kinds == nil {
			g.kinds = map[Property]*outcomeKind{}
		}
		kind = &outcomeKind{words: maxWords, shapes: map[string]*shapeGroup{}}
		g.kinds[key] = kind
	}
	kind.add(&shapeGroup{failureShape(o), OutcomeGroup{1, o}})
	for len(kind.shapes) > maxKeptShapes {
		*kind = *kind.regroup(kind.words/2, false)
	}
}

// add merges a group with the group of the same shape, or keeps it if there is none.
func (k *outcomeKind) add(g *shapeGroup) {
	g.shape = g.shape.cut(k.words)
	text := g.shape.String()
	to := k.shapes[text]
	if to == nil {
		k.shapes[text] = g
		return
	}
	to.Count += g.Count
	if compareExamples(g.Example, to.Example) < 0 {
		to.Example = g.Example
	}
	for i := range to.shape {
		to.shape[i].given = to.shape[i].given && g.shape[i].given
	}
}

// regroup returns the groups by the first words of their shapes. With fold, given words
// are placeholders.
func (k *outcomeKind) regroup(words int, fold bool) *outcomeKind {
	out := &outcomeKind{words: words, shapes: map[string]*shapeGroup{}}
	for _, g := range k.shapes {
		s := slices.Clone(g.shape)
		if fold {
			s = s.folded()
		}
		out.add(&shapeGroup{s, g.OutcomeGroup})
	}
	return out
}

// listed returns the groups to list: at most maxShapes, with placeholders for given
// words.
func (k *outcomeKind) listed() *outcomeKind {
	if len(k.shapes) <= 1 {
		return k
	}
	for k = k.regroup(k.words, true); len(k.shapes) > maxShapes; {
		k = k.regroup(k.words/2, true)
	}
	return k
}

func compareExamples(a, b Observation) int {
	return cmp.Or(cmp.Compare(len(a.Input), len(b.Input)), bytes.Compare(a.Input, b.Input), strings.Compare(a.Name, b.Name),
		strings.Compare(messageOf(a), messageOf(b)))
}

func messageOf(o Observation) string {
	if o.Failure == nil {
		return ""
	}
	return o.Failure.Message
}

// Len returns the number of groups.
func (g *OutcomeGroups) Len() int {
	n := 0
	for _, kind := range g.kinds {
		n += len(kind.listed().shapes)
	}
	return n
}

// Size returns the number of groups in memory and the approximate number of bytes that
// their examples take, without their methods.
func (g *OutcomeGroups) Size() (groups, bytes int) {
	for _, kind := range g.kinds {
		groups += len(kind.shapes)
		for _, group := range kind.shapes {
			f := group.Failure()
			bytes += len(group.Example.Input) + len(group.Example.Name) + len(f.Type) + 2*len(f.Message) + len(f.Stack)
		}
	}
	return groups, bytes
}

// All returns the groups: crashes, timeouts, then failures, most frequent first. The
// order of the observations has no influence.
func (g *OutcomeGroups) All() []OutcomeGroup {
	var all []OutcomeGroup
	for _, kind := range g.kinds {
		for _, group := range kind.listed().shapes {
			all = append(all, group.OutcomeGroup)
		}
	}
	order := []Outcome{Crashed, TimedOut, Failed}
	slices.SortFunc(all, func(a, b OutcomeGroup) int {
		x, y := OutcomeOf(a.Example), OutcomeOf(b.Example)
		return cmp.Or(slices.Index(order, x.outcome)-slices.Index(order, y.outcome), b.Count-a.Count,
			strings.Compare(x.failure, y.failure), strings.Compare(x.stack, y.stack), compareExamples(a.Example, b.Example))
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
