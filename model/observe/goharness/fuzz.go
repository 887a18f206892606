//go:build go1.22

package goharness

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// An F stands for the *testing.F of a fuzz target. Its Fuzz method runs the inputs
// that arrive instead of seeds and mutants.
type F struct {
	*testing.T
	seed []reflect.Value // arguments of the first Add
	used bool            // Fuzz was called
}

// Fuzz runs a fuzz target on the inputs until the end of file.
func Fuzz(name string, target func(*F)) {
	every := func(_, _ string) (bool, error) { return true, nil }
	testing.Main(every, []testing.InternalTest{{Name: name, F: func(t *testing.T) { //nolint:thelper // the test itself
		f := &F{T: t}
		defer func() {
			if !f.used {
				text := logOf(t)
				exit(fmt.Errorf("%s does not call f.Fuzz: %s", name, text))
			}
		}()
		target(f)
	}}}, nil, nil)
}

// Add keeps the arguments of the first seed: parameters other than the input have
// their values.
func (f *F) Add(args ...any) {
	for _, arg := range args {
		if len(f.seed) < len(args) {
			f.seed = append(f.seed, reflect.ValueOf(arg))
		}
	}
}

// Fuzz runs the function on the inputs until the end of file.
func (f *F) Fuzz(function any) {
	f.used = true
	fn := reflect.ValueOf(function)
	args, input, err := f.arguments(fn.Type())
	if err != nil {
		exit(err)
	}
	serve(func(data []byte) func() *result {
		all := append([]reflect.Value{{}}, args...)
		all[1+input] = reflect.ValueOf(data).Convert(args[input].Type())
		return f.run(fn, all)
	})
}

// arguments returns the arguments behind the *testing.T, and which of them is the
// input: the first []byte, or else the first string.
func (f *F) arguments(t reflect.Type) (args []reflect.Value, input int, err error) {
	if t.Kind() != reflect.Func || t.NumIn() < 2 || t.In(0) != reflect.TypeFor[*testing.T]() {
		return nil, 0, fmt.Errorf("f.Fuzz(%s): must take a *testing.T and the input", t)
	}
	input = -1
	for i := range t.NumIn() - 1 {
		in := t.In(i + 1)
		value := reflect.Zero(in)
		if i < len(f.seed) && f.seed[i].IsValid() && f.seed[i].Type() == in {
			value = f.seed[i]
		}
		args = append(args, value)
		isBytes := in.Kind() == reflect.Slice && in.Elem().Kind() == reflect.Uint8
		if isBytes && (input < 0 || t.In(input+1).Kind() == reflect.String) || in.Kind() == reflect.String && input < 0 {
			input = i
		}
	}
	if input < 0 {
		return nil, 0, fmt.Errorf("f.Fuzz(%s): must take the input as []byte or string", t)
	}
	return args, input, nil
}

// run calls the function in a test of its own, so that it may fail or skip. The test
// around it ends only after it, even if it calls t.Parallel.
func (f *F) run(fn reflect.Value, args []reflect.Value) (describe func() *result) {
	r := &result{Outcome: "crash", Message: "the test did not run", Last: true}
	f.Run("input", func(t *testing.T) {
		t.Run("run", func(t *testing.T) {
			args[0] = reflect.ValueOf(t)
			defer func() { // when the test is over, its log is gone
				if value := recover(); value != nil {
					stack := digest()
					r = &result{Outcome: "crash", Type: fmt.Sprintf("%T", value), Message: message(value), Stack: stack}
					return
				}
				r = resultOfTest(t)
			}()
			fn.Call(args)
		})
	})
	return func() *result { return r }
}

// resultOfTest returns a failure if the test failed, or skipped the input.
func resultOfTest(t *testing.T) *result { //nolint:thelper // reads the test
	switch {
	case t.Failed():
		return &result{Outcome: "failure", Type: "testing.T", Message: message(logOf(t))}
	case t.Skipped():
		return &result{Outcome: "failure", Type: "testing.T.Skip", Message: message(logOf(t))}
	default:
		return &result{Outcome: "ok"}
	}
}

// logOf returns the first line that a test logged, or "" if the testing package
// keeps it elsewhere.
func logOf(t *testing.T) string { //nolint:thelper // reads the test
	output := reflect.ValueOf(t).Elem().FieldByName("output")
	if !output.IsValid() || output.Kind() != reflect.Slice || output.Type().Elem().Kind() != reflect.Uint8 {
		return ""
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(output.Bytes())), "\n")
	return line
}
