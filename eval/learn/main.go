// Command learn measures how well models predict, by feature set and learner
// option, on observations of programs:
//
//	go run ./learn OBSERVATIONS.ndjson...
//
// Files whose names differ only in the number before the extension belong to one
// program. For each program and seed, a random sample of the observations is used
// for training and another for testing. The table shows means over programs and
// seeds.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/inroad/inroad/eval/internal/process"
	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/dtree"
	"github.com/inroad/inroad/model/observation"
)

type options struct {
	grammar     string
	train, test int
	first       int
	seeds       int
	variants    string
	programs    bool
	worst       int
	profile     string
}

func main() {
	var opt options
	flag.StringVar(&opt.grammar, "grammar", "json", "bundled grammar, or grammar `file`")
	flag.IntVar(&opt.train, "train", 1000, "number of observations to train on")
	flag.IntVar(&opt.test, "test", 1000, "number of observations to test on")
	flag.IntVar(&opt.first, "first", 1, "seed of the first random sample")
	flag.IntVar(&opt.seeds, "seeds", 5, "number of random samples")
	flag.StringVar(&opt.variants, "variants", "", "measure only variants whose names match this `regexp`")
	flag.BoolVar(&opt.programs, "programs", false, "also print a line per program")
	flag.IntVar(&opt.worst, "worst", 0, "list this many methods with the lowest F1 per program")
	flag.StringVar(&opt.profile, "cpuprofile", "", "write a profile of the processor time to this `file`")
	flag.Parse()
	if err := profiled(context.Background(), opt, flag.Args(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "learn:", err)
		os.Exit(1) //nolint:forbidigo // this is a command
	}
}

// profiled calls run, and writes a profile of its processor time if one is asked for.
func profiled(ctx context.Context, opt options, files []string, stdout io.Writer) (err error) {
	if opt.profile == "" {
		return run(ctx, opt, files, stdout)
	}
	f, err := os.Create(opt.profile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	return run(ctx, opt, files, stdout)
}

// A program holds the observations of a program under test.
type program struct {
	name         string
	header       observation.Header
	observations []observation.Observation
	trainers     map[string]*model.Trainer // by feature set
}

var numbered = regexp.MustCompile(`-\d+\.ndjson$`)

// read reads the observations of all programs.
func read(files []string) ([]*program, error) {
	programs := map[string]*program{}
	for _, file := range files {
		name := numbered.ReplaceAllString(filepath.Base(file), "")
		if programs[name] == nil {
			programs[name] = &program{name: name}
		}
		if err := programs[name].add(file); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return slices.SortedFunc(maps.Values(programs), func(a, b *program) int { return strings.Compare(a.name, b.name) }), nil
}

func (p *program) add(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	r := observation.NewReader(f)
	for {
		o, err := r.Next()
		if errors.Is(err, io.EOF) {
			p.header = r.Header()
			return nil
		}
		if err != nil {
			return err
		}
		p.observations = append(p.observations, o)
	}
}

// A variant is a set of training options.
type variant struct {
	name string
	with func(*model.Options)
}

func variants() []variant {
	none := func(o *model.Options) { o.Extras = 0 }
	out := []variant{
		{"default", func(*model.Options) {}},
		{"paths", none},
		{"paths, k 2", func(o *model.Options) { o.Extras, o.K = 0, 2 }},
		{"paths, k 3", func(o *model.Options) { o.Extras, o.K = 0, 3 }},
		{"paths, k 5", func(o *model.Options) { o.Extras, o.K = 0, 5 }},
		{"paths, no trivia", func(o *model.Options) { o.Extras, o.Trivia = 0, false }},
	}
	all := features.AllKinds()
	for _, f := range features.Families() {
		out = append(out, variant{"paths + " + f.Name, func(o *model.Options) { o.Extras = f.Kinds }})
	}
	for _, f := range features.Families() {
		out = append(out, variant{"all - " + f.Name, func(o *model.Options) { o.Extras = all &^ f.Kinds }})
	}
	for _, margin := range []float64{0, 0.05, 0.1, 0.2, 0.4} {
		out = append(out, variant{fmt.Sprintf("all, margin %g", margin), func(o *model.Options) { o.Extras, o.Margin = all, margin }})
	}
	characters := features.Of(features.Character)
	return append(out,
		variant{"step 0: depth 5", func(o *model.Options) {
			o.MaxDepth, o.Refusals = 5, false
			o.Extras &^= characters | features.Of(features.Value, features.Operands)
		}},
		variant{"cross-validated step 0", func(o *model.Options) {
			o.MaxDepth, o.Refusals, o.Regressions, o.Folds = 5, false, false, model.Defaults().Folds
			o.Extras &^= characters | features.Of(features.Value, features.Operands)
		}},
		variant{"step 1: texts and operands", func(o *model.Options) {
			o.MaxDepth, o.Refusals = 5, false
			o.Extras &^= characters
		}},
		variant{"step 2: refusals", func(o *model.Options) {
			o.MaxDepth = 5
			o.Extras &^= characters
		}},
		variant{"step 3: chosen depth", func(o *model.Options) {
			o.Folds, o.Regressions = model.Defaults().Folds, false
			o.Extras &^= characters
		}},
		variant{"step 4: characters", func(o *model.Options) { o.Folds, o.Regressions = model.Defaults().Folds, false }},
		variant{"step 5: regressions", func(o *model.Options) { o.Folds = model.Defaults().Folds }},
		variant{"no refusals", func(o *model.Options) { o.Folds, o.Refusals = model.Defaults().Folds, false }},
		variant{"depth 12", func(o *model.Options) { o.MaxDepth = 12 }},
		variant{"no outcome", func(o *model.Options) { o.Outcome = false }},
		variant{"balance none", func(o *model.Options) { o.Balance = dtree.None }},
		variant{"balance subsample", func(o *model.Options) { o.Balance = dtree.Subsample }},
		variant{"depth 4", func(o *model.Options) { o.MaxDepth = 4 }},
		variant{"depth 6", func(o *model.Options) { o.MaxDepth = 6 }},
		variant{"depth 8", func(o *model.Options) { o.MaxDepth = 8 }},
		variant{"min leaf 1", func(o *model.Options) { o.MinLeaf = 1 }},
		variant{"min leaf 2", func(o *model.Options) { o.MinLeaf = 2 }},
		variant{"min leaf 3", func(o *model.Options) { o.MinLeaf = 3 }},
		variant{"min leaf 5", func(o *model.Options) { o.MinLeaf = 5 }},
	)
}

// A result sums the scores of a variant over n evaluations.
type result struct {
	n                                                              float64
	accuracy, precision, recall, f1, mean, rare, minority, outcome float64
	baseAccuracy, baseF1, calibration, seconds                     float64
	rares                                                          float64 // evaluations with rare methods
	knownMean, knownRare, knownRares                               float64 // the same of methods that are not unknown
	unknown                                                        float64 // share of the rare methods that are
	intervals                                                      model.Intervals
	methods                                                        map[string]model.Confusion
	trained                                                        map[string]int
}

func (r *result) add(e *model.Evaluation, took time.Duration) {
	r.seconds += took.Seconds()
	all := e.Summarize(model.MethodScore.Trainable)
	r.n++
	if r.methods == nil {
		r.methods, r.trained = map[string]model.Confusion{}, map[string]int{}
	}
	for _, m := range e.Methods {
		if m.Trainable() {
			r.methods[m.Unit.ID] = r.methods[m.Unit.ID].Plus(m.Confusion)
			r.trained[m.Unit.ID] += m.Reached
		}
	}
	r.accuracy += all.Pooled.Accuracy()
	r.precision += all.Pooled.Precision()
	r.recall += all.Pooled.Recall()
	r.f1 += all.Pooled.F1()
	r.mean += all.F1
	r.minority += all.Minority
	r.outcome += float64(e.Outcomes) / float64(e.Rows)
	r.calibration += e.Calibration
	r.intervals = r.intervals.Plus(e.Intervals)
	r.baseAccuracy += all.Baseline.Accuracy()
	r.baseF1 += all.Baseline.F1()
	if rare := e.Summarize(model.MethodScore.Rare); rare.Reached > 0 {
		r.rares++
		r.rare += rare.F1
	}
	known := func(m model.MethodScore) bool { return m.Trainable() && !m.Unknown }
	r.knownMean += e.Summarize(known).F1
	if rare := e.Summarize(func(m model.MethodScore) bool { return m.Rare() && known(m) }); rare.Reached > 0 {
		r.knownRares++
		r.knownRare += rare.F1
		r.unknown += 1 - float64(rare.Methods)/float64(e.Summarize(model.MethodScore.Rare).Methods)
	}
}

func (r *result) write(w io.Writer, name string) {
	fmt.Fprintf(w, "%s\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.2f\n", name,
		r.accuracy/r.n, r.precision/r.n, r.recall/r.n, r.f1/r.n, r.mean/r.n, r.minority/r.n, r.rare/max(1, r.rares),
		r.outcome/r.n, r.calibration/r.n, float64(r.intervals.Held)/float64(max(1, r.intervals.Total)),
		float64(r.intervals.LeavesHeld)/float64(max(1, r.intervals.Leaves)), r.baseAccuracy/r.n, r.baseF1/r.n,
		r.knownMean/r.n, r.knownRare/max(1, r.knownRares), r.unknown/max(1, r.knownRares), r.seconds/r.n)
}

// writeWorst lists the methods with the lowest F1 over all seeds.
func (r *result) writeWorst(w io.Writer, n int) {
	ids := slices.SortedFunc(maps.Keys(r.methods), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.methods[a].F1(), r.methods[b].F1()), strings.Compare(a, b))
	})
	for _, id := range ids[:min(n, len(ids))] {
		c := r.methods[id]
		fmt.Fprintf(w, "%s\ttrained on %.1f\t%d true positives\t%d false positives\t%d false negatives\tF1 %.3f\n",
			id, float64(r.trained[id])/r.n, c.TruePositives, c.FalsePositives, c.FalseNegatives, c.F1())
	}
}

func run(ctx context.Context, opt options, files []string, stdout io.Writer) error {
	programs, err := read(files)
	if err != nil {
		return err
	}
	sources, err := bundled.Sources(opt.grammar)
	if err != nil {
		text, readErr := os.ReadFile(opt.grammar)
		if readErr != nil {
			return errors.Join(err, readErr)
		}
		sources = []grammars.Source{{Name: opt.grammar, Text: string(text)}}
	}
	selected, err := regexp.Compile(opt.variants)
	if err != nil {
		return err
	}
	out := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "\tpooled: accuracy\tprecision\trecall\tF1\tmean F1\tminority F1\trare F1\toutcome\tcalibration\tintervals\tof leaves\tmajority: accuracy\tF1\tknown: mean F1\trare F1\tunknown of the rare\tprocessor s")
	for _, v := range variants() {
		if !selected.MatchString(v.name) {
			continue
		}
		var total result
		for _, p := range programs {
			var own result
			for seed := range opt.seeds {
				e, took, err := measure(ctx, p, sources, v, opt, uint64(opt.first+seed))
				if err != nil {
					return fmt.Errorf("%s: %w", p.name, err)
				}
				own.add(e, took)
				total.add(e, took)
			}
			own.writeWorst(out, opt.worst)
			if opt.programs {
				own.write(out, v.name+": "+p.name)
			}
		}
		total.write(out, v.name)
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// measure trains on some observations of a program and evaluates on others. It also
// returns the processor time for that, without the time to extract features.
func measure(ctx context.Context, p *program, sources []grammars.Source, v variant, opt options, seed uint64) (*model.Evaluation, time.Duration, error) {
	drawn := slices.Clone(p.observations)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	with := model.Defaults()
	if v.name != "default" {
		with.Folds = 1
	}
	with.Workers, with.Seed = runtime.GOMAXPROCS(0), seed
	v.with(&with)
	trainer, err := p.trainer(ctx, sources, with)
	if err != nil {
		return nil, 0, err
	}
	start := process.OwnTime()
	e, err := trainer.Evaluate(ctx, drawn[:opt.train], drawn[opt.train:opt.train+opt.test], with)
	return e, process.OwnTime() - start, err
}

// trainer returns a trainer with all observations of the program. Extracting
// features takes most of the time, so the trainer extracts all of them once, and
// each variant uses a part.
func (p *program) trainer(ctx context.Context, sources []grammars.Source, with model.Options) (*model.Trainer, error) {
	with.K, with.Extras = max(with.K, model.Defaults().K), model.Defaults().Extras
	key := fmt.Sprint(with.K, with.Trivia)
	if t := p.trainers[key]; t != nil {
		return t, nil
	}
	t, err := model.NewTrainer(ctx, "", sources, with)
	if err != nil {
		return nil, err
	}
	t.AddHeader(p.header)
	if err := t.Add(ctx, p.observations); err != nil {
		return nil, err
	}
	if p.trainers == nil {
		p.trainers = map[string]*model.Trainer{}
	}
	p.trainers[key] = t
	return t, nil
}
