// Command observe measures how inroad observes existing parsers: inputs per second,
// whether a second run gives the same observations, and whether the coverage tools
// of the languages agree.
//
// Run it in the root of its module. It needs Go, and for programs in Java also a
// JDK and a Maven repository.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
)

type options struct {
	n        int
	seed     int
	sample   int
	only     string
	java     bool
	verify   bool
	maven    string
	out      string
	tmp      string
	stdout   io.Writer
	progress io.Writer
}

func main() {
	opt := options{stdout: os.Stdout, progress: os.Stderr}
	flag.IntVar(&opt.n, "n", 2000, "number of inputs per program")
	flag.IntVar(&opt.seed, "seed", 1, "random seed")
	flag.IntVar(&opt.sample, "sample", 100, "number of inputs to compare with the coverage tool of the language")
	flag.StringVar(&opt.only, "only", "", "measure only programs whose names match this `regexp`")
	flag.BoolVar(&opt.java, "java", true, "include programs in Java")
	flag.BoolVar(&opt.verify, "classes", false, "only load all classes of some Java libraries with probes in them")
	flag.StringVar(&opt.maven, "maven", os.Getenv("MAVEN_REPOSITORY"), "address of a Maven repository with the programs in Java")
	flag.StringVar(&opt.out, "out", "", "keep the observations in this `folder`; empty to delete them")
	flag.Parse()
	if err := opt.run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// warmup is the number of inputs that each process, inroad's or a coverage tool's,
// runs as a warm-up before it counts coverage.
const warmup = 20

// A subject is a parser in Go or Java.
type subject struct {
	name    string
	grammar string
	target  string // a function of package subjects, or a Java method
	cover   string
	jar     string // group:artifact:version; empty for Go
	driver  string // Java file that calls the jar; may be empty
}

func subjects() []subject {
	return []subject{
		{"encoding-json", "json", "EncodingJSON", "encoding/json", "", ""},
		{"fastjson", "json", "FastJSON", "github.com/valyala/fastjson/...", "", ""},
		{"gjson", "json", "GJSON", "github.com/tidwall/gjson", "", ""},
		{"jsoniter", "json", "JSONIter", "github.com/json-iterator/go", "", ""},
		{"jsonparser", "json", "JSONParser", "github.com/buger/jsonparser", "", ""},
		{"yaml", "json", "YAML", "gopkg.in/yaml.v3", "", ""},
		{"net-url", "url", "NetURL", "net/url", "", ""},
		{"goja", "javascript", "Goja", "github.com/dop251/goja/...", "", ""},
		{"gson", "json", "com.google.gson.JsonParser#parseString", "com.google.gson", "com.google.code.gson:gson:2.8.6", ""},
		{"json-simple", "json", "org.json.simple.parser.JSONParser#parse", "org.json.simple", "com.googlecode.json-simple:json-simple:1.1.1", ""},
		{"minimal-json", "json", "com.eclipsesource.json.Json#parse", "com.eclipsesource.json", "com.eclipsesource.minimal-json:minimal-json:0.9.5", ""},
		{"rhino", "javascript", "Rhino#run", "org.mozilla.javascript", "org.mozilla:rhino:1.7.13", "observe/java/Rhino.java"},
	}
}

func (opt *options) run(ctx context.Context) (err error) {
	selected, err := regexp.Compile(opt.only)
	if err != nil {
		return err
	}
	if opt.tmp, err = os.MkdirTemp("", "inroad-eval-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(opt.tmp)) }()
	if opt.out == "" {
		opt.out = opt.tmp
	}
	if opt.verify {
		return opt.classes(ctx)
	}
	if err := command(ctx, "..", nil, "go", "build", "-o", opt.inroad(), "./cmd/inroad"); err != nil {
		return err
	}
	table := tabwriter.NewWriter(opt.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "program\tinputs\tok\tfailure\tcrash\ttimeout\tmethods\tinputs/s\tunstable\tcompared\tagree\tonly inroad\tonly the tool")
	for _, s := range subjects() {
		if !selected.MatchString(s.name) || s.jar != "" && !opt.java {
			continue
		}
		fmt.Fprintln(opt.progress, s.name)
		row, err := opt.measure(ctx, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Fprintln(table, row)
	}
	return table.Flush()
}

func (opt *options) inroad() string { return filepath.Join(opt.tmp, "inroad") }

// command runs a command. The error of a failed command includes its output.
func command(ctx context.Context, dir string, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}

// measure observes a program with inroad observe, observes it again to measure
// speed and stability, and compares a sample with the coverage tool of the
// language.
func (opt *options) measure(ctx context.Context, s subject) (row string, err error) {
	file := filepath.Join(opt.out, fmt.Sprintf("%s-%d.ndjson", s.name, opt.seed))
	args := []string{
		"observe", "--subject", s.name, "--cover", s.cover, "--grammar", s.grammar,
		"--generate", fmt.Sprint(opt.n), "--seed", fmt.Sprint(opt.seed), "--out", file,
	}
	if s.jar != "" {
		if s.jar, err = opt.download(ctx, s.jar, ""); err != nil {
			return "", err
		}
	}
	program, flags, err := opt.build(ctx, s)
	if err != nil {
		return "", err
	}
	defer program.Close()
	if err := command(ctx, ".", nil, opt.inroad(), append(args, flags...)...); err != nil {
		return "", err
	}
	observed, err := readAll(file)
	if err != nil {
		return "", err
	}
	rate, unstable, err := observeAgain(ctx, program, observed)
	if err != nil {
		return "", err
	}
	compared, err := opt.compare(ctx, s, program, observed)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s\t%s\t%.0f\t%d\t%s", s.name, summary(observed), rate, unstable, compared), nil
}

// build builds the program, and returns the flags of inroad observe for it.
func (opt *options) build(ctx context.Context, s subject) (*observe.Program, []string, error) {
	if s.jar == "" {
		function := "./observe/subjects." + s.target
		program, err := observe.BuildGo(ctx, observe.GoTarget{Function: function, Packages: []string{s.cover}})
		return program, []string{"--go", function}, err
	}
	classpath, err := opt.classpath(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	program, err := observe.BuildJava(ctx, observe.JavaTarget{Method: s.target, Classpath: classpath, Packages: []string{s.cover}})
	return program, []string{"--java", s.target, "--classpath", classpath}, err
}

// classpath compiles the driver, if any, and returns the class path.
func (opt *options) classpath(ctx context.Context, s subject) (string, error) {
	if s.driver == "" {
		return s.jar, nil
	}
	dir := filepath.Join(opt.tmp, s.name+"-driver")
	if err := command(ctx, ".", nil, "javac", "-cp", s.jar, "-d", dir, s.driver); err != nil {
		return "", err
	}
	return s.jar + string(filepath.ListSeparator) + dir, nil
}

func readAll(name string) (all []observation.Observation, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	for r := observation.NewReader(file); ; {
		o, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, o)
	}
}

func summary(observed []observation.Observation) string {
	outcomes, methods := map[observation.Outcome]int{}, map[string]bool{}
	for _, o := range observed {
		outcomes[o.Outcome]++
		for _, m := range o.Methods {
			methods[m] = true
		}
	}
	return fmt.Sprintf("%d\t%d\t%d\t%d\t%d\t%d", len(observed), outcomes[observation.OK], outcomes[observation.Failed], outcomes[observation.Crashed], outcomes[observation.TimedOut], len(methods))
}

func inputs(observed []observation.Observation) iter.Seq2[observe.Input, error] {
	return func(yield func(observe.Input, error) bool) {
		for i, o := range observed {
			if !yield(observe.Input{Name: fmt.Sprint(i), Data: o.Input}, nil) {
				return
			}
		}
	}
}

// observeAgain observes the inputs again in reverse order. It returns the inputs
// per second, and the number of inputs that reach other methods than before.
func observeAgain(ctx context.Context, p *observe.Program, observed []observation.Observation) (rate float64, unstable int, err error) {
	reversed := slices.Clone(observed)
	slices.Reverse(reversed)
	start := time.Now()
	n := 0
	err = p.Observe(ctx, inputs(reversed), observe.Options{Warmup: warmup}, func(o observation.Observation) error {
		var i int
		fmt.Sscan(o.Name, &i)
		slices.Sort(o.Methods)
		if !slices.Equal(o.Methods, reversed[i].Methods) {
			unstable++
		}
		n++
		return nil
	})
	return float64(n) / time.Since(start).Seconds(), unstable, err
}

// compare compares a sample of the observations with the coverage tool of the
// language.
func (opt *options) compare(ctx context.Context, s subject, p *observe.Program, observed []observation.Observation) (string, error) {
	dir := filepath.Join(opt.tmp, s.name)
	corpus := filepath.Join(dir, "inputs")
	if err := os.MkdirAll(corpus, 0o777); err != nil {
		return "", err
	}
	sample := observed[:min(len(observed), warmup+opt.sample)] // the first inputs warm up
	var files []string
	for i, o := range sample {
		file, err := filepath.Abs(filepath.Join(corpus, fmt.Sprintf("%06d", i)))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(file, o.Input, 0o666); err != nil {
			return "", err
		}
		files = append(files, file)
	}
	var theirs []map[string]bool
	var err error
	known := map[string]bool{} // methods in the tool's reports
	if s.jar == "" {
		theirs, err = opt.covdata(ctx, s, p, dir, files, known)
	} else {
		theirs, err = opt.jacoco(ctx, s, p, dir, corpus, files, known)
	}
	if err != nil {
		return "", err
	}
	c := comparison{}
	for i := warmup; i < len(files); i++ {
		c.add(p, known, sample[i].Methods, theirs[i])
	}
	c.print(opt.progress)
	return fmt.Sprintf("%d\t%d\t%d\t%d", len(files)-warmup, c.agree, len(c.ours), len(c.theirs)), nil
}

// A comparison compares inroad and a coverage tool on pairs of a method and an
// input.
type comparison struct {
	agree        int
	ours, theirs []string // methods that only inroad, or only the tool, reports as reached
}

func (c *comparison) add(p *observe.Program, known map[string]bool, ours []string, theirs map[string]bool) {
	reached := map[string]bool{}
	for _, id := range ours {
		reached[id] = true
	}
	for _, u := range p.Header().Units {
		switch {
		case !known[u.ID]:
		case reached[u.ID] == theirs[u.ID]:
			c.agree++
		case reached[u.ID]:
			c.ours = append(c.ours, u.ID)
		default:
			c.theirs = append(c.theirs, u.ID)
		}
	}
}

// print lists the methods on which the tools disagree, and how often.
func (c *comparison) print(w io.Writer) {
	for _, side := range []struct {
		name    string
		methods []string
	}{{"inroad", c.ours}, {"the tool", c.theirs}} {
		times := map[string]int{}
		for _, id := range side.methods {
			times[id]++
		}
		var ids []string
		for id := range times {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		for _, id := range ids {
			fmt.Fprintf(w, "  only %s: %s, %d inputs\n", side.name, id, times[id])
		}
	}
}

// unitAt returns the ID of the innermost function that contains a line.
func unitAt(units []observation.Unit, file string, line int) string {
	var at observation.Unit
	for _, u := range units {
		if u.File == file && u.Start <= line && line <= u.End && u.Start >= at.Start {
			at = u
		}
	}
	return at.ID
}
