package cli_test

import (
	"strings"
	"testing"

	"github.com/inroad/inroad/cmd/inroad/cli"
)

// An input is printed when it is ready, not when a buffer is full.
func TestInputPrintedAtOnce(t *testing.T) {
	for format, want := range map[string]string{"ndjson": "{\"input\":\"1\"}\n", "json": "[{\"input\":\"1\"}"} {
		var out strings.Builder
		w, err := (&cli.Output{Format: format}).Open(&out, "json")
		if err != nil {
			t.Fatal(err)
		}
		text := "1"
		if err := w.Write(map[string]string{"input": text}, &text, nil, 0); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Errorf("%s: %q is printed, want %q", format, out.String(), want)
		}
	}
}
