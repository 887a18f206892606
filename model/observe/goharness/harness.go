//go:build go1.22

// Package goharness calls a function on one input after the other and reports
// its coverage counters. It is compiled together with the user's function, and
// therefore uses only the standard library.
//
// Inputs arrive on file descriptor 3 and frames leave on 4, so that the
// function may use standard input and output. An input is a four-byte
// little-endian length followed by the bytes. A frame is a letter, a length of
// the same form, and the contents:
//
//	M  once at the start: the meta-data, as runtime/coverage writes it
//	C  the counters, as runtime/coverage writes them; the last before R is valid
//	R  the result in JSON, which completes the input
//
// Between clearing and reading the counters the harness must do little work,
// because its own work is counted too.
package goharness

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime"
	"runtime/coverage"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"
)

// Main calls a function on the inputs until the end of file. It takes the input as
// []byte, string or io.Reader. The arguments of the process are the time limit per
// input and the memory limit in bytes.
func Main(function any) {
	call, err := adapt(reflect.ValueOf(function))
	if err != nil {
		exit(err)
	}
	serve(func(input []byte) func() *result {
		results := call(input)
		return func() *result { return resultOf(results) }
	})
}

// serve runs inputs until the end of file. It exits the process if it fails.
func serve(call caller) {
	h := &harness{
		in:   bufio.NewReader(os.NewFile(3, "inputs")),
		out:  os.NewFile(4, "answers"),
		call: call,
	}
	if err := h.serve(os.Args[1:]); err != nil {
		exit(err)
	}
}

func exit(err error) {
	fmt.Fprintln(os.Stderr, "inroad harness:", err)
	os.Exit(3) //nolint:forbidigo // this is the main function of a command
}

// A caller runs the function on an input. The result is described after the
// counters are read.
type caller func(input []byte) (describe func() *result)

// A result is the outcome of a run. Last announces that the process exits.
type result struct {
	Outcome string `json:"outcome"`
	Type    string `json:"type,omitempty"`
	Message string `json:"message,omitempty"`
	Stack   string `json:"stack,omitempty"`
	NS      int64  `json:"ns"`
	Last    bool   `json:"last,omitempty"`
}

type harness struct {
	in     *bufio.Reader
	out    io.Writer
	call   caller
	memory uint64
	sample []metrics.Sample
	buf    bytes.Buffer
}

func (h *harness) serve(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("expected 2 arguments (timeout, memory), got %d", len(args))
	}
	timeout, err := time.ParseDuration(args[0])
	if err != nil {
		return err
	}
	if h.memory, err = strconv.ParseUint(args[1], 10, 62); err != nil {
		return err
	}
	debug.SetMemoryLimit(int64(h.memory))
	debug.SetMaxStack(int(h.memory / 2))
	h.sample = []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	h.buf.Reset()
	if err := coverage.WriteMeta(&h.buf); err != nil {
		return err
	}
	if err := h.send('M', h.buf.Bytes()); err != nil {
		return err
	}
	goroutines := runtime.NumGoroutine()
	for {
		input, err := h.receive()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		r, err := h.run(input, timeout)
		if err != nil {
			return err
		}
		// Discard leaked memory and goroutines together with the process.
		r.Last = r.Last || h.memoryInUse() > h.memory/2 || runtime.NumGoroutine() > goroutines+1000
		text, err := json.Marshal(r)
		if err != nil {
			return err
		}
		if err := h.send('R', text); err != nil || r.Last {
			return err
		}
	}
}

func (h *harness) receive() ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(h.in, size[:]); err != nil {
		return nil, err
	}
	input := make([]byte, binary.LittleEndian.Uint32(size[:]))
	_, err := io.ReadFull(h.in, input)
	return input, err
}

func (h *harness) send(kind byte, data []byte) error {
	frame := make([]byte, 5, 5+len(data))
	frame[0] = kind
	binary.LittleEndian.PutUint32(frame[1:], uint32(len(data)))
	_, err := h.out.Write(append(frame, data...))
	return err
}

func (h *harness) sendCounters() error {
	h.buf.Reset()
	if err := coverage.WriteCounters(&h.buf); err != nil {
		return err
	}
	return h.send('C', h.buf.Bytes())
}

// pollInterval is how often the harness checks on a running function.
const pollInterval = 25 * time.Millisecond

// run runs the function on an input. A function over the time limit keeps
// running until the process exits, which the result announces.
func (h *harness) run(input []byte, timeout time.Duration) (*result, error) {
	if err := coverage.ClearCounters(); err != nil {
		return nil, err
	}
	done := make(chan func() *result, 1) // creates the result after the counters are read
	start := time.Now()
	go h.callTarget(input, done)
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		var describe func() *result
		select {
		case describe = <-done:
		case <-ticker.C:
			switch {
			case h.memoryInUse() > h.memory:
				describe = func() *result {
					return &result{Outcome: "crash", Type: "out of memory", Message: fmt.Sprintf("memory use exceeds the limit of %d bytes", h.memory), Last: true}
				}
			case time.Since(start) > timeout:
				describe = func() *result { return &result{Outcome: "timeout", Last: true} }
			}
		}
		took := time.Since(start)
		// Send counters also while the function runs, because the process may
		// die.
		if err := h.sendCounters(); err != nil {
			return nil, err
		}
		if describe != nil {
			r := describe()
			r.NS = took.Nanoseconds()
			return r, nil
		}
	}
}

func (h *harness) memoryInUse() (sum uint64) {
	metrics.Read(h.sample)
	for _, s := range h.sample {
		sum += s.Value.Uint64()
	}
	return sum
}

// callTarget calls the function. It reports a panic as a crash, because outside
// the harness nothing would recover it.
func (h *harness) callTarget(input []byte, done chan<- func() *result) {
	returned := false
	defer func() {
		if returned {
			return
		}
		value := recover()
		stack := digest()
		done <- func() *result {
			if value == nil {
				return &result{Outcome: "crash", Type: "runtime.Goexit", Stack: stack}
			}
			return &result{Outcome: "crash", Type: fmt.Sprintf("%T", value), Message: message(value), Stack: stack}
		}
	}()
	describe := h.call(input)
	returned = true
	done <- describe
}

// resultOf returns a failure if the results contain an error.
func resultOf(results []reflect.Value) *result {
	for _, v := range results {
		if !v.CanInterface() {
			continue
		}
		if err, ok := v.Interface().(error); ok && !isNil(v) {
			return &result{Outcome: "failure", Type: fmt.Sprintf("%T", err), Message: message(err)}
		}
	}
	return &result{Outcome: "ok"}
}

// isNil reports whether v is a nil error. It treats a nil pointer of an error
// type as nil.
func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer, reflect.Slice, reflect.Map, reflect.Func, reflect.Chan:
		return v.IsNil()
	default:
		return v.IsZero()
	}
}

const maxMessage = 1000

// message returns the text of a value, whose method may panic.
func message(value any) (text string) {
	defer func() {
		if recover() != nil {
			text = "(message not available)"
		}
	}()
	text = fmt.Sprint(value)
	if len(text) > maxMessage { // the end often tells more than an excerpt of the input in the middle
		text = text[:maxMessage/2] + "…" + text[len(text)-maxMessage/2:]
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

const digestFrames = 8

// digest returns a digest of the innermost functions on the stack of a panic.
func digest() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	hash := sha256.New()
	panicked, n, last := false, 0, ""
	for n < digestFrames {
		frame, more := frames.Next()
		name := frame.Function
		switch {
		case strings.HasPrefix(name, "runtime."):
			panicked = panicked || name == "runtime.gopanic" || name == "runtime.Goexit"
		case strings.HasPrefix(name, "reflect.Value."):
			more = false // the harness starts here
		case panicked && name != last: // ignore the depth of recursion
			fmt.Fprintln(hash, name)
			n, last = n+1, name
		}
		if !more {
			break
		}
	}
	return fmt.Sprintf("%x", hash.Sum(nil)[:8])
}

// adapt returns a function that calls f with an input. f may take a context
// before the input and an argument of type any after it, as json.Unmarshal
// does.
func adapt(f reflect.Value) (func([]byte) []reflect.Value, error) {
	t := f.Type()
	if t.Kind() != reflect.Func {
		return nil, fmt.Errorf("%s: must be a function", t)
	}
	var (
		contextType = reflect.TypeFor[context.Context]()
		anyType     = reflect.TypeFor[any]()
		reader      = reflect.TypeFor[*bytes.Reader]()
		params      []reflect.Type
		with        func([]byte) reflect.Value
	)
	for len(params) < t.NumIn() {
		params = append(params, t.In(len(params)))
	}
	if t.IsVariadic() {
		params = params[:len(params)-1]
	}
	first := len(params) > 0 && params[0] == contextType
	if first {
		params = params[1:]
	}
	wrong := fmt.Errorf("%s: must take []byte, string or io.Reader; wrap it in a function that does", t)
	if len(params) == 0 || len(params) > 2 || len(params) == 2 && params[1] != anyType {
		return nil, wrong
	}
	switch in := params[0]; {
	case in.Kind() == reflect.Slice && in.Elem().Kind() == reflect.Uint8, in.Kind() == reflect.String:
		with = func(input []byte) reflect.Value { return reflect.ValueOf(input).Convert(in) }
	case in.Kind() == reflect.Interface && in.NumMethod() > 0 && reader.Implements(in), in == reader:
		with = func(input []byte) reflect.Value { return reflect.ValueOf(bytes.NewReader(input)) }
	default:
		return nil, wrong
	}
	return func(input []byte) []reflect.Value {
		var args []reflect.Value
		if first {
			args = append(args, reflect.ValueOf(context.Background()))
		}
		args = append(args, with(input))
		if len(params) == 2 {
			args = append(args, reflect.ValueOf(new(any)))
		}
		return f.Call(args)
	}, nil
}
