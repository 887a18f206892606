package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/targeting/selection"
)

// change finds out which methods changed, and which inputs.
func (opt *selectOptions) change(ctx context.Context, m *model.Model, names []string) (selection.Change, error) {
	table := selection.NewTable(m.Units, filepath.ToSlash(opt.root))
	if opt.diff != "" {
		files, err := opt.readDiff()
		if err != nil {
			return selection.Change{}, err
		}
		isInput := opt.markInputs(names, filepath.ToSlash, files, nil)
		return table.Change(files, opt.rules, isInput), nil
	}
	r, err := openRepository(ctx)
	if err != nil {
		return selection.Change{}, err
	}
	if m.Commit == "" {
		return selection.Change{Fallbacks: []selection.Fallback{fallback(selection.StaleModel, "it does not tell the commit that it was trained at")}}, nil
	}
	c, err := r.readChange(ctx, opt.base, m.Commit, opt.maxAge)
	if err != nil {
		return selection.Change{}, err
	}
	isInput := opt.markInputs(names, r.pathOf, c.files, c.untracked)
	for _, name := range c.untracked {
		if table.Source(name) && !isInput(name) { // other files may be what a build left
			c.files = append(c.files, selection.FileChange{New: name})
		}
	}
	change := table.Change(c.files, opt.rules, isInput)
	change.Fallbacks = append(c.fallbacks, change.Fallbacks...)
	return change, nil
}

func (opt *selectOptions) readDiff() ([]selection.FileChange, error) {
	in := opt.stdin
	if opt.diff != "-" {
		file, err := os.Open(opt.diff)
		if err != nil {
			return nil, fmt.Errorf("--diff %s: %w", printable(opt.diff), cause(err))
		}
		defer func() { _ = file.Close() }() // it was only read
		in = file
	}
	files, err := selection.ReadDiff(in)
	if err != nil {
		return nil, fmt.Errorf("--diff %s: %w", inputName(opt.diff), err)
	}
	return files, nil
}

// markInputs notes which inputs are new or changed, and tells which files of the
// repository are inputs. One that is gone is known by the folder it was in.
func (opt *selectOptions) markInputs(names []string, pathOf func(string) string, files []selection.FileChange, untracked []string) func(string) bool {
	inputs := map[string]string{}
	for _, name := range names {
		inputs[pathOf(name)] = filepath.ToSlash(name)
	}
	opt.selection.Changed = map[string]bool{}
	for _, f := range files {
		if name, ok := inputs[f.New]; ok {
			opt.selection.Changed[name] = f.Old == ""
		}
	}
	for _, name := range untracked {
		if name, ok := inputs[name]; ok {
			opt.selection.Changed[name] = true
		}
	}
	var folders []string
	for _, name := range opt.corpus {
		folders = append(folders, pathOf(filepath.Clean(name))+"/")
	}
	return func(name string) bool {
		return slices.ContainsFunc(folders, func(f string) bool { return strings.HasPrefix(name, f) || name+"/" == f || f == "./" })
	}
}
