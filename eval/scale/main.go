// Command scale measures the memory and time of trainings on many observations.
//
// It observes encoding/json with some inputs. Then it joins pairs of these inputs to
// arrays, until there are as many observations as requested: an array reaches the methods
// of both inputs and those of every array. This is much faster than observing them, and as
// hard to learn. Then it runs inroad train on them with each memory limit and number of
// workers, and prints the peak memory of each process as the operating system measured it.
// It ends with an error if two models differ.
//
// Run it in the root of its module. It needs Go and, for each GB of observations, 3 GB in
// TMPDIR.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/inroad/inroad/model/observation"
)

type options struct {
	sizes    string
	memory   string
	workers  string
	observed int
	seed     uint64
	inroad   string
	keep     string
	train    []string
	stdout   io.Writer
}

func main() {
	opt := options{stdout: os.Stdout}
	flag.StringVar(&opt.sizes, "sizes", "1000", "sizes of the observations in `MB`, ascending")
	flag.StringVar(&opt.memory, "memory", "2048", "memory limits in `MiB`; 0 for none")
	flag.StringVar(&opt.workers, "workers", "1,2,4", "numbers of `workers`")
	flag.IntVar(&opt.observed, "observed", 5000, "number of inputs that the program is observed with")
	flag.Uint64Var(&opt.seed, "seed", 1, "random seed")
	flag.StringVar(&opt.inroad, "inroad", "", "inroad `command`; built if empty")
	flag.StringVar(&opt.keep, "keep", "", "`FILE` to keep the observations in; if it exists, its observations are used as they are")
	flag.Parse()
	opt.train = flag.Args() // further flags of inroad train
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := opt.run(ctx); err != nil {
		log.Fatal(err)
	}
}

// grammar is the name of the grammar of all inputs.
const grammar = "json"

func (opt options) run(ctx context.Context) (err error) {
	sizes, err := numbers("-sizes", opt.sizes)
	if err != nil {
		return err
	}
	memory, err := numbers("-memory", opt.memory)
	if err != nil {
		return err
	}
	workers, err := numbers("-workers", opt.workers)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "inroad-scale-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if opt.inroad == "" {
		opt.inroad = filepath.Join(dir, "inroad")
		build := exec.CommandContext(ctx, "go", "build", "-o", opt.inroad, "./cmd/inroad")
		build.Dir = ".." // the module of the command
		if text, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build inroad: %w\n%s", err, text)
		}
	}
	x := &experiment{options: opt, random: rand.New(rand.NewPCG(opt.seed, 0)), file: cmp.Or(opt.keep, filepath.Join(dir, "seen.ndjson"))}
	if known, err := os.Open(x.file); err == nil {
		err = errors.Join(x.count(known), known.Close())
		if err != nil {
			return err
		}
	} else if err := x.observe(ctx, filepath.Join(dir, "first.ndjson")); err != nil {
		return err
	}
	table := tabwriter.NewWriter(opt.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "MB\tobservations\tmemory MiB\tworkers\tpeak MiB\tseconds\tprocessor s\tmodel")
	for _, size := range sizes {
		if err := x.grow(int64(size) * 1e6); err != nil {
			return err
		}
		digests := map[string]bool{}
		for _, m := range memory {
			for _, w := range workers {
				r, err := x.train(ctx, m, w, filepath.Join(dir, "model"))
				if err != nil {
					return err
				}
				digests[r.digest] = true
				fmt.Fprintf(table, "%d\t%d\t%d\t%d\t%d\t%.0f\t%.0f\t%s\n", x.size/1e6, x.observations, m, w, r.peak>>20, r.wall.Seconds(), r.processor.Seconds(), r.digest)
				_ = table.Flush() // the last call reports errors
			}
		}
		if len(digests) != 1 {
			return fmt.Errorf("%d different models of the same observations", len(digests))
		}
	}
	return table.Flush()
}

func numbers(name, list string) ([]int, error) {
	var out []int
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("%s %s: must be numbers, separated by commas", name, list)
		}
		out = append(out, n)
	}
	return out, nil
}

// An experiment trains on a growing file of observations.
type experiment struct {
	options
	file         string
	size         int64
	observations int
	observed     []observation.Observation // nil if the file is used as it is
	array        []string                  // methods that every array reaches
	random       *rand.Rand
}

// count counts the observations of a file.
func (x *experiment) count(file io.Reader) error {
	lines := bufio.NewReaderSize(file, 1<<20)
	for {
		line, err := lines.ReadSlice('\n')
		x.size += int64(len(line))
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err == nil && !bytes.HasPrefix(line, []byte(`{"inroad"`)):
			x.observations++
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// observe observes the program.
func (x *experiment) observe(ctx context.Context, file string) error {
	//nolint:gosec // the command is inroad
	cmd := exec.CommandContext(ctx, x.inroad, "observe", "--go", "encoding/json.Unmarshal", "--generate", fmt.Sprint(x.options.observed),
		"--grammar", grammar, "--seed", fmt.Sprint(x.seed), "--out", file)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("observe: %w\n%s", err, text)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for block, err := range (observation.Sources{Files: []observation.File{{Name: file, Reader: bytes.NewReader(data)}}}).Blocks() {
		if err != nil {
			return err
		}
		x.observed = append(x.observed, block.Observations...)
	}
	for _, o := range x.observed {
		if o.Outcome == observation.OK && bytes.HasPrefix(o.Input, []byte("[")) {
			if x.array == nil {
				x.array = o.Methods
			}
			x.array = slices.DeleteFunc(slices.Clone(x.array), func(m string) bool { return !slices.Contains(o.Methods, m) })
		}
	}
	x.size, x.observations = int64(len(data)), len(x.observed)
	return os.WriteFile(x.file, data, 0o600)
}

// grow adds observations until the file has a size.
func (x *experiment) grow(size int64) (err error) {
	if x.observed == nil {
		return nil
	}
	f, err := os.OpenFile(x.file, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	out := bufio.NewWriterSize(f, 1<<20)
	counted := &countingWriter{out, x.size}
	w := observation.NewAppender(counted)
	for counted.size < size {
		if err := w.Write(x.pair()); err != nil {
			return err
		}
		x.observations++
	}
	x.size = counted.size
	return out.Flush()
}

// pair returns the observation of an array of two observed inputs. Its outcome is the
// first that is not ok.
func (x *experiment) pair() observation.Observation {
	a, b := x.observed[x.random.IntN(len(x.observed))], x.observed[x.random.IntN(len(x.observed))]
	o := observation.Observation{Outcome: a.Outcome, Failure: a.Failure}
	if a.Outcome == observation.OK {
		o.Outcome, o.Failure = b.Outcome, b.Failure
	}
	o.Input = slices.Concat([]byte("["), a.Input, []byte(","), b.Input, []byte("]"))
	o.Methods = slices.Concat(x.array, a.Methods, b.Methods)
	slices.Sort(o.Methods)
	o.Methods = slices.Compact(o.Methods)
	return o
}

type countingWriter struct {
	io.Writer
	size int64
}

func (w *countingWriter) Write(p []byte) (int, error) {
	w.size += int64(len(p))
	return w.Writer.Write(p)
}

// A result is what one training took.
type result struct {
	peak            int64 // resident bytes
	wall, processor time.Duration
	digest          string // start of the digest of the model file
}

func (x *experiment) train(ctx context.Context, memory, workers int, out string) (result, error) {
	args := []string{"train", "--grammar", grammar, "--observations", x.file, "--out", out, "--memory", fmt.Sprint(memory), "--workers", fmt.Sprint(workers)}
	cmd := exec.CommandContext(ctx, x.inroad, append(args, x.options.train...)...) //nolint:gosec // the command is inroad
	started := time.Now()
	if text, err := cmd.CombinedOutput(); err != nil {
		return result{}, fmt.Errorf("train with %d MiB: %w\n%s", memory, err, text)
	}
	r := result{wall: time.Since(started), processor: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.peak = usage.Maxrss << 10 // Linux counts in KiB
	}
	file, err := os.ReadFile(out)
	if err != nil {
		return r, err
	}
	r.digest = fmt.Sprintf("%.6x", sha256.Sum256(file))
	return r, nil
}
