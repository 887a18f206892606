package observe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/inroad/inroad/model/coverage"
	"github.com/inroad/inroad/model/observation"
)

// A CommandTarget is a shell command that runs once per input and writes a
// coverage report.
type CommandTarget struct {
	Shell   string          // run by sh; see [NewCommand] for placeholders
	Format  coverage.Format // of the report; Auto also accepts a list of methods, one per line
	Root    string          // folder of the program's sources; default is the current one
	Blocks  bool            // observe blocks or lines in addition to methods
	Subject string          // name of the program; default is the command
	Commit  string          // version of the program
}

// NewCommand returns a program that runs a shell command. The command receives
// the name of the input file for {}, or the input on standard input if it has
// no {}. It writes its report to the file named {report}. A Go binary built
// with -cover needs no {report}, because GOCOVERDIR is set.
//
// Exit status 0 is ok, another status is a failure, and a signal is a crash. If
// there is no report, or a crash or timeout left it empty or incomplete, the methods
// are unknown. Running a command per input is slow, but works for every program with
// a coverage tool.
func NewCommand(target CommandTarget) (*Program, error) {
	if strings.TrimSpace(target.Shell) == "" {
		return nil, errors.New("empty command: must be a shell command")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		return nil, fmt.Errorf("running a command needs sh: %w", err)
	}
	dir, err := os.MkdirTemp("", "inroad-observe-")
	if err != nil {
		return nil, err
	}
	c := &command{CommandTarget: target, tmp: dir, ids: map[observation.Unit]string{}, usedIDs: map[string]bool{}}
	return &Program{
		dir:     dir,
		header:  observation.Header{Subject: cmp.Or(target.Subject, target.Shell), Commit: target.Commit},
		command: c,
		start: func(_ context.Context, limits Limits) (process, error) {
			return &commandProcess{command: c, timeout: limits.Timeout}, nil
		},
	}, nil
}

// A command collects the units from reports.
type command struct {
	CommandTarget
	tmp string

	mu      sync.Mutex
	empty   error // about the first report without methods
	units   []observation.Unit
	ids     map[observation.Unit]string // by their Keys
	usedIDs map[string]bool
}

// restore adds units with fixed IDs.
func (c *command) restore(units []observation.Unit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, u := range units {
		c.add(u)
	}
}

func (c *command) add(u observation.Unit) {
	c.units = append(c.units, u)
	c.ids[u.Key()], c.usedIDs[u.ID] = u.ID, true
}

func (c *command) snapshot() []observation.Unit {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clip(c.units)
}

// id returns the ID of a unit, which it adds if needed. IDs are final, so if a
// later unit has the same name, only the later one gets its line number.
func (c *command) id(u observation.Unit) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id, ok := c.ids[u.Key()]; ok {
		return id
	}
	id := u.File + "#" + u.Name
	if c.usedIDs[id] {
		id = fmt.Sprintf("%s@%d", id, u.Start)
	}
	for n, base := 2, id; c.usedIDs[id]; n++ {
		id = fmt.Sprintf("%s.%d", base, n)
	}
	u.ID = id
	c.add(u)
	return id
}

// A commandProcess runs the command once per input.
type commandProcess struct {
	*command
	timeout time.Duration
}

func (p *commandProcess) stop() {}

func (p *commandProcess) run(ctx context.Context, input []byte) (o observation.Observation, over bool, err error) {
	dir, err := os.MkdirTemp(p.tmp, "run-")
	if err != nil {
		return o, false, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // Program.Close removes the rest
	goDir, report, file := filepath.Join(dir, "go"), filepath.Join(dir, "report"), filepath.Join(dir, "input")
	if err := errors.Join(os.Mkdir(goDir, 0o777), os.WriteFile(file, input, 0o666)); err != nil {
		return o, false, err
	}
	o = observation.Observation{Input: input}
	if err := p.execute(ctx, &o, file, report, goDir); err != nil {
		return o, false, err
	}
	for _, name := range []string{report, goDir} {
		if err := p.read(&o, name); err != nil {
			return o, false, fmt.Errorf("report of %q: %w", clip(string(input[:min(len(input), 100)])), err)
		}
	}
	return o, false, nil
}

// execute runs the command on a file and sets the outcome.
func (p *commandProcess) execute(ctx context.Context, o *observation.Observation, file, report, goDir string) error {
	shell := strings.ReplaceAll(strings.ReplaceAll(p.Shell, "{report}", quoteShell(report)), "{}", quoteShell(file))
	cmd := exec.Command("sh", "-c", shell) //nolint:noctx // killGroup kills it and its children
	stderr := &tail{limit: 16 << 10}
	cmd.Stderr = stderr
	cmd.Env = append(cmd.Environ(), "GOCOVERDIR="+goDir)
	cmd.WaitDelay = exitTimeout
	setProcessGroup(cmd)
	if !strings.Contains(p.Shell, "{}") {
		in, err := os.Open(file)
		if err != nil {
			return err
		}
		defer func() { _ = in.Close() }() // opened for reading only
		cmd.Stdin = in
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	timed, cancel := context.WithTimeout(ctx, p.timeout)
	undo := context.AfterFunc(timed, func() { killGroup(cmd) })
	end := cmd.Wait()
	killed := !undo()
	cancel()
	killGroup(cmd) // background processes
	o.Duration = time.Since(start)
	exit, _ := errors.AsType[*exec.ExitError](end)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case killed:
		o.Outcome = observation.TimedOut
	case end == nil || errors.Is(end, exec.ErrWaitDelay):
		o.Outcome = observation.OK
	case shellSignal(exit) != 0:
		signal := shellSignal(exit)
		o.Outcome = observation.Crashed
		o.Failure = &observation.Failure{Type: signalName(signal), Message: cmp.Or(clip(stderr.lastLines(1)), signal.String())}
	default:
		o.Outcome = observation.Failed
		o.Failure = &observation.Failure{Type: end.Error(), Message: clip(stderr.lastLines(1))}
	}
	return nil
}

// shellSignal returns the signal that ended a shell or, as its exit status tells, the
// last command in it. It returns 0 if there is none.
func shellSignal(exit *exec.ExitError) syscall.Signal {
	if signal := endingSignal(exit); signal != 0 || exit == nil {
		return signal
	}
	const signals = 64
	if code := exit.ExitCode(); code > 128 && code <= 128+signals {
		return syscall.Signal(code - 128)
	}
	return 0
}

func quoteShell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// read adds the methods of a report, if it exists. After a crash or timeout, it
// ignores an empty or incomplete report.
func (p *commandProcess) read(o *observation.Observation, name string) error {
	entries, err := os.ReadDir(name)
	if err == nil && len(entries) == 0 {
		return nil // GOCOVERDIR is unused
	}
	info, err := os.Stat(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	killed := o.Outcome == observation.Crashed || o.Outcome == observation.TimedOut
	if !info.IsDir() && cmp.Or(p.Format, coverage.Auto) == coverage.Auto {
		names, isList, err := coverage.ReadNames(name)
		if err != nil {
			return err
		}
		if isList && len(names) == 0 && killed {
			return nil
		}
		if isList {
			o.Methods, o.Counts = append(append([]string{}, o.Methods...), names...), nil
			return nil
		}
	}
	reports := &coverage.Reports{Root: p.Root, Blocks: p.Blocks}
	err = reports.Read(name, p.Format)
	if errors.Is(err, coverage.ErrNoMethods) || err != nil && killed { // the other inputs may have methods
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.empty == nil {
			p.empty = err
		}
		return nil
	}
	if err != nil {
		return err
	}
	if o.Methods == nil {
		o.Methods, o.Counts = []string{}, []int{}
	}
	for u, hits := range reports.Hits() {
		id := p.id(u)
		if hits > 0 && o.Counts != nil {
			o.Methods, o.Counts = append(o.Methods, id), append(o.Counts, hits)
		}
	}
	return nil
}
