// Command speed compares the processor time that learners take for the same trees:
//
//	go run ./learn/speed [-python python3]
//
// The matrix is random and sparse, and columns form a hierarchy: a row that has a
// column also has its ancestors. All learners have the same maximum depth, and
// scikit-learn has the native learner's minimum leaf and minimum gain, too; golearn
// has neither. golearn grows fewer trees, because it is slow. scikit-learn must be
// installed for the given Python.
package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"

	"github.com/inroad/inroad/eval/internal/process"
	"github.com/inroad/inroad/model/dtree"
	"github.com/inroad/inroad/model/golearn"
)

//go:embed sklearn.py
var sklearn string

type options struct {
	rows, columns, methods int
	depth                  int
	golearn                int
	python                 string
}

func main() {
	var opt options
	flag.IntVar(&opt.rows, "rows", 1000, "number of rows (inputs)")
	flag.IntVar(&opt.columns, "columns", 20_000, "number of columns (paths)")
	flag.IntVar(&opt.methods, "methods", 100, "number of trees (methods)")
	flag.IntVar(&opt.depth, "depth", 5, "maximum depth of the trees")
	flag.IntVar(&opt.golearn, "golearn", 1, "number of trees that golearn grows")
	flag.StringVar(&opt.python, "python", "", "Python `command` with scikit-learn; empty to leave it out")
	flag.Parse()
	if err := run(context.Background(), opt, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1) //nolint:forbidigo // this is a command
	}
}

func run(ctx context.Context, opt options, stdout io.Writer) error {
	r := rand.New(rand.NewPCG(1, 2))
	rows := drawRows(r, opt.rows, opt.columns)
	var labels []dtree.Bits
	for range opt.methods {
		labels = append(labels, drawLabels(r, rows, opt.columns))
	}
	table := dtree.NewTable(rows, opt.columns, opt.columns)
	learner := dtree.NewLearner(table, nil, dtree.Options{MaxDepth: opt.depth})
	nodes := 0
	start := process.OwnTime()
	for range repeats {
		nodes = 0
		for _, l := range labels {
			nodes += len(learner.Learn(l, nil))
		}
	}
	native := (process.OwnTime() - start).Seconds() / float64(repeats*len(labels))
	report := func(name string, seconds, nodes float64) {
		fmt.Fprintf(stdout, "%-14s %10.3f ms per tree, %8.1f times native, %5.1f nodes per tree\n", name, 1000*seconds, seconds/native, nodes)
	}
	report("native", native, float64(nodes)/float64(len(labels)))
	if opt.golearn > 0 {
		other := golearn.New(table, nil, dtree.Options{MaxDepth: opt.depth})
		other.Limits = golearn.Limits{Rows: math.MaxInt, Columns: math.MaxInt, Cells: math.MaxInt} // no limits
		n, nodes := min(opt.golearn, len(labels)), 0
		start = process.OwnTime()
		for _, l := range labels[:n] {
			tree, err := other.Learn(l, nil)
			if err != nil {
				return err
			}
			nodes += len(tree)
		}
		report("golearn", (process.OwnTime()-start).Seconds()/float64(n), float64(nodes)/float64(n))
	}
	if opt.python == "" {
		return nil
	}
	seconds, size, err := runPython(ctx, opt, rows, labels)
	if err != nil {
		return err
	}
	report("scikit-learn", seconds, size)
	return nil
}

// repeats is how often the native learner grows all trees. It is fast, so that one
// time is less than the resolution of processor time on some systems.
const repeats = 10

// limits returns the minimum leaf and the minimum gain that the native learner uses
// for the labels.
func limits(rows int, labels dtree.Bits) (leaf int, gain float64) {
	positives := labels.Count()
	if min(positives, rows-positives) < 10 {
		return 1, 0
	}
	return 2, 1.5
}

// runPython runs scikit-learn on the matrix and returns the seconds and nodes
// per tree.
func runPython(ctx context.Context, opt options, rows [][]int32, labels []dtree.Bits) (seconds, nodes float64, err error) {
	var in, out bytes.Buffer
	w := bufio.NewWriter(&in)
	fmt.Fprintln(w, len(rows), opt.columns, len(labels), opt.depth)
	for _, row := range rows {
		for _, c := range row {
			fmt.Fprint(w, c, " ")
		}
		fmt.Fprintln(w)
	}
	for _, l := range labels {
		leaf, gain := limits(len(rows), l)
		fmt.Fprint(w, leaf, " ", gain, " ")
		for r := range rows {
			if l.Has(int32(r)) {
				fmt.Fprint(w, r, " ")
			}
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return 0, 0, err
	}
	cmd := exec.CommandContext(ctx, opt.python, "-c", sklearn)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return 0, 0, fmt.Errorf("%s: %w", opt.python, err)
	}
	_, err = fmt.Sscan(out.String(), &seconds, &nodes)
	return seconds, nodes, err
}

func drawRows(r *rand.Rand, rows, columns int) [][]int32 {
	out := make([][]int32, rows)
	for i := range out {
		has := map[int32]bool{}
		for range 20 + r.IntN(60) {
			for c := int32(r.IntN(columns)); c > 0; c /= 3 {
				has[c] = true
			}
		}
		for c := range has {
			out[i] = append(out[i], c)
		}
		slices.Sort(out[i])
	}
	return out
}

func drawLabels(r *rand.Rand, rows [][]int32, columns int) dtree.Bits {
	labels := dtree.NewBits(len(rows))
	a, b, c := int32(r.IntN(200)), int32(r.IntN(2000)), int32(r.IntN(columns))
	for i, row := range rows {
		has := func(c int32) bool { _, ok := slices.BinarySearch(row, c); return ok }
		if has(a) && !has(b) || has(c) || r.IntN(50) == 0 {
			labels.Set(int32(i))
		}
	}
	return labels
}
