// Command scripts measures how inroad observes parsers in Python and JavaScript:
// inputs per second of processor time, with and without inroad, and whether
// coverage.py, V8's coverage and istanbul agree.
//
// Run it in the root of its module. It needs Python with pip, and Node with npm,
// which fetch the parsers.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/inroad/inroad/eval/internal/subject"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
)

// A script is a parser in Python or JavaScript.
type script struct {
	name    string
	grammar string
	python  string // MODULE:FUNC
	node    string // PACKAGE:EXPORT
	cover   []string
}

func scripts() []script {
	return []script{
		{"json (Python, pure)", "json", "pyjson:loads", "", []string{"json"}},
		{"json (Python)", "json", "json:loads", "", nil},
		{"configparser (Python)", "ini", "pyini:loads", "", []string{"configparser"}},
		{"sqlglot (Python)", "sql", "sqlglot:parse", "", nil},
		{"json5 (Node)", "json", "", "json5:parse", nil},
		{"acorn (Node)", "javascript", "", "acorn:parse", nil},
		{"css-tree (Node)", "css", "", "css-tree:parse", nil},
	}
}

type options struct {
	n, sample int
	only      string
	python    string
	dir       string // packages and scripts
}

const warmup = 20

func main() {
	opt := options{}
	flag.IntVar(&opt.n, "n", 2000, "number of inputs per program")
	flag.IntVar(&opt.sample, "sample", 100, "number of inputs to compare with the coverage tool of the language")
	flag.StringVar(&opt.only, "only", "", "measure only programs whose names match this `regexp`")
	flag.StringVar(&opt.python, "python", "python3", "interpreter")
	flag.Parse()
	if err := opt.run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func (opt *options) run(ctx context.Context) error {
	selected, err := regexp.Compile(opt.only)
	if err != nil {
		return err
	}
	if opt.dir, err = os.MkdirTemp("", "inroad-eval-"); err != nil {
		return err
	}
	defer os.RemoveAll(opt.dir)
	if err := opt.prepare(ctx); err != nil {
		return err
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "program\tinputs\tok\tmethods\tinputs/s\tbare\ttool\tcompared\tagree\tonly inroad\tonly the tool")
	for _, s := range scripts() {
		if !selected.MatchString(s.name) {
			continue
		}
		if err := opt.measure(ctx, table, s); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return table.Flush()
}

// prepare fetches the packages and builds inroad.
func (opt *options) prepare(ctx context.Context) error {
	for _, file := range []string{"tool.py", "pyjson.py", "pyini.py", "tool.cjs"} {
		text, err := os.ReadFile(filepath.Join("scripts", file))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(opt.dir, file), text, 0o666); err != nil {
			return err
		}
	}
	root, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	for _, command := range [][]string{
		{"go", "-C", root, "build", "-o", opt.inroad(), "./cmd/inroad"},
		{opt.python, "-m", "venv", "venv"},
		{opt.interpreter(), "-m", "pip", "install", "-q", "coverage", "sqlglot"},
		{"npm", "install", "--silent", "--no-save", "--prefix", ".", "json5", "acorn", "css-tree", "istanbul-lib-instrument"},
	} {
		if _, err := opt.output(ctx, command[0], command[1:]...); err != nil {
			return err
		}
	}
	return nil
}

func (opt *options) inroad() string { return filepath.Join(opt.dir, "inroad") }

func (opt *options) interpreter() string { return filepath.Join(opt.dir, "venv/bin/python") }

func (opt *options) output(ctx context.Context, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = opt.dir
	cmd.Env = append(cmd.Environ(), "PYTHON="+opt.interpreter(), "PYTHONHASHSEED=0", "COVERAGE_CORE=ctrace")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", name, err, stderr.Bytes())
	}
	return out, err
}

func (opt *options) build(ctx context.Context, s script) (*observe.Program, error) {
	if s.python != "" {
		return observe.BuildPython(ctx, observe.PythonTarget{Dir: opt.dir, Interpreter: opt.interpreter(), Function: s.python, Packages: s.cover})
	}
	return observe.BuildNode(ctx, observe.NodeTarget{Dir: opt.dir, File: s.node, Packages: s.cover})
}

// tool runs a function without inroad.
func (opt *options) tool(ctx context.Context, s script, mode string, args ...string) ([]byte, error) {
	if s.python != "" {
		return opt.output(ctx, opt.interpreter(), append([]string{"tool.py", mode, s.python}, args...)...)
	}
	name, exported, _ := strings.Cut(s.node, ":")
	return opt.output(ctx, "node", append([]string{"tool.cjs", mode, name, exported}, args...)...)
}

// tools returns the modes of the language's script that report coverage.
func (s script) tools() []string {
	if s.python != "" {
		return []string{"coverage"}
	}
	return []string{"v8", "istanbul"}
}

// measure prints a row for each tool that the observations are compared with.
func (opt *options) measure(ctx context.Context, table io.Writer, s script) error {
	file := filepath.Join(opt.dir, "observed.ndjson")
	_ = os.Remove(file)
	args := []string{"observe", "--grammar", s.grammar, "--generate", strconv.Itoa(opt.n), "--jobs", "1", "--out", file}
	if s.python != "" {
		args = append(args, "--python", s.python)
	} else {
		args = append(args, "--node", s.node)
	}
	if s.cover != nil {
		args = append(args, "--cover", strings.Join(s.cover, ","))
	}
	if _, err := opt.output(ctx, opt.inroad(), args...); err != nil {
		return err
	}
	_, observed, err := subject.Read(file)
	if err != nil {
		return err
	}
	rate, err := opt.rate(ctx, s, observed)
	if err != nil {
		return err
	}
	bare, err := opt.tool(ctx, s, "bare", file)
	if err != nil {
		return err
	}
	ok, methods := 0, map[string]bool{}
	for _, o := range observed {
		if o.Outcome == observation.OK {
			ok++
		}
		for _, m := range o.Methods {
			methods[m] = true
		}
	}
	bareRate, err := strconv.ParseFloat(strings.TrimSpace(string(bare)), 64)
	if err != nil {
		return err
	}
	for _, tool := range s.tools() {
		compared, err := opt.compare(ctx, s, tool, file, observed)
		if err != nil {
			return fmt.Errorf("%s: %w", tool, err)
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%.0f\t%.0f\t%s\t%s\n", s.name, len(observed), ok, len(methods), rate, bareRate, tool, compared)
	}
	return nil
}

// rate observes the inputs again in one process, and returns the inputs per second
// of its processor time. The time to start and to run the first inputs does not
// count.
func (opt *options) rate(ctx context.Context, s script, observed []observation.Observation) (float64, error) {
	p, err := opt.build(ctx, s)
	if err != nil {
		return 0, err
	}
	defer p.Close()
	first, err := processorTime(ctx, p, observed[:warmup])
	if err != nil {
		return 0, err
	}
	all, err := processorTime(ctx, p, observed)
	return float64(len(observed)-warmup) / (all - first).Seconds(), err
}

// processorTime returns the processor time of a process that runs the inputs.
func processorTime(ctx context.Context, p *observe.Program, observed []observation.Observation) (time.Duration, error) {
	children := func() time.Duration {
		var usage syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage)
		return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	before := children()
	r := p.NewRunner(observe.Limits{})
	for _, o := range observed {
		if _, err := r.Run(ctx, o.Input); err != nil {
			return 0, err
		}
	}
	r.Close()
	return children() - before, nil
}

// compare compares a sample of the observations with a coverage tool.
func (opt *options) compare(ctx context.Context, s script, tool, file string, observed []observation.Observation) (string, error) {
	out, err := opt.tool(ctx, s, tool, file, strconv.Itoa(opt.sample), strconv.Itoa(warmup))
	if err != nil {
		return "", err
	}
	var rows [][]string
	scanner := bufio.NewScanner(bytes.NewReader(out))
	scanner.Buffer(nil, 1<<26)
	for scanner.Scan() {
		var ids []string
		if err := json.Unmarshal(scanner.Bytes(), &ids); err != nil {
			return "", err
		}
		rows = append(rows, ids)
	}
	known, pairs, ours, theirs := rows[0], 0, 0, 0
	different := map[string]int{}
	for i, reached := range rows[1:] {
		for _, id := range known {
			we, they := slices.Contains(observed[warmup+i].Methods, id), slices.Contains(reached, id)
			pairs++
			switch {
			case we && !they:
				ours++
				different["+"+id]++
			case they && !we:
				theirs++
				different["-"+id]++
			}
		}
	}
	for id, n := range different {
		fmt.Fprintln(os.Stderr, s.name, tool, id, n)
	}
	return fmt.Sprintf("%d\t%.3f %%\t%d\t%d", pairs, 100*float64(pairs-ours-theirs)/float64(max(pairs, 1)), ours, theirs), nil
}
