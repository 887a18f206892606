package observe

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"

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

// crash says of what a process died, by what it printed and how it ended. A Go
// program that panics ends with status 2 and tells why in a message, behind which
// a stack follows.
func crashFailure(said string, end error) *observation.Failure {
	failure := &observation.Failure{Type: "exit", Message: "it ended without an error"}
	if end != nil {
		failure.Message = end.Error()
	}
	exit, ok := errors.AsType[*exec.ExitError](end)
	all := goCrash.FindAllStringSubmatchIndex(said, -1)
	if !ok || exit.ExitCode() != 2 || len(all) == 0 {
		return failure
	}
	last := all[len(all)-1]
	failure.Type, failure.Message = said[last[2]:last[3]], clip(said[last[4]:last[5]])
	failure.Stack = stackDigest(said[last[1]:])
	return failure
}

// stackDigest names a place by the functions that were being called there.
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

func clip(s string) string {
	if len(s) > maxMessage {
		s = s[:maxMessage]
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
