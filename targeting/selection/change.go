package selection

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inroad/inroad/targeting/selection/source"
)

// A GitChange is a change in a git repository.
type GitChange struct {
	SourceChange
	Files  []FileStatus // files that the change touches, including untracked ones
	Age    int          // number of commits between the model's commit and the base
	Prefix string       // from the root of the repository to the current folder
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
	for _, f := range g.Files {
		if name, ok := inputs[f.Path]; ok {
			out[name] = f.New
		}
	}
	return out
}

// InFolders returns a function that reports whether a file of the repository is in one
// of the folders, or is itself listed. The folder "." stands for all files except source
// files.
func InFolders(folders []string) func(name string) bool {
	var clean []string
	for _, folder := range folders {
		if folder != "" {
			clean = append(clean, path.Clean(folder))
		}
	}
	return func(name string) bool {
		return slices.ContainsFunc(clean, func(folder string) bool {
			return folder == "." && source.LanguageOf(name) == "" || name == folder || strings.HasPrefix(name, folder+"/")
		})
	}
}

// DefaultIgnore returns patterns of files that no program reads, such as documentation,
// and declarations of types for type checkers.
func DefaultIgnore() []string {
	return []string{
		"*.md", "*.rst", "*.adoc", "LICENSE*", "CODEOWNERS", ".gitignore", ".gitattributes", ".editorconfig",
		"*.d.ts", "*.d.mts", "*.d.cts", "*.pyi",
	}
}
