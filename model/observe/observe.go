package observe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/inroad/inroad/model/observation"
)

// A Program is ready to be run on inputs. It must be closed.
type Program struct {
	header  observation.Header
	start   func(ctx context.Context, limits Limits) (process, error)
	dir     string   // holds what was built for it
	command *command // has the units instead of the header, if these show only while it runs
}

// built returns what build makes, in a folder of its own, of something with a name.
func buildIn(name string, build func(dir string) (*Program, error)) (*Program, error) {
	if runtime.GOOS == "windows" {
		return nil, errors.New("observing needs inherited files, which Windows does not have")
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

// Header names the program and lists its units, as far as they are known: those
// of a command are known when a report has told of them.
func (p *Program) Header() observation.Header {
	h := p.header
	if p.command != nil {
		h.Units = p.command.snapshot()
	}
	return h
}

// Know tells a program about units that it was seen to have before, so that
// they keep their IDs.
func (p *Program) RestoreUnits(units []observation.Unit) {
	if p.command != nil {
		p.command.restore(units)
	}
}

// Close removes what was built for the program.
func (p *Program) Close() error {
	if p.dir == "" {
		return nil
	}
	return os.RemoveAll(p.dir)
}

// An Input is what a program is run on.
type Input struct {
	Name string // may be empty
	Data []byte
}

// Limits bound a run. Fields that are zero mean the default.
type Limits struct {
	Timeout time.Duration // for one input; 2 s
	Memory  int64         // bytes that a process may use; 1 GiB
}

// Options say how a program is run. Fields that are zero mean the default.
type Options struct {
	Limits
	Jobs   int // processes; as many as there are processors
	Warmup int // inputs that each process is given before it counts; 20, and none if negative
}

// Observe runs the program on the inputs, and calls write with what came of
// each, one call at a time but in no certain order. Counters belong to a process, so
// inputs at the same time need several processes.
//
// What happens only once in a process, such as the filling of a cache, would
// make the first input look different: the first inputs are run beforehand
// in each process, uncounted.
//
// Every input gets one outcome, whatever it does to its process. An error is
// returned if inputs, write or ctx say so, or if the program cannot be started.
func (p *Program) Observe(ctx context.Context, inputs iter.Seq2[Input, error], opt Options, write func(observation.Observation) error) error {
	opt.Timeout = cmp.Or(opt.Timeout, 2*time.Second)
	opt.Memory = cmp.Or(opt.Memory, 1<<30)
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
	fatal []bool // warm-up inputs that a process did not survive
	write func(observation.Observation) error
}

// work runs inputs from the queue in one process, and in another when that is over.
func (r *observer) work(ctx context.Context, queue <-chan Input) error {
	var p process
	defer func() {
		if p != nil {
			p.stop()
		}
	}()
	for in := range queue {
		if p == nil {
			var err error
			if p, err = r.startWarm(ctx); err != nil {
				return err
			}
		}
		o, over, err := p.run(ctx, in.Data)
		if err != nil {
			return err
		}
		if over {
			p.stop()
			p = nil
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

// errColdStart tells that processes die during warm-up again and again.
var errWarmup = errors.New("no process survives its first inputs")

// warm starts a process and runs the warm-up inputs in it. One that ends the
// process is left out from then on.
func (r *observer) startWarm(ctx context.Context) (process, error) {
	for range len(r.warmup) + 1 {
		p, err := r.program.start(ctx, r.limits)
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

// isDeadly tells whether a warm-up input is left out, and leaves it out from now on if asked to.
func (r *observer) isFatal(i int, now bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fatal[i] = r.fatal[i] || now
	return r.fatal[i]
}
