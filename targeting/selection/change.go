package selection

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A GitChange is a change as git reports it.
type GitChange struct {
	Files        []FileChange // differences from the commit that the model was trained at
	Diff         string       // text of Files; may be empty
	Touched      []string     // files that the change touches; nil for all of Files
	Untracked    []string     // files that git does not track
	InputFolders []string     // folders of the repository that contain inputs
	Fallbacks    []Fallback   // reasons to run all inputs
	Prefix       string       // from the root of the repository to the current folder
}

// fall adds a reason to run all inputs.
func (g *GitChange) fall(cause Cause, format string, args ...any) {
	g.Fallbacks = append(g.Fallbacks, Fallback{cause, fmt.Sprintf(format, args...)})
}

// Place returns the path of a file relative to the root of the repository.
func (g GitChange) Place(name string) string {
	if filepath.IsAbs(name) {
		here, err := os.Getwd()
		if err != nil {
			return ""
		}
		if name, err = filepath.Rel(here, name); err != nil {
			return ""
		}
	}
	return path.Join(g.Prefix, filepath.ToSlash(name))
}

// ChangedInputs returns the inputs among files that the change adds (true) or edits
// (false), for [Options].
func (g GitChange) ChangedInputs(files []string) map[string]bool {
	inputs := map[string]string{} // by the place in the repository
	for _, name := range files {
		inputs[g.Place(name)] = filepath.ToSlash(name)
	}
	out := map[string]bool{}
	for _, f := range g.relevantFiles() {
		if name, ok := inputs[f.New]; ok {
			out[name] = f.Old == ""
		}
	}
	for _, file := range g.Untracked {
		if name, ok := inputs[file]; ok {
			out[name] = true
		}
	}
	return out
}

// Map maps the change to units. Untracked files count if they are source files:
// others may be build products.
func (g GitChange) Map(table *Table, rules Rules) Change {
	files := g.relevantFiles()
	for _, name := range g.Untracked {
		if table.isSource(name) && !g.isInput(name) {
			files = append(slices.Clip(files), FileChange{New: name})
		}
	}
	change := table.Map(files, rules, g.isInput)
	change.Fallbacks = slices.Concat(g.Fallbacks, change.Fallbacks)
	return change
}

// isInput reports whether a file of the repository is an input: whether it is in
// one of the input folders. This also works for deleted files.
func (g GitChange) isInput(name string) bool {
	return slices.ContainsFunc(g.InputFolders, func(folder string) bool {
		return folder == "." || name == folder || strings.HasPrefix(name, folder+"/")
	})
}

// relevantFiles returns the touched files with their differences from the commit
// that the model was trained at. A touched file without differences was changed
// and changed back; it is returned without hunks, so that all its units count as
// changed.
func (g GitChange) relevantFiles() []FileChange {
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
