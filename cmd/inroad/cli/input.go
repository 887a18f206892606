package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
)

// MaxInput is the most that is read of an input unless a flag says otherwise.
const MaxInput = 8 << 20

// InputName names an input in messages.
func InputName(name string) string {
	if name == "-" {
		return "stdin"
	}
	return Printable(name)
}

// Cause returns the error below an error of the file system, without the operation
// and the name.
func Cause(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

// FileError names a file in an error of the file system, once.
func FileError(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", InputName(name), Cause(err))
}

// ReadInput reads a file, or standard input if its name is -, but no more than one
// byte over the limit. The end of ctx ends the wait for standard input.
func ReadInput(ctx context.Context, name string, stdin io.Reader, limit int) ([]byte, error) {
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, Cause(err)
		}
		defer func() { _ = file.Close() }() // it was only read
		stdin = file
	}
	type result struct {
		input []byte
		err   error
	}
	done := make(chan result, 1)
	// Nothing interrupts a read from a terminal or a pipe. If the context ends before
	// the read does, the process is about to end as well.
	go func() {
		text, err := io.ReadAll(io.LimitReader(stdin, int64(limit)+1))
		done <- result{text, Cause(err)}
	}()
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case r := <-done:
		return r.input, r.err
	}
}

// InputFiles returns the named files and, in order, all files in named folders. The
// name - stands for standard input.
func InputFiles(names []string) ([]string, error) {
	var out []string
	for _, name := range names {
		if name == "-" {
			out = append(out, name)
			continue
		}
		info, err := os.Stat(name)
		if err != nil {
			return nil, FileError(name, err)
		}
		if !info.IsDir() {
			out = append(out, name)
			continue
		}
		err = filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				out = append(out, path)
			}
			return err
		})
		if err != nil {
			return nil, FileError(name, err)
		}
	}
	return out, nil
}

// Inputs yields files as inputs of a request, named after their files. It ends at
// the first file that cannot be read.
func Inputs(ctx context.Context, files []string, stdin io.Reader, bar *Progress) api.Inputs {
	return func(yield func(openapi.Input, error) bool) {
		for i, name := range files {
			text, err := ReadInput(ctx, name, stdin, MaxInput)
			if err == nil && len(text) > MaxInput {
				err = fmt.Errorf("larger than %d bytes", MaxInput)
			}
			in := openapi.Input{Name: InputName(name)}
			in.Input, in.InputBase64 = api.Encode(text)
			if !yield(in, FileError(name, err)) || err != nil {
				return
			}
			bar.Set(i + 1)
		}
	}
}

// Lines yields the values of a sequence until its first error, which it stores.
func Lines[V any](seq iter.Seq2[V, error], err *error) iter.Seq[V] {
	return func(yield func(V) bool) {
		for v, failure := range seq {
			if failure != nil {
				*err = failure
				return
			}
			if !yield(v) {
				return
			}
		}
	}
}
