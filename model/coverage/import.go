package coverage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/inroad/inroad/model/gofuzz"
	"github.com/inroad/inroad/model/observation"
)

// An InputIndex finds the inputs in a folder by the names that reports give them.
type InputIndex struct {
	dir   string
	names map[string][]string
}

// NewInputIndex returns an index of the files in a folder.
func NewInputIndex(dir string) (*InputIndex, error) {
	x := &InputIndex{dir, map[string][]string{}}
	return x, filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		below, err := filepath.Rel(dir, file)
		if err == nil {
			x.add(filepath.ToSlash(below))
		}
		return err
	})
}

func (x *InputIndex) add(name string) {
	base := path.Base(name)
	keys := []string{name, base, strings.TrimSuffix(name, path.Ext(name)), strings.TrimSuffix(base, path.Ext(base))}
	for _, key := range slices.Clip(keys) {
		keys = append(keys, wordName(key))
	}
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		x.names[key] = append(x.names[key], name)
	}
}

// wordName replaces the characters that lcov does not allow in a name.
func wordName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, name)
}

// find returns the name of the input that a report belongs to.
func (x *InputIndex) find(name string) (string, error) {
	found := x.names[name]
	if slices.Contains(found, name) {
		return name, nil
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("%s: input not found", name)
	case 1:
		return found[0], nil
	default:
		return "", fmt.Errorf("%s: ambiguous, could be %s", name, strings.Join(found, " or "))
	}
}

// read reads an input, but no more than one byte over the limit.
func (x *InputIndex) read(name string) ([]byte, error) {
	file, err := os.Open(filepath.Join(x.dir, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // opened for reading only
	text, err := io.ReadAll(io.LimitReader(file, observation.MaxInput+1))
	if err != nil || len(text) > observation.MaxInput {
		return text, err
	}
	return gofuzz.Decode(text)
}

// Write writes an observation for each run, with the input that it belongs to, and
// returns their number. Runs without an input are left out; unmatched says why.
func (r *Reports) Write(ctx context.Context, w io.Writer, about observation.Header, inputs *InputIndex, unmatched func(error)) (int, error) {
	about.Units = r.Units()
	out, err := observation.NewWriter(w, about)
	if err != nil {
		return 0, err
	}
	written := 0
	for _, run := range r.Runs() {
		name, err := inputs.find(run.Name)
		if err != nil {
			unmatched(err)
			continue
		}
		data, err := inputs.read(name)
		if err == nil {
			err = out.Write(observation.Observation{Name: name, Input: data, Methods: run.Methods, Counts: run.Counts})
		}
		if err != nil {
			return written, fileError(name, err)
		}
		if ctx.Err() != nil {
			return written, context.Cause(ctx)
		}
		written++
	}
	return written, nil
}

// fileError prefixes the cause of a file system error with the name of the file.
func fileError(name string, err error) error {
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		err = file.Err
	}
	return withName(name, err)
}
