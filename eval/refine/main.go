// Command refine measures how much inroad refine improves models:
//
//	go run ./refine FOLDER
//
// FOLDER has the observations that go run ./observe -out FOLDER writes. For each
// program and seed, some of them are drawn to start from, and others are held out.
// The model is refined in rounds. After each round it is evaluated on the held-out
// observations, which never enter training. For comparison, a model is also trained
// on as many observations as the last round has, all of which are from FOLDER.
//
// A method is rare if less than 5 % of the held-out observations reach it.
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
	"log"
	"math/rand/v2"
	"os"
	"runtime"
	"text/tabwriter"
	"time"

	"github.com/inroad/inroad/eval/internal/subject"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
	"github.com/inroad/inroad/targeting/aim"
)

type options struct {
	train     int
	held      int
	rounds    int
	runs      int
	seeds     int
	selection subject.Selection
	maven     string
	tmp       string
	stdout    io.Writer
	progress  io.Writer
}

func main() {
	opt := options{stdout: os.Stdout, progress: os.Stderr}
	flag.IntVar(&opt.train, "train", 1000, "number of observations to start from")
	flag.IntVar(&opt.held, "held", 3000, "number of observations to hold out")
	flag.IntVar(&opt.rounds, "rounds", 5, "number of rounds")
	flag.IntVar(&opt.runs, "runs", 500, "number of inputs to run in a round")
	flag.IntVar(&opt.seeds, "seeds", 3, "number of random samples of the observations")
	opt.selection.Bind("^(encoding-xml|ini|net-url|encoding-json)$")
	flag.StringVar(&opt.maven, "maven", os.Getenv("MAVEN_REPOSITORY"), "address of a Maven repository with the programs in Java")
	flag.Parse()
	if err := opt.run(context.Background(), flag.Args()); err != nil {
		log.Fatal(err)
	}
}

func (opt *options) run(ctx context.Context, args []string) (err error) {
	if len(args) != 1 {
		return fmt.Errorf("expected 1 argument (a folder of observations), got %d", len(args))
	}
	if opt.tmp, err = os.MkdirTemp("", "inroad-eval-"); err != nil {
		return err
	}
	table := tabwriter.NewWriter(opt.stdout, 0, 0, 2, ' ', 0)
	defer func() { err = errors.Join(err, table.Flush(), os.RemoveAll(opt.tmp)) }()
	fmt.Fprintln(table, "program\tmodel\tinputs run\tnew methods\tmethods\tmean F1\trare methods\trare F1\tgain\tlowest gain\tseconds")
	return opt.selection.EachObserved(args[0], opt.progress, func(s subject.Subject, files []string) error {
		return opt.measure(ctx, s, files, table)
	})
}

// measure refines models of a program and writes a line per round.
func (opt *options) measure(ctx context.Context, s subject.Subject, files []string, table io.Writer) error {
	header, observations, err := subject.Read(files...)
	if err != nil {
		return err
	}
	if n := opt.train + opt.held; len(observations) < n {
		return fmt.Errorf("%d observations: need at least %d", len(observations), n)
	}
	program, _, err := subject.Builder{Repository: opt.maven, Dir: opt.tmp}.Build(ctx, s)
	if err != nil {
		return err
	}
	defer program.Close()
	runner := program.NewRunner(observe.Limits{})
	defer runner.Close()
	means := make([]mean, opt.rounds+2) // the last is for the comparison
	for seed := range opt.seeds {
		r := rand.New(rand.NewPCG(uint64(seed+1), 0))
		r.Shuffle(len(observations), func(i, j int) { observations[i], observations[j] = observations[j], observations[i] })
		x := &experiment{options: opt, grammar: s.Grammar, header: header, runner: runner, seed: uint64(seed + 1)}
		x.held, x.train, x.more = observations[:opt.held], observations[opt.held:opt.held+opt.train], observations[opt.held+opt.train:]
		rounds, err := x.refine(ctx)
		if err != nil {
			return err
		}
		for i := range means {
			means[i].add(rounds[0], rounds[i])
		}
		first, last := rounds[0], rounds[opt.rounds]
		fmt.Fprintf(opt.progress, "%s, seed %d: rare F1 %.3f to %.3f, mean F1 %.3f to %.3f\n", s.Name, x.seed, first.RareF1, last.RareF1, first.F1, last.F1)
	}
	for i := range means {
		name := fmt.Sprintf("round %d", i)
		switch i {
		case 0:
			name = "first"
		case opt.rounds + 1:
			name = "as many observations"
		}
		means[i].write(table, s.Name, name)
	}
	return nil
}

// An experiment refines one model.
type experiment struct {
	*options
	grammar           string
	header            observation.Header
	runner            *observe.Runner
	seed              uint64
	train, held, more []observation.Observation
}

// A timedRound is a round with its time, which includes training.
type timedRound struct {
	aim.Round
	took time.Duration
}

// refine returns the first model, as round 0, the rounds, and the comparison.
// If the rounds end early, the last one stands for the rest.
func (x *experiment) refine(ctx context.Context) ([]timedRound, error) {
	var out []timedRound
	start := time.Now()
	add := func(r aim.Round) {
		out = append(out, timedRound{r, time.Since(start)})
		start = time.Now()
		fmt.Fprintf(x.progress, "  %d: %d run, %d wrong, %d new, mean %.3f (%d), rare %.3f (%d), %.1f s\n", r.Number, r.Runs, r.Wrong, len(r.New), r.F1, r.Scored, r.RareF1, r.Rares, out[len(out)-1].took.Seconds())
	}
	r, err := x.begin(ctx, x.train, x.rounds, add)
	if err != nil {
		return nil, err
	}
	if _, _, err := r.Refine(ctx); err != nil {
		return nil, err
	}
	for len(out) < x.rounds+1 {
		out = append(out, out[len(out)-1])
	}
	out = out[:x.rounds+1]
	total := 0
	for _, r := range out {
		total += r.Runs
	}
	start = time.Now()
	_, err = x.begin(ctx, append(x.train[:len(x.train):len(x.train)], x.more[:min(len(x.more), total)]...), 0, add)
	return out, err
}

// begin returns a refiner after it has trained its first model.
func (x *experiment) begin(ctx context.Context, train []observation.Observation, rounds int, progress func(aim.Round)) (*aim.Refiner, error) {
	sources, err := bundled.Sources(x.grammar)
	if err != nil {
		return nil, err
	}
	with := model.Defaults()
	with.Workers, with.Seed = runtime.GOMAXPROCS(0), x.seed
	trainer, err := model.NewTrainer(ctx, "", sources, with)
	if err != nil {
		return nil, err
	}
	r := aim.NewRefiner(trainer, x.runner, aim.RefineOptions{Rounds: rounds, Runs: x.runs, Seed: x.seed, Workers: with.Workers, Progress: progress})
	_, err = r.Begin(ctx, x.header, train, x.held)
	return r, err
}

// A mean sums the results of a round over seeds.
type mean struct {
	n, runs, found, scored, f1, rares, rare, gain, least, seconds float64
}

func (m *mean) add(first, r timedRound) {
	gain := r.RareF1 - first.RareF1
	if m.n == 0 || gain < m.least {
		m.least = gain
	}
	m.n++
	m.runs += float64(r.Runs)
	m.found += float64(len(r.New))
	m.scored += float64(r.Scored)
	m.f1 += r.F1
	m.rares += float64(r.Rares)
	m.rare += r.RareF1
	m.gain += gain
	m.seconds += r.took.Seconds()
}

func (m *mean) write(w io.Writer, program, name string) {
	n := max(1, m.n)
	fmt.Fprintf(w, "%s\t%s\t%.0f\t%.1f\t%.0f\t%.3f\t%.0f\t%.3f\t%+.3f\t%+.3f\t%.1f\n",
		program, name, m.runs/n, m.found/n, m.scored/n, m.f1/n, m.rares/n, m.rare/n, m.gain/n, m.least, m.seconds/n)
}
