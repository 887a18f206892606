package observe

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"syscall"

	"github.com/inroad/inroad/model/observation"
)

const (
	maxMessage   = 1000
	digestFrames = 8
)

var (
	goCrash = regexp.MustCompile(`(?m)^(panic|fatal error): (.*)$`)
	goFrame = regexp.MustCompile(`^([\w./*()\[\]%-]+)\([^()]*\)$`)
)

// crashFailure describes why a process died, from its standard error and exit
// status. A Go program that panics exits with status 2 and prints a message and
// a stack.
func crashFailure(stderr string, end error) *observation.Failure {
	failure := &observation.Failure{Type: "exit", Message: "exit status 0"}
	if end != nil {
		failure.Message = end.Error()
	}
	exit, ok := errors.AsType[*exec.ExitError](end)
	if signal := endingSignal(exit); signal != 0 {
		failure.Type, failure.Message = signalName(signal), signal.String()
	}
	all := goCrash.FindAllStringSubmatchIndex(stderr, -1)
	if !ok || exit.ExitCode() != 2 || len(all) == 0 {
		return failure
	}
	last := all[len(all)-1]
	failure.Type, failure.Message = stderr[last[2]:last[3]], clip(stderr[last[4]:last[5]])
	failure.Stack = stackDigest(stderr[last[1]:])
	return failure
}

// endingSignal returns the signal that ended a process, or 0.
func endingSignal(exit *exec.ExitError) syscall.Signal {
	if exit == nil {
		return 0
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal()
	}
	return 0
}

// signalName returns the name of a signal that programs end with.
func signalName(s syscall.Signal) string {
	names := map[syscall.Signal]string{
		syscall.SIGSEGV: "SIGSEGV", syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE", syscall.SIGILL: "SIGILL",
		syscall.SIGABRT: "SIGABRT", syscall.SIGTRAP: "SIGTRAP", syscall.SIGKILL: "SIGKILL", syscall.SIGTERM: "SIGTERM",
	}
	if name, ok := names[s]; ok {
		return name
	}
	return fmt.Sprintf("signal %d", int(s))
}

// stackDigest returns a digest of the innermost functions on a stack.
func stackDigest(stack string) string {
	hash := sha256.New()
	n, before := 0, ""
	for line := range strings.Lines(stack) {
		match := goFrame.FindStringSubmatch(strings.TrimSpace(line))
		if match == nil || strings.HasPrefix(match[1], "runtime.") || match[1] == before {
			continue
		}
		if strings.HasPrefix(match[1], "reflect.Value.") || n == digestFrames {
			break
		}
		fmt.Fprintln(hash, match[1])
		n, before = n+1, match[1]
	}
	return fmt.Sprintf("%x", hash.Sum(nil)[:8])
}

// clip leaves out the middle of a message that is too long: its end often tells more than
// an excerpt of the input in the middle.
func clip(s string) string {
	if len(s) > maxMessage {
		s = s[:maxMessage/2] + "…" + s[len(s)-maxMessage/2:]
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
