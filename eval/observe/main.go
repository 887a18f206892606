// Command observe measures how inroad observes other people's parsers: how many
// inputs a second, whether a second observation says the same, and whether
// the coverage tools of the languages agree.
//
// It runs in the folder of its module and needs Go; a JDK and Maven's central
// repository are needed for the subjects in Java.
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
	flag.IntVar(&opt.n, "n", 2000, "how many inputs a subject is run on")
	flag.IntVar(&opt.seed, "seed", 1, "what they are drawn from")
	flag.IntVar(&opt.sample, "sample", 100, "how many of them are compared with the language's own tool")
	flag.StringVar(&opt.only, "only", "", "the subjects whose names match this `regexp`")
	flag.BoolVar(&opt.java, "java", true, "subjects in Java too")
	flag.BoolVar(&opt.verify, "classes", false, "instead, load all classes of some libraries in Java with probes in them")
	flag.StringVar(&opt.maven, "maven", os.Getenv("MAVEN_REPOSITORY"), "the address of a Maven repository, where their jars are")
	flag.StringVar(&opt.out, "out", "", "keep the observations in this `folder`")
	flag.Parse()
	if err := opt.run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// warmup is how many inputs each process is given before it counts, here and in
// the tools that it is compared with.
const warmup = 20

// A subject is a parser in one of the two languages.
type subject struct {
	name    string
	grammar string
	target  string // a function of package subjects, or a method
	cover   string
	jar     string // in Maven's notation; empty for Go
	driver  string // a class of ours that calls what is in the jar; empty for none
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
	wanted, err := regexp.Compile(opt.only)
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
	fmt.Fprintln(table, "subject\tinputs\tok\tfailure\tcrash\ttimeout\tmethods\tinputs/s\tdiffer again\tcompared\tagree\tonly inroad\tonly the tool")
	for _, s := range subjects() {
		if !wanted.MatchString(s.name) || s.jar != "" && !opt.java {
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

// command runs a command whose output matters only if it fails.
func command(ctx context.Context, dir string, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}

// measure observes a subject as a user would, again with a clock, and a
// sample with the language's own tool.
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
	program, how, err := opt.build(ctx, s)
	if err != nil {
		return "", err
	}
	defer program.Close()
	if err := command(ctx, ".", nil, opt.inroad(), append(args, how...)...); err != nil {
		return "", err
	}
	observed, err := readAll(file)
	if err != nil {
		return "", err
	}
	rate, differ, err := again(ctx, program, observed)
	if err != nil {
		return "", err
	}
	compared, err := opt.compare(ctx, s, program, observed)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s\t%s\t%.0f\t%d\t%s", s.name, summary(observed), rate, differ, compared), nil
}

// build returns a subject that can be observed, and how a user names it.
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

// classpath returns the jar of a subject and, compiled, its driver.
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
	by, methods := map[observation.Outcome]int{}, map[string]bool{}
	for _, o := range observed {
		by[o.Outcome]++
		for _, m := range o.Methods {
			methods[m] = true
		}
	}
	return fmt.Sprintf("%d\t%d\t%d\t%d\t%d\t%d", len(observed), by[observation.OK], by[observation.Failed], by[observation.Crashed], by[observation.TimedOut], len(methods))
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

// again observes the inputs once more, the last first, and returns how many
// there were a second and how many executed other methods than before.
func again(ctx context.Context, p *observe.Program, observed []observation.Observation) (rate float64, differ int, err error) {
	reversed := slices.Clone(observed)
	slices.Reverse(reversed)
	start := time.Now()
	n := 0
	err = p.Observe(ctx, inputs(reversed), observe.Options{Warmup: warmup}, func(o observation.Observation) error {
		var i int
		fmt.Sscan(o.Name, &i)
		slices.Sort(o.Methods)
		if !slices.Equal(o.Methods, reversed[i].Methods) {
			differ++
		}
		n++
		return nil
	})
	return float64(n) / time.Since(start).Seconds(), differ, err
}

// compare asks the language's own tool about a sample.
func (opt *options) compare(ctx context.Context, s subject, p *observe.Program, observed []observation.Observation) (string, error) {
	dir := filepath.Join(opt.tmp, s.name)
	corpus := filepath.Join(dir, "inputs")
	if err := os.MkdirAll(corpus, 0o777); err != nil {
		return "", err
	}
	sample := observed[:min(len(observed), warmup+opt.sample)] // the first ones warm up
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
	known := map[string]bool{} // methods that the tool has in its reports
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

// A comparison is of what two tools say about pairs of a method and an input.
type comparison struct {
	agree        int
	ours, theirs []string // methods that only one of them takes for executed
}

func (c *comparison) add(p *observe.Program, known map[string]bool, ours []string, theirs map[string]bool) {
	executed := map[string]bool{}
	for _, id := range ours {
		executed[id] = true
	}
	for _, u := range p.Header().Units {
		switch {
		case !known[u.ID]:
		case executed[u.ID] == theirs[u.ID]:
			c.agree++
		case executed[u.ID]:
			c.ours = append(c.ours, u.ID)
		default:
			c.theirs = append(c.theirs, u.ID)
		}
	}
}

// print lists which methods the tools differ about, and how often.
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

// unitAt finds the function whose body begins in a line.
func unitAt(units []observation.Unit, file string, line int) string {
	var at observation.Unit
	for _, u := range units {
		if u.File == file && u.Start <= line && line <= u.End && u.Start >= at.Start {
			at = u
		}
	}
	return at.ID
}
