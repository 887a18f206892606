//go:build unix

package observe

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup puts a process into a group of its own, so that what it starts ends
// with it, and Ctrl-C does not reach it before us.
func setProcessGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// killGroup ends a process and all that it started.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may have ended
	}
}

// lock keeps others from writing the same file. It ends with the process.
func lockFile(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
