package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/targeting/selection"
)

// A toldChange is what was found out of a change.
type toldChange struct {
	selection.GitChange
	text      string // the diff that its files were read from
	fallbacks []selection.Fallback
}

func (t *toldChange) fall(cause selection.Cause, format string, args ...any) {
	t.fallbacks = append(t.fallbacks, selection.Fallback{Cause: cause, Detail: fmt.Sprintf(format, args...)})
}

// maxDiff bounds a diff.
const maxDiff = 256 << 20

// told finds out what changed since the base, told in lines of the commit that a
// model was trained at, and which inputs are new or changed.
func (opt *selectOptions) told(ctx context.Context, commit string, names []string) (*toldChange, error) {
	if opt.diff != "" {
		t, err := opt.readDiff(ctx)
		if err == nil {
			opt.markInputs(t, names, filepath.ToSlash)
		}
		return t, err
	}
	r, err := openRepository(ctx)
	if err != nil {
		return nil, err
	}
	t, err := r.readChange(ctx, opt.base, commit, opt.maxAge)
	if err == nil {
		opt.markInputs(t, names, r.pathOf)
	}
	return t, err
}

func (opt *selectOptions) readDiff(ctx context.Context) (*toldChange, error) {
	text, err := readInput(ctx, opt.diff, opt.stdin, maxDiff)
	if err != nil {
		return nil, fmt.Errorf("--diff %s: %w", printable(opt.diff), cause(err))
	}
	if len(text) > maxDiff {
		return nil, fmt.Errorf("--diff %s: %w", inputName(opt.diff), &limit.Error{What: "size of a diff", Value: fmt.Sprintf("%d bytes", maxDiff)})
	}
	t := &toldChange{text: string(text)}
	if t.Files, err = selection.ParseDiff(t.text); err != nil {
		return nil, fmt.Errorf("--diff %s: %w", inputName(opt.diff), err)
	}
	return t, nil
}

// markInputs notes which inputs are new or changed, and which folders of the
// repository hold inputs.
func (opt *selectOptions) markInputs(t *toldChange, names []string, pathOf func(string) string) {
	inputs := map[string]string{}
	for _, name := range names {
		inputs[pathOf(name)] = filepath.ToSlash(name)
	}
	opt.selection.Changed = map[string]bool{}
	for _, f := range t.RelevantFiles() {
		if name, ok := inputs[f.New]; ok {
			opt.selection.Changed[name] = f.Old == ""
		}
	}
	for _, name := range t.Untracked {
		if name, ok := inputs[name]; ok {
			opt.selection.Changed[name] = true
		}
	}
	for _, name := range opt.corpus {
		t.InputFolders = append(t.InputFolders, pathOf(filepath.Clean(name)))
	}
}
