package bolt

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/inroad/inroad/api/outfile"
)

// The name of a temporary file is the prefix, the name of the file that it becomes, a
// dot, a random number and the suffix.
const (
	temporaryPrefix = "."
	temporarySuffix = ".tmp"
)

// createTemporary creates a file for a copy of the store in the folder of path.
func createTemporary(path string) (*os.File, error) {
	return os.CreateTemp(filepath.Dir(path), temporaryPrefix+filepath.Base(path)+".*"+temporarySuffix)
}

// isTemporary reports whether name is a name that createTemporary can choose for a
// copy of the file base.
func isTemporary(name, base string) bool {
	number, isPrefix := strings.CutPrefix(name, temporaryPrefix+base+".")
	number, isSuffix := strings.CutSuffix(number, temporarySuffix)
	return isPrefix && isSuffix && number != "" && strings.Trim(number, "0123456789") == ""
}

// publish moves the complete file temporary to path. It returns an error if path
// exists by then, for example because a service has created its store.
func publish(temporary, path string) error {
	f, err := os.OpenFile(temporary, os.O_RDWR, 0) // Windows syncs only files that are open for writing
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if err == nil {
		err = os.Link(temporary, path)
	}
	switch {
	case err == nil:
		return errors.Join(os.Remove(temporary), outfile.SyncFolder(filepath.Dir(path)))
	case !errors.Is(err, fs.ErrExist): // not all file systems have links
		if err = checkNew(path); err == nil {
			err = outfile.Replace(temporary, path)
		}
	default:
		err = &fs.PathError{Op: "write", Path: path, Err: fs.ErrExist}
	}
	if err != nil {
		return errors.Join(wrapFull(err), removeIfExists(temporary))
	}
	return nil
}

// sweep removes temporary files that killed processes left next to the store. The
// caller has the store open for writing, so no other process copies it. A process
// that still writes a temporary file has locked it.
func sweep(path string) {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return
	}
	folder, base := filepath.Split(target)
	entries, _ := os.ReadDir(filepath.Clean(folder)) // a folder that cannot be listed is not swept
	for _, e := range entries {
		if e.Type().IsRegular() && isTemporary(e.Name(), base) {
			removeUnlocked(folder + e.Name())
		}
	}
}

// removeUnlocked removes a file, unless a process has locked it. A file that cannot
// be removed stays: it is harmless.
func removeUnlocked(path string) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return
	}
	if lock(f, true, time.Time{}) == nil {
		_ = os.Remove(path)
	}
	_ = f.Close()
}
