package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/g4"
)

// A unit is one grammar of the checkout: its files, start rule and examples. All
// paths of files are relative to the checkout.
type unit struct {
	Name      string   `json:"grammar"` // the folder, and the grammar's name if the folder has several
	Files     []string `json:"files"`
	Start     string   `json:"start"`
	StartFrom string   `json:"startFrom"` // pom.xml, desc.xml, or fromRules
	Latin1    bool     `json:"latin1,omitempty"`
	Impure    bool     `json:"impure,omitempty"` // code in the grammar may change its trees
	Examples  []string `json:"-"`
}

// fromRules says that no file names the start rule; it is derived from the rules.
const fromRules = "rules"

// sources returns the texts of a unit's files.
func (u *unit) sources(root string) ([]grammars.Source, error) {
	var sources []grammars.Source
	for _, file := range u.Files {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return nil, err
		}
		sources = append(sources, grammars.Source{Name: filepath.Base(file), Text: string(text)})
	}
	return sources, nil
}

// find returns the grammars in the described folders of a checkout, in order.
func find(ctx context.Context, root string) ([]*unit, error) {
	var units []*unit
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !entry.IsDir() {
			return nil
		}
		if name := entry.Name(); strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".git") || strings.HasPrefix(name, "example") {
			return filepath.SkipDir
		}
		about, err := describe(path)
		if err != nil || about == nil {
			return err
		}
		found, err := findIn(ctx, root, path, about)
		units = append(units, found...)
		return err
	})
	return units, err
}

// findIn returns the grammars of one folder: parser and combined grammars that no
// other grammar of the folder imports.
func findIn(ctx context.Context, root, dir string, about *description) ([]*unit, error) {
	files, err := readGrammars(ctx, append([]string{dir}, about.imports...))
	if err != nil {
		return nil, err
	}
	imported := map[string]bool{}
	for _, file := range files {
		for _, name := range file.Imports {
			imported[name.Text] = true
		}
	}
	var mains []*g4.File
	for _, file := range files {
		listed := len(about.files) == 0 || slices.Contains(about.files, filepath.Base(file.File))
		if file.Kind != g4.Lexer && !imported[file.Name] && filepath.Dir(file.File) == dir && listed {
			mains = append(mains, file)
		}
	}
	examples, err := about.examples(root, dir)
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Rel(root, dir)
	if err != nil {
		return nil, err
	}
	var units []*unit
	for _, main := range mains {
		parts := closure(main, files)
		start, from := about.start(main.Name, len(mains) == 1, parts)
		if start == "" {
			continue
		}
		u := &unit{Name: filepath.ToSlash(folder), Start: start, StartFrom: from, Latin1: about.latin1, Examples: examples}
		if len(mains) > 1 {
			u.Name += ":" + main.Name
			if from == fromRules {
				u.Examples = nil // they belong to the grammars that the folder describes
			}
		}
		for _, part := range parts {
			path, err := filepath.Rel(root, part.File)
			if err != nil {
				return nil, err
			}
			u.Files = append(u.Files, filepath.ToSlash(path))
			u.Impure = u.Impure || slices.ContainsFunc(part.Code, changesTrees)
		}
		units = append(units, u)
	}
	return units, nil
}

// changesTrees reports whether a parser that runs the code may return other trees.
func changesTrees(code g4.Code) bool { return code.Kind != g4.Header && code.Kind != g4.RuleHeader }

// readGrammars parses the grammar files of some folders.
func readGrammars(ctx context.Context, dirs []string) ([]*g4.File, error) {
	var files []*g4.File
	for _, dir := range dirs {
		paths, err := filepath.Glob(filepath.Join(dir, "*.g4"))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			file, _, err := g4.Parse(ctx, path, string(text)) // Load reports what is wrong with it
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			file.File = path
			files = append(files, file)
		}
	}
	return files, nil
}

// closure returns a grammar, its token vocabulary and all grammars that these import.
func closure(main *g4.File, files []*g4.File) []*g4.File {
	found := []*g4.File{main}
	add := func(name string) {
		i := slices.IndexFunc(files, func(f *g4.File) bool { return f.Name == name })
		if i >= 0 && !slices.Contains(found, files[i]) {
			found = append(found, files[i])
		}
	}
	for i := 0; i < len(found); i++ {
		for _, name := range found[i].Imports {
			add(name.Text)
		}
		vocabulary := ""
		for _, option := range found[i].Options {
			if option.Name == "tokenVocab" {
				vocabulary = option.Value
			}
		}
		if vocabulary == "" && found[i].Kind == g4.Parser && i == 0 {
			vocabulary = strings.TrimSuffix(main.Name, "Parser") + "Lexer"
		}
		add(vocabulary)
	}
	return found
}

// startOf returns the start rule that the rules imply: the only parser rule that no
// other rule refers to, or the only one of these that ends with EOF, or the first rule.
func startOf(files []*g4.File) string {
	var rules []*g4.Rule
	used := map[string]bool{}
	for _, file := range files {
		for _, rule := range file.Rules {
			if rule.IsLexer() {
				continue
			}
			rules = append(rules, rule)
			for name := range references(rule) {
				if name != rule.Name {
					used[name] = true
				}
			}
		}
	}
	roots := slices.DeleteFunc(slices.Clone(rules), func(r *g4.Rule) bool { return used[r.Name] })
	ending := slices.DeleteFunc(slices.Clone(roots), func(r *g4.Rule) bool { return !references(r)["EOF"] })
	for _, candidates := range [][]*g4.Rule{ending, roots, rules} {
		if len(candidates) == 1 || len(candidates) > 0 && candidates[0] == rules[0] {
			return candidates[0].Name
		}
	}
	if len(rules) > 0 {
		return rules[0].Name
	}
	return ""
}

// references returns the names of the rules and tokens in a rule.
func references(rule *g4.Rule) map[string]bool {
	names := map[string]bool{}
	for element := range rule.Body.Elements() {
		if ref, ok := element.(*g4.Ref); ok {
			names[ref.Name] = true
		}
	}
	return names
}

// glob returns the files that a pattern of desc.xml names: a folder or a glob.
func glob(dir, pattern string) ([]string, error) {
	pattern = filepath.ToSlash(filepath.Join(dir, pattern))
	if info, err := os.Stat(pattern); err == nil && info.IsDir() {
		pattern += "/**/*"
	}
	return doublestar.FilepathGlob(pattern, doublestar.WithFilesOnly())
}
