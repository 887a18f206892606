package choose

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/inroad/inroad/targeting/selection"
	"github.com/inroad/inroad/targeting/selection/tests"
)

// readChange reads the change and maps it to the recorded methods, and to the groups of
// tests whose own files it touches.
func (c *testsSelectCommand) readChange(ctx context.Context) (tests.Change, error) {
	out := tests.Change{Groups: map[string]bool{}}
	if c.change.diff == "" && c.header.Commit == "" {
		out.Fallbacks = []selection.Fallback{{Cause: selection.StaleModel, Detail: "the record does not name the commit that the tests were recorded at"}}
		return out, nil
	}
	root := filepath.ToSlash(c.req.Root)
	layout := c.layout()
	groupsOf := func(name string) ([]string, bool) {
		file, ok := below(root, name)
		if !ok {
			return nil, false
		}
		return layout.Groups(file)
	}
	mapped, touched, err := c.mapChange(ctx, root, func(name string) bool { _, ok := groupsOf(name); return ok })
	if err != nil {
		return out, err
	}
	for _, name := range touched {
		if groups, ok := groupsOf(name); ok {
			for _, group := range groups {
				out.Groups[group] = true
			}
		}
	}
	out.Fallbacks = mapped.Fallbacks
	for _, unit := range mapped.Units {
		out.Units = append(out.Units, c.header.Units[unit].ID)
	}
	return out, nil
}

// mapChange maps the change to the recorded methods, and returns the files that it
// touches. Files of tests are not part of the program.
func (c *testsSelectCommand) mapChange(ctx context.Context, root string, isTest func(name string) bool) (mapped selection.Change, touched []string, err error) {
	table := selection.NewTable(c.header.Units, root)
	rules := selection.Rules{RunAllOn: c.req.RunAllOn, Ignore: append(selection.DefaultIgnore(), c.req.Ignore...)}
	if c.change.diff != "" {
		text, err := c.change.readDiff(ctx, c.In)
		if err != nil {
			return mapped, nil, err
		}
		files, err := selection.ParseDiff(text)
		if err != nil {
			return mapped, nil, err
		}
		for _, f := range files {
			touched = append(touched, f.Name())
		}
		files = slices.DeleteFunc(files, func(f selection.FileChange) bool { return isTest(f.Name()) })
		return table.Map(files, rules, func(string) bool { return false }), touched, nil
	}
	found, err := c.change.readGit(ctx, selection.ChangeOptions{
		Commit: c.header.Commit, CompareOptions: selection.CompareOptions{Rules: rules, IsInput: isTest},
	}, c.Streams)
	if err != nil {
		return mapped, nil, err
	}
	for _, f := range found.Files {
		touched = append(touched, f.Path)
	}
	return table.MapCode(&found.SourceChange, func(int) bool { return true }), touched, nil
}
