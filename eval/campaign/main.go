// Command campaign compares the algorithms of inroad fuzz:
//
//	go run ./campaign
//
// Each algorithm runs each program on the same number of inputs, several times with
// different seeds. A table has the means of the methods reached, of the distinct failures
// and of the seconds, of which some are not spent in the program. The best algorithm by
// methods, and by failures, is marked. For each other algorithm, a two-sided Mann-Whitney
// U test compares its runs with those of -against, and Vargha and Delaney's A is the
// probability that a run of -against is better.
//
// Of the drawings, failures are the seeded defects that were found. All algorithms start
// from the same corpus: the samples of a bundled grammar, and a drawing.
//
// With -out, each campaign becomes a line of a file, so that an interrupted run continues;
// -time cuts a run into parts.
//
// Run it in the root of its module. It needs Go; programs in Java need a JDK and a
// Maven repository, and those in Python python3.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/inroad/inroad/eval/internal/rows"
	"github.com/inroad/inroad/eval/internal/statistics"
	"github.com/inroad/inroad/eval/internal/subject"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
	"github.com/inroad/inroad/targeting/campaign"
	"github.com/inroad/inroad/targeting/generate"
)

type options struct {
	runs       int
	seeds      int
	algorithms string
	against    string
	effort     float64
	python     bool
	draw       bool
	out        string
	time       time.Duration
	report     bool
	builder    subject.Builder
	selection  subject.Selection
	began      time.Time
	stdout     io.Writer
	progress   io.Writer
}

func main() {
	opt := options{stdout: os.Stdout, progress: os.Stderr, began: time.Now()}
	flag.IntVar(&opt.runs, "n", 1000, "number of runs of a campaign")
	flag.IntVar(&opt.seeds, "seeds", 10, "number of campaigns of each algorithm")
	flag.StringVar(&opt.algorithms, "algorithms", "", "compare only algorithms that match this `regexp`")
	flag.StringVar(&opt.against, "against", "guided", "`algorithm` to compare the others with")
	flag.Float64Var(&opt.effort, "effort", 1, "factor of the effort of guided")
	flag.BoolVar(&opt.builder.Blocks, "blocks", false, "count blocks, too")
	flag.BoolVar(&opt.python, "python", true, "include programs in Python")
	flag.BoolVar(&opt.draw, "draw", true, "include the drawings of examples/draw")
	flag.StringVar(&opt.out, "out", "", "`file` of results; campaigns that it has are not run again")
	flag.DurationVar(&opt.time, "time", 0, "begin no campaign after this time; no limit if 0")
	flag.BoolVar(&opt.report, "report", false, "run no campaign: print the table of the results in -out")
	flag.StringVar(&opt.builder.Repository, "maven", os.Getenv("MAVEN_REPOSITORY"), "address of a Maven repository with the programs in Java")
	opt.selection.Bind("^(encoding-xml|ini|net-url|encoding-json|goja|minimal-json|gson)$")
	flag.Parse()
	if err := opt.run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// A program is a program to fuzz.
type program struct {
	name    string
	grammar string // bundled, or a file
	corpus  [][]byte
	build   func(ctx context.Context) (*observe.Program, error)
	defects func(input []byte) string // returns the defect that an input shows; nil to compare stacks
}

// programs returns the programs to fuzz.
func (opt *options) programs() ([]program, error) {
	var out []program
	if opt.draw {
		out = append(out, drawings(opt.builder.Blocks))
	}
	selected, err := opt.selection.Subjects()
	if err != nil {
		return nil, err
	}
	for _, s := range selected {
		if s.Jar != "" && opt.builder.Repository == "" {
			continue
		}
		out = append(out, program{name: s.Name, grammar: s.Grammar, build: func(ctx context.Context) (*observe.Program, error) {
			built, _, err := opt.builder.Build(ctx, s)
			return built, err
		}})
	}
	if opt.python {
		for _, p := range []struct{ name, grammar, function, packages string }{
			{"python-url", "url", "urllib.parse:urlsplit", "urllib.parse"}, {"python-json", "json", "json:loads", "json"},
		} {
			out = append(out, program{name: p.name, grammar: p.grammar, build: func(ctx context.Context) (*observe.Program, error) {
				return observe.BuildPython(ctx, observe.PythonTarget{Function: p.function, Packages: []string{p.packages}, Blocks: opt.builder.Blocks})
			}})
		}
	}
	return out, nil
}

func (opt *options) run(ctx context.Context) (err error) {
	matches, err := regexp.Compile(opt.algorithms)
	if err != nil {
		return err
	}
	algorithms := slices.DeleteFunc(campaign.Algorithms(), func(a campaign.Algorithm) bool { return !matches.MatchString(string(a)) })
	programs, err := opt.programs()
	if err != nil {
		return err
	}
	if opt.builder.Dir, err = os.MkdirTemp("", "inroad-eval-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(opt.builder.Dir)) }()
	done, err := opt.done()
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(opt.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "program\talgorithm\tcampaigns\tmethods\tp\tA\tfailures\tp\tA\truns\tseconds\tof them ours")
	for _, p := range programs {
		if err := opt.compare(ctx, p, algorithms, done, table); err != nil {
			fmt.Fprintf(opt.progress, "%s: %v\n", p.name, err)
		}
	}
	return table.Flush()
}

// A cell is a campaign.
type cell struct {
	Program   string             `json:"program"`
	Algorithm campaign.Algorithm `json:"algorithm"`
	Seed      uint64             `json:"seed"`
	Runs      int                `json:"runs"`
	Blocks    bool               `json:"blocks,omitempty"`
	Effort    float64            `json:"effort"`
}

// A measurement is the result of one campaign.
type measurement struct {
	Methods  float64 `json:"methods"`
	Failures float64 `json:"failures"`
	Done     float64 `json:"done"` // runs, fewer than those of the cell if no new inputs were found
	Seconds  float64 `json:"seconds"`
	Ours     float64 `json:"ours"` // seconds outside the program
}

// A row is a line of the file of results.
type row struct {
	cell
	measurement
}

// done returns the results in the file of -out.
func (opt *options) done() (map[cell]measurement, error) {
	out := map[cell]measurement{}
	if opt.out == "" {
		return out, nil
	}
	all, err := rows.Read[row](opt.out)
	for _, r := range all {
		out[r.cell] = r.measurement
	}
	return out, err
}

// compare runs the campaigns of a program that are not done, and writes a line per algorithm.
func (opt *options) compare(ctx context.Context, p program, algorithms []campaign.Algorithm, done map[cell]measurement, table io.Writer) error {
	l := laboratory{program: p, options: opt}
	defer l.close()
	results := map[campaign.Algorithm][]measurement{}
	for seed := range opt.seeds {
		for _, a := range algorithms {
			c := cell{p.name, a, uint64(seed + 1), opt.runs, opt.builder.Blocks, opt.effort}
			m, ok := done[c]
			if !ok && (opt.report || opt.time > 0 && time.Since(opt.began) > opt.time) {
				continue
			}
			if !ok {
				var err error
				if m, err = l.run(ctx, c); err != nil {
					return fmt.Errorf("%s: %w", a, err)
				}
			}
			results[a] = append(results[a], m)
		}
	}
	methods := func(m measurement) float64 { return m.Methods }
	failures := func(m measurement) float64 { return m.Failures }
	for _, a := range algorithms {
		if len(results[a]) == 0 {
			continue
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%.0f\t%.1f\t%.1f\n", p.name, a, len(results[a]), opt.column(results, a, methods), opt.column(results, a, failures),
			mean(results[a], func(m measurement) float64 { return m.Done }),
			mean(results[a], func(m measurement) float64 { return m.Seconds }), mean(results[a], func(m measurement) float64 { return m.Ours }))
	}
	return nil
}

// A laboratory runs the campaigns of a program. It builds the program when it first needs it.
type laboratory struct {
	program
	options  *options
	built    *observe.Program
	language *language
}

func (l *laboratory) close() {
	if l.built != nil {
		l.built.Close()
	}
}

// run runs a campaign and keeps its result.
func (l *laboratory) run(ctx context.Context, c cell) (m measurement, err error) {
	if l.built == nil {
		if l.built, err = l.build(ctx); err != nil {
			return m, err
		}
		if l.language, err = load(ctx, l.program); err != nil {
			return m, err
		}
	}
	if m, err = l.language.measure(ctx, l.built, l.program, c); err != nil {
		return m, err
	}
	fmt.Fprintf(l.options.progress, "%s %s %d: %v methods, %v failures, %.1f s, of them ours %.1f\n", c.Program, c.Algorithm, c.Seed, m.Methods, m.Failures, m.Seconds, m.Ours)
	if l.options.out != "" {
		err = rows.Append(l.options.out, row{c, m})
	}
	return m, err
}

// column returns the mean of an algorithm, and how it compares with that of -against.
func (opt *options) column(results map[campaign.Algorithm][]measurement, a campaign.Algorithm, of func(measurement) float64) string {
	best := 0.0
	for _, all := range results {
		best = max(best, mean(all, of))
	}
	text := fmt.Sprintf("%.1f", mean(results[a], of))
	if mean(results[a], of) == best {
		text += "*"
	}
	against := results[campaign.Algorithm(opt.against)]
	if string(a) == opt.against || len(against) == 0 {
		return text + "\t\t"
	}
	p, effect := statistics.MannWhitney(values(against, of), values(results[a], of))
	return text + fmt.Sprintf("\t%.3f\t%.2f", p, effect)
}

func values(all []measurement, of func(measurement) float64) []float64 {
	var out []float64
	for _, m := range all {
		out = append(out, of(m))
	}
	return out
}

func mean(all []measurement, of func(measurement) float64) float64 {
	return statistics.Mean(values(all, of))
}

// A language is what inputs of a program are made from.
type language struct {
	grammar *grammars.Grammar
	sources []grammars.Source
	names   generate.Texts
	corpus  [][]byte
}

func load(ctx context.Context, p program) (*language, error) {
	l := &language{corpus: p.corpus}
	var err error
	if strings.HasSuffix(p.grammar, ".g4") {
		text, err := os.ReadFile(p.grammar)
		if err != nil {
			return nil, err
		}
		l.sources = []grammars.Source{{Name: p.grammar, Text: string(text)}}
	} else {
		if l.sources, err = bundled.Sources(p.grammar); err != nil {
			return nil, err
		}
		samples, err := bundled.Samples(p.grammar)
		if err != nil {
			return nil, err
		}
		for _, s := range samples {
			l.corpus = append(l.corpus, s.Text)
		}
	}
	if l.grammar, err = grammars.Load(ctx, l.sources...); err != nil {
		return nil, err
	}
	if !strings.HasSuffix(p.grammar, ".g4") {
		l.names, err = generate.SampleNames(ctx, p.grammar, l.grammar)
	}
	return l, err
}

// measure runs a campaign.
func (l *language) measure(ctx context.Context, built *observe.Program, p program, of cell) (m measurement, err error) {
	opt := campaign.Options{Algorithm: of.Algorithm, Seed: of.Seed, Corpus: l.corpus, Units: built.Header().Units, Runs: of.Runs, Names: l.names, Sources: l.sources}
	opt.Guided.Effort = of.Effort
	opt.EvoGFuzz.Generations, opt.FDLoop.Generations = -1, -1
	began := time.Now()
	c, err := campaign.New(ctx, l.grammar, opt)
	if err != nil {
		return m, err
	}
	r := &timed{Runner: built.NewRunner(observe.Limits{})}
	defer r.Close()
	failures := map[string]bool{}
	err = campaign.Run(ctx, c, []campaign.Runner{r}, noLog{}, func(o observation.Observation, _ bool) {
		if p.defects != nil && o.Outcome == observation.Crashed {
			failures[p.defects(o.Input)] = true
		}
	})
	if err != nil {
		return m, err
	}
	took, s := time.Since(began), c.Status()
	m = measurement{Methods: float64(s.Reached), Failures: float64(s.Failures), Done: float64(s.Runs), Seconds: took.Seconds(), Ours: (took - r.took).Seconds()}
	if p.defects != nil {
		m.Failures = float64(len(failures))
	}
	return m, nil
}

// timed measures the time of runs.
type timed struct {
	*observe.Runner
	took time.Duration
}

func (t *timed) Run(ctx context.Context, input []byte) (observation.Observation, error) {
	began := time.Now()
	defer func() { t.took += time.Since(began) }()
	return t.Runner.Run(ctx, input)
}

// noLog keeps nothing.
type noLog struct{}

func (noLog) Lookup([]byte) (o observation.Observation, ok bool) { return o, false }

func (noLog) Append(observation.Observation) error { return nil }
