package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/inroad/inroad/eval/internal/grammarinator"
	"github.com/inroad/inroad/eval/internal/rows"
	"github.com/inroad/inroad/eval/internal/subject"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
	"github.com/inroad/inroad/targeting/generate"
)

// A lab has the programs, grammars and observations that tables are measured with.
type lab struct {
	programs []program
	smoke    bool // published grammars are replaced by bundled ones
	maven    string
	grammars string // folder of the published grammars
	drivers  string // folder of drivers that replace ours
	bin      string // folder of Grammarinator's commands; empty to leave it out
	work     string
	only     *regexp.Regexp
	n        int // inputs to train on, and to test on
	seeds    int
	sets     int           // sets of a forest
	limit    time.Duration // time after which no further cell is measured; 0 for none
	report   bool          // measure nothing
	varied   bool          // targeted inputs are of varied size instead of the smallest
	progress io.Writer

	started time.Time
	loaded  map[string]*grammars.Grammar
	built   map[string]*observe.Program
	rivals  map[string]*grammarinator.Generator // by grammar
}

// A cell names one measurement of a table.
type cell struct {
	Table   string `json:"table"`
	Program string `json:"program"` // or the grammar
	Setting string `json:"setting,omitempty"`
	Way     string `json:"way,omitempty"` // to generate inputs
	K       int    `json:"k,omitempty"`
	Seed    int    `json:"seed"`
	N       int    `json:"n,omitempty"`
}

// A row is a cell with its measurements.
type row struct {
	cell

	Values   map[string]float64 `json:"values,omitempty"`
	Failures []string           `json:"failures,omitempty"` // distinct exceptions that a run found
	Seconds  float64            `json:"seconds"`
}

// fill measures the cells that are not measured yet, and returns the rows of all cells
// that are, and why others are not.
func (l *lab) fill(ctx context.Context, cells []cell, measure func(context.Context, cell) (row, error)) (done []row, notes []string, err error) {
	file := filepath.Join(l.work, "rows.ndjson")
	all, err := rows.Read[row](file)
	if err != nil {
		return nil, nil, err
	}
	known := map[cell]row{}
	for _, r := range all {
		known[r.cell] = r
	}
	failed, open := map[string]bool{}, 0
	for _, c := range cells {
		r, ok := known[c]
		if ok {
			done = append(done, r)
			continue
		}
		if l.report || l.limit > 0 && time.Since(l.started) > l.limit {
			open++
			continue
		}
		began := time.Now()
		r, err := measure(ctx, c)
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		if err != nil {
			note := fmt.Sprintf("%s: not measured: %v", strings.TrimSpace(c.Program+" "+c.Setting), err)
			if !failed[note] {
				failed[note] = true
				notes = append(notes, note)
				fmt.Fprintln(l.progress, note)
			}
			continue
		}
		r.cell, r.Seconds = c, time.Since(began).Seconds()
		maps.DeleteFunc(r.Values, func(_ string, x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) // unknown
		if err := rows.Append(file, r); err != nil {
			return nil, nil, err
		}
		fmt.Fprintf(l.progress, "%+v: %.1f s\n", c, r.Seconds)
		done = append(done, r)
	}
	if open > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d cells are not measured yet.", open, len(cells)))
	}
	return done, notes, nil
}

// selected returns the programs that -only names and that are in a table.
func (l *lab) selected(in func(program) bool) (out []program, notes []string) {
	for _, p := range l.programs {
		switch {
		case !in(p) || !l.only.MatchString(p.Name):
		case p.missing != "":
			notes = append(notes, p.Name+": cannot be had: "+p.missing+".")
		default:
			out = append(out, p)
		}
	}
	return out, notes
}

// find returns a program by its name.
func (l *lab) find(name string) (program, error) {
	i := slices.IndexFunc(l.programs, func(p program) bool { return p.Name == name })
	if i < 0 {
		return program{}, fmt.Errorf("program %q: not found", name)
	}
	return l.programs[i], nil
}

// sources returns a published grammar, which has an extension of a grammar notation, or a
// bundled one.
func (l *lab) sources(name string, isPublished bool) ([]grammars.Source, error) {
	if !isPublished || l.smoke {
		return bundled.Sources(name)
	}
	if l.grammars == "" {
		return nil, errors.New("-grammars: must name a folder with the published grammars")
	}
	for _, extension := range []string{".g4", ".scala"} {
		text, err := os.ReadFile(filepath.Join(l.grammars, name+extension))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		return []grammars.Source{{Name: name + extension, Text: string(text)}}, err
	}
	return nil, fmt.Errorf("%s has neither %s.g4 nor %s.scala", l.grammars, name, name)
}

// grammar loads a grammar once.
func (l *lab) grammar(ctx context.Context, name string, isPublished bool) (*grammars.Grammar, error) {
	key := fmt.Sprint(name, isPublished)
	if g := l.loaded[key]; g != nil {
		return g, nil
	}
	sources, err := l.sources(name, isPublished)
	if err != nil {
		return nil, err
	}
	g, err := grammars.Load(ctx, sources...)
	if err != nil {
		return nil, err
	}
	l.loaded[key] = g
	return g, nil
}

// build builds a program once.
func (l *lab) build(ctx context.Context, p program, blocks bool) (*observe.Program, error) {
	key := fmt.Sprint(p.Name, blocks)
	if built := l.built[key]; built != nil {
		return built, nil
	}
	if l.drivers != "" {
		own := filepath.Join(l.drivers, filepath.Base(p.Driver))
		if _, err := os.Stat(own); err == nil {
			p.Driver = own
		}
	}
	dir := filepath.Join(l.work, "jars")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	built, _, err := subject.Builder{Repository: l.maven, Dir: dir, Blocks: blocks}.Build(ctx, p.Subject)
	if err != nil {
		return nil, err
	}
	l.built[key] = built
	return built, nil
}

// close removes the programs and generators that were built.
func (l *lab) close() error {
	var err error
	for _, p := range l.built {
		err = errors.Join(err, p.Close())
	}
	for _, g := range l.rivals {
		err = errors.Join(err, g.Close())
	}
	return err
}

// observations observes a program on inputs once, and reads its observations from the
// work folder afterwards. part is train or test.
func (l *lab) observations(ctx context.Context, p program, s setting, part string, seed int) (observation.Header, []observation.Observation, error) {
	file := filepath.Join(l.work, "observations", fmt.Sprintf("%s-%s-%s-%d-%d.ndjson", p.Name, s.corpus, part, seed, l.n))
	if _, err := os.Stat(file); err == nil {
		return subject.Read(file)
	}
	g, err := s.grammar(ctx, l, p)
	if err != nil {
		return observation.Header{}, nil, err
	}
	built, err := l.build(ctx, p, false)
	if err != nil {
		return observation.Header{}, nil, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return observation.Header{}, nil, err
	}
	inputs := func(yield func(observe.Input, error) bool) {
		for input, err := range s.inputs(ctx, g, drawSeed(seed, part), l.n) {
			if err != nil {
				yield(observe.Input{}, err)
				return
			}
			if !yield(observe.Input{Data: input.Text}, nil) {
				return
			}
		}
	}
	temporary := file + ".part"
	if err := observeTo(ctx, built, inputs, temporary); err != nil {
		return observation.Header{}, nil, errors.Join(err, os.Remove(temporary))
	}
	if err := os.Rename(temporary, file); err != nil {
		return observation.Header{}, nil, err
	}
	return subject.Read(file)
}

// drawSeed returns different seeds for the parts of a measurement.
func drawSeed(seed int, part string) uint64 {
	out := uint64(seed) //nolint:gosec // seeds start at 1
	if part == "test" {
		out += 1 << 32
	}
	return out
}

func observeTo(ctx context.Context, p *observe.Program, inputs iter.Seq2[observe.Input, error], name string) (err error) {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w, err := observation.NewWriter(file, p.Header())
	if err != nil {
		return err
	}
	return p.Observe(ctx, inputs, observe.Options{Jobs: 1}, w.Write)
}

// seedRange returns the seeds of a table.
func (l *lab) seedRange() string {
	if l.seeds == 1 {
		return "1"
	}
	return fmt.Sprintf("1 to %d", l.seeds)
}

// random returns the source of randomness of a cell.
func (c cell) random() *rand.Rand {
	return rand.New(rand.NewPCG(uint64(c.Seed), uint64(c.K))) //nolint:gosec // neither is negative
}

// draw generates random inputs as the publications do: uniformly, to depth 30, with up to
// 10 repetitions, however large an input becomes.
func draw(ctx context.Context, g *grammars.Grammar, seed uint64, n int) iter.Seq2[*generate.Input, error] {
	return drawWithin(ctx, g, seed, n, bounds())
}

// bounds returns the options of the publications.
func bounds() generate.Options { return generate.Options{MaxDepth: 30, MaxRepeat: 10} }

// unparsedBounds are bounds without parsing inputs back if the grammar has no lexer: the
// publications never parse inputs, and a large grammar of characters takes long to parse.
func unparsedBounds(g *grammars.Grammar) generate.Options {
	opt := bounds()
	opt.Unverified = g.Scannerless
	return opt
}

// drawWithin is like draw, with other options.
func drawWithin(ctx context.Context, g *grammars.Grammar, seed uint64, n int, opt generate.Options) iter.Seq2[*generate.Input, error] {
	return func(yield func(*generate.Input, error) bool) {
		x, err := generate.New(g, rand.New(rand.NewPCG(seed, 0)), opt) //nolint:contextcheck // reading one token back is bounded and takes no context
		if err != nil {
			yield(nil, err)
			return
		}
		for range n {
			if input, err := x.Next(ctx); !yield(input, err) || err != nil {
				return
			}
		}
	}
}
