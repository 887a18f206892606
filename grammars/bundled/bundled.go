// Package bundled provides the grammars that come with inroad, with sample
// inputs.
package bundled

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/inroad/inroad/grammars"
)

//go:embed *.g4
var files embed.FS

//go:embed testdata/*/good
var samples embed.FS

// lexerSuffix ends the file name of a bundled grammar's lexer. Grammars with
// lexer modes need a separate lexer file.
const lexerSuffix = "Lexer.g4"

// Names returns the names of the bundled grammars in alphabetical order.
func Names() []string {
	paths, err := fs.Glob(files, "*.g4")
	if err != nil {
		panic(err) // the pattern is well-formed
	}
	var names []string
	for _, file := range paths {
		if !strings.HasSuffix(file, lexerSuffix) {
			names = append(names, strings.TrimSuffix(file, ".g4"))
		}
	}
	slices.Sort(names)
	return names
}

// Sources returns the files of a bundled grammar: one file, or the parser and
// its lexer.
func Sources(name string) ([]grammars.Source, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("unknown bundled grammar %q; available: %s", name, strings.Join(Names(), ", "))
	}
	var sources []grammars.Source
	for _, file := range []string{name + ".g4", name + lexerSuffix} {
		text, err := files.ReadFile(file)
		switch {
		case errors.Is(err, fs.ErrNotExist) && len(sources) > 0: // a combined grammar
		case err != nil:
			return nil, err
		default:
			sources = append(sources, grammars.Source{Name: file, Text: string(text)})
		}
	}
	return sources, nil
}

// Load loads a bundled grammar.
func Load(ctx context.Context, name string) (*grammars.Grammar, error) {
	sources, err := Sources(name)
	if err != nil {
		return nil, err
	}
	return grammars.Load(ctx, sources...)
}

// A Sample is an example input of a bundled grammar.
type Sample struct {
	Name string
	Text []byte
}

// Samples returns handwritten inputs of a bundled grammar.
func Samples(name string) ([]Sample, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("unknown bundled grammar %q; available: %s", name, strings.Join(Names(), ", "))
	}
	dir := path.Join("testdata", name, "good")
	entries, err := samples.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []Sample
	for _, entry := range entries {
		text, err := samples.ReadFile(path.Join(dir, entry.Name()))
		if err != nil {
			return nil, err
		}
		out = append(out, Sample{entry.Name(), text})
	}
	return out, nil
}

// NameToken returns the token of a bundled grammar that stands for names, such
// as those of variables and tables. It returns "" if the grammar has no such
// token.
func NameToken(grammar string) string {
	return map[string]string{"css": "IDENT", "javascript": "IDENTIFIER", "sql": "NAME", "xml": "NAME"}[grammar]
}
