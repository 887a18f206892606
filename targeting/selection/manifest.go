package selection

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/inroad/inroad/targeting/selection/source"
)

// A manifest parses a file that names the dependencies of a program. It returns the
// dependencies with their versions, and whether it could parse the file.
type manifest func(text []byte) (dependencies []string, ok bool)

// manifestOf returns the parser of a manifest file, or nil for other files.
func manifestOf(name string) manifest {
	switch path.Base(name) {
	case "go.mod":
		return goDependencies
	case "pom.xml":
		return mavenDependencies
	case "package.json":
		return nodeDependencies
	case "Cargo.toml":
		return both(tomlSections("dependencies", "features", "profile", "patch", "build-dependencies", "target", "workspace.dependencies"),
			assignments(false, "edition", "build", "links"))
	case "pyproject.toml":
		return both(tomlSections("tool.poetry.dependencies"), assignments(false, "dependencies", "requires-python"))
	case "setup.py":
		return setupScript
	case "setup.cfg":
		return assignments(true, "install_requires", "python_requires")
	}
	return lockOf(name)
}

// isBuildFile reports whether a file may affect how all code is built, and is not parsed.
func isBuildFile(name string) bool {
	switch path.Base(name) {
	case "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "gradle.properties", "libs.versions.toml",
		"build.sbt", "build.xml", "ivy.xml", "CMakeLists.txt", "meson.build", "configure.ac", "build.rs", "tsconfig.json":
		return true
	}
	return path.Ext(name) == ".cmake" || path.Ext(name) == ".gradle"
}

// isMakefile reports whether a file may say how C code in its folder is built.
func (c *comparer) isMakefile(name string) bool {
	switch path.Base(name) {
	case "Makefile", "GNUmakefile", "makefile", "Makefile.am", "Makefile.in", "configure", "configure.in", "meson_options.txt", "meson.options",
		"BUILD", "BUILD.bazel", "SConstruct", "SConscript", "binding.gyp":
	default:
		if ext := path.Ext(name); ext != ".mk" && ext != ".bzl" {
			return false
		}
	}
	return slices.ContainsFunc(c.headFiles(), func(file string) bool {
		return source.LanguageOf(file) == "c" && under(path.Dir(name), file) && !source.IsTest(file)
	})
}

// manifest compares the dependencies that a manifest names. A changed dependency in go.mod
// or a lock file of npm affects files that import dependencies; in other manifests, it runs
// all inputs.
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
	case isNodeLock(f.Path):
		c.nodeDependencies(f.Path, changed, base, head)
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

// dependencies adds the code of Go files that import other modules, if the version of any
// module changed: go.mod does not say which modules depend on it. If the version of Go
// changed the meaning of loops, it adds the methods that may depend on that meaning.
func (c *comparer) dependencies(manifest string, changed []string) {
	r := newRegions()
	main := c.mainModule(manifest)
	modules := slices.ContainsFunc(changed, func(d string) bool { return !strings.HasPrefix(d, goVersion+" ") })
	loops := slices.ContainsFunc(changed, func(d string) bool { return strings.HasPrefix(d, goVersion+" ") })
	for _, name := range c.headFiles() {
		if source.LanguageOf(name) != "go" || source.IsTest(name) || !under(path.Dir(manifest), name) {
			continue
		}
		outline := c.outline(c.Head, name)
		if outline == nil {
			continue
		}
		for i := range outline.Decls {
			if d := &outline.Decls[i]; loops && d.MayCaptureLoop() {
				c.user(r, declRef{name, outline, d})
			}
		}
		if modules && slices.ContainsFunc(outline.Imports, func(p string) bool { return isOtherModule(main, p) }) {
			c.codeOf(r, name)
		}
	}
	c.addDependencies(manifest, r)
}

// mainModule returns the module that a go.mod declares.
func (c *comparer) mainModule(manifest string) string {
	for line := range strings.Lines(string(c.read(c.Head, manifest))) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "module" {
			return fields[1]
		}
	}
	return ""
}

// isOtherModule reports whether a Go package is neither part of the standard library nor
// of the main module.
func isOtherModule(main, imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return strings.Contains(first, ".") && imported != main && !strings.HasPrefix(imported, main+"/")
}

// addDependencies adds the change of a manifest, or ignores the file if no region is
// affected.
func (c *comparer) addDependencies(name string, r *regions) {
	if len(r.list) == 0 {
		c.out.Ignored = append(c.out.Ignored, name)
		return
	}
	c.out.Changes = append(c.out.Changes, CodeChange{Name: name, Kind: source.Statement, How: Changed, Affected: r.list})
}

// codeOf adds all methods of a file, and the methods that use values that the file computes
// when it is loaded.
func (c *comparer) codeOf(r *regions, name string) {
	c.allIn(r, name)
	outline := c.outline(c.Head, name)
	if outline == nil {
		return
	}
	for i := range outline.Decls {
		if d := &outline.Decls[i]; d.Kind == source.Value {
			c.user(r, declRef{name, outline, d})
		}
	}
}

// goVersion is how [goDependencies] names the version of Go.
const goVersion = "go"

// goDependencies returns the required and replaced modules of a go.mod with their
// versions. A version of Go before 1.22 is one of them: 1.22 changed the meaning of loops.
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

// mavenDependencies returns the dependencies of a POM that are not for tests, with their
// versions, and the properties that they refer to. Versions that the POM itself does not
// refer to count as well, because other POMs inherit them.
func mavenDependencies(text []byte) ([]string, bool) {
	type dependency struct {
		Group    string `xml:"groupId"`
		Artifact string `xml:"artifactId"`
		Version  string `xml:"version"`
		Scope    string `xml:"scope"`
	}
	var pom struct {
		Parent       dependency   `xml:"parent"`
		Dependencies []dependency `xml:"dependencies>dependency"`
		Managed      []dependency `xml:"dependencyManagement>dependencies>dependency"`
		Properties   struct {
			All []struct {
				XMLName xml.Name
				Value   string `xml:",chardata"`
			} `xml:",any"`
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
	properties := map[string]string{}
	for _, p := range pom.Properties.All {
		properties[p.XMLName.Local] = strings.TrimSpace(p.Value)
	}
	used := map[string]bool{}
	var use func(value string)
	use = func(value string) {
		for _, reference := range mavenReference.FindAllStringSubmatch(value, -1) {
			if name := reference[1]; !used[name] {
				used[name] = true
				use(properties[name])
			}
		}
	}
	var out []string
	for _, d := range append(slices.Concat(pom.Dependencies, pom.Managed), pom.Parent) {
		if d.Scope != "test" {
			name := d.Group + ":" + d.Artifact + " " + d.Version
			use(name)
			out = append(out, name)
		}
	}
	for name, value := range properties {
		inherited := strings.Contains(strings.ToLower(name), "version") && !bytes.Contains(text, []byte("${"+name+"}"))
		if used[name] || inherited {
			out = append(out, name+" "+value)
		}
	}
	return out, true
}

// mavenReference matches a reference to a property.
var mavenReference = regexp.MustCompile(`\$\{([^}]*)\}`)

// nodeDependencies returns the fields of a package.json that may have an effect when the
// program is run, such as its dependencies and the files that are loaded.
func nodeDependencies(text []byte) ([]string, bool) {
	if len(text) == 0 {
		return nil, true
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return nil, false
	}
	var out []string
	for name, value := range fields {
		switch name {
		case "name", "version", "description", "keywords", "author", "contributors", "maintainers", "license", "licenses", "repository", "homepage",
			"bugs", "funding", "scripts", "devDependencies", "files", "private", "directories", "packageManager", "publishConfig", "engines",
			"eslintConfig", "prettier", "jest", "mocha", "nyc", "ava", "husky", "lint-staged", "size-limit", "tap", "xo", "standard",
			"browserslist", "types", "typings", "config", "pre-commit", "release", "testling", "gitHead":
			continue // it has no effect when the program is run
		}
		var compact bytes.Buffer
		if json.Compact(&compact, value) == nil {
			out = append(out, name+" "+compact.String())
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

// both returns a manifest that joins the results of two manifests.
func both(a, b manifest) manifest {
	return func(text []byte) ([]string, bool) {
		x, okX := a(text)
		y, okY := b(text)
		return append(x, y...), okX && okY
	}
}

// setupScript returns the lines of a setup script of Python that may have an effect when
// the program is run.
func setupScript(text []byte) ([]string, bool) {
	var out []string
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSuffix(strings.Join(strings.Fields(line), ""), ",")
		key, _, assigned := strings.Cut(line, "=")
		switch strings.ToLower(key) {
		case "version", "__version__", "description", "long_description", "long_description_content_type", "author", "author_email", "maintainer",
			"maintainer_email", "url", "download_url", "project_urls", "license", "keywords", "classifiers", "platforms", "tests_require",
			"test_suite", "zip_safe":
			if assigned {
				continue
			}
		}
		if line != "" && !strings.Contains(line, "::") {
			out = append(out, line)
		}
	}
	return out, true
}

// assignments returns the values that are assigned to names. A value may have several
// lines: up to a closing bracket, or as long as lines are indented.
func assignments(indented bool, names ...string) manifest {
	return func(text []byte) ([]string, bool) {
		var out []string
		key, open := "", false
		for line := range strings.Lines(string(text)) {
			continues := indented && slices.Contains(names, key) && strings.TrimLeft(line, " \t") != line
			if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
				continue
			}
			if !open && !continues {
				name, _, found := strings.Cut(line, "=")
				key = strings.TrimSpace(name)
				if !found || !slices.Contains(names, key) {
					continue
				}
			}
			open = strings.Count(line, "[")+btoi(open) > strings.Count(line, "]")
			out = append(out, key+" "+strings.TrimSuffix(strings.Join(strings.Fields(line), ""), ","))
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
