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
	found, err := c.change.read(ctx, c.header.Commit, c.Streams)
	if err != nil {
		return out, err
	}
	layout := c.layout()
	root := filepath.ToSlash(c.req.Root)
	groupsOf := func(name string) ([]string, bool) {
		file, ok := below(root, name)
		if !ok {
			return nil, false
		}
		return layout.Groups(file)
	}
	isTest := func(name string) bool { _, ok := groupsOf(name); return ok }
	touched := slices.Concat(found.Touched, found.Untracked)
	if found.Touched == nil {
		for _, f := range found.Files {
			touched = append(touched, f.Name())
		}
	}
	for _, name := range touched {
		if groups, ok := groupsOf(name); ok {
			for _, group := range groups {
				out.Groups[group] = true
			}
		}
	}
	program := *found
	program.Files = slices.DeleteFunc(slices.Clone(found.Files), func(f selection.FileChange) bool { return isTest(f.Name()) })
	program.Touched = slices.DeleteFunc(slices.Clone(found.Touched), isTest)
	program.Untracked = slices.DeleteFunc(slices.Clone(found.Untracked), isTest)
	rules := selection.Rules{RunAllOn: c.req.RunAllOn, Ignore: append(selection.DefaultIgnore(), c.req.Ignore...)}
	mapped := program.Map(selection.NewTable(c.header.Units, root), rules)
	out.Fallbacks = mapped.Fallbacks
	for _, unit := range mapped.Units {
		out.Units = append(out.Units, c.header.Units[unit].ID)
	}
	return out, nil
}
