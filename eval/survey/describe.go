package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inroad/inroad/grammars/g4"
)

// A description is what the files desc.xml and pom.xml of a folder say about its
// grammars.
type description struct {
	entries []entry
	files   []string // the grammar files; all files of the folder if empty
	imports []string // further folders with grammar files
	inputs  []string // folders and globs of examples
	latin1  bool     // the examples are in this encoding
}

// An entry names the start rule of a grammar.
type entry struct {
	grammar, rule string // the grammar is "" if there is only one
	from          string
}

// describe returns the description of a folder; nil if it has none.
func describe(dir string) (*description, error) {
	d := &description{}
	found := false
	for _, name := range []string{"pom.xml", "desc.xml"} {
		file, err := os.Open(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found = true
		d.read(file, name, dir)
		if err := file.Close(); err != nil {
			return nil, err
		}
	}
	if !found {
		return nil, nil //nolint:nilnil // most folders have no description
	}
	if len(d.inputs) == 0 {
		d.inputs = []string{"examples"}
	}
	return d, nil
}

// read adds the elements of one file, up to the first syntax error. A grammar's name may
// come after its start rule, but both are in the same element.
func (d *description) read(r io.Reader, name, dir string) {
	decoder := xml.NewDecoder(r)
	var text strings.Builder
	var current entry
	for {
		token, err := decoder.Token()
		if err != nil {
			return
		}
		switch token := token.(type) {
		case xml.StartElement:
			text.Reset()
		case xml.CharData:
			text.Write(token)
		case xml.EndElement:
			value := strings.TrimSpace(text.String())
			text.Reset()
			switch token.Name.Local {
			case "entryPoint", "entry-point":
				current.rule = value
			case "grammarName", "grammar-name":
				current.grammar = value
			case "grammar-files":
				d.files = append(d.files, list(value)...)
			case "imports":
				for _, folder := range list(value) {
					d.imports = append(d.imports, filepath.Join(dir, folder))
				}
			case "inputs":
				d.inputs = append(d.inputs, list(value)...)
			case "file-encoding":
				d.latin1 = d.latin1 || slices.Contains([]string{"latin1", "iso-8859-1"}, strings.ToLower(value))
			case "configuration", "test", "desc":
				if current.rule != "" {
					current.from = name
					d.entries = append(d.entries, current)
				}
				current = entry{}
			}
		}
	}
}

// list splits a list at semicolons.
func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == ' ' || r == '\n' })
}

// start returns the start rule of a grammar and the file that names it.
func (d *description) start(grammar string, only bool, parts []*g4.File) (rule, from string) {
	for _, e := range d.entries {
		named := e.grammar == grammar || e.grammar+"Parser" == grammar
		if (named || only || e.grammar == "") && hasRule(parts, e.rule) {
			return e.rule, e.from
		}
	}
	return startOf(parts), fromRules
}

func hasRule(parts []*g4.File, name string) bool {
	return slices.ContainsFunc(parts, func(f *g4.File) bool {
		return slices.ContainsFunc(f.Rules, func(r *g4.Rule) bool { return r.Name == name })
	})
}

// examples returns the examples of a folder that its grammar should accept.
func (d *description) examples(root, dir string) ([]string, error) {
	var examples []string
	for _, pattern := range d.inputs {
		paths, err := glob(dir, pattern)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			_, err := os.Stat(path + ".errors") // the expected errors of an example that is wrong
			expected := filepath.Ext(path) == ".errors" || filepath.Ext(path) == ".tree"
			if expected || err == nil {
				continue
			}
			path, err := filepath.Rel(root, path)
			if err != nil {
				return nil, err
			}
			examples = append(examples, filepath.ToSlash(path))
		}
	}
	slices.Sort(examples)
	return slices.Compact(examples), nil
}
