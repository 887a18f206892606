package selection

import (
	"slices"
	"strings"
)

// A Told is a change as git tells it, and what else is known of the repository.
type Told struct {
	Files     []FileChange // since the commit that the model was trained at
	Touched   []string     // the files that the change is about; nil if it is all of them
	Untracked []string     // files that git does not know
	Folders   []string     // of the repository, with inputs in them
}

// Change maps what is told to units.
func (t Told) Change(table *Table, rules Rules) Change {
	files := t.Counting()
	for _, name := range t.Untracked {
		if table.Source(name) && !t.IsInput(name) { // other files may be what a build left
			files = append(slices.Clip(files), FileChange{New: name})
		}
	}
	return table.Change(files, rules, t.IsInput)
}

// IsInput tells which files of the repository are inputs. One that is gone is
// known by the folder it was in.
func (t Told) IsInput(name string) bool {
	return slices.ContainsFunc(t.Folders, func(folder string) bool {
		return folder == "." || name == folder || strings.HasPrefix(name, folder+"/")
	})
}

// Counting returns the files that the change is about, as they differ from what
// the model was trained on. One that is now as it was for the model was another
// in between, and all of it counts.
func (t Told) Counting() []FileChange {
	if t.Touched == nil {
		return t.Files
	}
	byName := map[string]FileChange{}
	for _, f := range t.Files {
		byName[f.Name()] = f
	}
	var out []FileChange
	for _, name := range t.Touched {
		told, ok := byName[name]
		if !ok {
			told = FileChange{Old: name, New: name}
		}
		out = append(out, told)
	}
	return out
}

// Harmless are patterns of files that no program reads.
func Harmless() []string {
	return []string{"*.md", "*.rst", "*.adoc", "LICENSE*", "CODEOWNERS", ".gitignore", ".gitattributes", ".editorconfig"}
}
