//go:build unix

package observe

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// setProcessGroup gives a command its own process group. killGroup can then
// kill its children too, and Ctrl-C in the terminal does not reach it.
func setProcessGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// killGroup kills a command and its children.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may have exited
	}
}

// lockFile acquires an exclusive lock, which the kernel releases when the process exits.
// It waits a moment: a process that was killed while it started another one leaves the
// lock to it, until that one has started.
func lockFile(f *os.File) error {
	const most, pause = time.Second, 10 * time.Millisecond
	for deadline := time.Now().Add(most); ; time.Sleep(pause) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) && !errors.Is(err, syscall.EWOULDBLOCK) || time.Now().After(deadline) {
			return err
		}
	}
}
