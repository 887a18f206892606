package selection

import (
	"path"
	"slices"
	"strings"

	"github.com/inroad/inroad/targeting/selection/source"
)

// change adds an edit with the methods that it affects.
func (c *comparer) change(e edit) {
	if c.err != nil {
		return
	}
	d := e.decl()
	out := CodeChange{Name: e.file + "#" + d.Name, Kind: d.Kind, How: Changed}
	switch {
	case e.base == nil:
		out.How = Added
	case e.head == nil:
		out.How = Deleted
	}
	r := newRegions()
	switch d.Kind {
	case source.Function:
		c.function(e, r)
		out.AtLoad = c.atLoad(e)
	case source.Import:
		c.imports(e, r)
	case source.Statement:
		c.statement(e, r)
	case source.Value, source.Type:
		c.inner(e, r)
		for _, name := range c.changedNames(e) {
			c.users(r, e.file, d, name)
		}
		if d.Kind == source.Type && e.base != nil && e.head != nil {
			c.asWhole(e, r)
		}
		if d.ExportsWhole("") {
			c.moduleUsers(r, e.file)
		}
		if d.Kind == source.Value && d.Short == "" && e.head != nil { // only its effects count
			c.loadEffects(r, e.file, e.head, maxLoadCalls)
		}
	}
	out.Affected = r.list
	if d.Kind == source.Function || len(out.Affected) > 0 {
		c.out.Changes = append(c.out.Changes, out)
	}
}

// asWhole adds the methods that use a changed type as a whole: in Java, methods that depend
// on the order of an enum's constants; in Go, functions that may serialize all its fields.
func (c *comparer) asWhole(e edit, r *regions) {
	switch source.LanguageOf(e.file) {
	case "java":
		if !source.HasSameTokens(e.base, e.head) {
			return // all its users are affected
		}
		order := []string{"ordinal", "values", "valueOf", "compareTo", "EnumSet", "EnumMap"}
		for _, user := range c.index(e.file).find(e.head.Short) {
			if user.decl != e.head && slices.ContainsFunc(order, user.decl.Mentions) {
				c.user(r, user)
			}
		}
	case "go":
		exported := func(name string) bool { return strings.ToUpper(name[:1]) == name[:1] && name[0] != '_' }
		if slices.ContainsFunc(source.ChangedFields(e.base, e.head), exported) {
			c.serializers(r, e.file, e.head)
		}
	}
}

// serializers adds the functions that mention a type, or a type that contains it, in files
// that import a package that reads or writes values by reflection.
func (c *comparer) serializers(r *regions, file string, d *source.Decl) {
	key := use{d, "serializers"}
	if d.Short == "" || r.done[key] {
		return
	}
	r.done[key] = true
	for _, user := range c.index(file).find(d.Short) {
		switch {
		case user.decl == d || c.err != nil || !c.visible(file, d, d.Short, user):
		case user.decl.Kind == source.Type:
			c.serializers(r, user.file, user.decl)
		case slices.ContainsFunc(user.outline.Imports, reflects):
			c.user(r, user)
		}
	}
}

// reflects reports whether a package of Go reads or writes values by reflection.
func reflects(imported string) bool {
	if imported == "reflect" || strings.HasPrefix(imported, "encoding/") || strings.HasSuffix(imported, "/template") {
		return true
	}
	return slices.ContainsFunc([]string{"json", "yaml", "toml", "xml", "cbor", "bson", "msgpack", "mapstructure"}, func(format string) bool {
		return strings.Contains(imported, format)
	})
}

// regions collects the regions that a change affects, without duplicates.
type regions struct {
	list []Region
	seen map[regionKey]bool
	done map[use]bool // names whose mentions were followed
}

type regionKey struct{ file, name string }

func newRegions() *regions { return &regions{seen: map[regionKey]bool{}, done: map[use]bool{}} }

func (r *regions) add(region Region) {
	key := regionKey{region.File, region.Name}
	if !r.seen[key] {
		r.seen[key] = true
		r.list = append(r.list, region)
	}
}

// function adds the methods that a change to a function affects: the function itself or,
// for a new function, the methods that may now call it instead of another one.
func (c *comparer) function(e edit, r *regions) {
	if d := e.decl(); e.base == nil || e.head == nil || !slices.Equal(e.base.Decorators(), e.head.Decorators()) || source.DiffersInText(e.base, e.head) {
		c.registrations(r, e.file, d.Decorators(), d)
	}
	if e.base == nil {
		if c.mayReplace(e) {
			c.users(r, e.file, e.head, e.head.Short)
			if source.IsImplicit(source.LanguageOf(e.file), e.head.Short) {
				c.users(r, e.file, e.head, e.head.Owner)
			}
		}
		if e.head.Owner != "" && c.extendsOthers(e.file, e.head) {
			c.users(r, e.file, e.head, e.head.Owner)
		}
		c.reflection(e, r)
		return
	}
	file, old := c.atTrained(e.file, e.base)
	if old == nil { // newer than the model
		c.users(r, e.file, e.base, e.base.Short)
		return
	}
	r.add(ownRegion(e, file, old))
	for _, o := range old.Origins() { // lines of the file that the method was generated from
		r.add(Region{File: o.File, Name: old.Name, First: o.Line, Last: o.Line + o.Last - o.First})
	}
}

// extendsOthers reports whether the class of a method extends a class outside the program
// that may call the method.
func (c *comparer) extendsOthers(file string, method *source.Decl) bool {
	outline := c.outline(c.Head, file)
	if outline == nil {
		return false
	}
	for i := range outline.Decls {
		d := &outline.Decls[i]
		if d.Kind != source.Type || d.Short != method.Owner {
			continue
		}
		return slices.ContainsFunc(d.Bases(), func(base string) bool {
			return len(c.index(file).declared(base)) == 0 && (!source.CallsNoOthers(base) || method.Mentions("Override"))
		})
	}
	return false
}

// reflection adds the methods that look up methods by name and mention a part of the name
// of a new function.
func (c *comparer) reflection(e edit, r *regions) {
	var lookups []string
	switch source.LanguageOf(e.file) {
	case "go":
		lookups = []string{"MethodByName"}
	case "java":
		lookups = []string{"getMethod", "getMethods", "getDeclaredMethod", "getDeclaredMethods"}
	case "python":
		lookups = []string{"getattr", "hasattr", "globals", "vars", "dir", "__dict__"}
	}
	for _, lookup := range lookups {
		for _, user := range c.index(e.file).find(lookup) {
			if user.decl.NamesPart(e.head.Short) {
				c.user(r, user)
			}
		}
	}
	if outline := c.outline(c.Head, e.file); outline != nil && outline.Language == "javascript" { // object['prefix' + name]
		for i := range outline.Decls {
			if d := &outline.Decls[i]; d != e.head && d.NamesPart(e.head.Short) {
				c.user(r, declRef{e.file, outline, d})
			}
		}
	}
}

// mayReplace reports whether code that did not change may call an added function.
func (c *comparer) mayReplace(e edit) bool {
	d := e.head
	if d.IsPrivate() && source.LanguageOf(e.file) == "java" {
		return false // it overrides nothing
	}
	if d.Owner != "" && c.isNewType(e.file, d.Owner) {
		return false // code that did not change has no values of a new type
	}
	return d.Owner != "" || source.LanguageOf(e.file) != "go" || // a new function of Go has a new name
		source.IsPredeclared("go", d.Short)
}

// isNewType reports whether a type was added by the change.
func (c *comparer) isNewType(file, name string) bool {
	return slices.ContainsFunc(c.edits, func(e edit) bool {
		return e.base == nil && e.head.Kind == source.Type && e.head.Short == name && path.Dir(e.file) == path.Dir(file)
	})
}

// imports adds the methods that use a name under which a file now imports another package.
// Imports under new names and removed imports affect no method.
func (c *comparer) imports(e edit, r *regions) {
	use := func(name string) {
		c.usersIn(r, e.file, name)
		switch source.LanguageOf(e.file) {
		case "javascript", "python", "rust": // other files may import the name from here
			c.users(r, e.file, e.decl(), name)
		}
	}
	if e.base != nil && e.head != nil {
		for _, name := range e.head.Names {
			if slices.Contains(e.base.Names, name) {
				use(name)
			}
		}
		return
	}
	if e.base != nil {
		return // its counterpart, if any, is an added import
	}
	for _, other := range c.edits {
		if other.file == e.file && other.head == nil && other.base.Kind == source.Import {
			for _, name := range e.head.Names {
				if slices.Contains(other.base.Names, name) {
					use(name)
				}
			}
		}
	}
}

// statement adds the methods that a change outside declarations affects: the methods that
// mention a name in the change or, if there are none, all methods of the file. Conditional
// compilation may affect any method of the file.
func (c *comparer) statement(e edit, r *regions) {
	if c.outline(c.Base, e.file) == nil || c.outline(c.Head, e.file) == nil {
		return // the whole file was added or deleted
	}
	var names []string
	if source.LanguageOf(e.file) == "go" && goBuilds(c.read(c.Base, e.file)) == goBuilds(c.read(c.Head, e.file)) {
		return
	}
	if language := source.LanguageOf(e.file); language != "go" && language != "c" && language != "rust" {
		names = c.changedNames(e)
	}
	for _, name := range names {
		c.users(r, e.file, e.decl(), name)
	}
	c.registrations(r, e.file, names, e.decl())
	if e.decl().ExportsWhole("") {
		c.moduleUsers(r, e.file)
	}
	if len(r.list) == 0 {
		c.allIn(r, e.file)
	}
	if source.LanguageOf(e.file) == "c" { // conditional compilation in a header
		for i := range c.outline(c.Head, e.file).Decls {
			if d := &c.outline(c.Head, e.file).Decls[i]; d.Kind == source.Value || d.Kind == source.Type {
				for _, name := range d.Names {
					c.users(r, e.file, d, name)
				}
			}
		}
	}
}

// allIn adds all methods of a file.
func (c *comparer) allIn(r *regions, file string) {
	f := c.outline(c.Trained, file)
	if f == nil {
		return
	}
	for i := range f.Decls {
		if d := &f.Decls[i]; d.Kind == source.Function {
			r.add(Region{File: file, Name: d.Name, First: d.Start, Last: d.End})
		}
	}
}

// inner adds the lines of a changed value or type itself, because functions inside it may
// be methods of the model.
func (c *comparer) inner(e edit, r *regions) {
	if e.base == nil {
		return
	}
	if file, old := c.atTrained(e.file, e.base); old != nil {
		r.add(ownRegion(e, file, old))
	}
}

// ownRegion returns the region of an edited declaration. If the base and the version of the
// model have the same declaration, only the changed places are affected.
func ownRegion(e edit, file string, old *source.Decl) Region {
	region := Region{File: file, Name: old.Name, First: old.Start, Last: old.End}
	if e.head != nil && old.Digest == e.base.Digest {
		region.Places = source.Places(old, e.head)
	}
	return region
}

// changedNames returns the names whose meaning an edit changes. Code that compiles before
// and after cannot mention a name that was added or deleted, unless there is another
// declaration of the name. For a type, it returns the changed members, and the type itself
// if it changed as a whole.
func (c *comparer) changedNames(e edit) []string {
	d, language := e.decl(), source.LanguageOf(e.file)
	if e.base == nil || e.head == nil {
		if language == "go" || language == "java" || language == "rust" {
			return slices.DeleteFunc(slices.Clone(d.Names), func(name string) bool { return !c.declaredElsewhere(e, name) })
		}
		return d.Names
	}
	if d.Kind == source.Value {
		return d.Names
	}
	if d.Kind == source.Type && (language == "go" || language == "c" || language == "rust") {
		names, whole := source.ChangedMembers(e.base, e.head)
		if whole || source.DiffersInText(e.base, e.head) {
			names = append(names, d.Names...)
		}
		return names
	}
	names := slices.DeleteFunc(source.ChangedNames(e.base, e.head), func(name string) bool { return source.IsPredeclared(language, name) })
	if d.Kind == source.Type && (language != "java" || !source.HasSameTokens(e.base, e.head)) { // the head of a class
		names = append(names, d.Names...)
	}
	return names
}

// declaredElsewhere reports whether another declaration has a name that an edit added or
// deleted: the other one may be its new or old form, or be hidden by it.
func (c *comparer) declaredElsewhere(e edit, name string) bool {
	if slices.ContainsFunc(c.edits, func(other edit) bool { return other != e && slices.Contains(other.decl().Names, name) }) {
		return true
	}
	return slices.ContainsFunc(c.index(e.file).declared(name), func(ref declRef) bool {
		return ref.decl != e.head && (ref.file == e.file || !e.decl().IsPrivate() && !ref.decl.IsPrivate())
	})
}

// atLoad returns the methods that use values that a changed function may compute when the
// program is loaded.
func (c *comparer) atLoad(e edit) []Region {
	r := newRegions()
	visited := map[*source.Decl]bool{}
	var follow func(file string, d *source.Decl)
	follow = func(file string, d *source.Decl) {
		if visited[d] || c.err != nil || d.Short == "" {
			return
		}
		visited[d] = true
		for _, caller := range c.index(file).find(d.Short) {
			if caller.decl == d || !c.visible(file, d, d.Short, caller) || !caller.decl.Calls(d.Short) {
				continue
			}
			if d.Owner != "" && caller.file != file && !caller.decl.Mentions(d.Owner) {
				continue // it calls a method of another type
			}
			switch caller.decl.Kind {
			case source.Function:
				if caller.decl.RunsAtLoad() {
					c.loadEffects(r, caller.file, caller.decl, 0)
				} else {
					follow(caller.file, caller.decl)
				}
			case source.Value:
				c.user(r, caller)
			case source.Statement:
				c.allIn(r, caller.file)
			case source.Type, source.Import:
			}
		}
	}
	if e.decl().RunsAtLoad() {
		c.loadEffects(r, e.file, e.decl(), maxLoadCalls)
	}
	follow(e.file, e.decl())
	return r.list
}

// maxLoadCalls is the number of calls that are followed from code that runs at load.
const maxLoadCalls = 2

// loadEffects adds the methods that use variables that a declaration mentions when the
// program is loaded, including variables in functions that it calls, up to a number of calls
// deep.
func (c *comparer) loadEffects(r *regions, file string, d *source.Decl, calls int) {
	seen := map[string]bool{}
	for name := range d.Identifiers() {
		if seen[name] || c.err != nil {
			continue
		}
		seen[name] = true
		for _, ref := range c.index(file).declared(name) {
			if ref.decl == d || !c.visible(ref.file, ref.decl, name, declRef{file, c.outline(c.Head, file), d}) {
				continue
			}
			switch ref.decl.Kind {
			case source.Value:
				if path.Dir(ref.file) == path.Dir(file) || calls < maxLoadCalls {
					c.user(r, ref)
				}
			case source.Function:
				if calls > 0 && d.Calls(name) {
					c.loadEffects(r, ref.file, ref.decl, calls-1)
				}
			case source.Type, source.Import, source.Statement:
			}
		}
	}
}
