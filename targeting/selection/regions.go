package selection

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/selection/source"
)

// MapCode maps changes of code to units. A changed method that is no unit of the model
// is unobserved, unless the model has no unit of its file: then the file is not part of
// the program. reached reports whether an observation reached a unit.
func (t *Table) MapCode(s *SourceChange, reached func(unit int) bool) Change {
	out := Change{Fallbacks: slices.Clone(s.Fallbacks), Ignored: slices.Clone(s.Ignored)}
	for _, c := range s.Changes {
		units, inProgram := t.affected(c.Affected)
		if !slices.ContainsFunc(units, reached) {
			more, _ := t.affected(c.AtLoad)
			units = append(units, more...)
		}
		slices.Sort(units)
		units = slices.Compact(units)
		mapped := MappedChange{Name: c.Name, How: c.How, Units: units}
		if c.Kind == source.Function && c.How != Added {
			out.Own = append(out.Own, units...)
		}
		if len(units) > 0 {
			out.Units = append(out.Units, units...)
			out.Changes = append(out.Changes, mapped)
		}
		switch {
		case c.Kind != source.Function:
		case c.How == Added && t.isSource(fileOf(c.Name)):
			out.Unobserved = append(out.Unobserved, Unobserved{c.Name, "added"})
		case len(units) == 0 && inProgram:
			out.Unobserved = append(out.Unobserved, Unobserved{c.Name, "changed, but is no method of the model"})
		}
	}
	slices.Sort(out.Units)
	out.Units = slices.Compact(out.Units)
	slices.Sort(out.Own)
	out.Own = slices.Compact(out.Own)
	return out
}

// A MappedChange is a changed declaration with the units that it affects.
type MappedChange struct {
	Name  string // file#name of the declaration
	How   How
	Units []int
}

// fileOf returns the file in the name of a declaration.
func fileOf(name string) string {
	file, _, _ := strings.Cut(name, "#")
	return file
}

// affected returns the units of regions. inProgram reports whether the model has units
// in one of their files.
func (t *Table) affected(regions []Region) (units []int, inProgram bool) {
	for _, r := range regions {
		f := t.file(r.File)
		if f == nil {
			continue
		}
		inProgram = true
		units = append(units, t.unitsOf(f, r)...)
	}
	return units, inProgram
}

// fileUnits holds the units of a file.
type fileUnits struct {
	methods, blocks []int
}

// file returns the units of a file of the repository; nil if it has none. A file whose
// path ends in that of another file is taken for the same one, if there is only one:
// files of units may be relative to a folder of sources.
func (t *Table) file(name string) *fileUnits {
	if f := t.byFile[name]; f != nil {
		return f
	}
	var found *fileUnits
	for _, candidate := range t.byBase[path.Base(name)] {
		if strings.HasSuffix(name, "/"+candidate) || strings.HasSuffix(candidate, "/"+name) {
			if found != nil {
				return nil
			}
			found = t.byFile[candidate]
		}
	}
	return found
}

// unitsOf returns the units of a region: the method, and the methods inside it, or the
// innermost units around the affected lines.
func (t *Table) unitsOf(f *fileUnits, r Region) []int {
	whole := source.Range{First: r.First, Last: r.Last}
	inside, best := t.matches(f, r, whole)
	if r.Lines == nil {
		return t.withMatch(f, inside, best, whole)
	}
	var out []int
	for _, lines := range r.Lines {
		out = append(out, t.around(f, inside, best, whole, lines)...)
	}
	return out
}

// matches returns the methods inside a region, and the method that the region is: the
// one whose lines agree best, or the one with the same name if no lines are known.
func (t *Table) matches(f *fileUnits, r Region, whole source.Range) (inside []int, best int) {
	best = -1
	agreement := 0.5
	for _, u := range f.methods {
		unit := t.units[u]
		if unit.Start < 1 {
			if best < 0 && sameName(unit.Name, r.Name) {
				best = u
			}
			continue
		}
		lines := source.Range{First: unit.Start, Last: unit.End}
		if whole.First <= lines.First && lines.Last <= whole.Last {
			inside = append(inside, u)
		}
		if a := agree(lines, whole); a > agreement {
			best, agreement = u, a
		}
	}
	return inside, best
}

// agree returns the number of lines that two ranges share, relative to the number of
// lines that either has.
func agree(a, b source.Range) float64 {
	shared := min(a.Last, b.Last) - max(a.First, b.First) + 1
	if shared <= 0 {
		return 0
	}
	return float64(shared) / float64(max(a.Last, b.Last)-min(a.First, b.First)+1)
}

// sameName reports whether a unit has the name of a declaration, apart from parameters
// and qualifiers.
func sameName(unit, declaration string) bool { return simpleName(unit) == simpleName(declaration) }

func simpleName(name string) string {
	if i := strings.IndexByte(name, '('); i > 0 {
		name = name[:i]
	}
	name, _, _ = strings.Cut(name, "#")
	if i := strings.LastIndexAny(name, ".:)"); i >= 0 {
		name = name[i+1:]
	}
	return name
}

// withMatch returns the methods that a whole region stands for.
func (t *Table) withMatch(f *fileUnits, inside []int, best int, whole source.Range) []int {
	switch {
	case best >= 0 && !slices.Contains(inside, best):
		return append(slices.Clip(inside), best)
	case len(inside) == 0:
		return t.innermostAround(f, whole)
	}
	return inside
}

// innermostAround returns the smallest methods that contain lines.
func (t *Table) innermostAround(f *fileUnits, lines source.Range) []int {
	var open []int
	for _, u := range f.methods {
		if t.units[u].Start >= 1 && t.units[u].Start <= lines.First && lines.Last <= t.units[u].End {
			open = append(open, u)
		}
	}
	return t.innermost(open)
}

// around returns the innermost units around lines of a region, and those inside the
// lines.
func (t *Table) around(f *fileUnits, inside []int, best int, whole, lines source.Range) []int {
	var out []int
	for _, u := range inside {
		if lines.First <= t.units[u].Start && t.units[u].End <= lines.Last {
			out = append(out, u)
		}
	}
	inner := t.innermostAround(f, lines)
	if len(inner) > 0 && !slices.ContainsFunc(inner, func(u int) bool { return u == best || slices.Contains(inside, u) }) {
		inner = nil // a method around the region
	}
	if len(inner) == 0 {
		return append(out, t.withMatch(f, inside, best, whole)...)
	}
	for _, u := range inner {
		if blocks := t.blocksAt(f, t.units[u], lines); blocks != nil {
			out = append(out, blocks...)
		} else {
			out = append(out, u)
		}
	}
	return out
}

// blocksAt returns the blocks of a method that contain changed code, or nil if the code
// may also run outside them. The line at which a block begins is not inside it: a case
// of a switch begins with a condition that other inputs evaluate too.
func (t *Table) blocksAt(f *fileUnits, method observation.Unit, lines source.Range) []int {
	var out []int
	for line := lines.First; line <= lines.Last; line++ {
		var here []int
		inside := false
		for _, b := range f.blocks {
			u := t.units[b]
			if u.Start < method.Start || u.End > method.End || line < u.Start || line > u.End {
				continue
			}
			here = append(here, b)
			inside = inside || u.Start < line
		}
		if !inside {
			return nil
		}
		out = append(out, t.withoutOuter(here, line)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// withoutOuter drops blocks that contain another block which the line is inside of.
func (t *Table) withoutOuter(blocks []int, line int) []int {
	return slices.DeleteFunc(slices.Clone(blocks), func(outer int) bool {
		return slices.ContainsFunc(blocks, func(inner int) bool {
			a, b := t.units[outer], t.units[inner]
			return inner != outer && b.Start < line && a.Start <= b.Start && b.End <= a.End && b.End-b.Start < a.End-a.Start
		})
	})
}

// indexFiles groups the units by file.
func (t *Table) indexFiles() {
	t.byFile, t.byBase = map[string]*fileUnits{}, map[string][]string{}
	for i, u := range t.units {
		if u.File == "" {
			continue
		}
		name := path.Join(t.root, u.File)
		f := t.byFile[name]
		if f == nil {
			f = &fileUnits{}
			t.byFile[name] = f
			t.byBase[path.Base(name)] = append(t.byBase[path.Base(name)], name)
		}
		if u.Kind == observation.KindBlock || u.Kind == observation.KindLine {
			f.blocks = append(f.blocks, i)
		} else {
			f.methods = append(f.methods, i)
		}
	}
	for _, f := range t.byFile {
		slices.SortStableFunc(f.methods, func(a, b int) int { return cmp.Compare(t.units[a].Start, t.units[b].Start) })
	}
}
