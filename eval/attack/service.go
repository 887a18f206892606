package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/inroad/inroad/eval/internal/process"
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
	if s.address, err = process.ReadAddress(printed); err != nil {
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

// watch records the peak memory of the process until the process has ended.
func (s *service) watch(maxMemory int64) {
	for ticks := time.NewTicker(50 * time.Millisecond); ; {
		select {
		case <-s.ended:
			ticks.Stop()
			return
		case <-ticks.C:
		}
		peak := process.PeakMemory(s.cmd.Process.Pid)
		s.peak.Store(max(peak, s.peak.Load()))
		if peak > maxMemory && !s.tooLarge.Swap(true) {
			_ = s.cmd.Process.Kill()
		}
	}
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
	begin, before := time.Now(), process.ProcessorTime(s.cmd.Process.Pid)
	ticks := time.NewTicker(idleWindow)
	defer ticks.Stop()
	for {
		last := process.ProcessorTime(s.cmd.Process.Pid)
		select {
		case <-ctx.Done():
			return busy, work
		case <-s.ended:
			return busy, work
		case <-ticks.C:
		}
		now := process.ProcessorTime(s.cmd.Process.Pid)
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
