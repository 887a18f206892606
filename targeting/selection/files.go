package selection

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"go/build/constraint"
	"io"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/inroad/inroad/targeting/selection/source"
)

// A manifest is a file that names the dependencies of a program.
type manifest func(text []byte) (dependencies []string, ok bool)

// manifestOf returns the manifest that a file is, or nil.
func manifestOf(name string) manifest {
	switch path.Base(name) {
	case "go.mod":
		return goDependencies
	case "pom.xml":
		return mavenDependencies
	case "package.json":
		return nodeDependencies
	case "Cargo.toml":
		return tomlSections("dependencies", "features", "profile", "patch", "build-dependencies", "target")
	case "pyproject.toml", "setup.cfg", "setup.py":
		return assignments("dependencies", "requires-python", "install_requires", "python_requires", "ext_modules")
	}
	return nil
}

// isBuildFile reports whether a file may affect how all code is built, and is not
// analysed any further.
func isBuildFile(name string) bool {
	switch path.Base(name) {
	case "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "gradle.properties",
		"CMakeLists.txt", "meson.build", "configure.ac", "build.rs":
		return true
	}
	return false
}

// manifest compares the dependencies that a manifest names. In Go, a dependency affects
// the methods of the files that import it; elsewhere it may affect all methods.
func (c *comparer) manifest(f FileStatus) {
	parse := manifestOf(f.Path)
	base, head := c.read(c.Base, f.Path), c.read(c.Head, f.Path)
	if c.err != nil || base != nil && bytes.Equal(base, head) {
		return
	}
	if parse == nil {
		c.fallBack(BuildFile, "%s changed", f.Path)
		return
	}
	before, okBefore := parse(base)
	after, okAfter := parse(head)
	switch changed := difference(before, after); {
	case !okBefore || !okAfter:
		c.fallBack(BuildFile, "%s cannot be read", f.Path)
	case len(changed) == 0:
		c.out.Ignored = append(c.out.Ignored, f.Path)
	case path.Base(f.Path) == "go.mod":
		c.dependencies(f.Path, changed)
	default:
		c.fallBack(BuildFile, "%s: %s changed", f.Path, strings.Join(changed[:min(len(changed), 3)], ", "))
	}
}

// difference returns the elements that only one of two lists contains.
func difference(a, b []string) []string {
	var out []string
	for _, x := range a {
		if !slices.Contains(b, x) {
			out = append(out, x)
		}
	}
	for _, x := range b {
		if !slices.Contains(a, x) {
			out = append(out, x)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// dependencies adds the methods of Go files that import a module whose version changed.
// A dependency has the form "module version". If the version of Go changed the meaning
// of loops, it adds the methods that may notice.
func (c *comparer) dependencies(manifest string, changed []string) {
	r := newRegions()
	for _, name := range c.headFiles() {
		if source.LanguageOf(name) != "go" || source.IsTest(name) || !under(path.Dir(manifest), name) {
			continue
		}
		outline := c.outline(c.Head, name)
		if outline == nil {
			continue
		}
		for _, dependency := range changed {
			module, _, _ := strings.Cut(dependency, " ")
			if module == goVersion {
				for i := range outline.Decls {
					if d := &outline.Decls[i]; d.MayCaptureLoop() {
						c.user(r, declRef{name, outline, d})
					}
				}
			} else if slices.ContainsFunc(outline.Imports, func(p string) bool { return p == module || strings.HasPrefix(p, module+"/") }) {
				c.allIn(r, name)
			}
		}
	}
	if len(r.list) == 0 {
		c.out.Ignored = append(c.out.Ignored, manifest)
		return
	}
	c.out.Changes = append(c.out.Changes, CodeChange{Name: manifest, Kind: source.Statement, How: Changed, Affected: r.list})
}

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

// resource compares a file that is not source code. It affects the methods that embed
// it or mention its name. Other files affect no method, as far as is known.
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
			if d := &outline.Decls[i]; slices.ContainsFunc(names, d.MentionsText) || embeds(outline, f.Path) && d.MentionsText("go:embed") {
				c.user(r, declRef{name, outline, d})
			}
		}
	}
	if len(r.list) == 0 {
		if !f.Untracked { // it may be a build product
			c.out.Ignored = append(c.out.Ignored, f.Path)
		}
		return
	}
	c.out.Changes = append(c.out.Changes, CodeChange{Name: f.Path, Kind: source.Statement, How: Changed, Affected: r.list})
}

// isFragment reports whether a file is code that other files include or that is built
// beside them, and that has no outline.
func isFragment(name string) bool {
	switch path.Ext(name) {
	case ".s", ".S", ".def", ".inc", ".proto":
		return true
	}
	return false
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

// goVersion is how [goDependencies] names the version of Go.
const goVersion = "go"

// goDependencies returns the required and replaced modules of a go.mod with their
// versions. The version of Go counts up to 1.22, which changed the meaning of loops.
func goDependencies(text []byte) ([]string, bool) {
	var out []string
	block := ""
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "//")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		directive, rest := block, fields
		switch {
		case block == "":
			directive, rest = fields[0], fields[1:]
		case fields[0] == ")":
			block = ""
			continue
		}
		if len(rest) == 1 && rest[0] == "(" {
			block = directive
			continue
		}
		switch {
		case directive == "go" && len(rest) == 1:
			if version := strings.Split(rest[0], "."); len(version) > 1 && len(version[1]) < 2 || len(version) > 1 && version[1] < "22" {
				out = append(out, goVersion+" before 1.22")
			}
		case (directive == "require" || directive == "replace") && len(rest) >= 2:
			out = append(out, strings.Join(rest, " "))
		}
	}
	return out, true
}

// mavenDependencies returns the dependencies of a POM that are not for tests, and the
// properties, which may contain their versions.
func mavenDependencies(text []byte) ([]string, bool) {
	type dependency struct {
		Group    string `xml:"groupId"`
		Artifact string `xml:"artifactId"`
		Version  string `xml:"version"`
		Scope    string `xml:"scope"`
	}
	var pom struct {
		Dependencies []dependency `xml:"dependencies>dependency"`
		Managed      []dependency `xml:"dependencyManagement>dependencies>dependency"`
		Properties   struct {
			Inner string `xml:",innerxml"`
		} `xml:"properties"`
	}
	if len(text) == 0 {
		return nil, true
	}
	decoder := xml.NewDecoder(bytes.NewReader(text))
	decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	if err := decoder.Decode(&pom); err != nil && !errors.Is(err, io.EOF) {
		return nil, false
	}
	var out []string
	for _, d := range slices.Concat(pom.Dependencies, pom.Managed) {
		if d.Scope == "test" {
			continue
		}
		version := d.Version
		if name, ok := strings.CutPrefix(version, "${"); ok {
			version = mavenProperty(pom.Properties.Inner, strings.TrimSuffix(name, "}"))
		}
		out = append(out, d.Group+":"+d.Artifact+" "+version)
	}
	return out, true
}

// mavenProperty returns the value of a property in the inner XML of properties.
func mavenProperty(properties, name string) string {
	found := regexp.MustCompile(`<` + regexp.QuoteMeta(name) + `>([^<]*)<`).FindStringSubmatch(properties)
	if found == nil {
		return name
	}
	return found[1]
}

// nodeDependencies returns the dependencies of a package.json that are not for its
// development, and the fields that say which files are loaded.
func nodeDependencies(text []byte) ([]string, bool) {
	if len(text) == 0 {
		return nil, true
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return nil, false
	}
	var out []string
	for _, name := range []string{"dependencies", "peerDependencies", "main", "module", "type", "exports", "imports", "browser"} {
		if value, ok := fields[name]; ok {
			var compact bytes.Buffer
			if json.Compact(&compact, value) == nil {
				out = append(out, name+" "+compact.String())
			}
		}
	}
	return out, true
}

// tomlSections returns the lines of tables whose names begin with one of the given
// names, without comments.
func tomlSections(names ...string) manifest {
	return func(text []byte) ([]string, bool) {
		var out []string
		section := ""
		for line := range strings.Lines(string(text)) {
			line, _, _ = strings.Cut(line, " #")
			line = strings.TrimSpace(line)
			switch {
			case line == "" || strings.HasPrefix(line, "#"):
			case strings.HasPrefix(line, "["):
				section = strings.Trim(line, "[] ")
			case slices.ContainsFunc(names, func(n string) bool { return section == n || strings.HasPrefix(section, n+".") }):
				out = append(out, section+" "+strings.Join(strings.Fields(line), " "))
			}
		}
		return out, true
	}
}

// assignments returns the values that are assigned to names, which may have several
// lines.
func assignments(names ...string) manifest {
	return func(text []byte) ([]string, bool) {
		var out []string
		key, open := "", false
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			if !open {
				name, _, found := strings.Cut(line, "=")
				key = strings.TrimSpace(name)
				if !found || !slices.Contains(names, key) {
					continue
				}
			}
			open = strings.Count(line, "[")+btoi(open) > strings.Count(line, "]")
			out = append(out, key+" "+strings.Join(strings.Fields(line), " "))
		}
		return out, true
	}
}

func btoi(yes bool) int {
	if yes {
		return 1
	}
	return 0
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
