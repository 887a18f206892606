//go:build unix

package observe_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
)

// The command reports the methods it reached as a list, one per line. Real
// programs leave the report of a coverage tool.
func ExampleNewCommand() {
	program, err := observe.NewCommand(observe.CommandTarget{
		Shell:   `echo read >{report}; if grep -q '\[' {}; then echo readArray >>{report}; fi`,
		Subject: "reader",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = program.Close() }()
	inputs := func(yield func(observe.Input, error) bool) {
		for _, text := range []string{`[1]`, `{"a":1}`} {
			if !yield(observe.Input{Data: []byte(text)}, nil) {
				return
			}
		}
	}
	write := func(o observation.Observation) error {
		fmt.Printf("%s: %s, reached %s\n", o.Input, o.Outcome, strings.Join(o.Methods, ", "))
		return nil
	}
	if err := program.Observe(context.Background(), inputs, observe.Options{Jobs: 1}, write); err != nil {
		fmt.Println(err)
		return
	}
	// Output:
	// [1]: ok, reached read, readArray
	// {"a":1}: ok, reached read
}
