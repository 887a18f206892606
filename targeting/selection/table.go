package selection

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"

	"github.com/inroad/inroad/model/observation"
)

// A Table maps lines of source files to the units of a program.
type Table struct {
	root  string
	units []observation.Unit
	files map[string][]span // by path in the repository
	kinds map[string]bool   // extensions of files that contain units

	byFile map[string]*fileUnits
	byBase map[string][]string // paths of files, by their last element
}

// A span is a range of lines that belong to the same units.
type span struct {
	first, last int
	units       []int // innermost units around the lines; outside all units, the neighbouring units
	between     bool  // the lines are between two units
	edge        bool  // the lines are before the first unit or after the last
}

// NewTable returns the table of units whose file names are relative to the folder
// root of the repository.
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
	t.indexFiles()
	return t
}

// spans divides the lines of a file at the borders of the given units.
func (t *Table) spans(in []int) []span {
	placed := slices.DeleteFunc(slices.Clone(in), func(u int) bool { return t.units[u].Start < 1 || t.units[u].End < t.units[u].Start })
	if len(placed) == 0 {
		return []span{{first: 0, last: math.MaxInt, edge: true}}
	}
	var cuts []int
	for _, u := range placed {
		cuts = append(cuts, t.units[u].Start, t.units[u].Start+1, t.units[u].End, t.units[u].End+1)
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
		out = append(out, span{first: first, last: cuts[i+1] - 1, units: t.innermost(open, first, cuts[i+1]-1), between: len(open) == 0})
	}
	out = append(out, span{first: cuts[len(cuts)-1], last: math.MaxInt, edge: true})
	for i := range out {
		if out[i].between || out[i].edge {
			out[i].units = neighbours(out, i)
		}
	}
	return out
}

// innermost returns the smallest of the units around the lines from first to last. The
// lines of a nested function belong to that function alone, except its first and last
// line, which may have code of the enclosing function.
func (t *Table) innermost(open []int, first, last int) []int {
	size := func(u int) int { return t.units[u].End - t.units[u].Start }
	open = slices.SortedStableFunc(slices.Values(open), func(a, b int) int { return cmp.Compare(size(a), size(b)) })
	shared := true
	for i, u := range open {
		if i > 0 && size(u) > size(open[i-1]) && !shared {
			return open[:i]
		}
		unit := t.units[u]
		shared = shared && unit.Kind != observation.KindLine && (unit.Start >= first || unit.End <= last)
	}
	return open
}

// neighbours returns the units of the spans before and after a span.
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

// Rules are patterns of files with a special meaning; see [MatchAny].
type Rules struct {
	RunAllOn []string // a change to these files runs all inputs
	Ignore   []string // a change to these files affects no unit
}

// A Change holds the units that a change affects.
type Change struct {
	Units      []int          // units that the change affects, sorted
	Own        []int          // units among them whose own code changed, sorted
	Changes    []MappedChange // changed declarations; nil if the change is a diff
	Unobserved []Unobserved   // changed methods that are no units of the model
	Fallbacks  []Fallback     // reasons to run all inputs
	Ignored    []string       // changed files that affect no unit
}

// Map maps changed files to units. Files for which isInput returns true are
// inputs and not part of the program, unless they contain units.
func (t *Table) Map(files []FileChange, rules Rules, isInput func(string) bool) Change {
	m := &mapper{table: t, units: map[int]bool{}}
	for _, f := range files {
		m.file(f, rules, isInput)
	}
	c := Change{Fallbacks: m.fallbacks, Ignored: m.ignored}
	for u := range m.units {
		c.Units = append(c.Units, u)
	}
	slices.Sort(c.Units)
	c.Own = c.Units
	return c
}

type mapper struct {
	table     *Table
	units     map[int]bool
	fallbacks []Fallback
	ignored   []string
}

func (m *mapper) fallBack(cause Cause, format string, args ...any) {
	m.fallbacks = append(m.fallbacks, Fallback{cause, fmt.Sprintf(format, args...)})
}

func (m *mapper) file(f FileChange, rules Rules, inCorpus func(string) bool) {
	names := []string{f.Old, f.New}
	if f.Old == "" || f.New == "" || f.Old == f.New {
		names = []string{f.Name()}
	}
	matches := func(patterns []string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return MatchAny(patterns, n) })
	}
	spans := m.table.files[f.Old]
	isInput := func(n string) bool { return inCorpus(n) && m.table.files[n] == nil } // a corpus folder may contain source files
	switch {
	case f.Name() == "":
		m.fallBack(Unmapped, "the diff has a file without a name")
	case matches(rules.RunAllOn):
		m.fallBack(RunAllOn, "%s changed", f.Name())
	case !slices.ContainsFunc(names, func(n string) bool { return !isInput(n) && !MatchAny(rules.Ignore, n) }):
		if !isInput(f.Name()) {
			m.ignored = append(m.ignored, f.Name())
		}
	case f.Old == "" && m.table.kinds[path.Ext(f.New)]:
		m.fallBack(NewMethod, "%s is a new file", f.New)
	case f.Old == "" || spans == nil:
		m.fallBack(Unmapped, "%s contains no method known to the model", f.Name())
	case f.Binary:
		m.fallBack(Unmapped, "%s is a binary file", f.Name())
	case f.New != f.Old || len(f.Hunks) == 0: // moved, deleted, or with another mode
		m.all(spans)
	default:
		for _, h := range f.Hunks {
			m.hunk(f.Old, spans, h)
		}
	}
}

func (m *mapper) all(spans []span) {
	for _, s := range spans {
		m.add(s.units)
	}
}

func (m *mapper) add(units []int) {
	for _, u := range units {
		m.units[u] = true
	}
}

// hunk maps changed lines to their spans.
func (m *mapper) hunk(file string, spans []span, h Hunk) {
	if len(h.Removed) == 0 {
		m.insertion(file, spans, h)
		return
	}
	last := h.Start + len(h.Removed) - 1
	for _, s := range spans[spanIndex(spans, h.Start):] {
		if s.first > last {
			return
		}
		if s.between || s.edge {
			m.outside(file, s, max(s.first, h.Start), h.within(s.first, s.last))
		} else {
			m.inside(file, s, h.within(s.first, s.last))
		}
	}
}

// insertion maps a hunk that only adds lines, after line h.Start, to the spans
// around them.
func (m *mapper) insertion(file string, spans []span, h Hunk) {
	before, after := spans[spanIndex(spans, h.Start)], spans[spanIndex(spans, h.Start+1)]
	inside := func(s span) bool { return !s.between && !s.edge }
	switch {
	case before.first == after.first && inside(before):
		m.inside(file, before, h)
	case before.first == after.first:
		m.outside(file, before, h.Start, h)
	case inside(before) && inside(after):
		// One unit contains the other, or they are adjacent.
		m.add(before.units)
		m.add(after.units)
		if !m.inOneUnit(before, after) {
			m.outside(file, span{units: neighbours([]span{before, {}, after}, 1), between: true}, h.Start, h)
		}
	case inside(before):
		m.outside(file, after, h.Start, h)
	default:
		m.outside(file, before, h.Start, h)
	}
}

// inOneUnit reports whether a unit contains both spans.
func (m *mapper) inOneUnit(a, b span) bool {
	for _, u := range append(slices.Clone(a.units), b.units...) {
		unit := m.table.units[u]
		if unit.Start <= a.first && b.last <= unit.End {
			return true
		}
	}
	return false
}

// inside maps changed lines inside a unit. The added lines may end the method
// and contain another one.
func (m *mapper) inside(file string, s span, h Hunk) {
	m.add(s.units)
	if topSignatures(h.Added) > topSignatures(h.Removed) {
		m.fallBack(NewMethod, "%s:%d: a method was added", file, h.Start)
	}
}

// outside maps changed lines outside all units. Comments and annotations belong to
// the methods before and after them. Other code outside methods may affect all
// methods: a line alone does not show whether it is part of a signature or of a table.
func (m *mapper) outside(file string, s span, line int, h Hunk) {
	removed, added := maxContent(h.Removed), maxContent(h.Added)
	switch {
	case s.edge && removed <= Import && added <= Import:
	case removed <= Decoration && added <= Decoration:
		m.add(s.units)
	case removed <= Decoration:
		m.fallBack(NewMethod, "%s:%d: code was added outside all methods", file, line)
	default:
		m.fallBack(Unmapped, "%s:%d: no method known to the model contains this line", file, line)
	}
}

// within returns the part of a hunk that removes lines between first and last. If
// it adds as many lines as it removes, each line replaces one; otherwise all added
// lines count.
func (h Hunk) within(first, last int) Hunk {
	from, to := max(first-h.Start, 0), min(last-h.Start, len(h.Removed)-1)+1
	part := Hunk{h.Start + from, h.Removed[from:to], h.Added}
	if len(h.Added) == len(h.Removed) {
		part.Added = h.Added[from:to]
	}
	return part
}

// topSignatures counts the lines that may begin a method at the top level.
func topSignatures(lines []Content) int {
	n := 0
	for _, c := range lines {
		if c == TopSignature {
			n++
		}
	}
	return n
}

func maxContent(lines []Content) Content {
	if len(lines) == 0 {
		return None
	}
	return slices.Max(lines)
}

func spanIndex(spans []span, line int) int {
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

// isSource reports whether other files with the same extension contain units.
func (t *Table) isSource(name string) bool { return t.kinds[path.Ext(name)] }
