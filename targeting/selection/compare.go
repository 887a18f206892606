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

// Versions are the versions of a program that describe a change.
type Versions struct {
	Trained Version // at which the model was trained
	Base    Version // before the change
	Head    Version // after the change
	// Since holds the files that differ between Trained and Base.
	Since []FileStatus
}

// CompareOptions are the options of [CompareSources].
type CompareOptions struct {
	Rules  Rules
	Inputs []string // folders and files that contain inputs
	// IsInput reports whether a file of the repository is an input and not part of the
	// program, in addition to Inputs. It may be nil.
	IsInput func(name string) bool
}

// CompareSources compares two versions of a program by syntax and returns the methods that
// the change affects. files holds the files that differ. Comments, formatting, imports
// under new names and moved code affect nothing. A changed constant, variable or type
// affects the methods that mention it, and so does a new method that may be called instead
// of another.
func CompareSources(ctx context.Context, v Versions, files []FileStatus, opt CompareOptions) (*SourceChange, error) {
	c := &comparer{
		Versions: v, ctx: ctx, opt: opt, isInput: opt.isInput(), out: &SourceChange{},
		outlines: map[Version]map[string]*source.File{}, mentions: map[string]*mentionIndex{},
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
}

func (opt CompareOptions) isInput() func(name string) bool {
	inFolders := InFolders(opt.Inputs)
	if opt.IsInput == nil {
		return inFolders
	}
	return func(name string) bool { return opt.IsInput(name) || inFolders(name) }
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
		c.fallBack(Unmapped, "%s changed, and the files that include it are unknown", f.Path)
	case isGeneratorInput(f.Path) && !inTestFolder(f.Path):
		c.fallBack(Unmapped, "%s changed, and the code that is generated from it is unknown", f.Path)
	case manifestOf(f.Path) != nil || isBuildFile(f.Path) || c.isMakefile(f.Path):
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
			if d := &base.Decls[i]; !d.Test {
				names[d.Name] = d
			}
		}
	}
	if head != nil {
		for i := range head.Decls {
			d := &head.Decls[i]
			if d.Test {
				continue
			}
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
		c.out.Ignored = append(c.out.Ignored, f.Path) // comments, formatting or tests
	}
}

// dropMoved drops declarations that were moved unchanged: one was deleted, and another with
// the same name, owner and content was added. Declarations of a deleted module still count
// as deleted: only a run shows whether other code still loads the module.
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
			moved[i], moved[from[0]] = true, !c.isGoneModule(c.edits[from[0]].file)
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

// isGoneModule reports whether a file is a module that programs load by name at run time,
// and that the head does not have.
func (c *comparer) isGoneModule(name string) bool {
	language := source.LanguageOf(name)
	return (language == "python" || language == "javascript") && c.outline(c.Head, name) == nil
}

// joinSignatures joins a deleted method with an added one of the same name in the same
// file, if there is only one of each: its parameters changed, which are part of its
// qualified name in languages with overloading.
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
