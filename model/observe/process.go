package observe

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/inroad/inroad/model/observation"
)

// A process runs the program on one input at a time.
type process interface {
	// run returns the observation of an input. over reports that the process
	// cannot run further inputs.
	run(ctx context.Context, input []byte) (o observation.Observation, over bool, err error)
	stop()
}

// Frame types, as documented in the harnesses.
const (
	frameMeta     = 'M'
	frameCounters = 'C'
	frameResult   = 'R'
	maxFrame      = 1 << 30
)

// resultFrame is the content of a result frame.
type resultFrame struct {
	Outcome observation.Outcome `json:"outcome"`
	Type    string              `json:"type"`
	Message string              `json:"message"`
	Stack   string              `json:"stack"`
	NS      int64               `json:"ns"`
	Last    bool                `json:"last"`
}

// A harness is a process with a built-in harness, which reads inputs from a
// pipe.
type harness struct {
	cmd          *exec.Cmd
	inputs       *os.File
	frames       *bufio.Reader
	pipes        []*os.File
	stderr       *tail // end of standard error
	timeout      time.Duration
	grace        time.Duration // until the process is killed after the timeout
	ordered      bool          // counters that the harness sends have the units in the order of their first calls
	reached      func(counters []byte) (methods []string, counts []int, err error)
	exitCounters func() []byte // reads the counters of a process that has ended; may be nil
	crash        func(stderr string, end error) *observation.Failure
	died         func(o *observation.Observation) // completes the observation of an input that ended the process; may be nil
	exhausted    func() bool                      // reports that the process should run no further inputs; may be nil
	cleanup      func()                           // removes files of the process; may be nil
	waited       sync.Once
	waitErr      error
}

// Extra time for the harness on busy machines.
const (
	startTimeout = 2 * time.Minute
	graceTimeout = 10 * time.Second
	exitTimeout  = 2 * time.Second
)

// startHarness starts a process and returns it with the contents of its first
// frame, the table of counters.
func startHarness(ctx context.Context, cmd *exec.Cmd, timeout time.Duration) (p *harness, meta []byte, err error) {
	p = &harness{cmd: cmd, stderr: &tail{limit: 64 << 10}, timeout: timeout, grace: graceTimeout, crash: crashFailure}
	inputs, inputsWriter, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	answers, answersWriter, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(err, inputs.Close(), inputsWriter.Close())
	}
	p.inputs, p.frames, p.pipes = inputsWriter, bufio.NewReaderSize(answers, 1<<16), []*os.File{inputsWriter, answers}
	cmd.ExtraFiles = []*os.File{inputs, answersWriter}
	cmd.Stderr = p.stderr
	cmd.WaitDelay = exitTimeout
	setProcessGroup(cmd)
	err = cmd.Start()
	_ = inputs.Close() // the process has its own copies
	_ = answersWriter.Close()
	if err != nil {
		p.closePipes()
		return nil, nil, err
	}
	stop := p.deadline(ctx, startTimeout)
	kind, meta, err := p.receive()
	if killed := stop(); err != nil || kind != frameMeta {
		p.stop()
		switch {
		case ctx.Err() != nil:
			return nil, nil, context.Cause(ctx)
		case killed:
			return nil, nil, fmt.Errorf("the program was not ready after %v", startTimeout)
		default:
			return nil, nil, fmt.Errorf("the program exited before the first input: %s", cmp.Or(p.stderr.lastLines(20), fmt.Sprint(p.wait())))
		}
	}
	return p, meta, nil
}

// deadline kills the process after d or when ctx is done. stop cancels this,
// and reports whether the process was killed.
func (p *harness) deadline(ctx context.Context, d time.Duration) (stop func() (killed bool)) {
	ctx, cancel := context.WithTimeout(ctx, d)
	undo := context.AfterFunc(ctx, func() { killGroup(p.cmd) })
	return func() bool {
		killed := !undo()
		cancel()
		return killed
	}
}

func (p *harness) receive() (kind byte, data []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(p.frames, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.LittleEndian.Uint32(head[1:])
	if n > maxFrame {
		return 0, nil, fmt.Errorf("frame of %d bytes: must be at most %d", n, maxFrame)
	}
	if n > 1<<20 { // the length may be bogus: allocate only what arrives
		var long bytes.Buffer
		_, err = io.CopyN(&long, p.frames, int64(n))
		return head[0], long.Bytes(), err
	}
	data = make([]byte, n)
	_, err = io.ReadFull(p.frames, data)
	return head[0], data, err
}

// run observes an input. It returns an error only if ctx is done or the harness
// misbehaves.
func (p *harness) run(ctx context.Context, input []byte) (o observation.Observation, over bool, err error) {
	o = observation.Observation{Input: input}
	p.stderr.reset()
	start := time.Now()
	stop := p.deadline(ctx, p.timeout+p.grace)
	result, counters, err := p.exchange(input)
	killed := stop()
	o.Duration = time.Since(start)
	switch {
	case err == nil:
		o.Outcome, o.Duration = result.Outcome, time.Duration(result.NS)
		if result.Outcome != observation.OK && (result.Type != "" || result.Message != "") {
			o.Failure = &observation.Failure{Type: result.Type, Message: result.Message, Stack: result.Stack}
		}
		over = result.Last || p.exhausted != nil && p.exhausted()
	case ctx.Err() != nil:
		return o, true, context.Cause(ctx)
	case killed:
		p.end()
		o.Outcome, over = observation.TimedOut, true
		counters = p.lastCounters(counters)
	default:
		p.end()
		o.Outcome, over = observation.Crashed, true
		o.Failure = p.crash(p.stderr.text(), p.wait())
		if p.died != nil {
			p.died(&o)
		}
		counters = p.lastCounters(counters)
	}
	if counters != nil {
		complete := err == nil
		o.Methods, o.Counts, err = p.reached(counters)
		if p.ordered && complete && len(o.Methods) <= observation.MaxCalls {
			o.Calls = slices.Clone(o.Methods)
		}
		return o, over, err
	}
	return o, over, nil
}

// lastCounters returns the counters that the process left behind, or else those
// it sent.
func (p *harness) lastCounters(sent []byte) []byte {
	if p.exitCounters != nil {
		if left := p.exitCounters(); left != nil {
			return left
		}
	}
	return sent
}

// exchange sends an input and waits for the result. It returns the last
// counters received, even on error.
func (p *harness) exchange(input []byte) (r resultFrame, counters []byte, err error) {
	message := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(input)), uint32(len(input)))
	if _, err := p.inputs.Write(append(message, input...)); err != nil {
		return r, nil, err
	}
	for {
		kind, data, err := p.receive()
		if err != nil {
			return r, counters, err
		}
		switch kind {
		case frameCounters:
			counters = data
		case frameResult:
			return r, counters, json.Unmarshal(data, &r)
		default:
			return r, counters, fmt.Errorf("unknown frame type %q", kind)
		}
	}
}

func (p *harness) closePipes() {
	for _, f := range p.pipes {
		_ = f.Close()
	}
}

// stop ends the process and removes its files.
func (p *harness) stop() {
	p.end()
	if p.cleanup != nil {
		p.cleanup()
	}
}

// end closes the pipes, and kills the process if it does not exit in time.
func (p *harness) end() {
	p.closePipes()
	timer := time.AfterFunc(exitTimeout, func() { killGroup(p.cmd) })
	defer timer.Stop()
	_ = p.wait() // the exit status no longer matters
	killGroup(p.cmd)
}

func (p *harness) wait() error {
	p.waited.Do(func() { p.waitErr = p.cmd.Wait() })
	return p.waitErr
}

// A tail keeps the last bytes written to it.
type tail struct {
	limit int
	mu    sync.Mutex
	data  []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, b[max(0, len(b)-t.limit):]...)
	if len(t.data) > 2*t.limit {
		t.data = append(t.data[:0], t.data[len(t.data)-t.limit:]...)
	}
	return len(b), nil
}

func (t *tail) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = t.data[:0]
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.data)
}

func (t *tail) lastLines(n int) string {
	lines := strings.Split(strings.TrimSpace(t.text()), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
