package selection

import (
	"slices"
	"strings"
)

// A GitChange is a change as git reports it.
type GitChange struct {
	Files        []FileChange // differences from the commit that the model was trained at
	Touched      []string     // files that the change touches; nil for all of Files
	Untracked    []string     // files that git does not track
	InputFolders []string     // folders of the repository that contain inputs
}

// Map maps the change to units. Untracked files count if they are source files:
// others may be build products.
func (g GitChange) Map(table *Table, rules Rules) Change {
	files := g.RelevantFiles()
	for _, name := range g.Untracked {
		if table.isSource(name) && !g.isInput(name) {
			files = append(slices.Clip(files), FileChange{New: name})
		}
	}
	return table.Map(files, rules, g.isInput)
}

// isInput reports whether a file of the repository is an input: whether it is in
// one of the input folders. This also works for deleted files.
func (g GitChange) isInput(name string) bool {
	return slices.ContainsFunc(g.InputFolders, func(folder string) bool {
		return folder == "." || name == folder || strings.HasPrefix(name, folder+"/")
	})
}

// RelevantFiles returns the touched files with their differences from the commit
// that the model was trained at. A touched file without differences was changed
// and changed back; it is returned without hunks, so that all its units count as
// changed.
func (g GitChange) RelevantFiles() []FileChange {
	if g.Touched == nil {
		return g.Files
	}
	byName := map[string]FileChange{}
	for _, f := range g.Files {
		byName[f.Name()] = f
	}
	var out []FileChange
	for _, name := range g.Touched {
		f, ok := byName[name]
		if !ok {
			f = FileChange{Old: name, New: name}
		}
		out = append(out, f)
	}
	return out
}

// DefaultIgnore returns patterns of files that no program reads, such as
// documentation.
func DefaultIgnore() []string {
	return []string{"*.md", "*.rst", "*.adoc", "LICENSE*", "CODEOWNERS", ".gitignore", ".gitattributes", ".editorconfig"}
}
