package selection

import (
	"path"
	"slices"
	"strings"

	"github.com/inroad/inroad/targeting/selection/source"
)

// importsCount reports whether the language of a file requires an import to use the
// declarations of another file.
func importsCount(file string) bool {
	language := source.LanguageOf(file)
	return language == "python" || language == "javascript"
}

// An importIndex finds the files that import a module, by the parts of its path.
type importIndex struct {
	byPart  map[string][]string
	dynamic []string // files that import modules by computed names
	loaders []string // functions that import modules by computed names
	cache   map[string]map[string]bool
}

func newImportIndex() *importIndex {
	return &importIndex{
		byPart: map[string][]string{}, cache: map[string]map[string]bool{},
		loaders: []string{
			"import_module", "__import__", "iter_modules", "walk_packages", "exec_module", "load_module", "spec_from_file_location", "import_string",
			"entry_points", "run_path", "run_module",
		},
	}
}

// importers returns the files of the head that import a file, directly or indirectly, and
// the file itself; nil if any file may use its declarations.
func (c *comparer) importers(file string) map[string]bool {
	x := c.index(file).imports
	if x == nil || !c.isModule(file) {
		return nil
	}
	if found, ok := x.cache[file]; ok {
		return found
	}
	found := map[string]bool{file: true}
	for queue := []string{file}; len(queue) > 0; queue = queue[1:] {
		var next []string
		for _, part := range moduleParts(queue[0]) {
			next = append(next, x.byPart[part]...)
			for _, user := range c.index(file).find(part) { // package.module without an import of the module
				next = append(next, user.file)
			}
		}
		for _, name := range append(next, x.dynamic...) {
			if !found[name] {
				found[name] = true
				queue = append(queue, name)
			}
		}
	}
	x.cache[file] = found
	return found
}

// isModule reports whether other files must import a file: a script of JavaScript that
// exports nothing declares global names.
func (c *comparer) isModule(file string) bool {
	if source.LanguageOf(file) != "javascript" {
		return true
	}
	outline := c.outline(c.Head, file)
	return outline != nil && slices.ContainsFunc(outline.Decls, func(d source.Decl) bool {
		return d.Mentions("export") || d.Mentions("exports") || d.Mentions("import")
	})
}

// moduleParts returns names of which every import of a file contains at least one: the
// file's own name or, for the main file of a package, the names of the folders around it.
func moduleParts(file string) []string {
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	if stem != "__init__" && stem != "__main__" && stem != "index" {
		stem, _, _ = strings.Cut(stem, ".") // x.d.ts
		return []string{stem}
	}
	return append(strings.Split(path.Dir(file), "/"), stem, ".")
}

// add adds the imports of a file.
func (x *importIndex) add(file string, outline *source.File) {
	parts := map[string]bool{}
	for _, imported := range outline.Imports {
		for _, part := range strings.FieldsFunc(imported, func(r rune) bool { return r == '.' || r == '/' }) {
			parts[part] = true
		}
		if module := strings.TrimLeft(imported, "./"); module == "" || imported[0] == '.' && !strings.Contains(module, ".") { // the package itself, or a name of it
			parts["."] = true
		}
	}
	for part := range parts {
		x.byPart[part] = append(x.byPart[part], file)
	}
	for i := range outline.Decls {
		if d := &outline.Decls[i]; slices.ContainsFunc(x.loaders, d.Mentions) || d.LoadsComputedModule() {
			x.dynamic = append(x.dynamic, file)
			return
		}
	}
}
