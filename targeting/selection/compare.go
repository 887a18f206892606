package selection

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/inroad/inroad/targeting/selection/source"
)

// Versions are the versions of a program that a change is described by.
type Versions struct {
	Trained Version // at which the model was trained
	Base    Version // before the change
	Head    Version // after the change
	// Since are files that differ between Trained and Base.
	Since []FileStatus
}

// CompareOptions are the options of [CompareSources].
type CompareOptions struct {
	Rules  Rules
	Inputs []string // folders and files that contain inputs
	// IsInput reports whether a file of the repository is not part of the program; nil
	// for only those in Inputs.
	IsInput func(name string) bool
}

// CompareSources compares two versions of a program by syntax. files are the files that
// differ. Comments, formatting, imports and moved code change nothing. A changed
// constant, variable or type affects the methods that mention it, and so does a new
// method that may be called instead of another one.
func CompareSources(ctx context.Context, v Versions, files []FileStatus, opt CompareOptions) (*SourceChange, error) {
	c := &comparer{
		Versions: v, ctx: ctx, opt: opt, isInput: opt.isInput(), out: &SourceChange{},
		outlines: map[Version]map[string]*source.File{}, mentions: map[string]*mentionIndex{}, done: map[use]bool{},
	}
	for _, f := range files {
		c.file(f)
	}
	c.dropMoved()
	for _, e := range c.edits {
		c.change(e)
	}
	c.measureStaleness()
	if c.err != nil {
		return nil, c.err
	}
	slices.SortStableFunc(c.out.Changes, func(a, b CodeChange) int { return cmp.Compare(a.Name, b.Name) })
	return c.out, nil
}

// measureStaleness counts the methods at the commit of the model, in the languages of
// the files that changed since, and those that differ from the base.
func (c *comparer) measureStaleness() {
	if len(c.Since) == 0 || c.err != nil {
		return
	}
	changed, languages := map[string]bool{}, map[string]bool{}
	for _, f := range c.Since {
		changed[f.Path] = true
		languages[source.LanguageOf(f.Path)] = true
	}
	delete(languages, "")
	names, err := c.Trained.Files(c.ctx)
	c.err = err
	for _, name := range names {
		if !languages[source.LanguageOf(name)] || source.IsTest(name) || c.isInput(name) {
			continue
		}
		old := c.outline(c.Trained, name)
		if c.err != nil || old == nil {
			continue
		}
		var base *source.File
		if changed[name] {
			base = c.outline(c.Base, name)
		}
		for i := range old.Decls {
			d := &old.Decls[i]
			if d.Kind != source.Function {
				continue
			}
			c.out.Methods++
			if !changed[name] {
				continue
			}
			if base == nil {
				c.out.Stale++
			} else if now := base.Find(d.Name); now == nil || now.Digest != d.Digest {
				c.out.Stale++
			}
		}
	}
}

// A comparer is the state of [CompareSources]. The first error ends the comparison.
type comparer struct {
	Versions
	ctx       context.Context
	opt       CompareOptions
	isInput   func(name string) bool
	err       error
	out       *SourceChange
	outlines  map[Version]map[string]*source.File
	edits     []edit
	mentions  map[string]*mentionIndex // by language
	trained   *trainedIndex            // nil until it is needed
	moved     map[*source.Decl]declRef // declarations of the head that the base has elsewhere
	embedders []*source.File           // Go files that embed others; nil until they are needed
	done      map[use]bool             // names whose mentions were followed for the current edit
}

func (opt CompareOptions) isInput() func(name string) bool {
	inFolders := InFolders(opt.Inputs)
	if opt.IsInput == nil {
		return inFolders
	}
	return func(name string) bool { return opt.IsInput(name) || inFolders(name) }
}

// A use is a name that a declaration declares.
type use struct {
	decl *source.Decl
	name string
}

// An edit is a declaration that differs between the base and the head; one of the two
// is nil if the declaration was added or deleted.
type edit struct {
	file       string
	base, head *source.Decl
}

// decl returns the newest version of the declaration.
func (e edit) decl() *source.Decl { return cmp.Or(e.head, e.base) }

func (c *comparer) fallBack(cause Cause, format string, args ...any) {
	c.out.Fallbacks = append(c.out.Fallbacks, Fallback{cause, fmt.Sprintf(format, args...)})
}

func (c *comparer) read(v Version, name string) []byte {
	if c.err != nil {
		return nil
	}
	text, err := v.Read(c.ctx, name)
	c.err = cmp.Or(c.err, err, context.Cause(c.ctx))
	return text
}

// outline returns the outline of a file in a version; nil if the version does not have
// it, or if it cannot be outlined.
func (c *comparer) outline(v Version, name string) *source.File {
	if c.outlines[v] == nil {
		c.outlines[v] = map[string]*source.File{}
	}
	f, ok := c.outlines[v][name]
	if !ok {
		if text := c.read(v, name); text != nil {
			f, _ = source.Parse(name, text)
		}
		c.outlines[v][name] = f
	}
	return f
}

// file compares a file of the repository.
func (c *comparer) file(f FileStatus) {
	rules := c.opt.Rules
	switch {
	case MatchAny(rules.RunAllOn, f.Path):
		c.fallBack(RunAllOn, "%s changed", f.Path)
	case c.isEmbedded(f.Path):
		c.resource(f)
	case MatchAny(rules.Ignore, f.Path):
		c.out.Ignored = append(c.out.Ignored, f.Path)
	case c.isInput(f.Path):
	case f.Submodule && inTestFolder(f.Path):
		c.out.Ignored = append(c.out.Ignored, f.Path)
	case f.Submodule:
		c.fallBack(Unmapped, "the submodule %s changed", f.Path)
	case path.Ext(f.Path) == ".g4":
		c.fallBack(RunAllOn, "the grammar %s changed", f.Path)
	case source.IsTest(f.Path):
		c.out.Ignored = append(c.out.Ignored, f.Path)
	case isFragment(f.Path):
		c.fallBack(Unmapped, "%s: what includes it is unknown", f.Path)
	case manifestOf(f.Path) != nil || isBuildFile(f.Path):
		c.manifest(f)
	case source.LanguageOf(f.Path) != "":
		c.sourceFile(f)
	default:
		c.resource(f)
	}
}

// inTestFolder reports whether a path is below a folder for tests.
func inTestFolder(name string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(name), "/"), func(folder string) bool {
		switch folder {
		case "test", "tests", "testdata", "__tests__", "spec":
			return true
		}
		return false
	})
}

// sourceFile finds the declarations of a source file that differ.
func (c *comparer) sourceFile(f FileStatus) {
	base, head := c.outline(c.Base, f.Path), c.outline(c.Head, f.Path)
	if c.err != nil {
		return
	}
	if base == nil && !f.New || head == nil && !f.Deleted {
		if before, after := c.read(c.Base, f.Path), c.read(c.Head, f.Path); before == nil || after == nil || !bytes.Equal(before, after) {
			c.fallBack(Unmapped, "%s: cannot be read as source code", f.Path)
		}
		return
	}
	before := len(c.edits)
	names := map[string]*source.Decl{}
	if base != nil {
		for i := range base.Decls {
			names[base.Decls[i].Name] = &base.Decls[i]
		}
	}
	if head != nil {
		for i := range head.Decls {
			d := &head.Decls[i]
			old := names[d.Name]
			delete(names, d.Name)
			if old == nil || old.Kind != d.Kind || old.Digest != d.Digest {
				c.edits = append(c.edits, edit{f.Path, old, d})
			}
		}
	}
	if base != nil {
		for i := range base.Decls {
			if d := &base.Decls[i]; names[d.Name] == d {
				c.edits = append(c.edits, edit{f.Path, d, nil})
			}
		}
	}
	if len(c.edits) == before {
		c.out.Ignored = append(c.out.Ignored, f.Path) // comments or formatting
	}
}

// dropMoved drops declarations that were moved to another place unchanged: one was
// deleted, and one with the same name, owner and content was added.
func (c *comparer) dropMoved() {
	type content struct {
		kind         source.Kind
		short, owner string
		body         source.Digest
	}
	of := func(d *source.Decl) content { return content{d.Kind, d.Short, d.Owner, d.Body} }
	deleted := map[content][]int{}
	for i, e := range c.edits {
		if e.head == nil && e.base.Short != "" {
			deleted[of(e.base)] = append(deleted[of(e.base)], i)
		}
	}
	moved := make([]bool, len(c.edits))
	c.moved = map[*source.Decl]declRef{}
	for i, e := range c.edits {
		if e.base != nil {
			continue
		}
		if from := deleted[of(e.head)]; len(from) > 0 {
			moved[i], moved[from[0]] = true, true
			c.moved[e.head] = declRef{file: c.edits[from[0]].file, decl: c.edits[from[0]].base}
			deleted[of(e.head)] = from[1:]
		}
	}
	kept := c.edits[:0]
	for i, e := range c.edits {
		if !moved[i] {
			kept = append(kept, e)
		}
	}
	c.edits = kept
	c.joinSignatures()
}

// joinSignatures joins a method that was deleted with one that was added in the same
// file under the same name, if there is only one of each: its parameters changed, which
// are part of its qualified name in languages with overloading.
func (c *comparer) joinSignatures() {
	type place struct{ file, short, owner string }
	deleted, added := map[place][]int{}, map[place][]int{}
	for i, e := range c.edits {
		d := e.decl()
		at := place{e.file, d.Short, d.Owner}
		switch {
		case d.Kind != source.Function || d.Short == "":
		case e.head == nil:
			deleted[at] = append(deleted[at], i)
		case e.base == nil:
			added[at] = append(added[at], i)
		}
	}
	drop := map[int]bool{}
	for at, from := range deleted {
		if to := added[at]; len(from) == 1 && len(to) == 1 {
			c.edits[to[0]].base = c.edits[from[0]].base
			drop[from[0]] = true
		}
	}
	kept := c.edits[:0]
	for i, e := range c.edits {
		if !drop[i] {
			kept = append(kept, e)
		}
	}
	c.edits = kept
}

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
	clear(c.done)
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
		if d.Kind == source.Value && d.Short == "" && e.head != nil { // only its effects count
			c.loadEffects(r, e.file, e.head, maxLoadCalls)
		}
	}
	out.Affected = r.list
	if d.Kind == source.Function || len(out.Affected) > 0 {
		c.out.Changes = append(c.out.Changes, out)
	}
}

// regions is a list of regions without duplicates.
type regions struct {
	list []Region
	seen map[regionKey]bool
}

type regionKey struct{ file, name string }

func newRegions() *regions { return &regions{seen: map[regionKey]bool{}} }

func (r *regions) add(region Region) {
	key := regionKey{region.File, region.Name}
	if !r.seen[key] {
		r.seen[key] = true
		r.list = append(r.list, region)
	}
}

// function adds the methods that are affected by a change to a function: the function
// itself. A new function affects those that may call it now instead of another one.
func (c *comparer) function(e edit, r *regions) {
	if e.base == nil {
		if c.mayReplace(e) {
			c.users(r, e.file, e.head, e.head.Short)
			if source.IsImplicit(source.LanguageOf(e.file), e.head.Short) {
				c.users(r, e.file, e.head, e.head.Owner)
			}
		}
		return
	}
	file, old := c.atTrained(e.file, e.base)
	if old == nil { // newer than the model
		c.users(r, e.file, e.base, e.base.Short)
		return
	}
	region := Region{File: file, Name: old.Name, First: old.Start, Last: old.End}
	if e.head != nil && old.Digest == e.base.Digest {
		region.Lines, _ = source.Diff(old, e.head)
	}
	r.add(region)
	for _, o := range old.Origins() { // lines of the file that the method was generated from
		r.add(Region{File: o.File, Name: old.Name, First: o.Line, Last: o.Line + o.Last - o.First})
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

// imports adds the methods of a file that use a name that another package is now
// imported as. Further and removed imports change nothing.
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

// statement adds the methods that a change outside declarations affects: those that
// mention a name in the change, or all methods of the file. Conditional compilation
// may affect any method of the file.
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

// inner adds the lines of a changed value or type itself: functions in them may be
// methods of the model.
func (c *comparer) inner(e edit, r *regions) {
	if e.base == nil {
		return
	}
	file, old := c.atTrained(e.file, e.base)
	if old == nil {
		return
	}
	region := Region{File: file, Name: old.Name, First: old.Start, Last: old.End}
	if e.head != nil && old.Digest == e.base.Digest {
		region.Lines, _ = source.Diff(old, e.head)
	}
	r.add(region)
}

// changedNames returns the names whose meaning an edit changes. Code that compiles
// before and after cannot mention a name that was added or deleted, unless there is
// another declaration of the name. Of a type, these are the members that changed, or
// the type itself if it changed as a whole.
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
	if d.Kind == source.Type { // the head of a class
		names = append(names, d.Names...)
	}
	return names
}

// declaredElsewhere reports whether another declaration has a name that was added or
// deleted: it may be the same one in another form, or be hidden by it.
func (c *comparer) declaredElsewhere(e edit, name string) bool {
	if slices.ContainsFunc(c.edits, func(other edit) bool { return other != e && slices.Contains(other.decl().Names, name) }) {
		return true
	}
	return slices.ContainsFunc(c.index(e.file).declared(name), func(ref declRef) bool {
		return ref.decl != e.head && (ref.file == e.file || !e.decl().IsPrivate() && !ref.decl.IsPrivate())
	})
}

// users adds the methods that mention a name which a declaration of a file declares,
// also through constants, variables and types, and through methods that are newer than
// the model.
func (c *comparer) users(r *regions, file string, d *source.Decl, name string) {
	if name == "" || c.done[use{d, name}] {
		return
	}
	c.done[use{d, name}] = true
	isField := !slices.Contains(d.Names, name)
	for _, user := range c.index(file).find(name) {
		if c.err != nil {
			return
		}
		if user.decl == d || !c.visible(file, d, name, user) || isField && user.decl.Kind == source.Type {
			continue // other types have fields of their own
		}
		c.user(r, user)
	}
}

// user adds a declaration that uses a changed name.
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
	case source.Import, source.Statement: // exports and registrations: their names change nothing by themselves
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

// atLoad returns the methods that use values which a changed function may compute when
// the program is loaded.
func (c *comparer) atLoad(e edit) []Region {
	clear(c.done)
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

// loadEffects adds the methods that use variables which code touches when the program
// is loaded, also in functions that it calls.
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

// atTrained returns the version of a declaration at which the model was trained: the
// declaration with the same name in the same file or, if its code was moved since, in
// another one.
func (c *comparer) atTrained(file string, d *source.Decl) (string, *source.Decl) {
	if from, ok := c.moved[d]; ok {
		file, d = from.file, from.decl
	}
	if f := c.outline(c.Trained, file); f != nil {
		if old := f.Find(d.Name); old != nil && old.Kind == d.Kind {
			return file, old
		}
	}
	if c.Trained == c.Base || d.Short == "" {
		return "", nil
	}
	if c.trained == nil {
		c.trained = c.indexTrained()
	}
	return c.trained.find(d)
}

// minSimilarity is the share of common tokens from which on a method that was deleted
// and one that was added are taken for the same one.
const minSimilarity = 0.6

// A trainedIndex finds declarations in files that differ between the model's commit and
// the base.
type trainedIndex struct {
	byName map[trainedKey][]declRef
	gone   map[trainedKey][]declRef // declarations that the base lacks; the keys have no name
}

type trainedKey struct {
	kind         source.Kind
	short, owner string
}

func (c *comparer) indexTrained() *trainedIndex {
	x := &trainedIndex{map[trainedKey][]declRef{}, map[trainedKey][]declRef{}}
	for _, f := range c.Since {
		if f.New || source.LanguageOf(f.Path) == "" || source.IsTest(f.Path) {
			continue
		}
		outline := c.outline(c.Trained, f.Path)
		if outline == nil {
			continue
		}
		for i := range outline.Decls {
			d := &outline.Decls[i]
			key := trainedKey{d.Kind, d.Short, d.Owner}
			x.byName[key] = append(x.byName[key], declRef{f.Path, outline, d})
			if base := c.outline(c.Base, f.Path); d.Kind == source.Function && (base == nil || base.Find(d.Name) == nil) {
				key.short = ""
				x.gone[key] = append(x.gone[key], declRef{f.Path, outline, d})
			}
		}
	}
	return x
}

// find returns the declaration with the same name and content, the only one with the
// same name, or the most similar one that was deleted since: it may have been renamed.
func (x *trainedIndex) find(d *source.Decl) (string, *source.Decl) {
	found := x.byName[trainedKey{d.Kind, d.Short, d.Owner}]
	for _, ref := range found {
		if ref.decl.Body == d.Body {
			return ref.file, ref.decl
		}
	}
	if len(found) == 1 {
		return found[0].file, found[0].decl
	}
	var best declRef
	most := minSimilarity
	for _, ref := range x.gone[trainedKey{kind: d.Kind, owner: d.Owner}] {
		if s := source.Similarity(ref.decl, d); s >= most {
			best, most = ref, s
		}
	}
	return best.file, best.decl
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
}

func (x *mentionIndex) find(name string) []declRef     { return x.mentions[name] }
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
	x := &mentionIndex{map[string][]declRef{}, map[string][]declRef{}}
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
	for i := range outline.Decls {
		d := &outline.Decls[i]
		ref := declRef{name, outline, d}
		seen := map[string]bool{}
		for id := range d.Identifiers() {
			if !seen[id] {
				seen[id] = true
				x.mentions[id] = append(x.mentions[id], ref)
			}
		}
		for _, id := range d.Names {
			x.declarations[id] = append(x.declarations[id], ref)
		}
	}
}

// visible reports whether a declaration may refer to a name that another one declares
// in a file. In Go, names of other packages are exported, and unless they are methods
// or fields, their package is imported.
func (c *comparer) visible(file string, d *source.Decl, name string, user declRef) bool {
	if file != user.file && d.IsPrivate() {
		return false
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
