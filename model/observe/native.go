package observe

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/inroad/inroad/model/observation"
)

//go:embed nativeharness
var nativeHarness embed.FS

// A nativeProgram is an executable with the harness for C, C++ and Rust.
type nativeProgram struct {
	tmp    string
	binary string
	fork   bool // run each input in a child process
	units  *nativeUnits
}

// load lists the methods of the program and checks that it can run.
func (n *nativeProgram) load(ctx context.Context, filter *sourceFilter, blocks bool) error {
	p, meta, err := n.startRaw(ctx, Limits{Timeout: startTimeout, Memory: 1 << 30})
	if err != nil {
		return err
	}
	p.stop()
	modules, err := decodeNativeTable(meta)
	if err != nil {
		return err
	}
	n.units = &nativeUnits{}
	keys := map[nativeKey]int{}
	counters := 0
	for _, m := range modules {
		functions, err := readNativeFunctions(cmp.Or(m.file, n.binary), m.counters, filter)
		if err != nil {
			return err
		}
		counters += len(m.counters)
		n.units.add(m.counters, functions, blocks, keys)
	}
	switch {
	case counters == 0:
		return errNoCounters
	case len(n.units.units) == 0:
		return fmt.Errorf("none of the %d counters is in a function with debug information of %s", counters, filter)
	}
	n.units.finish()
	return nil
}

var errNoCounters = errors.New("the program has no counters")

// A nativeModule is an instrumented executable or library in a process.
type nativeModule struct {
	base     uint64 // difference between addresses in the process and in the file
	file     string // empty for the executable
	counters []nativeCounter
}

var errNativeTable = errors.New("invalid table of counters from the harness")

// decodeNativeTable decodes the first frame of the harness.
func decodeNativeTable(data []byte) (modules []nativeModule, err error) {
	const counter = 12
	for len(data) > 0 {
		var m nativeModule
		if len(data) < 12 {
			return nil, errNativeTable
		}
		m.base = binary.LittleEndian.Uint64(data)
		size := uint64(binary.LittleEndian.Uint32(data[8:]))
		if data = data[12:]; uint64(len(data)) < size+4 {
			return nil, errNativeTable
		}
		m.file, data = string(data[:size]), data[size:]
		n := uint64(binary.LittleEndian.Uint32(data))
		if data = data[4:]; uint64(len(data)) < n*counter {
			return nil, errNativeTable
		}
		for ; n > 0; n-- {
			m.counters = append(m.counters, nativeCounter{
				address: binary.LittleEndian.Uint64(data) - m.base,
				entry:   binary.LittleEndian.Uint32(data[8:])&1 != 0,
			})
			data = data[counter:]
		}
		modules = append(modules, m)
	}
	return modules, nil
}

func (n *nativeProgram) start(ctx context.Context, limits Limits) (process, error) {
	p, _, err := n.startRaw(ctx, limits)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (n *nativeProgram) startRaw(ctx context.Context, limits Limits) (*harness, []byte, error) {
	dir, err := os.MkdirTemp(n.tmp, "run-")
	if err != nil {
		return nil, nil, err
	}
	shared, cwd := filepath.Join(dir, "shared"), filepath.Join(dir, "cwd")
	if err := errors.Join(os.WriteFile(shared, nil, 0o600), os.Mkdir(cwd, 0o777)); err != nil {
		return nil, nil, err
	}
	args := []string{shared, strconv.Itoa(int((limits.Timeout + graceTimeout).Seconds()) + 1)}
	if n.fork {
		args = append(args, "fork")
	}
	cmd := exec.Command(n.binary, args...) //nolint:noctx // the observer stops it
	cmd.Dir = cwd                          // files that the program writes are removed with the folder
	cmd.Env = nativeEnvironment(cmd.Environ())
	p, meta, err := startHarness(ctx, cmd, limits.Timeout)
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	modules, err := decodeNativeTable(meta)
	if err != nil {
		p.stop()
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	watch := watchMemory(cmd, limits.Memory)
	p.grace = 0 // the file keeps the counters of a process that is killed
	p.cleanup = func() {
		watch.stop()
		_ = os.RemoveAll(dir) // Program.Close removes the rest
	}
	p.reached = func(counters []byte) ([]string, []int, error) { return n.units.reached(counters) }
	p.exitCounters = func() []byte {
		if state, err := readNativeState(shared); err == nil {
			return state.counters
		}
		return nil
	}
	p.exhausted = watch.exhausted
	p.died = func(o *observation.Observation) {
		state, err := readNativeState(shared)
		if err != nil {
			return // the failure has the exit status
		}
		if state.state == nativeReturned { // only the pipes were lost
			o.Outcome, o.Failure, o.Duration = state.outcome()
			return
		}
		place := n.units.locate(state.stack, modules)
		o.Failure = nativeFailure(state, watch.killed.Load(), p.stderr.text(), p.wait(), place)
	}
	return p, meta, nil
}

// nativeEnvironment adds the options of sanitizers. Reports end with an abort,
// signals are left to the harness, and leaks are not looked for, because they
// belong to no single input. Options of the user take precedence.
func nativeEnvironment(env []string) []string {
	const options = "abort_on_error=1:halt_on_error=1:symbolize=0:detect_leaks=0:allocator_may_return_null=1:" +
		"handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0:use_sigaltstack=0"
	for _, name := range []string{"ASAN_OPTIONS", "UBSAN_OPTIONS", "MSAN_OPTIONS", "TSAN_OPTIONS"} {
		value := options
		if given := os.Getenv(name); given != "" { //nolint:forbidigo // the program inherits the environment
			value += ":" + given
		}
		env = append(env, name+"="+value)
	}
	return append(env, "RUST_BACKTRACE=0")
}

// nativeState is the content of the file that a process shares with the observer,
// as the harness documents it.
type nativeState struct {
	state    uint32
	returned int32
	duration time.Duration
	signal   syscall.Signal
	overflow bool     // of the stack
	stack    []uint64 // addresses, innermost first
	counters []byte   // as in a frame
}

const (
	nativeReturned  = 2
	nativeMaxFrames = 64
	nativeHeader    = 40 + 8*nativeMaxFrames
)

func readNativeState(file string) (s nativeState, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return s, err
	}
	if len(data) < nativeHeader {
		return s, errors.New("the process died before its first input")
	}
	u32 := func(at uint64) uint32 { return binary.LittleEndian.Uint32(data[at:]) }
	s.state, s.returned = u32(0), int32(u32(4))
	s.duration = time.Duration(binary.LittleEndian.Uint64(data[8:]))
	s.signal, s.overflow = syscall.Signal(u32(16)), u32(20) != 0
	capacity := uint64(u32(24))
	if uint64(len(data)) < nativeHeader+8*capacity {
		return s, errors.New("the file shared with the process is damaged")
	}
	for i := range min(u32(32), nativeMaxFrames) {
		s.stack = append(s.stack, binary.LittleEndian.Uint64(data[40+8*i:]))
	}
	s.counters = []byte{}
	for i := range min(uint64(u32(28)), capacity) {
		index := uint64(u32(nativeHeader + 4*(capacity+i)))
		if index < capacity {
			s.counters = binary.LittleEndian.AppendUint32(s.counters, uint32(index))
			s.counters = binary.LittleEndian.AppendUint32(s.counters, u32(nativeHeader+4*index))
		}
	}
	return s, nil
}

// outcome returns the outcome of a run that returned.
func (s nativeState) outcome() (observation.Outcome, *observation.Failure, time.Duration) {
	if s.returned == 0 {
		return observation.OK, nil, s.duration
	}
	return observation.Failed, &observation.Failure{Type: "rejected", Message: fmt.Sprintf("LLVMFuzzerTestOneInput returned %d", s.returned)}, s.duration
}

// reached decodes counters from the harness.
func (u *nativeUnits) reached(counters []byte) (methods []string, counts []int, err error) {
	type hit struct{ unit, count int }
	hits := make([]hit, 0, len(counters)/8)
	for ; len(counters) >= 8; counters = counters[8:] {
		index := binary.LittleEndian.Uint32(counters)
		if index == 0 || int64(index) > int64(len(u.of)) {
			return nil, nil, errors.New("invalid counters from the harness")
		}
		count := int(binary.LittleEndian.Uint32(counters[4:]))
		if unit := u.of[index-1]; unit >= 0 {
			hits = append(hits, hit{unit, count})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Compare(a.unit, b.unit) })
	methods, counts = make([]string, 0, len(hits)), make([]int, 0, len(hits))
	for i, h := range hits {
		if i > 0 && hits[i-1].unit == h.unit { // another instance of a generic function
			counts[len(counts)-1] += h.count
			continue
		}
		methods, counts = append(methods, u.units[h.unit].ID), append(counts, h.count)
	}
	return methods, counts, nil
}

// A nativePlace is the place where a run ended, in observed functions.
type nativePlace struct {
	functions []string // distinct names, innermost first
	where     string   // such as "parse (kv.c:12)"; empty if unknown
}

// locate finds the observed functions on a stack.
func (u *nativeUnits) locate(stack []uint64, modules []nativeModule) (place nativePlace) {
	for _, address := range stack {
		for i, m := range modules {
			if i >= len(u.modules) {
				break
			}
			f := findFunction(u.modules[i], address-m.base-1) // before the return address
			if f == nil {
				continue
			}
			if place.where == "" {
				place.where = f.name
				if row, _, ok := f.span(address-m.base-1, address-m.base); ok {
					place.where += fmt.Sprintf(" (%s:%d)", f.file, row.line)
				}
			}
			if !slices.Contains(place.functions, f.name) {
				place.functions = append(place.functions, f.name)
			}
			break
		}
	}
	return place
}

// memoryPoll is how often the memory of a process is checked.
const memoryPoll = 50 * time.Millisecond

// A memoryWatch kills a process that exceeds its memory limit.
type memoryWatch struct {
	killed atomic.Bool
	used   atomic.Int64 // bytes
	limit  int64
	done   chan struct{}
	ended  chan struct{}
}

func watchMemory(cmd *exec.Cmd, limit int64) *memoryWatch {
	w := &memoryWatch{limit: limit, done: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(w.ended)
		ticker := time.NewTicker(memoryPoll)
		defer ticker.Stop()
		for {
			select {
			case <-w.done:
				return
			case <-ticker.C:
			}
			w.used.Store(residentMemory(cmd.Process.Pid, 100))
			if w.used.Load() > limit {
				w.killed.Store(true)
				killGroup(cmd)
				return
			}
		}
	}()
	return w
}

// exhausted reports whether the process uses so much memory that it should not run
// further inputs.
func (w *memoryWatch) exhausted() bool { return w.used.Load() > w.limit/2 }

func (w *memoryWatch) stop() {
	close(w.done)
	<-w.ended
}

// residentMemory returns the memory of a process and its descendants. It visits at most
// limit processes.
func residentMemory(pid, limit int) (sum int64) {
	pids := []string{strconv.Itoa(pid)}
	for i := 0; i < len(pids) && i < limit; i++ {
		statm, err := os.ReadFile(filepath.Join("/proc", pids[i], "statm"))
		if err != nil {
			continue
		}
		if fields := bytes.Fields(statm); len(fields) > 1 {
			pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
			sum += pages * int64(os.Getpagesize())
		}
		children, _ := os.ReadFile(filepath.Join("/proc", pids[i], "task", pids[i], "children")) // it may have ended
		pids = append(pids, strings.Fields(string(children))...)
	}
	return sum
}
