// Package bundled holds the grammars that come with inroad.
package bundled

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/inroad/inroad/grammars"
)

//go:embed *.g4
var files embed.FS

// Names lists the bundled grammars in order.
func Names() []string {
	paths, err := fs.Glob(files, "*.g4")
	if err != nil {
		panic(err) // the pattern is well-formed
	}
	var names []string
	for _, path := range paths {
		names = append(names, strings.TrimSuffix(path, ".g4"))
	}
	slices.Sort(names)
	return names
}

// Source returns the text of a bundled grammar.
func Source(name string) (grammars.Source, error) {
	text, err := files.ReadFile(name + ".g4")
	if err != nil || !slices.Contains(Names(), name) {
		return grammars.Source{}, fmt.Errorf("no bundled grammar is named %q; there are: %s", name, strings.Join(Names(), ", "))
	}
	return grammars.Source{Name: name + ".g4", Text: string(text)}, nil
}

// Load loads a bundled grammar.
func Load(name string) (*grammars.Grammar, error) {
	source, err := Source(name)
	if err != nil {
		return nil, err
	}
	return grammars.Load(source)
}
