// Package process reads what a service prints when it starts, and measures its process.
package process

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// ReadAddress returns the address that a service with --demo prints when it is ready.
func ReadAddress(printed io.Reader) (string, error) {
	lines := bufio.NewScanner(printed)
	for lines.Scan() {
		_, address, found := strings.Cut(lines.Text(), "http://")
		if address, ok := strings.CutSuffix(address, "/docs"); found && ok { // printed last
			return address, nil
		}
	}
	return "", errors.Join(errors.New("the service printed no address"), lines.Err())
}

// PeakMemory returns the peak resident memory of a process in bytes, or 0 if /proc is
// not available.
func PeakMemory(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes, _, _ := strings.Cut(strings.TrimSpace(after), " ")
	n, _ := strconv.ParseInt(kilobytes, 10, 64)
	return n << 10
}

// ProcessorTime returns the processor time of a process, or 0 if /proc is not
// available. On a busy machine it is more reliable than responses per second.
func ProcessorTime(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(stat), ") ") // after the name, which may contain any character
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	const tick = 10 * time.Millisecond
	return time.Duration(user+system) * tick
}
