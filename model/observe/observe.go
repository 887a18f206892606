// Package observe runs programs and reports which methods each input reaches.
//
// [BuildGo], [BuildJava], [BuildC], [BuildRust], [BuildPython], [BuildNode] and
// [NewCommand] prepare a [Program]. [Program.Observe] runs it on inputs in several
// processes and produces one observation per input; a [Runner] runs it on one input at a
// time. An [Output] is a file of observations that a later run can continue.
package observe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/inroad/inroad/model/observation"
)

// A Program can be run on inputs. Callers must close it.
type Program struct {
	header  observation.Header
	start   func(ctx context.Context, limits Limits) (process, error)
	labels  observation.Labels
	relabel func(*observation.Observation) // if the units are known
	prefix  []byte                         // before every input
	suffix  []byte                         // behind every input
	dir     string                         // build results; removed by Close
	command *command                       // provides the units, if they become known only at run time
}

// buildIn calls build with a new temporary folder. name identifies the target
// in errors.
func buildIn(name string, build func(dir string) (*Program, error)) (*Program, error) {
	if runtime.GOOS == "windows" {
		return nil, errors.New("observing needs inherited file descriptors, which Windows does not support")
	}
	dir, err := os.MkdirTemp("", "inroad-observe-")
	if err != nil {
		return nil, err
	}
	program, err := build(dir)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), os.RemoveAll(dir))
	}
	return program, nil
}

// Header returns the program's name, version and units. The units of a command
// become known only with its reports.
func (p *Program) Header() observation.Header {
	h := p.header
	if p.command != nil {
		h.Units, _ = p.labels.Relabel(p.command.snapshot())
	}
	return h
}

// Label selects the units that observations have. It is called before the program
// runs.
func (p *Program) Label(labels observation.Labels) {
	p.labels = labels
	p.header.Units, p.relabel = labels.Relabel(p.header.Units)
}

// EmptyReport returns an error about the first report of a command that lists no
// methods, or nil.
func (p *Program) EmptyReport() error {
	if p.command == nil {
		return nil
	}
	p.command.mu.Lock()
	defer p.command.mu.Unlock()
	return p.command.empty
}

// Growing reports whether the program gets further units when it is run.
func (p *Program) Growing() bool { return p.command != nil }

// RestoreUnits adds units of earlier observations to a program, so that they
// keep their IDs.
func (p *Program) RestoreUnits(units []observation.Unit) {
	if p.command != nil {
		p.command.restore(units)
	}
}

// Wrap makes the program run on each input between a prefix and a suffix, for
// targets that expect a frame around their input. Observations have the bare
// inputs.
func (p *Program) Wrap(prefix, suffix []byte) { p.prefix, p.suffix = prefix, suffix }

// begin starts a process that runs inputs.
func (p *Program) begin(ctx context.Context, limits Limits) (process, error) {
	started, err := p.start(ctx, limits)
	if err != nil {
		return nil, err
	}
	return adapted{started, p}, nil
}

// An adapted process runs on inputs in the frame of the program, and returns
// observations with its labels.
type adapted struct {
	process
	program *Program
}

func (a adapted) run(ctx context.Context, input []byte) (observation.Observation, bool, error) {
	p, framed := a.program, input
	if len(p.prefix)+len(p.suffix) > 0 {
		framed = slices.Concat(p.prefix, input, p.suffix)
	}
	o, over, err := a.process.run(ctx, framed)
	o.Input = input
	relabel := p.relabel
	if p.command != nil { // the run may have added units
		_, relabel = p.labels.Relabel(p.command.snapshot())
	}
	if relabel != nil {
		relabel(&o)
	}
	return o, over, err
}

// Close removes the files built for the program.
func (p *Program) Close() error {
	if p.dir == "" {
		return nil
	}
	return os.RemoveAll(p.dir)
}

// An Input is an input to observe.
type Input struct {
	Name string // may be empty
	Data []byte
}

// Limits limit the resources of a run. Zero values select the defaults.
type Limits struct {
	Timeout time.Duration // per input; default 2 s
	Memory  int64         // bytes per process; default 1 GiB
}

func (l Limits) withDefaults() Limits {
	return Limits{Timeout: cmp.Or(l.Timeout, 2*time.Second), Memory: cmp.Or(l.Memory, 1<<30)}
}

// Options configure [Program.Observe]. Zero values select the defaults.
type Options struct {
	Limits
	Jobs   int // number of processes; default is the number of CPUs
	Warmup int // inputs that each process runs before its first observation; default 20, negative for none
}

// Observe runs the program on the inputs and calls write once per observation,
// sequentially and in no particular order. Counters are per process, so inputs
// run concurrently only in different processes.
//
// Each process first runs some of the inputs as a warm-up. Otherwise, one-time
// work such as filling a cache would be attributed to the first input.
//
// Every input gets exactly one observation, even if it kills its process.
// Observe returns an error if inputs, write or ctx fails, or if the program
// cannot be started.
func (p *Program) Observe(ctx context.Context, inputs iter.Seq2[Input, error], opt Options, write func(observation.Observation) error) error {
	opt.Limits = opt.withDefaults()
	opt.Jobs = cmp.Or(opt.Jobs, runtime.NumCPU())
	opt.Warmup = max(0, cmp.Or(opt.Warmup, 20))

	next, stop := iter.Pull2(inputs)
	defer stop()
	var first []Input
	for len(first) < opt.Warmup {
		in, err, ok := next()
		if !ok {
			break
		}
		if err != nil {
			return err
		}
		first = append(first, in)
	}
	r := &observer{program: p, limits: opt.Limits, warmup: first, fatal: make([]bool, len(first)), write: write}
	group, ctx := errgroup.WithContext(ctx)
	queue := make(chan Input)
	group.Go(func() error {
		defer close(queue)
		return feed(ctx, queue, first, next)
	})
	for range opt.Jobs {
		group.Go(func() error { return r.work(ctx, queue) })
	}
	return group.Wait()
}

func feed(ctx context.Context, queue chan<- Input, first []Input, next func() (Input, error, bool)) error {
	for {
		var in Input
		if len(first) > 0 {
			in, first = first[0], first[1:]
		} else {
			var err error
			var ok bool
			if in, err, ok = next(); !ok || err != nil {
				return err
			}
		}
		select {
		case queue <- in:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

type observer struct {
	program *Program
	limits  Limits
	warmup  []Input

	mu    sync.Mutex
	fatal []bool // warm-up inputs that killed a process
	write func(observation.Observation) error
}

// work runs inputs from the queue, and replaces its process when needed.
func (r *observer) work(ctx context.Context, queue <-chan Input) error {
	var p process
	defer func() {
		if p != nil {
			p.stop()
		}
	}()
	run := func(input []byte) (observation.Observation, error) {
		if p == nil {
			var err error
			if p, err = r.startWarm(ctx); err != nil {
				return observation.Observation{}, err
			}
		}
		o, over, err := p.run(ctx, input)
		if err == nil && over {
			p.stop()
			p = nil
		}
		return o, err
	}
	for in := range queue {
		o, err := run(in.Data)
		if err == nil && neverStarted(o) {
			o, err = run(in.Data)
		}
		if err != nil {
			return err
		}
		o.Name = in.Name
		if err := r.emit(o); err != nil {
			return err
		}
	}
	return nil
}

func (r *observer) emit(o observation.Observation) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.write(o)
}

// errWarmup reports that every process died during its warm-up.
var errWarmup = errors.New("every process died during warm-up")

// startWarm starts a process and runs the warm-up inputs. It skips inputs that
// killed a process before.
func (r *observer) startWarm(ctx context.Context) (process, error) {
	for range len(r.warmup) + 1 {
		p, err := r.program.begin(ctx, r.limits)
		if err != nil {
			return nil, err
		}
		survived, err := r.warmUp(ctx, p)
		if survived && err == nil {
			return p, nil
		}
		p.stop()
		if err != nil {
			return nil, err
		}
	}
	return nil, errWarmup
}

func (r *observer) warmUp(ctx context.Context, p process) (survived bool, err error) {
	for i, in := range r.warmup {
		if r.isFatal(i, false) {
			continue
		}
		_, over, err := p.run(ctx, in.Data)
		if err != nil {
			return false, fmt.Errorf("warm-up: %w", err)
		}
		if over {
			r.isFatal(i, true)
			return false, nil
		}
	}
	return true, nil
}

// isFatal reports whether a warm-up input killed a process. If now is set, it
// records that the input did.
func (r *observer) isFatal(i int, now bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fatal[i] = r.fatal[i] || now
	return r.fatal[i]
}
