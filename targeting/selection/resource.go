package selection

import (
	"bytes"
	"go/build/constraint"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/inroad/inroad/targeting/selection/source"
)

// under reports whether a file is in a folder or below it.
func under(folder, name string) bool { return folder == "." || strings.HasPrefix(name, folder+"/") }

func (c *comparer) headFiles() []string {
	if c.err != nil {
		return nil
	}
	names, err := c.Head.Files(c.ctx)
	c.err = err
	return names
}

// resource compares a file that is not source code in a known language. A changed file
// affects the methods that embed it or mention its name. If there are none, it is ignored,
// unless [Table.MapCode] finds methods in it.
func (c *comparer) resource(f FileStatus) {
	before, after := c.read(c.Base, f.Path), c.read(c.Head, f.Path)
	if before != nil && bytes.Equal(before, after) {
		return
	}
	r := newRegions()
	base := path.Base(f.Path)
	names := []string{base}
	if module, ok := strings.CutSuffix(base, ".json"); ok {
		names = append(names, "/"+module) // JavaScript names it without the extension
	}
	for _, name := range c.headFiles() {
		if source.LanguageOf(name) == "" || source.IsTest(name) {
			continue
		}
		outline := c.outline(c.Head, name)
		if c.err != nil {
			return
		}
		if outline == nil || !slices.ContainsFunc(names, outline.ContainsText) && !embeds(outline, f.Path) {
			continue
		}
		for i := range outline.Decls {
			d := &outline.Decls[i]
			mentions := slices.ContainsFunc(names, d.MentionsText) || embeds(outline, f.Path) && d.MentionsText("go:embed")
			if !mentions {
				continue
			}
			c.user(r, declRef{name, outline, d})
			if d.Kind != source.Import {
				continue
			}
			if included, ok := strings.CutPrefix(d.Name, "include "); ok && path.Base(included) == base { // of C, outside declarations
				c.fallBack(Unmapped, "%s changed, and %s includes it", f.Path, name)
				return
			}
			for _, bound := range d.Names { // import data from './data.json'
				c.users(r, name, d, bound)
			}
		}
	}
	if len(r.list) == 0 {
		if !f.Untracked { // it may be a build product
			c.out.Ignored = append(c.out.Ignored, f.Path)
		}
		if f.New {
			return
		}
	}
	// A file that affects no other one counts as well: it may contain methods of the model.
	c.out.Changes = append(c.out.Changes, CodeChange{Name: f.Path, Kind: source.Statement, How: Changed, Affected: r.list})
}

// isFragment reports whether a file is code without an outline that other files include,
// or that is built together with them.
func isFragment(name string) bool {
	switch path.Ext(name) {
	case ".s", ".S", ".def", ".inc", ".proto":
		return true
	}
	return false
}

// isGeneratorInput reports whether source code is generated from a file: the file is the
// input of a generator of parsers or lexers, or a template of a source file.
func isGeneratorInput(name string) bool {
	switch ext := path.Ext(name); ext {
	case ".y", ".yy", ".ypp", ".l", ".lpp", ".rl", ".gperf", ".jj", ".jjt", ".flex", ".cup", ".lalrpop", ".pegjs", ".peggy":
		return true
	default:
		return ext == ".in" && source.LanguageOf(strings.TrimSuffix(name, ext)) != ""
	}
}

// isEmbedded reports whether a Go file of the head embeds a file.
func (c *comparer) isEmbedded(name string) bool {
	if c.embedders == nil {
		c.embedders = []*source.File{}
		for _, file := range c.headFiles() {
			if source.LanguageOf(file) != "go" || source.IsTest(file) {
				continue
			}
			if f := c.outline(c.Head, file); f != nil && len(f.Embeds) > 0 {
				c.embedders = append(c.embedders, f)
			}
		}
	}
	return slices.ContainsFunc(c.embedders, func(f *source.File) bool { return embeds(f, name) })
}

// embeds reports whether a Go file embeds another file.
func embeds(outline *source.File, name string) bool {
	folder := path.Dir(outline.Name)
	return slices.ContainsFunc(outline.Embeds, func(pattern string) bool {
		pattern = path.Join(folder, strings.TrimPrefix(pattern, "all:"))
		for n := name; n != "." && n != "/"; n = path.Dir(n) {
			if ok, err := path.Match(pattern, n); ok && err == nil {
				return true
			}
		}
		return false
	})
}

// goBuilds reports whether the build constraints of a Go file hold on this platform.
func goBuilds(text []byte) bool {
	holds := func(tag string) bool {
		return tag == runtime.GOOS || tag == runtime.GOARCH || tag == "gc" || tag == "cgo" || strings.HasPrefix(tag, "go1") ||
			tag == "unix" && slices.Contains([]string{"linux", "darwin", "freebsd", "netbsd", "openbsd"}, runtime.GOOS)
	}
	plus := true // all lines of the old form
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "//") {
			break
		}
		if !constraint.IsGoBuild(line) && !constraint.IsPlusBuild(line) {
			continue
		}
		x, err := constraint.Parse(line)
		if err != nil {
			continue
		}
		if constraint.IsGoBuild(line) {
			return x.Eval(holds)
		}
		plus = plus && x.Eval(holds)
	}
	return plus
}
