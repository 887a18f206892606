package observe

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/inroad/inroad/model/observation"
)

var (
	sanitizerSummary = regexp.MustCompile(`(?m)^SUMMARY: (\w+Sanitizer): ([\w-]+)`)
	sanitizerError   = regexp.MustCompile(`(?m)^==\d+==\s*(?:ERROR|WARNING): (\w+Sanitizer): (.*)$`)
	sanitizerAccess  = regexp.MustCompile(`(?m)^((?:READ|WRITE) of size \d+) `)
	undefinedError   = regexp.MustCompile(`(?m)^(\S+:\d+:\d+): runtime error: (.*)$`)
	rustPanic        = regexp.MustCompile(`(?m)^thread '.*' (?:\(\d+\) )?panicked at (.+:\d+):\d+:\n(.*)$`)
	cppException     = regexp.MustCompile(`(?m)^terminate called after throwing an instance of '(.*)'(?:\n\s+what\(\):\s+(.*))?$`)
	libcppException  = regexp.MustCompile(`(?m)^libc\+\+abi: terminating (?:with|due to) uncaught exception of type ([^:\n]+(?:::[^:\n]+)*)(?:: (.*))?$`)
	assertion        = regexp.MustCompile("(?m)^(?:.*: )?(\\S+:\\d+): (?:.*: )?Assertion [`'](.*)' failed\\.$")
	address          = regexp.MustCompile(`\b0x[0-9a-f]+\b`)
)

// nativeFailure describes how a run of a C, C++ or Rust program ended its process.
func nativeFailure(state nativeState, exhausted bool, stderr string, end error, place nativePlace) *observation.Failure {
	kind, message, at := nativeCause(state, exhausted, stderr, end)
	switch {
	case place.where != "":
		message = strings.TrimSpace(message + " in " + place.where)
	case at != "":
		message += " at " + at
	}
	if state.overflow {
		slices.Sort(place.functions) // any of the recursive functions may be the innermost
	}
	return &observation.Failure{Type: kind, Message: clip(message), Stack: functionsDigest(place.functions)}
}

// nativeCause returns the type and the message of a failure, and the source line
// that the program prints, if any.
func nativeCause(state nativeState, exhausted bool, stderr string, end error) (kind, message, at string) {
	if exhausted {
		return "out of memory", "memory use exceeds the limit", ""
	}
	if m := sanitizerSummary.FindStringSubmatch(stderr); m != nil {
		return m[2], sanitizerMessage(m[1], stderr), ""
	}
	if state.signal == syscall.SIGABRT {
		if m := rustPanic.FindStringSubmatch(stderr); m != nil {
			return "panic", m[2], m[1]
		}
		for _, pattern := range []*regexp.Regexp{cppException, libcppException} {
			if m := pattern.FindStringSubmatch(stderr); m != nil {
				return m[1], m[2], ""
			}
		}
		if m := assertion.FindStringSubmatch(stderr); m != nil {
			return "assertion", m[2], m[1]
		}
	}
	switch {
	case state.overflow:
		return "stack overflow", "stack overflow", ""
	case state.signal != 0:
		return signalName(state.signal), state.signal.String(), ""
	}
	// A signal that cannot be caught, or an exit.
	failure := crashFailure("", end)
	return failure.Type, failure.Message, ""
}

// sanitizerMessage returns the description of a report, without addresses.
func sanitizerMessage(sanitizer, stderr string) string {
	if m := undefinedError.FindStringSubmatch(stderr); m != nil && sanitizer == "UndefinedBehaviorSanitizer" {
		return address.ReplaceAllString(m[2], "0x…")
	}
	if m := sanitizerAccess.FindStringSubmatch(stderr); m != nil {
		return m[1]
	}
	if m := sanitizerError.FindStringSubmatch(stderr); m != nil {
		return strings.TrimSpace(address.ReplaceAllString(m[2], "0x…"))
	}
	return sanitizer
}

// functionsDigest returns a digest of the innermost functions of a stack, or "" if
// there are none. Parsers are recursive, so it is independent of the depth.
func functionsDigest(functions []string) string {
	if len(functions) == 0 {
		return ""
	}
	hash := sha256.New()
	for _, name := range functions[:min(len(functions), digestFrames)] {
		fmt.Fprintln(hash, name)
	}
	return fmt.Sprintf("%x", hash.Sum(nil)[:8])
}
