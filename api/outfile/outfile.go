// Package outfile writes the files that users name: models, reports, backups.
//
// [Write] and [Create] write a regular file whole or not at all: readers see the
// previous file until the new one is complete. A symbolic link stays a link, and
// the file that it leads to is rewritten. Anything else that can be written to,
// such as a device, a FIFO or /dev/stdout, is opened and written to; it is never
// replaced.
//
// The package is below api because api/store is its lowest user.
package outfile

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Write writes the file name by calling write. If write fails, or the file cannot
// be completed, a regular file stays as it was. A new file gets the permissions
// perm less the umask; an existing file keeps its own.
func Write(name string, perm fs.FileMode, write func(io.Writer) error) error {
	file, err := Create(name, perm)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // even if write panics
	if err := write(file); err != nil {
		return errors.Join(err, file.Close())
	}
	return file.Commit()
}

// A File is an output file that is being written. Its writes are buffered.
type File struct {
	buffer *bufio.Writer
	output output
	closed bool
}

// An output receives a file's bytes until it is committed or discarded.
type output interface {
	io.Writer
	commit() error
	discard() error
}

// Create begins to write the file name. The caller ends with [File.Commit], or
// with [File.Close] to leave a regular file as it was. Permissions are as in [Write].
func Create(name string, perm fs.FileMode) (*File, error) {
	to, err := resolve(name)
	if err != nil {
		return nil, err
	}
	out, err := to.open(perm)
	if err != nil {
		return nil, err
	}
	const size = 64 << 10
	return &File{buffer: bufio.NewWriterSize(out, size), output: out}, nil
}

// Check returns an error if the file name cannot be created or replaced. Call it before
// long work whose result [Write] stores. A device or a FIFO is not opened.
func Check(name string) error {
	to, err := resolve(name)
	if err != nil || to.stream {
		return err
	}
	const perm = 0o600
	out, err := to.open(perm)
	if err != nil {
		return err
	}
	return out.discard()
}

// Write adds bytes to the file.
func (f *File) Write(p []byte) (int, error) {
	if f.closed {
		return 0, fs.ErrClosed
	}
	return f.buffer.Write(p)
}

// Commit completes the file. A regular file is on disk and has its name afterwards,
// unless Commit returns an error.
func (f *File) Commit() error {
	if f.closed {
		return fs.ErrClosed
	}
	if err := f.buffer.Flush(); err != nil {
		return errors.Join(err, f.Close())
	}
	f.closed = true
	return f.output.commit()
}

// Close discards the file unless it was committed. Bytes that were already written to a
// device or a FIFO stay written.
func (f *File) Close() error {
	if f.closed {
		return nil
	}
	f.closed = true
	return f.output.discard()
}

// Replace moves the complete file temporary to name, which may be a regular file,
// a link to one, or a new name. Both names must be on one file system. Contents
// and name are on disk afterwards.
func Replace(temporary, name string) error {
	to, err := resolve(name)
	if err != nil {
		return err
	}
	if to.stream {
		return &fs.PathError{Op: "replace", Path: name, Err: errors.New("not a regular file")}
	}
	file, err := os.OpenFile(temporary, os.O_RDWR, 0) // Windows syncs only files that are open for writing
	if err != nil {
		return err
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Rename(temporary, to.path); err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(to.path))
}

// A destination is the file that a name leads to.
type destination struct {
	path   string
	stream bool // to be opened and written to, not replaced
}

// resolve follows the symbolic links of a file name. The links of a process's open
// files in /proc are not followed: their target is a description, and if it is a
// file, another process is writing it.
func resolve(name string) (destination, error) {
	const mostLinks = 40 // as many as Linux follows
	path := name
	for range mostLinks {
		folder, base := filepath.Split(path)
		if base == "" && path != "" {
			return destination{}, &fs.PathError{Op: "write", Path: name, Err: syscall.EISDIR}
		}
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) && path != "" {
			return destination{path: path}, nil
		}
		if err != nil {
			return destination{}, err
		}
		switch mode := info.Mode(); {
		case mode.IsRegular():
			return destination{path: path}, nil
		case mode.IsDir():
			return destination{}, &fs.PathError{Op: "write", Path: name, Err: syscall.EISDIR}
		case mode.Type() != fs.ModeSymlink:
			return destination{path: path, stream: true}, nil
		}
		if folder == "" {
			folder = "."
		}
		if folder, err = filepath.EvalSymlinks(folder); err != nil {
			return destination{}, err
		}
		if strings.HasPrefix(folder, "/proc/") {
			return destination{path: filepath.Join(folder, base), stream: true}, nil
		}
		target, err := os.Readlink(path)
		if err != nil {
			return destination{}, err
		}
		if path = target; !filepath.IsAbs(target) {
			path = folder + string(filepath.Separator) + target // not cleaned: a/.. need not be the folder of the link a
		}
	}
	return destination{}, &fs.PathError{Op: "write", Path: name, Err: syscall.ELOOP}
}

func (d destination) open(perm fs.FileMode) (output, error) {
	if !d.stream {
		return newReplacement(d.path, perm)
	}
	file, err := openStream(d.path)
	if err != nil {
		return nil, err
	}
	return stream{file}, nil
}

// A stream is an output that cannot be replaced.
type stream struct{ *os.File }

func (s stream) commit() error  { return s.Close() }
func (s stream) discard() error { return s.Close() }
