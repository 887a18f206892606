// Command once runs a program on one input, after a warm-up on other inputs, and lets
// the Go toolchain write the coverage counters of that input. Command observe compares
// its observations with these counters.
package main

import (
	"log"
	"os"
	"runtime/coverage"

	"github.com/inroad/inroad/eval/observe/subjects"
	"github.com/inroad/inroad/eval/observe/subjects/std"
)

// The arguments are the name of the program, the input file, and input files for
// the warm-up.
func main() {
	run := map[string]func([]byte) error{
		"encoding-json": std.EncodingJSON,
		"fastjson":      subjects.FastJSON,
		"gjson":         subjects.GJSON,
		"jsoniter":      subjects.JSONIter,
		"jsonparser":    subjects.JSONParser,
		"yaml":          subjects.YAML,
		"net-url":       func(input []byte) error { return std.NetURL(string(input)) },
		"goja":          func(input []byte) error { return subjects.Goja(string(input)) },
		"encoding-xml":  std.EncodingXML,
		"encoding-csv":  std.EncodingCSV,
		"ini":           subjects.INI,
		"tidb-parser":   func(input []byte) error { return subjects.TiDB(string(input)) },
		"parse-css":     subjects.CSS,
		"parse-js":      subjects.JS,
		"otto":          func(input []byte) error { return subjects.Otto(string(input)) },
		"etree":         subjects.ETree,
	}[os.Args[1]]
	if run == nil {
		log.Fatalf("program %q: not found", os.Args[1])
	}
	for _, name := range os.Args[3:] {
		_ = run(read(name))
	}
	input := read(os.Args[2])
	if err := coverage.ClearCounters(); err != nil {
		log.Fatal(err)
	}
	_ = run(input) // the program may reject the input
}

func read(name string) []byte {
	data, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	return data
}
