//go:build !windows

package bolt

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// lock locks a file, exclusively or shared with other readers, and waits for the lock
// until the deadline. bbolt takes the same lock afterwards. It succeeds at once,
// because the lock belongs to the open file, which bbolt uses too.
func lock(f *os.File, exclusive bool, deadline time.Time) error {
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	const pause = 10 * time.Millisecond
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
		case !errors.Is(err, syscall.EWOULDBLOCK):
			return err
		case time.Now().After(deadline):
			return fmt.Errorf("%s: %w", f.Name(), ErrInUse)
		default:
			time.Sleep(pause)
		}
	}
}
