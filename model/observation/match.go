package observation

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MatchUnits returns the indices of the units that a name may stand for. It returns only
// the best matches: the unit with this ID; else units with this name, or whose IDs end in
// it after a separator; else units that contain it as whole words, first in the name, then
// in the ID; else as any part, in the same order; else in any case. Blocks and lines are
// left out if a method matches equally well. kv.c:f stands for kv.c#f.
func MatchUnits(units []Unit, name string) []int {
	if name == "" {
		return nil
	}
	if file, function, ok := strings.Cut(name, ":"); ok && strings.Contains(file, ".") && !strings.HasPrefix(function, ":") {
		if found := MatchUnits(units, file+"#"+function); len(found) > 0 {
			return found
		}
	}
	lower := strings.ToLower(name)
	for _, matches := range []func(u *Unit) bool{
		func(u *Unit) bool { return u.ID == name },
		func(u *Unit) bool { return u.Name == name || suffixOf(u.ID, name) },
		func(u *Unit) bool { return hasWords(u.ID[strings.IndexByte(u.ID, '#')+1:], name) },
		func(u *Unit) bool { return hasWords(u.ID, name) },
		func(u *Unit) bool { return strings.Contains(u.ID[strings.IndexByte(u.ID, '#')+1:], name) },
		func(u *Unit) bool { return strings.Contains(u.ID, name) },
		func(u *Unit) bool { return strings.Contains(strings.ToLower(u.ID), lower) },
	} {
		var methods, blocks []int
		for i := range units {
			switch u := &units[i]; {
			case !matches(u):
			case u.Kind == KindBlock || u.Kind == KindLine:
				blocks = append(blocks, i)
			default:
				methods = append(methods, i)
			}
		}
		if len(methods) > 0 {
			return methods
		}
		if len(blocks) > 0 {
			return blocks
		}
	}
	return nil
}

// suffixOf reports whether id ends in name and name starts at a word boundary.
func suffixOf(id, name string) bool {
	const separators = "#./@)( "
	rest, ok := strings.CutSuffix(id, name)
	if !ok || rest == "" {
		return ok
	}
	return strings.ContainsAny(rest[len(rest)-1:], separators) || strings.ContainsAny(name[:1], separators)
}

// hasWords reports whether text contains name, with no letter, digit or _ next to it.
func hasWords(text, name string) bool {
	isWord := func(r rune, size int) bool {
		return size > 0 && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
	}
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		at := from + i
		if !isWord(utf8.DecodeLastRuneInString(text[:at])) && !isWord(utf8.DecodeRuneInString(text[at+len(name):])) {
			return true
		}
		from = at + 1
	}
}

// unitsOf returns the methods as units, for programs that do not list them.
func unitsOf(methods []string) []Unit {
	units := make([]Unit, 0, len(methods))
	for _, id := range methods {
		units = append(units, Unit{ID: id})
	}
	return units
}

// Resolve returns the property with the ID of the method that its name stands for, among
// the units of the program and the methods that an input reached. candidates has the IDs
// of all methods that the name may stand for. ok is true if there is exactly one, or if
// the property names no method.
func (p Property) Resolve(units []Unit, reached []string) (resolved Property, candidates []string, ok bool) {
	if p.method == "" {
		return p, nil, true
	}
	all := slices.Concat(units, unitsOf(slices.DeleteFunc(slices.Clone(reached), func(id string) bool {
		return slices.ContainsFunc(units, func(u Unit) bool { return u.ID == id })
	})))
	for _, i := range MatchUnits(all, p.method) {
		candidates = append(candidates, all[i].ID)
	}
	if len(candidates) != 1 {
		return p, candidates, false
	}
	p.method = candidates[0]
	return p, candidates, true
}

// ListIDs lists the first of several IDs for a message.
func ListIDs(ids []string) string {
	const most = 10
	if len(ids) <= most {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:most], ", "), len(ids)-most)
}
