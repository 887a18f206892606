//go:build !windows

package outfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// A replacement is a temporary file that takes a name when it is complete.
type replacement struct {
	*renameio.PendingFile
	folder string
}

func newReplacement(path string, perm fs.FileMode) (output, error) {
	folder := filepath.Dir(path)
	file, err := renameio.NewPendingFile(path,
		renameio.WithTempDir(folder), renameio.WithPermissions(perm), renameio.WithExistingPermissions())
	if err != nil {
		return nil, err
	}
	return replacement{file, folder}, nil
}

func (r replacement) commit() error {
	if err := r.CloseAtomicallyReplace(); err != nil {
		return errors.Join(err, r.Cleanup())
	}
	return SyncFolder(r.folder)
}

func (r replacement) discard() error { return r.Cleanup() }

// SyncFolder writes the names in a folder to disk, if the file system supports it.
func SyncFolder(folder string) error {
	file, err := os.Open(folder)
	if errors.Is(err, fs.ErrPermission) {
		return nil // a folder that may be written to but not read
	}
	if err != nil {
		return err
	}
	err = file.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, file.Close())
}
