package observe

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/inroad/inroad/model/observation"
)

// A CommandTarget is a command that is run once for each input, and leaves a
// report of what it executed.
type CommandTarget struct {
	Shell   string // the command, for sh; see [NewCommand]
	Format  Format // of the report; Auto may also be a list of methods, one a line
	Root    string // the folder of the program's sources; the current one if empty
	Blocks  bool   // observe blocks or lines besides methods
	Subject string // a name for the program; if empty, the command
	Commit  string // its version
}

// NewCommand makes a program of a command. In it {} stands for the file of the
// input, which is on standard input if there is no {}; {report} stands for a
// file, not there yet, that the command writes its report to. A Go program that
// was built with -cover needs none: GOCOVERDIR is set.
//
// Exit status 0 is ok, any other a failure; a signal is a crash. A
// report that is missing leaves the methods unknown. It is the slow way, but
// works for whatever has a coverage tool.
func NewCommand(target CommandTarget) (*Program, error) {
	if strings.TrimSpace(target.Shell) == "" {
		return nil, errors.New("there is no command")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		return nil, fmt.Errorf("a command needs a shell: %w", err)
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

// A command knows the units that reports told of so far.
type command struct {
	CommandTarget
	tmp string

	mu      sync.Mutex
	units   []observation.Unit
	ids     map[observation.Unit]string // by units without ID and last line
	usedIDs map[string]bool
}

func unitKey(u observation.Unit) observation.Unit {
	u.ID, u.End = "", 0
	return u
}

// know takes over units with the IDs that they have.
func (c *command) restore(units []observation.Unit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, u := range units {
		c.add(u)
	}
}

func (c *command) add(u observation.Unit) {
	c.units = append(c.units, u)
	c.ids[unitKey(u)], c.usedIDs[u.ID] = u.ID, true
}

func (c *command) snapshot() []observation.Unit {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clip(c.units)
}

// id returns the ID of a unit, and takes it in if it is new. IDs cannot change
// any more when another unit turns up that should have the same, so only that
// one gets its line.
func (c *command) id(u observation.Unit) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id, ok := c.ids[unitKey(u)]; ok {
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

// A commandProcess runs the command anew for each input.
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
	defer func() { _ = os.RemoveAll(dir) }() // or else with the program
	goDir, report, file := filepath.Join(dir, "go"), filepath.Join(dir, "report"), filepath.Join(dir, "input")
	if err := errors.Join(os.Mkdir(goDir, 0o777), os.WriteFile(file, input, 0o666)); err != nil {
		return o, false, err
	}
	o = observation.Observation{Input: input, Weight: 1}
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

// execute runs the command on a file, and tells how it ended.
func (p *commandProcess) execute(ctx context.Context, o *observation.Observation, file, report, goDir string) error {
	shell := strings.ReplaceAll(strings.ReplaceAll(p.Shell, "{report}", quoteShell(report)), "{}", quoteShell(file))
	cmd := exec.Command("sh", "-c", shell) //nolint:noctx // it is killed together with what it starts
	said := &tail{limit: 16 << 10}
	cmd.Stderr = said
	cmd.Env = append(cmd.Environ(), "GOCOVERDIR="+goDir)
	cmd.WaitDelay = exitTimeout
	setProcessGroup(cmd)
	if !strings.Contains(p.Shell, "{}") {
		in, err := os.Open(file)
		if err != nil {
			return err
		}
		defer func() { _ = in.Close() }() // it was only read
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
	killGroup(cmd) // what it left running
	o.Duration = time.Since(start)
	exit, isExit := errors.AsType[*exec.ExitError](end)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case killed:
		o.Outcome = observation.TimedOut
	case end == nil || errors.Is(end, exec.ErrWaitDelay):
		o.Outcome = observation.OK
	case isExit && (exit.ExitCode() < 0 || exit.ExitCode() > 128): // by a signal, or a shell's word for it
		o.Outcome, o.Failure = observation.Crashed, crashFailure(said.text(), end)
	default:
		o.Outcome = observation.Failed
		o.Failure = &observation.Failure{Type: end.Error(), Message: clip(said.lastLines(1))}
	}
	return nil
}

func quoteShell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// read takes in a report, if there is one.
func (p *commandProcess) read(o *observation.Observation, name string) error {
	entries, err := os.ReadDir(name)
	if err == nil && len(entries) == 0 {
		return nil // the folder that Go did not use
	}
	info, err := os.Stat(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if o.Methods == nil {
		o.Methods, o.Counts = []string{}, []int{}
	}
	if !info.IsDir() && cmp.Or(p.Format, Auto) == Auto {
		names, isList, err := readNames(name)
		if err != nil {
			return err
		}
		if isList {
			o.Methods, o.Counts = append(o.Methods, names...), nil
			return nil
		}
	}
	reports := &Reports{Root: p.Root, Blocks: p.Blocks}
	if err := reports.Read(name, p.Format); err != nil {
		return err
	}
	for _, run := range reports.runs {
		for i, u := range reports.units {
			id := p.id(u)
			if run[i] > 0 && o.Counts != nil {
				o.Methods, o.Counts = append(o.Methods, id), append(o.Counts, run[i])
			}
		}
	}
	return nil
}

const maxNames = 1_000_000

// readNames reads a list of methods, one a line. Any other kind of report is no
// list.
func readNames(name string) (names []string, isList bool, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = file.Close() }() // it was only read
	buffered := bufio.NewReaderSize(file, 1<<16)
	head, err := buffered.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	if detectFormat(head) != "" {
		return nil, false, nil
	}
	scanner := bufio.NewScanner(buffered)
	scanner.Buffer(nil, maxReportLine)
	for scanner.Scan() {
		if id := strings.ToValidUTF8(strings.TrimSpace(scanner.Text()), "\uFFFD"); id != "" {
			names = append(names, id)
		}
		if len(names) > maxNames {
			return nil, true, fmt.Errorf("it has more than %d methods", maxNames)
		}
	}
	return names, true, scanner.Err()
}
