package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func (b *javaBench) mutants(ctx context.Context, reached map[string]map[int]bool) ([]mutant, error) {
	names := slices.Sorted(maps.Keys(reached))
	args := []string{"-cp", b.tools(), "Edits"}
	var texts [][]byte
	for _, name := range names {
		path := filepath.Join(b.sources(), filepath.FromSlash(name))
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		args, texts = append(args, path), append(texts, text)
	}
	edits, err := runTool(ctx, "java", args...)
	if err != nil {
		return nil, err
	}
	var out []mutant
	for line := range strings.Lines(string(edits)) {
		var file, function, from, to int
		var what string
		if _, err := fmt.Sscan(line, &file, &function, &from, &to, &what); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		if !reached[names[file]][function] {
			continue
		}
		if e, ok := javaEdit(texts[file], function, from, to, what); ok {
			out = append(out, newMutant(names[file], texts[file], e))
		}
	}
	sortMutants(out)
	return out, nil
}

// javaEdit returns the edit of a part of a method, if it has one.
func javaEdit(text []byte, function, from, to int, what string) (edit, bool) {
	old := string(text[from:to])
	with, ok := "", false
	switch what {
	case "condition":
		return negated(text, function, from, to), true
	case "statement":
		return leftOut(text, function, from, to), true
	case "operator":
		with, ok = replacement(old)
	case "boolean":
		with, ok = strconv.FormatBool(old == "false"), true
	case "number":
		with, ok = nextNumber(old)
	case "character":
		with, ok = nextCharacter(old)
	}
	return replaced(text, function, from, to, with), ok
}
