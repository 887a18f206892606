package observe

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/inroad/inroad/model/observation"
)

// A scriptBuild prepares a program in a language that an interpreter runs. A scan
// lists the units in the sources; then processes of the interpreter run the harness.
type scriptBuild struct {
	language    string
	target      string // as the user names it
	dir         string // folder to find the target from
	interpreter string
	sources     string // folder that file names are relative to
	packages    []string
	blocks      bool
	calls       bool // in the order in which units are called first
	subject     string
	commit      string
	tmp         string
	table       string             // file that the scan writes
	units       []observation.Unit // in the order of the harness
}

// build returns the program. scan returns the command that lists the units, and
// start starts a process.
func (b *scriptBuild) build(ctx context.Context, scan func(args []string) *exec.Cmd, start func(context.Context, Limits) (process, error)) (*Program, error) {
	if _, err := exec.LookPath(b.interpreter); err != nil {
		return nil, fmt.Errorf("observing %s needs an interpreter: %w", b.language, err)
	}
	var err error
	if b.dir, err = filepath.Abs(b.dir); err != nil {
		return nil, err
	}
	if b.sources, err = filepath.Abs(cmp.Or(b.sources, b.dir)); err != nil {
		return nil, err
	}
	blocks := "0"
	if b.blocks {
		blocks = "1"
	}
	cmd := scan(append([]string{b.target, b.dir, b.sources, blocks, b.table}, b.packages...))
	if err := b.scan(ctx, cmd); err != nil {
		return nil, err
	}
	p, err := start(ctx, Limits{Timeout: startTimeout, Memory: 1 << 30})
	if err != nil {
		return nil, err
	}
	p.stop()
	return &Program{dir: b.tmp, start: start, header: observation.Header{Subject: cmp.Or(b.subject, b.target), Commit: b.commit, Units: b.units}}, nil
}

// scan runs a command that lists the units.
func (b *scriptBuild) scan(ctx context.Context, cmd *exec.Cmd) error {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return errors.New(cmp.Or(harnessError(stderr.String()), strings.TrimSpace(stderr.String()), err.Error()))
	}
	data, err := os.ReadFile(b.table)
	if err != nil {
		return err
	}
	var table scriptTable
	if err := json.Unmarshal(data, &table); err != nil {
		return fmt.Errorf("scan: %w", err)
	}
	if b.units = table.units(); len(b.units) == 0 {
		return fmt.Errorf("no function in the %s sources of %s", b.language, strings.Join(table.Cover, ","))
	}
	b.interpreter = cmp.Or(table.Interpreter, b.interpreter)
	b.commit = cmp.Or(b.commit, table.Version)
	if b.commit == "" {
		b.commit = gitCommit(ctx, b.sources)
	}
	return nil
}

// start starts a process in a folder of its own. It is not bound to ctx: the
// observer stops it.
func (b *scriptBuild) start(ctx context.Context, limits Limits, command func() *exec.Cmd) (*harness, error) {
	dir, err := os.MkdirTemp(b.tmp, "run-")
	if err != nil {
		return nil, err
	}
	cmd := command()
	cmd.Dir = dir // files that the function writes are removed with the folder
	p, _, err := startHarness(ctx, cmd, limits.Timeout)
	if err != nil {
		if text := harnessError(err.Error()); text != "" {
			err = errors.New(text)
		}
		return nil, err
	}
	p.cleanup = func() { _ = os.RemoveAll(dir) } // Program.Close removes the rest
	p.ordered = b.calls
	p.reached = func(counters []byte) ([]string, []int, error) { return reachedUnits(b.units, counters) }
	return p, nil
}

// A scriptTable is the list of units that a scan writes.
type scriptTable struct {
	Interpreter string   // the file that is executed in the end; a script in front of it would delay each start
	Version     string   // of the package; empty for sources that have a commit
	Cover       []string // packages and files that were scanned
	Files       []struct {
		Name  string
		Units []observation.Unit
	}
}

// units returns the units with their files and IDs.
func (t *scriptTable) units() []observation.Unit {
	var units []observation.Unit
	for _, f := range t.Files {
		for _, u := range f.Units {
			u.File = f.Name
			units = append(units, u)
		}
	}
	observation.AssignIDs(units)
	return units
}

// reachedUnits decodes a counters frame of four-byte indices. Executions are
// not counted.
func reachedUnits(units []observation.Unit, counters []byte) (methods []string, counts []int, err error) {
	methods = make([]string, 0, len(counters)/4)
	for ; len(counters) >= 4; counters = counters[4:] {
		i := binary.LittleEndian.Uint32(counters)
		if uint64(i) >= uint64(len(units)) {
			return nil, nil, errors.New("invalid counters from the harness")
		}
		methods = append(methods, units[i].ID)
	}
	return methods, nil, nil
}

var harnessMessage = regexp.MustCompile(`(?m)^.*inroad harness: (.*)$`)

// harnessError returns the message of the harness on standard error, or "".
func harnessError(stderr string) string {
	if match := harnessMessage.FindStringSubmatch(stderr); match != nil {
		return clip(match[1])
	}
	return ""
}
