package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// build builds the command inroad in a folder.
func build(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(dir, "inroad")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/inroad")
	cmd.Dir = ".." // the module of the command
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build inroad: %w\n%s", err, text)
	}
	return binary, nil
}

// A service is a running service process.
type service struct {
	address               string
	plainKey, attackerKey string
	dir                   string
	cmd                   *exec.Cmd
	log                   *os.File
	peak                  atomic.Int64  // bytes of resident memory
	tooLarge              atomic.Bool   // the process was killed for its memory
	ended                 chan struct{} // closed when the process has ended
}

// start starts a service with a new store in a new folder. It is killed if it takes
// more than maxMemory bytes.
func start(ctx context.Context, binary, dir string, maxMemory int64) (_ *service, err error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	s := &service{dir: dir, ended: make(chan struct{})}
	store := filepath.Join(dir, "s.db")
	if s.plainKey, err = createKey(ctx, binary, store, "plain", "read"); err != nil {
		return nil, err
	}
	if s.attackerKey, err = createKey(ctx, binary, store, "attacker", "read,write,admin"); err != nil {
		return nil, err
	}
	if s.log, err = os.Create(filepath.Join(dir, "log")); err != nil {
		return nil, err
	}
	s.cmd = exec.CommandContext(ctx, binary, "serve", "--demo", "--need-keys", "--store", store, "--listen", "127.0.0.1:0", "--log-level", "error")
	s.cmd.Stderr = s.log
	printed, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	if s.address, err = readAddress(printed); err != nil {
		_ = s.cmd.Process.Kill()
		return nil, errors.Join(err, s.cmd.Wait(), errors.New(s.lastLog()))
	}
	go func() {
		_ = s.cmd.Wait() // died tells how it ended
		close(s.ended)
	}()
	go s.watch(maxMemory)
	return s, nil
}

// createKey creates a key in a store, which is created if necessary.
func createKey(ctx context.Context, binary, store, name, scopes string) (string, error) {
	cmd := exec.CommandContext(ctx, binary, "keys", "create", "--store", store, "--name", name, "--scopes", scopes)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("create a key: %w", err)
	}
	secret, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(secret), nil
}

// readAddress returns the address that the service prints when it is ready.
func readAddress(printed io.Reader) (string, error) {
	lines := bufio.NewScanner(printed)
	for lines.Scan() {
		_, address, found := strings.Cut(lines.Text(), "http://")
		if address, ok := strings.CutSuffix(address, "/docs"); found && ok { // printed last
			return address, nil
		}
	}
	return "", errors.Join(errors.New("the service printed no address"), lines.Err())
}

// watch records the peak memory of the process until the process has ended.
func (s *service) watch(maxMemory int64) {
	for ticks := time.NewTicker(50 * time.Millisecond); ; {
		select {
		case <-s.ended:
			ticks.Stop()
			return
		case <-ticks.C:
		}
		peak := s.memory()
		s.peak.Store(max(peak, s.peak.Load()))
		if peak > maxMemory && !s.tooLarge.Swap(true) {
			_ = s.cmd.Process.Kill()
		}
	}
}

// memory returns the peak resident memory of the process in bytes.
func (s *service) memory() int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes, _, _ := strings.Cut(strings.TrimSpace(after), " ")
	n, _ := strconv.ParseInt(kilobytes, 10, 64)
	return n << 10
}

// processorTime returns the processor time of the process.
func (s *service) processorTime() time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
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

// runnable reports whether a thread of the process runs or waits for a processor.
func (s *service) runnable() bool {
	stats, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", s.cmd.Process.Pid))
	for _, name := range stats {
		stat, _ := os.ReadFile(name) // a thread may have ended
		if _, after, _ := strings.Cut(string(stat), ") "); strings.HasPrefix(after, "R") {
			return true
		}
	}
	return false
}

const (
	maxBusy    = 10 * time.Second       // the longest time to wait for a service to become idle
	idleWindow = 200 * time.Millisecond // an idle service takes less than a fifth of a processor for that long
)

// waitIdle waits until the service is idle, and returns how long it was busy and
// the processor time that this took.
func (s *service) waitIdle(ctx context.Context) (busy, work time.Duration) {
	begin, before := time.Now(), s.processorTime()
	ticks := time.NewTicker(idleWindow)
	defer ticks.Stop()
	for {
		last := s.processorTime()
		select {
		case <-ctx.Done():
			return busy, work
		case <-s.ended:
			return busy, work
		case <-ticks.C:
		}
		now := s.processorTime()
		if now-last < idleWindow/5 && !s.runnable() || busy >= maxBusy {
			return busy, work
		}
		busy, work = time.Since(begin), now-before
	}
}

// died returns how the process ended; it is empty if the process runs.
func (s *service) died() string {
	select {
	case <-s.ended:
		if s.tooLarge.Load() {
			return "killed for its memory"
		}
		return s.cmd.ProcessState.String()
	default:
		return ""
	}
}

// lastLog returns the end of the log.
func (s *service) lastLog() string {
	text, err := os.ReadFile(s.log.Name())
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-2000):])
}

// end kills the service and removes its store.
func (s *service) end() error {
	_ = s.cmd.Process.Kill()
	<-s.ended
	return errors.Join(s.log.Close(), os.RemoveAll(s.dir))
}
