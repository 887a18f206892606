package outfile

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// openStream opens a device or a FIFO. /dev/stdout and /dev/fd/3 lead to a file that
// this process already has open; it is written at its current position, because a newly
// opened file would be written from its beginning.
func openStream(path string) (*os.File, error) {
	folder, base := filepath.Split(path)
	number, err := strconv.Atoi(base)
	if err != nil || folder != fmt.Sprintf("/proc/%d/fd/", os.Getpid()) {
		return os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	}
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	duplicate, err := syscall.Dup(number)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	syscall.CloseOnExec(duplicate)
	return os.NewFile(uintptr(duplicate), path), nil
}
