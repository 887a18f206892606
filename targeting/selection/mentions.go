package selection

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/inroad/inroad/targeting/selection/source"
)

// A use is a name that a declaration declares.
type use struct {
	decl *source.Decl
	name string
}

// users adds the methods that mention a name of a declaration, directly or through
// constants, variables, types, and methods that are newer than the model.
func (c *comparer) users(r *regions, file string, d *source.Decl, name string) {
	if name == "" || r.done[use{d, name}] {
		return
	}
	r.done[use{d, name}] = true
	isField := !slices.Contains(d.Names, name)
	for _, user := range c.index(file).find(name) {
		if c.err != nil {
			return
		}
		if user.decl == d || !c.visible(file, d, name, user) || isField && user.decl.Kind == source.Type {
			continue // other types have fields of their own
		}
		c.user(r, user)
		if user.decl.Kind == source.Import || user.decl.Kind == source.Statement {
			for _, alias := range user.decl.Aliases(name) {
				c.users(r, user.file, user.decl, alias)
			}
			c.registrations(r, user.file, user.decl.NamesBeside(name), user.decl)
		}
		if user.decl.ExportsWhole(name) {
			c.moduleUsers(r, user.file)
		}
	}
	for _, macro := range c.index(file).pasting {
		if slices.ContainsFunc(macro.decl.Pastes(), func(part string) bool { return strings.HasPrefix(name, part) || strings.HasSuffix(name, part) }) {
			c.user(r, macro)
		}
	}
}

// user adds the methods that a use of a changed name affects: the user itself if it is a
// method, or else the methods that mention it.
func (c *comparer) user(r *regions, user declRef) {
	switch user.decl.Kind {
	case source.Function:
		file, old := c.atTrained(user.file, user.decl)
		if old == nil {
			c.users(r, user.file, user.decl, user.decl.Short)
			return
		}
		r.add(Region{File: file, Name: old.Name, First: old.Start, Last: old.End})
	case source.Value, source.Type:
		for _, name := range user.decl.Names {
			c.users(r, user.file, user.decl, name)
		}
	case source.Import, source.Statement: // exports and registrations: they only name the changed declaration
	}
}

// registrations adds the methods that use variables that the named functions write when
// caller, which is code outside functions, calls them.
func (c *comparer) registrations(r *regions, file string, names []string, caller *source.Decl) {
	for _, name := range names {
		for _, ref := range c.index(file).declared(name) {
			key := use{ref.decl, "registrations"}
			if ref.decl.Kind == source.Function && !r.done[key] && caller.Calls(name) && c.visible(ref.file, ref.decl, name, declRef{file, c.outline(c.Head, file), caller}) {
				r.done[key] = true
				for i := range ref.outline.Decls { // also functions that it returns
					if d := &ref.outline.Decls[i]; d == ref.decl || strings.HasPrefix(d.Name, ref.decl.Name+".") {
						c.loadEffects(r, ref.file, d, maxLoadCalls-1)
					}
				}
			}
		}
	}
}

// moduleUsers adds the methods that use the names under which other files import a module.
func (c *comparer) moduleUsers(r *regions, file string) {
	x := c.index(file).imports
	if x == nil {
		return
	}
	for _, part := range moduleParts(file) {
		for _, name := range x.byPart[part] {
			outline := c.outline(c.Head, name)
			if outline == nil || name == file {
				continue
			}
			for i := range outline.Decls {
				if d := &outline.Decls[i]; d.Kind != source.Function && d.MentionsText(part) {
					names := d.Imported(part)
					if d.Kind != source.Statement {
						names = append(names, d.Names...)
					}
					for _, bound := range names {
						c.users(r, name, d, bound)
					}
				}
			}
		}
	}
}

// usersIn adds the methods of a file that mention a name.
func (c *comparer) usersIn(r *regions, file, name string) {
	f := c.outline(c.Head, file)
	if f == nil {
		return
	}
	for i := range f.Decls {
		if d := &f.Decls[i]; d.Kind != source.Import && d.Mentions(name) {
			c.user(r, declRef{file, f, d})
		}
	}
}

// A declRef is a declaration in a file of the head.
type declRef struct {
	file    string
	outline *source.File
	decl    *source.Decl
}

// A mentionIndex finds the declarations of one language that mention or declare an
// identifier.
type mentionIndex struct {
	mentions     map[string][]declRef
	declarations map[string][]declRef
	pasting      []declRef    // macros that join parts of names
	imports      *importIndex // nil if files need not import each other
}

func (x *mentionIndex) find(name string) []declRef { return x.mentions[name] }

func (x *mentionIndex) declared(name string) []declRef { return x.declarations[name] }

// Limits of the source files that are searched for mentions.
const (
	maxIndexedFiles = 20_000
	maxIndexedBytes = 256 << 20
)

// index returns the index of the language of a file. It contains all files of the head
// in that language, except for tests.
func (c *comparer) index(file string) *mentionIndex {
	language := source.LanguageOf(file)
	if x := c.mentions[language]; x != nil || c.err != nil {
		return cmp.Or(x, &mentionIndex{})
	}
	x := &mentionIndex{mentions: map[string][]declRef{}, declarations: map[string][]declRef{}}
	if importsCount(file) {
		x.imports = newImportIndex()
	}
	c.mentions[language] = x
	names, err := c.Head.Files(c.ctx)
	c.err = cmp.Or(c.err, err)
	files, size := 0, 0
	for _, name := range names {
		if source.LanguageOf(name) != language || source.IsTest(name) || MatchAny(c.opt.Rules.Ignore, name) {
			continue
		}
		outline := c.outline(c.Head, name)
		if c.err != nil {
			return x
		}
		if outline == nil {
			continue
		}
		files++
		if size += outline.Size(); files > maxIndexedFiles || size > maxIndexedBytes {
			c.fallBack(Unmapped, "more than %d source files or %d MiB to search for uses of changed code", maxIndexedFiles, maxIndexedBytes>>20)
			return x
		}
		x.add(name, outline)
	}
	return x
}

func (x *mentionIndex) add(name string, outline *source.File) {
	if x.imports != nil {
		x.imports.add(name, outline)
	}
	for i := range outline.Decls {
		d := &outline.Decls[i]
		if d.Test {
			continue
		}
		ref := declRef{name, outline, d}
		seen := map[string]bool{}
		for id := range d.Identifiers() {
			if !seen[id] {
				seen[id] = true
				x.mentions[id] = append(x.mentions[id], ref)
			}
		}
		if outline.Language == "c" && d.Kind == source.Value && len(d.Pastes()) > 0 {
			x.pasting = append(x.pasting, ref)
		}
		for _, id := range d.Names {
			x.declarations[id] = append(x.declarations[id], ref)
		}
	}
}

// visible reports whether user may refer to a name that d declares in a file. In Go, a name
// of another package must be exported and, unless it is a method or field, its package must
// be imported. In Python and JavaScript, the file must be imported, directly or indirectly;
// methods, and members of modules that are used as objects, are visible everywhere.
func (c *comparer) visible(file string, d *source.Decl, name string, user declRef) bool {
	if file != user.file && d.IsPrivate() {
		return false
	}
	if file != user.file && importsCount(file) {
		importers := c.importers(file)
		unused := len(importers) == 1 && c.outline(c.Base, file) == nil // a new module that no other one imports
		if importers != nil && !importers[user.file] && (unused || d.Owner == "" && !user.decl.Selects(name)) {
			return false
		}
	}
	if user.outline == nil || user.outline.Language != "go" || path.Dir(file) == path.Dir(user.file) {
		return true
	}
	if first := []rune(name)[0]; strings.ToLower(string(first)) == string(first) {
		return false
	}
	if d.Owner != "" || d.Kind == source.Type && d.Short != name {
		return true
	}
	folder, name := path.Base(path.Dir(file)), ""
	if f := cmp.Or(c.outline(c.Head, file), c.outline(c.Base, file)); f != nil {
		name = f.Package
	}
	return folder == "." || slices.ContainsFunc(user.outline.Imports, func(imported string) bool {
		last := path.Base(imported)
		return last == folder || last == name || strings.Contains(imported, "/"+folder+"/") || strings.Contains(imported, "/"+name+"/")
	})
}
