// Command once runs a subject on one input, after a warm-up on others, and
// leaves the counters of that one input to the Go toolchain. It is what
// observations are compared with.
package main

import (
	"log"
	"os"
	"runtime/coverage"

	"github.com/inroad/inroad/eval/observe/subjects"
)

// main takes the name of the subject, the input, and inputs to warm up with.
func main() {
	run := map[string]func([]byte) error{
		"encoding-json": subjects.EncodingJSON,
		"fastjson":      subjects.FastJSON,
		"gjson":         subjects.GJSON,
		"jsoniter":      subjects.JSONIter,
		"jsonparser":    subjects.JSONParser,
		"yaml":          subjects.YAML,
		"net-url":       func(input []byte) error { return subjects.NetURL(string(input)) },
		"goja":          func(input []byte) error { return subjects.Goja(string(input)) },
	}[os.Args[1]]
	if run == nil {
		log.Fatalf("there is no subject %q", os.Args[1])
	}
	for _, name := range os.Args[3:] {
		_ = run(read(name))
	}
	input := read(os.Args[2])
	if err := coverage.ClearCounters(); err != nil {
		log.Fatal(err)
	}
	_ = run(input) // that it is refused is no reason to fail
}

func read(name string) []byte {
	data, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	return data
}
