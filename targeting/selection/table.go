package selection

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"github.com/inroad/inroad/model/observation"
)

// A Table knows where the units of a program stand.
type Table struct {
	root  string
	units []observation.Unit
	files map[string][]span // by path in the repository
	kinds map[string]bool   // the extensions of files that have units
}

// A span is a run of lines that belong to the same units.
type span struct {
	first, last int
	units       []int // the innermost that the lines are in
	gap         bool  // they are in none, but stand between these
	edge        bool  // they stand before the first unit or behind the last
}

// NewTable returns the table of units whose files are below a folder of the
// repository. Blocks are left out: a change to a block is one to its method.
func NewTable(units []observation.Unit, root string) *Table {
	t := &Table{root: path.Clean(root), units: units, files: map[string][]span{}, kinds: map[string]bool{}}
	byFile := map[string][]int{}
	for i, u := range units {
		if u.File == "" || u.Kind == observation.KindBlock {
			continue
		}
		name := path.Join(t.root, u.File)
		byFile[name] = append(byFile[name], i)
		t.kinds[path.Ext(name)] = true
	}
	for name, in := range byFile {
		t.files[name] = t.spans(in)
	}
	return t
}

// spans cuts a file into runs of lines.
func (t *Table) spans(in []int) []span {
	placed := slices.DeleteFunc(slices.Clone(in), func(u int) bool { return t.units[u].Start < 1 || t.units[u].End < t.units[u].Start })
	if len(placed) == 0 {
		return []span{{first: 0, last: maxLineNumber, edge: true}}
	}
	var cuts []int
	for _, u := range placed {
		cuts = append(cuts, t.units[u].Start, t.units[u].End+1)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	slices.SortFunc(placed, func(a, b int) int { return cmp.Or(cmp.Compare(t.units[a].Start, t.units[b].Start), cmp.Compare(a, b)) })
	out := []span{{first: 0, last: cuts[0] - 1, edge: true}}
	var open []int
	for i, first := range cuts[:len(cuts)-1] {
		for len(placed) > 0 && t.units[placed[0]].Start == first {
			open = append(open, placed[0])
			placed = placed[1:]
		}
		open = slices.DeleteFunc(open, func(u int) bool { return t.units[u].End < first })
		out = append(out, span{first: first, last: cuts[i+1] - 1, units: t.innermost(open), gap: len(open) == 0})
	}
	out = append(out, span{first: cuts[len(cuts)-1], last: maxLineNumber, edge: true})
	for i := range out {
		if out[i].gap || out[i].edge {
			out[i].units = neighbours(out, i)
		}
	}
	return out
}

// innermost returns those of the units that have the fewest lines: a function in
// another one is what its lines belong to.
func (t *Table) innermost(open []int) []int {
	var out []int
	least := 0
	for _, u := range open {
		switch size := t.units[u].End - t.units[u].Start; {
		case len(out) == 0 || size < least:
			out, least = []int{u}, size
		case size == least:
			out = append(out, u)
		}
	}
	return out
}

func neighbours(spans []span, i int) []int {
	var out []int
	if i > 0 {
		out = append(out, spans[i-1].units...)
	}
	if i+1 < len(spans) {
		out = append(out, spans[i+1].units...)
	}
	return out
}

// Rules say what to think of files that have no units. A pattern is a path in
// which * stands for anything but a slash and ** for anything.
type Rules struct {
	FullOn []string // a change to such a file affects everything
	Ignore []string // a change to such a file affects nothing
}

// A Change is what a diff means for a program.
type Change struct {
	Units     []int      // that changed, sorted
	Fallbacks []Fallback // why it may be more
	Ignored   []string   // files that were passed over
}

// Change maps a diff to units. Inputs of the corpus are no part of the program;
// isInput tells which files are.
func (t *Table) Change(files []FileChange, rules Rules, isInput func(string) bool) Change {
	m := &mapping{table: t, units: map[int]bool{}}
	for _, f := range files {
		m.file(f, rules, isInput)
	}
	c := Change{Fallbacks: m.fallbacks, Ignored: m.ignored}
	for u := range m.units {
		c.Units = append(c.Units, u)
	}
	slices.Sort(c.Units)
	return c
}

type mapping struct {
	table     *Table
	units     map[int]bool
	fallbacks []Fallback
	ignored   []string
}

func (m *mapping) fall(cause Cause, format string, args ...any) {
	m.fallbacks = append(m.fallbacks, Fallback{cause, fmt.Sprintf(format, args...)})
}

func (m *mapping) file(f FileChange, rules Rules, isCorpus func(string) bool) {
	names := []string{f.Old, f.New}
	if f.Old == "" || f.New == "" || f.Old == f.New {
		names = []string{f.Name()}
	}
	matches := func(patterns []string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return MatchAny(patterns, n) })
	}
	spans := m.table.files[f.Old]
	isInput := func(n string) bool { return isCorpus(n) && m.table.files[n] == nil } // a corpus may hold the program
	switch {
	case f.Name() == "":
		m.fall(Unmapped, "the diff does not name a file")
	case matches(rules.FullOn):
		m.fall(FullOn, "%s changed", f.Name())
	case !slices.ContainsFunc(names, func(n string) bool { return !isInput(n) && !MatchAny(rules.Ignore, n) }):
		if !isInput(f.Name()) {
			m.ignored = append(m.ignored, f.Name())
		}
	case f.Old == "" && m.table.kinds[path.Ext(f.New)]:
		m.fall(NewMethod, "%s is a new file", f.New)
	case f.Old == "" || spans == nil:
		m.fall(Unmapped, "%s has no method that the model knows", f.Name())
	case f.Binary:
		m.fall(Unmapped, "%s is binary", f.Name())
	case f.New != f.Old || len(f.Hunks) == 0: // moved, deleted, or of another mode
		m.all(spans)
	default:
		for _, h := range f.Hunks {
			m.hunk(f.Old, spans, h)
		}
	}
}

func (m *mapping) all(spans []span) {
	for _, s := range spans {
		m.add(s.units)
	}
}

func (m *mapping) add(units []int) {
	for _, u := range units {
		m.units[u] = true
	}
}

// hunk maps changed lines to the spans they are in.
func (m *mapping) hunk(file string, spans []span, h Hunk) {
	if len(h.Removed) == 0 {
		m.insertion(file, spans, h)
		return
	}
	last := h.Start + len(h.Removed) - 1
	for _, s := range spans[spanOf(spans, h.Start):] {
		if s.first > last {
			return
		}
		if s.gap || s.edge {
			m.outside(file, s, max(s.first, h.Start), h.within(s.first, s.last))
		} else {
			m.inside(file, s, h.within(s.first, s.last))
		}
	}
}

// insertion maps lines that were added behind a line.
func (m *mapping) insertion(file string, spans []span, h Hunk) {
	before, after := spans[spanOf(spans, h.Start)], spans[spanOf(spans, h.Start+1)]
	inside := func(s span) bool { return !s.gap && !s.edge }
	switch {
	case before.first == after.first && inside(before):
		m.inside(file, before, h)
	case before.first == after.first:
		m.outside(file, before, h.Start, h)
	case inside(before) && inside(after):
		// One of them holds the other, or they meet without a line between.
		m.add(before.units)
		m.add(after.units)
		if !m.together(before, after) {
			m.outside(file, span{units: neighbours([]span{before, {}, after}, 1), gap: true}, h.Start, h)
		}
	case inside(before):
		m.outside(file, after, h.Start, h)
	default:
		m.outside(file, before, h.Start, h)
	}
}

// together tells whether a unit has both of two spans.
func (m *mapping) together(a, b span) bool {
	for _, u := range append(slices.Clone(a.units), b.units...) {
		unit := m.table.units[u]
		if unit.Start <= a.first && b.last <= unit.End {
			return true
		}
	}
	return false
}

// inside maps lines that are in a unit. A diff may put the end of a method and a
// whole new one into lines that were inside.
func (m *mapping) inside(file string, s span, h Hunk) {
	m.add(s.units)
	if heads(h.Added) > heads(h.Removed) {
		m.fall(NewMethod, "%s:%d: there is a new method", file, h.Start)
	}
}

// outside maps lines that are in no unit. What is no code there, and what may
// be part of a method's head, belongs to the methods before and behind it. Code
// that is in no method may matter to all.
func (m *mapping) outside(file string, s span, line int, h Hunk) {
	removed, added := worst(h.Removed), worst(h.Added)
	isHead := removed == Head || removed == OuterHead
	switch {
	case s.edge && removed <= Import && added <= Import:
	case removed <= Decoration && added <= Decoration, isHead && added <= OuterHead && s.gap:
		m.add(s.units)
	case removed <= Decoration:
		m.fall(NewMethod, "%s:%d: there is new code outside the methods", file, line)
	default:
		m.fall(Unmapped, "%s:%d is in no method that the model knows", file, line)
	}
}

// within returns the part of a hunk whose removed lines are among some. Where as
// many lines were added as removed, one replaces the other; else any of them may
// stand anywhere.
func (h Hunk) within(first, last int) Hunk {
	from, to := max(first-h.Start, 0), min(last-h.Start+1, len(h.Removed))
	part := Hunk{h.Start + from, h.Removed[from:to], h.Added}
	if len(h.Added) == len(h.Removed) {
		part.Added = h.Added[from:to]
	}
	return part
}

// heads counts the lines that open a method, where methods are not indented.
func heads(lines []Content) int {
	n := 0
	for _, c := range lines {
		if c == OuterHead {
			n++
		}
	}
	return n
}

func worst(lines []Content) Content {
	if len(lines) == 0 {
		return Nothing
	}
	return slices.Max(lines)
}

func spanOf(spans []span, line int) int {
	i, found := slices.BinarySearchFunc(spans, line, func(s span, line int) int {
		switch {
		case s.last < line:
			return -1
		case s.first > line:
			return 1
		}
		return 0
	})
	if !found {
		return len(spans) - 1
	}
	return i
}

// Source tells whether a file is of a kind that has units.
func (t *Table) Source(name string) bool { return t.kinds[path.Ext(name)] }
