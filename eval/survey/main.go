// Command survey measures inroad on the grammars of a checkout of grammars-v4:
//
//	go run ./survey -grammars CHECKOUT [-antlr JAR] [-out FILE]
//
// For every grammar without code that may change its trees: whether it loads and
// parses its examples; random inputs, how many draws were thrown away, and the
// processor time; inputs that cover all k-paths, and whether the other paths are
// proved impossible; and whether the interpreter of the ANTLR tool accepts all
// inputs. The start rule is the one that the checkout names.
//
// Each grammar is measured in a process of its own, within limits of processor time
// and memory. With -out, rows are added to a file, and grammars that are already in
// it are not measured again. -antlr needs a JDK.
//
// With -grammarinator, random inputs of seven grammars are compared with those of
// Grammarinator instead. Install it into a virtual environment first. With -passes, the
// processor time of parsing random inputs of seven grammars is compared with that of the
// ANTLR tool's interpreter.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
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
	"time"
)

type options struct {
	task
	only     string
	sample   int
	memory   string
	jar      string
	check    time.Duration
	out      string
	examples int
	depth    int
	other    string
	passes   bool
	progress io.Writer
}

func main() {
	log.SetFlags(0)
	opt := options{progress: os.Stderr}
	child := flag.Bool("measure", false, "measure the grammar described on the standard input; used by the command itself")
	flag.StringVar(&opt.Root, "grammars", "", "the `folder` of the checkout")
	flag.StringVar(&opt.only, "only", "", "measure only these grammars, separated by commas: folders, or folder:Name")
	flag.IntVar(&opt.sample, "sample", 0, "measure only this number of grammars, chosen by the seed")
	flag.DurationVar(&opt.Limit, "limit", 10*time.Second, "processor time to load, to parse examples and to generate random inputs, each")
	flag.DurationVar(&opt.CoverLimit, "cover", 30*time.Second, "processor time to cover paths and to decide about the rest")
	flag.StringVar(&opt.memory, "memory", "2GiB", "memory of a process")
	flag.StringVar(&opt.jar, "antlr", "", "the jar `file` of the ANTLR tool; without it, inputs are not checked")
	flag.DurationVar(&opt.check, "check", 2*time.Minute, "time for the ANTLR tool to parse the inputs of a grammar")
	flag.StringVar(&opt.out, "out", "", "the `file` of rows to continue, one JSON object per line")
	flag.IntVar(&opt.Want, "n", 200, "number of random inputs")
	flag.IntVar(&opt.Tokens, "tokens", 200, "tokens of a random input, at most")
	flag.IntVar(&opt.Nodes, "nodes", 400, "symbols of a random input, at most")
	flag.IntVar(&opt.K, "k", 2, "length of the paths to cover")
	flag.Uint64Var(&opt.Seed, "seed", 1, "random seed")
	flag.IntVar(&opt.examples, "examples", 20, "number of examples, of at most 50 kB each")
	flag.StringVar(&opt.Profile, "profile", "", "write the processor profile of covering into this `folder`, a file for each grammar")
	flag.StringVar(&opt.other, "grammarinator", "", "compare random inputs with those of Grammarinator, whose commands are in this `folder`, instead")
	flag.BoolVar(&opt.passes, "passes", false, "compare the processor time of parsing with that of the ANTLR tool's interpreter instead")
	flag.IntVar(&opt.depth, "depth", 20, "maximum depth of Grammarinator's inputs")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	run := func() error { return opt.run(ctx, os.Stdout) }
	if *child {
		run = func() error { return measure(ctx, os.Stdin, os.Stdout) }
	}
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func (opt *options) run(ctx context.Context, stdout io.Writer) error {
	var err error
	if opt.Memory, err = parseSize(opt.memory); err != nil {
		return err
	}
	if opt.Root == "" {
		return errors.New("-grammars: name the folder of a checkout of grammars-v4")
	}
	units, err := find(ctx, opt.Root)
	if err != nil {
		return err
	}
	all := len(units)
	units = slices.DeleteFunc(units, func(u *unit) bool { return u.Impure })
	fmt.Fprintf(opt.progress, "%d grammars, %d of them without code that may change their trees\n", all, len(units))
	if opt.other != "" && opt.only == "" {
		opt.only = sideBySide
	}
	if opt.passes && opt.only == "" {
		opt.only = hardToPredict
	}
	units, err = opt.choose(units)
	if err != nil {
		return err
	}
	if opt.other != "" {
		return opt.compareWith(ctx, opt.other, units, stdout)
	}
	if opt.passes {
		return opt.measurePasses(ctx, units, stdout)
	}
	rows, err := opt.measureAll(ctx, units)
	if err != nil {
		return err
	}
	return writeTable(stdout, rows, opt)
}

// choose returns the units that the options select.
func (opt *options) choose(units []*unit) ([]*unit, error) {
	if opt.only != "" {
		var chosen []*unit
		for name := range strings.SplitSeq(opt.only, ",") {
			before := len(chosen)
			for _, u := range units {
				if folder, _, _ := strings.Cut(u.Name, ":"); u.Name == name || folder == name {
					chosen = append(chosen, u)
				}
			}
			if len(chosen) == before {
				return nil, fmt.Errorf("-only %s: not a grammar of %s without code that may change its trees", name, opt.Root)
			}
		}
		units = chosen
	}
	if opt.sample > 0 && opt.sample < len(units) {
		r := rand.New(rand.NewPCG(opt.Seed, 0))
		r.Shuffle(len(units), func(i, j int) { units[i], units[j] = units[j], units[i] })
		units = units[:opt.sample]
		slices.SortFunc(units, func(a, b *unit) int { return strings.Compare(a.Name, b.Name) })
	}
	return units, nil
}

// measureAll measures the units that the file of rows does not have.
func (opt *options) measureAll(ctx context.Context, units []*unit) ([]*row, error) {
	known, file, err := openRows(opt.out)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	classes, err := os.MkdirTemp("", "survey")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(classes) }()
	var check *antlr
	if opt.jar != "" {
		if check, err = newANTLR(ctx, opt.jar, classes, opt.check); err != nil {
			return nil, err
		}
	}
	var rows []*row
	for i, u := range units {
		r := known[u.Name]
		if r == nil {
			fmt.Fprintf(opt.progress, "%d/%d %s\n", i+1, len(units), u.Name)
			if r, err = opt.measureOne(ctx, u, check); err != nil {
				return nil, fmt.Errorf("%s: %w", u.Name, err)
			}
			if err := json.NewEncoder(file).Encode(r); err != nil {
				return nil, err
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// openRows reads the rows of a file and opens it to add more.
func openRows(name string) (map[string]*row, io.WriteCloser, error) {
	rows := map[string]*row{}
	if name == "" {
		return rows, nopCloser{io.Discard}, nil
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, nil, err
	}
	decoder := json.NewDecoder(file)
	for {
		r := &row{}
		if err := decoder.Decode(r); errors.Is(err, io.EOF) {
			return rows, file, nil
		} else if err != nil {
			return nil, nil, errors.Join(fmt.Errorf("%s: %w", name, err), file.Close())
		}
		rows[r.Name] = r
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// measureOne measures a grammar in a process of its own and checks its inputs.
func (opt *options) measureOne(ctx context.Context, u *unit, check *antlr) (*row, error) {
	dir, err := os.MkdirTemp("", "survey")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	t := opt.task
	t.Unit, t.Out = *u, dir
	for _, file := range u.Examples {
		info, err := os.Stat(filepath.Join(opt.Root, file))
		if err == nil && info.Size() <= 50_000 && len(t.Examples) < opt.examples {
			t.Examples = append(t.Examples, file)
		}
	}
	r, err := start(ctx, t)
	if err != nil || check == nil || r.Random == nil {
		return r, err
	}
	return r, check.check(ctx, opt.Root, r, dir)
}

// start runs a task in a process of its own. A process that does not end in time, or
// that crashes, ends the row, not the survey.
func start(ctx context.Context, t task) (*row, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	in, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, 60*(3*t.Limit+t.CoverLimit)) // the machine may be busy with other things
	defer cancel()
	cmd := exec.CommandContext(limited, self, "-measure")
	cmd.Stdin = bytes.NewReader(in)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	failed := cmd.Run()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	r := &row{unit: t.Unit}
	lines := bufio.NewScanner(&stdout)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		r = &row{}
		if err := json.Unmarshal(lines.Bytes(), r); err != nil {
			return nil, err
		}
	}
	if failed != nil {
		r.Stopped = append(r.Stopped, r.Running+": "+reason(limited, failed, stderr.String()))
		r.Running = ""
	}
	return r, nil
}

// reason says why a process failed.
func reason(limited context.Context, failed error, stderr string) string {
	var exit *exec.ExitError
	switch {
	case limited.Err() != nil:
		return "did not end"
	case errors.As(failed, &exit) && exit.ExitCode() == exitMemory:
		return "too much memory"
	default:
		line, _, _ := strings.Cut(stderr, "\n")
		return line
	}
}

// parseSize returns a number of bytes such as 2GiB.
func parseSize(text string) (int64, error) {
	for shift, unit := range []string{"KiB", "MiB", "GiB"} {
		if number, ok := strings.CutSuffix(text, unit); ok {
			n, err := strconv.ParseInt(number, 10, 32)
			if err == nil && n > 0 {
				return n << (10 * (shift + 1)), nil
			}
		}
	}
	return 0, fmt.Errorf("-memory %s: must be a number with KiB, MiB or GiB", text)
}
