package outfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A replacement is a temporary file that takes a name when it is complete. The
// renameio module does not support Windows.
type replacement struct {
	*os.File
	path string
}

func newReplacement(path string, _ fs.FileMode) (output, error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"*")
	if err != nil {
		return nil, err
	}
	return replacement{file, path}, nil
}

func (r replacement) commit() error {
	err := errors.Join(r.Sync(), r.Close())
	if err == nil {
		err = os.Rename(r.Name(), r.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(r.Name()))
	}
	return nil
}

func (r replacement) discard() error { return errors.Join(r.Close(), os.Remove(r.Name())) }

// SyncFolder does nothing: Windows does not sync folders.
func SyncFolder(string) error { return nil }
