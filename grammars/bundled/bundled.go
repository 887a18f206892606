// Package bundled holds the grammars that come with inroad.
package bundled

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/inroad/inroad/grammars"
)

//go:embed *.g4
var files embed.FS

// lexerSuffix ends the name of a file that holds the lexer of a bundled grammar,
// for those that need modes and so cannot be one file.
const lexerSuffix = "Lexer.g4"

// Names lists the bundled grammars in order.
func Names() []string {
	paths, err := fs.Glob(files, "*.g4")
	if err != nil {
		panic(err) // the pattern is well-formed
	}
	var names []string
	for _, path := range paths {
		if !strings.HasSuffix(path, lexerSuffix) {
			names = append(names, strings.TrimSuffix(path, ".g4"))
		}
	}
	slices.Sort(names)
	return names
}

// Sources returns the files of a bundled grammar: one, or the parser and its
// lexer.
func Sources(name string) ([]grammars.Source, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("no bundled grammar is named %q; there are: %s", name, strings.Join(Names(), ", "))
	}
	var sources []grammars.Source
	for _, path := range []string{name + ".g4", name + lexerSuffix} {
		text, err := files.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && len(sources) > 0: // one file
		case err != nil:
			return nil, err
		default:
			sources = append(sources, grammars.Source{Name: path, Text: string(text)})
		}
	}
	return sources, nil
}

// Load loads a bundled grammar.
func Load(name string) (*grammars.Grammar, error) {
	sources, err := Sources(name)
	if err != nil {
		return nil, err
	}
	return grammars.Load(sources...)
}
