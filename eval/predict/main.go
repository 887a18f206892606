// Command predict measures the processor time that a grammar takes for inputs that it
// has not seen, for the same inputs again, and for other inputs after these. The
// first and the third time depend on how fast predictions are computed, the second
// on how many of them are kept.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/inroad/inroad/eval/internal/process"
	"github.com/inroad/inroad/grammars"
)

func main() {
	grammar := flag.String("grammar", "", "grammar files, separated by commas")
	start := flag.String("start", "", "start rule; the grammar's first parser rule if empty")
	cache := flag.Int("cache", 0, "limit of the grammar's caches in MiB; the default limits if 0")
	flag.Parse()
	if err := run(context.Background(), *grammar, *start, *cache, flag.Args(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, grammar, start string, cache int, files []string, stdout io.Writer) error {
	var sources []grammars.Source
	for file := range strings.SplitSeq(grammar, ",") {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		sources = append(sources, grammars.Source{Name: filepath.Base(file), Text: string(text)})
	}
	var inputs [][]byte
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		inputs = append(inputs, text)
	}
	g, err := grammars.Load(ctx, sources...)
	if err != nil {
		return err
	}
	if cache != 0 {
		g.LimitCaches(cache << 20)
	}
	fmt.Fprintln(stdout, "| pass | seconds | inputs | rejected |\n| --- | --- | --- | --- |")
	for i, pass := range []string{"first", "second", "unseen"} {
		begin, n, rejected := process.OwnTime(), 0, 0
		for at := i / 2; at < len(inputs); at += 2 { // every other input, and the rest in the last pass
			opt := grammars.ParseOptions{Start: start, Prefix: true, Limits: grammars.Limits{Steps: 1 << 40, Time: time.Minute}}
			if _, err := g.Parse(ctx, inputs[at], opt); err != nil {
				rejected++
			}
			n++
		}
		fmt.Fprintf(stdout, "| %s | %.2f | %d | %d |\n", pass, (process.OwnTime() - begin).Seconds(), n, rejected)
	}
	return printMemory(stdout)
}

// printMemory prints the maximum memory of the process, where the system tells.
func printMemory(out io.Writer) error {
	status, err := os.ReadFile("/proc/self/status")
	if os.IsNotExist(err) {
		return nil
	}
	for line := range bytes.Lines(status) {
		if most, ok := bytes.CutPrefix(line, []byte("VmHWM:")); ok {
			fmt.Fprintf(out, "\nmaximum memory: %s\n", bytes.TrimSpace(most))
		}
	}
	return err
}
