//go:build unix

package observe

import (
	"os"
	"os/exec"
	"syscall"
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

// lockFile acquires an exclusive lock, which the kernel releases when the
// process exits.
func lockFile(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
