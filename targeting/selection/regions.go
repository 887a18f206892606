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
// the program. A changed file in an unknown language that contains units runs all inputs.
// reached reports whether an observation reached a unit.
func (t *Table) MapCode(s *SourceChange, reached func(unit int) bool) Change {
	out := Change{Fallbacks: slices.Clone(s.Fallbacks), Ignored: slices.Clone(s.Ignored)}
	for _, c := range s.Changes {
		if c.Name == fileOf(c.Name) && source.LanguageOf(c.Name) == "" && t.file(c.Name) != nil {
			out.Fallbacks = append(out.Fallbacks, Fallback{Unmapped, c.Name + " contains methods, and its language is unknown"})
			out.Ignored = slices.DeleteFunc(out.Ignored, func(name string) bool { return name == c.Name })
			continue
		}
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

// file returns the units of a file of the repository; nil if it has none. Files of units
// may be relative to a folder of sources, so a file with units matches if one of the two
// paths ends with the other and no other file matches.
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
// innermost units around the affected places.
func (t *Table) unitsOf(f *fileUnits, r Region) []int {
	whole := source.Range{First: r.First, Last: r.Last}
	inside, best := t.matches(f, r, whole)
	if r.Places == nil {
		return t.withMatch(f, inside, best, whole)
	}
	var out []int
	for _, place := range r.Places {
		out = append(out, t.around(f, inside, best, whole, place)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// matches returns the methods inside a region, and the method that best matches the
// region: by lines, or by name if the method's lines are unknown; -1 if there is none.
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

// agree returns the number of lines that two ranges share, divided by the number of
// lines from the first to the last line of both.
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

// IsMethod reports whether the ID of a unit names an [Unobserved] method. Their files may be
// relative to different folders, and names of declarations have no parameters.
func IsMethod(id, method string) bool {
	if id == method {
		return true
	}
	file, name, ok := strings.Cut(id, "#")
	other, declared, ok2 := strings.Cut(method, "#")
	near := file == other || strings.HasSuffix(file, "/"+other) || strings.HasSuffix(other, "/"+file)
	return ok && ok2 && near && sameName(name, declared)
}

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

// withMatch returns the methods of a whole region: those inside it and the best match, or
// else the smallest methods around it.
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
	return t.innermost(open, lines.First, lines.Last)
}

// around returns the innermost units around a place in a region.
func (t *Table) around(f *fileUnits, inside []int, best int, whole source.Range, place source.Place) []int {
	inner := slices.DeleteFunc(t.innermostAround(f, source.Range{First: place.Line, Last: place.Line}), func(u int) bool {
		return u != best && !slices.Contains(inside, u) // a method around the region
	})
	if len(inner) == 0 {
		return t.withMatch(f, inside, best, whole)
	}
	var out []int
	for _, u := range inner {
		if blocks := t.blocksAt(f, t.units[u], place); blocks != nil {
			out = append(out, blocks...)
		} else {
			out = append(out, u)
		}
	}
	return out
}

// blocksAt returns the innermost blocks of a method that contain a place, or nil if code at
// the place may be outside all blocks.
func (t *Table) blocksAt(f *fileUnits, method observation.Unit, place source.Place) []int {
	var out []int
	certain := false
	for _, b := range f.blocks {
		u := t.units[b]
		if u.Start < method.Start || u.End > method.End {
			continue
		}
		if contains, sure := holds(u, place); contains {
			out = append(out, b)
			certain = certain || sure
		}
	}
	if !certain {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(out), func(outer int) bool {
		return slices.ContainsFunc(out, func(inner int) bool { return inner != outer && t.isInside(inner, outer, place) })
	})
}

// holds reports whether a block contains code at a place, and whether it contains all
// code of the place. If columns are unknown, the line at which a block begins may have
// code before it: a case of a switch begins with a condition that other inputs evaluate.
func holds(u observation.Unit, place source.Place) (contains, sure bool) {
	switch {
	case place.Line < u.Start || place.Line > u.End:
		return false, false
	case u.Kind == observation.KindLine:
		return true, true
	case u.StartColumn > 0 && u.EndColumn > 0 && place.Column > 0:
		contains = (place.Line > u.Start || place.Column >= u.StartColumn) && (place.Line < u.End || place.Column < u.EndColumn)
		return contains, contains
	}
	return true, place.Line > u.Start || place.Straight
}

// isInside reports whether inner surely contains a place and is part of outer.
func (t *Table) isInside(inner, outer int, place source.Place) bool {
	a, b := t.units[outer], t.units[inner]
	_, sure := holds(b, place)
	begins := cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.StartColumn, b.StartColumn))
	ends := cmp.Or(cmp.Compare(b.End, a.End), cmp.Compare(b.EndColumn, a.EndColumn))
	return sure && begins <= 0 && ends <= 0 && begins+ends < 0
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
