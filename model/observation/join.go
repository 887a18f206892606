package observation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Join writes the observations of files of one program at one commit into one.
// Invalid lines are left out. A subject and a commit in about replace those of the
// files.
func Join(ctx context.Context, w io.Writer, about Header, files []string, invalid func(file string, line *LineError)) error {
	var header *Header
	known := map[string]bool{}
	err := eachBlock(ctx, files, invalid, func(block Block) error {
		h := block.Header
		if header == nil {
			header = &Header{Subject: h.Subject, Commit: h.Commit}
		}
		if h.Subject != header.Subject || h.Commit != header.Commit {
			return fmt.Errorf("%s: observations of %q at %q, but %s has observations of %q at %q",
				block.File, h.Subject, h.Commit, files[0], header.Subject, header.Commit)
		}
		for _, u := range h.Units {
			if !known[u.ID] {
				known[u.ID] = true
				header.Units = append(header.Units, u)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if header == nil {
		return errors.New("no files of observations")
	}
	header.Subject, header.Commit = cmp.Or(about.Subject, header.Subject), cmp.Or(about.Commit, header.Commit)
	out, err := NewWriter(w, *header)
	if err != nil {
		return err
	}
	return eachBlock(ctx, files, nil, func(block Block) error {
		for _, o := range block.Observations {
			if err := out.Write(o); err != nil {
				return err
			}
		}
		return nil
	})
}

func eachBlock(ctx context.Context, files []string, invalid func(string, *LineError), take func(Block) error) error {
	sources := Sources{Invalid: invalid}
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			return fileError(name, err)
		}
		defer func() { _ = file.Close() }() // opened for reading only
		sources.Files = append(sources.Files, File{Name: name, Reader: file})
	}
	for block, err := range sources.Blocks() {
		if err == nil {
			err = take(block)
		}
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fileError prefixes the cause of a file system error with the name of the file.
func fileError(name string, err error) error {
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		err = file.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}
