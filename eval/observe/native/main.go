// Command native measures how inroad observes fuzz targets in C and Rust: inputs
// per second, compared with the bare program, and whether gcov agrees.
//
// Run it in the root of its module. It needs clang, gcc with gcov, and a checkout
// of cJSON (github.com/DaveGamble/cJSON); with -rust also cargo and the crates
// libfuzzer-sys and tinyjson.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"iter"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/inroad/inroad/eval/internal/subject"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
)

type options struct {
	cjson  string
	rust   bool
	n      int
	forked int
	sample int
	jobs   int
	tmp    string
}

func main() {
	var opt options
	flag.StringVar(&opt.cjson, "cjson", "", "`folder` of cJSON")
	flag.BoolVar(&opt.rust, "rust", false, "measure tinyjson as well")
	flag.IntVar(&opt.n, "n", 50000, "number of inputs")
	flag.IntVar(&opt.forked, "forked", 2000, "number of inputs that run in processes of their own")
	flag.IntVar(&opt.sample, "sample", 300, "number of inputs to compare with gcov")
	flag.IntVar(&opt.jobs, "jobs", 2, "number of processes that run inputs")
	flag.Parse()
	if err := opt.run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// cJSON's fuzz target expects four flags before the text, and a zero byte after it.
const prefix, suffix = "1111", "\x00"

const cTarget = "fuzzing/cjson_read_fuzzer.c cJSON.c"

func (opt *options) run(ctx context.Context) (err error) {
	if opt.cjson, err = filepath.Abs(opt.cjson); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(opt.cjson, "cJSON.c")); err != nil {
		return fmt.Errorf("-cjson: %w", err)
	}
	if opt.tmp, err = os.MkdirTemp("", "inroad-eval-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(opt.tmp)) }()
	inputs, err := opt.inputs(ctx)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "program\tinputs/s\tbare program, inputs/s")
	var program *observe.Program
	for _, row := range []struct {
		name, flags string
		target      observe.CTarget
		n           int
	}{
		{"cJSON", "", observe.CTarget{}, opt.n},
		{"cJSON, blocks", "", observe.CTarget{Blocks: true}, opt.n},
		{"cJSON, AddressSanitizer", "-fsanitize=address", observe.CTarget{}, opt.n},
		{"cJSON, a process for each input", "", observe.CTarget{Fork: true}, opt.forked},
	} {
		row.target.Dir = opt.cjson
		row.target.Command = fmt.Sprintf("$CC $CFLAGS %s %s $LIB_FUZZING_ENGINE -o $OUT/cjson", row.flags, cTarget)
		p, err := observe.BuildC(ctx, row.target)
		if err != nil {
			return err
		}
		defer p.Close()
		p.Wrap([]byte(prefix), []byte(suffix))
		if program == nil {
			program = p
		}
		bare := filepath.Join(opt.tmp, "bare")
		if _, err := opt.command(ctx, opt.cjson, nil, "sh", "-c", fmt.Sprintf("$(command -v clang || command -v clang-14) -O0 -g %s %s %s -o %s", row.flags, cTarget, opt.file("c/bare.c"), bare)); err != nil {
			return err
		}
		if err := opt.row(ctx, table, row.name, p, bare, inputs[:row.n], prefix, suffix); err != nil {
			return err
		}
	}
	if opt.rust {
		if err := opt.measureRust(ctx, table, inputs); err != nil {
			return err
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return opt.compare(ctx, program, inputs[:opt.sample])
}

// file returns the absolute name of a file of this command.
func (opt *options) file(name string) string {
	dir, err := filepath.Abs("observe/native")
	if err != nil {
		log.Fatal(err)
	}
	return filepath.Join(dir, name)
}

func (opt *options) command(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(cmd.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.Bytes())
	}
	return out, nil
}

// inputs returns generated inputs. Every third is cut in half, so that programs
// reject it.
func (opt *options) inputs(ctx context.Context) ([][]byte, error) {
	file := filepath.Join(opt.tmp, "inputs.ndjson")
	out, err := opt.command(ctx, "..", nil, "go", "run", "./cmd/inroad", "generate", "--grammar", "json", "--seed", "1", "--n", strconv.Itoa(opt.n))
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(file, out, 0o666); err != nil {
		return nil, err
	}
	_, generated, err := subject.Read(file)
	var inputs [][]byte
	for i, o := range generated {
		if i%3 == 2 {
			o.Input = o.Input[:len(o.Input)/2]
		}
		inputs = append(inputs, o.Input)
	}
	return inputs, err
}

// row measures one program.
func (opt *options) row(ctx context.Context, table *tabwriter.Writer, name string, p *observe.Program, bare string, inputs [][]byte, prefix, suffix string) error {
	start := time.Now()
	n := 0
	err := p.Observe(ctx, named(inputs), observe.Options{Jobs: opt.jobs}, func(observation.Observation) error { n++; return nil })
	if err != nil {
		return err
	}
	rate := float64(n) / time.Since(start).Seconds()
	var data []byte
	for _, in := range inputs {
		data = binary.LittleEndian.AppendUint32(data, uint32(len(prefix)+len(in)+len(suffix)))
		data = append(append(append(data, prefix...), in...), suffix...)
	}
	file := filepath.Join(opt.tmp, "inputs.bin")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		return err
	}
	out, err := opt.command(ctx, opt.tmp, []string{"ASAN_OPTIONS=detect_leaks=0"}, bare, file)
	if err != nil {
		return err
	}
	ns, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(table, "%s\t%.0f\t%.0f\n", name, rate, float64(len(inputs))/ns*1e9)
	return err
}

func named(inputs [][]byte) iter.Seq2[observe.Input, error] {
	return func(yield func(observe.Input, error) bool) {
		for i, in := range inputs {
			if !yield(observe.Input{Name: strconv.Itoa(i), Data: in}, nil) {
				return
			}
		}
	}
}

// measureRust measures the JSON parser tinyjson with a fuzz target for cargo-fuzz.
func (opt *options) measureRust(ctx context.Context, table *tabwriter.Writer, inputs [][]byte) error {
	dir := filepath.Join(opt.tmp, "fuzz")
	for name, text := range map[string]string{
		"Cargo.toml": "[package]\nname = \"fuzz\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[dependencies]\nlibfuzzer-sys = \"0.4\"\ntinyjson = \"2.5\"\n\n[[bin]]\nname = \"parse\"\npath = \"parse.rs\"\n\n[workspace]\n",
		"parse.rs":   "#![no_main]\nlibfuzzer_sys::fuzz_target!(|data: &str| {\n    let _ = data.parse::<tinyjson::JsonValue>().map(|v| v.stringify());\n});\n",
	} {
		if err := errors.Join(os.MkdirAll(dir, 0o777), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666)); err != nil {
			return err
		}
	}
	p, err := observe.BuildRust(ctx, observe.RustTarget{Target: filepath.Join(dir, "parse"), Sources: dir, Files: []string{"tinyjson-*"}})
	if err != nil {
		return err
	}
	defer p.Close()
	library := filepath.Join(opt.tmp, "libbare.a")
	if _, err := opt.command(ctx, opt.tmp, nil, "sh", "-c", "cc -c "+opt.file("c/bare.c")+" -o bare.o && ar rcs "+library+" bare.o"); err != nil {
		return err
	}
	env := []string{"CUSTOM_LIBFUZZER_PATH=" + library, "CUSTOM_LIBFUZZER_STD_CXX=none", "RUSTFLAGS=--cfg fuzzing"}
	if _, err := opt.command(ctx, dir, env, "cargo", "build", "--quiet", "--target-dir", filepath.Join(opt.tmp, "bare-target")); err != nil {
		return err
	}
	return opt.row(ctx, table, "tinyjson (Rust)", p, filepath.Join(opt.tmp, "bare-target", "debug", "parse"), inputs, "", "")
}

// compare runs inputs through a build with gcov and prints on how many pairs of
// input and function it agrees.
func (opt *options) compare(ctx context.Context, p *observe.Program, inputs [][]byte) error {
	ours := map[string][]string{}
	if err := p.Observe(ctx, named(inputs), observe.Options{Jobs: opt.jobs}, func(o observation.Observation) error {
		ours[o.Name] = o.Methods
		return nil
	}); err != nil {
		return err
	}
	dir := filepath.Join(opt.tmp, "gcov")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var sources []string
	for _, file := range strings.Fields(cTarget) {
		sources = append(sources, filepath.Join(opt.cjson, file))
	}
	if _, err := opt.command(ctx, dir, nil, "gcc", append([]string{"-O0", "-g", "--coverage", opt.file("c/bare.c"), "-o", "program"}, sources...)...); err != nil {
		return err
	}
	agree := 0
	differ := map[string]int{}
	for i, in := range inputs {
		theirs, err := opt.gcov(ctx, dir, slices.Concat([]byte(prefix), in, []byte(suffix)))
		if err != nil {
			return err
		}
		for _, u := range p.Header().Units {
			count, known := theirs[filepath.Base(u.File)+"#"+u.Name]
			switch reached := slices.Contains(ours[strconv.Itoa(i)], u.ID); {
			case known && reached == (count > 0):
				agree++
			default:
				differ[fmt.Sprintf("%s: inroad %v, gcov %d (known: %v)", u.ID, reached, count, known)]++
			}
		}
	}
	fmt.Printf("\n%d inputs and %d functions of cJSON: gcov agrees on %d of %d pairs\n", len(inputs), len(p.Header().Units), agree, len(inputs)*len(p.Header().Units))
	for what, n := range differ {
		fmt.Printf("  %s, %d inputs\n", what, n)
	}
	return nil
}

// gcov returns the number of calls of each function for one input.
func (opt *options) gcov(ctx context.Context, dir string, input []byte) (map[string]int, error) {
	file := filepath.Join(dir, "input")
	data := append(binary.LittleEndian.AppendUint32(nil, uint32(len(input))), input...)
	old, err := filepath.Glob(filepath.Join(dir, "*.gcda"))
	if err != nil {
		return nil, err
	}
	for _, name := range old {
		if err := os.Remove(name); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(file, data, 0o666); err != nil {
		return nil, err
	}
	if _, err := opt.command(ctx, dir, nil, "./program", "input"); err != nil {
		return nil, err
	}
	counts := map[string]int{}
	written, err := filepath.Glob(filepath.Join(dir, "*.gcda"))
	if err != nil {
		return nil, err
	}
	for _, name := range written {
		out, err := opt.command(ctx, dir, nil, "gcov", "--json-format", "--stdout", filepath.Base(name))
		if err != nil {
			return nil, err
		}
		var report struct {
			Files []struct {
				File      string
				Functions []struct {
					Name           string
					ExecutionCount int `json:"execution_count"`
				}
			}
		}
		if err := json.Unmarshal(out, &report); err != nil {
			return nil, fmt.Errorf("gcov: %w", err)
		}
		for _, f := range report.Files {
			for _, function := range f.Functions {
				counts[filepath.Base(f.File)+"#"+function.Name] += function.ExecutionCount
			}
		}
	}
	return counts, nil
}
