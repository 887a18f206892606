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
	"slices"
	"strings"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/model/gofuzz"
)

// MaxInput is the maximum size of an input in bytes, unless a flag sets another limit.
const MaxInput = 8 << 20

// InputName returns the name of an input for messages.
func InputName(name string) string {
	switch name {
	case "-":
		return "stdin"
	case "":
		return `""`
	default:
		return Printable(name)
	}
}

// CheckStdin returns an error if several names stand for standard input.
func CheckStdin(names []string) error {
	if i := slices.Index(names, "-"); i >= 0 && slices.Contains(names[i+1:], "-") {
		return errors.New("-: standard input can be read only once")
	}
	return nil
}

// Cause returns the error wrapped in a file system error, without the operation and the
// file name.
func Cause(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

// FileError returns the cause of a file system error, prefixed with the name of the
// file.
func FileError(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", InputName(name), Cause(err))
}

// ReadInput reads a file, or standard input if its name is -, but no more than one
// byte over the limit. The end of ctx ends the wait for the input.
func ReadInput(ctx context.Context, name string, stdin io.Reader, limit int) ([]byte, error) {
	type result struct {
		input []byte
		err   error
	}
	done := make(chan result, 1)
	// Nothing interrupts opening a named pipe, or a read from a terminal or a pipe. If
	// the context ends before that, the process is about to end as well.
	go func() {
		text, err := readInput(name, stdin, limit)
		done <- result{text, Cause(err)}
	}()
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case r := <-done:
		return r.input, r.err
	}
}

// ReadCorpusInput reads an input like [ReadInput]. It decodes files of Go fuzz corpora.
func ReadCorpusInput(ctx context.Context, name string, stdin io.Reader, limit int) ([]byte, error) {
	text, err := ReadInput(ctx, name, stdin, limit)
	if err != nil || len(text) > limit || name == "-" {
		return text, err
	}
	return gofuzz.Decode(text)
}

// interruptible returns a reader of r whose reads fail when ctx ends. A read from r
// itself cannot be interrupted, so bytes that r reads afterwards are lost.
func interruptible(ctx context.Context, r io.Reader) io.Reader {
	out, in := io.Pipe()
	context.AfterFunc(ctx, func() { _ = in.CloseWithError(context.Cause(ctx)) })
	go func() {
		_, err := io.Copy(in, r)
		_ = in.CloseWithError(err)
	}()
	return out
}

func readInput(name string, stdin io.Reader, limit int) ([]byte, error) {
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }() // it was only read
		stdin = file
	}
	return io.ReadAll(io.LimitReader(stdin, int64(limit)+1))
}

// InputFiles returns the named files and, in order, all files in named folders. Hidden
// folders within these are left out, such as those of Git, and .state in a queue of AFL++.
// The name - stands for standard input.
func InputFiles(names []string) ([]string, error) {
	if err := CheckStdin(names); err != nil {
		return nil, err
	}
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
			switch {
			case err != nil:
				return err
			case entry.IsDir() && path != name && strings.HasPrefix(entry.Name(), "."):
				return filepath.SkipDir
			case entry.Type().IsRegular():
				out = append(out, path)
			}
			return nil
		})
		if err != nil {
			return nil, FileError(name, err)
		}
	}
	return out, nil
}

// CorpusFiles returns the files of a corpus, like [InputFiles]. A corpus without files
// is an error.
func CorpusFiles(names []string) ([]string, error) {
	files, err := InputFiles(names)
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no files in %s", Printable(strings.Join(names, ", ")))
	}
	return files, err
}

// Inputs yields files as inputs of a request, named after their files. It ends at
// the first file that cannot be read.
func Inputs(ctx context.Context, files []string, stdin io.Reader, bar *Progress) api.Inputs {
	return func(yield func(openapi.Input, error) bool) {
		for i, name := range files {
			text, err := ReadCorpusInput(ctx, name, stdin, MaxInput)
			if err == nil && len(text) > MaxInput {
				err = fmt.Errorf("must be at most %d bytes", MaxInput)
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

// Lines yields the values of a sequence until its first error, which it stores in err.
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
