package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/inroad/inroad/eval/internal/grammarinator"
	"github.com/inroad/inroad/eval/internal/report"
	"github.com/inroad/inroad/eval/internal/statistics"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
)

// Ways to generate inputs for the table covering.
const (
	manyPaths  = "many paths an input"
	onePath    = "one path an input"
	sameNumber = "random, as many inputs"
	sameBytes  = "random, at least as many bytes"
	oneNumber  = "random, as many inputs as one path an input"
	rival      = "Grammarinator, as many inputs"
	oneRival   = "Grammarinator, as many inputs as one path an input"
)

// covering measures the branches and exceptions that covering inputs reach, and random
// ones.
func covering(ctx context.Context, l *lab) (*report.Document, error) {
	known, err := readPublished("covering")
	if err != nil {
		return nil, err
	}
	selected, notes := l.selected(func(p program) bool { return p.chapter3 != "" })
	ways := []string{manyPaths, sameNumber, sameBytes, onePath, oneNumber}
	if l.bin != "" {
		ways = append(ways, rival, oneRival)
	}
	var cells []cell
	for seed := 1; seed <= l.seeds; seed++ {
		for _, k := range l.lengths() {
			for _, p := range selected {
				for _, way := range ways {
					cells = append(cells, cell{Table: "covering", Program: p.Name, Way: way, K: k, Seed: seed})
				}
			}
		}
	}
	done, failed, err := l.fill(ctx, cells, l.cover)
	if err != nil {
		return nil, err
	}
	d := &report.Document{
		Name: "covering", Title: "Covering: Tables 3.2 and 3.3 of the dissertation", Notes: append(notes, failed...),
		Intro: []string{
			"Share of the branches that all inputs of a run reach together, as the mean over runs. Branches are the blocks that `inroad observe --units block` observes; the published shares are of JaCoCo's branches.",
			"p is the two-sided Mann-Whitney U test of a way against *" + sameNumber + "*, or of *" + onePath + "* against as many random inputs, and A the probability that a run of the way reaches more.",
		},
	}
	table := report.Table{Caption: "Branches", Columns: []string{"program", "way"}}
	for _, k := range lengths() {
		table.Columns = append(table.Columns, fmt.Sprintf("k = %d", k), "inputs", "p", "A")
	}
	for _, p := range selected {
		lines := len(table.Rows)
		for _, way := range ways {
			line, measured := []any{p.Name, way}, false
			for _, k := range lengths() {
				of := func(way string) map[string][]float64 {
					return valuesOf(done, func(c cell) bool { return c.Program == p.Name && c.Way == way && c.K == k })
				}
				values := of(way)
				if len(values) == 0 {
					line = append(line, "", "", "", "")
					continue
				}
				measured = true
				line = append(line, statistics.Mean(values["branches"]), statistics.Mean(values["inputs"]))
				line = append(line, versus(values["branches"], of(baseline(way))["branches"])...)
			}
			if measured {
				table.Add(line...)
			}
		}
		if len(table.Rows) > lines {
			for _, from := range []struct{ way, column string }{{"published: TRIBBLE", ""}, {"published: Grammarinator", "gramm "}} {
				line := []any{p.Name, from.way}
				for _, k := range lengths() {
					line = append(line, known.get(p.Name, from.column+strconv.Itoa(k)), "", "", "")
				}
				table.Add(line...)
			}
			d.Run.Versions = append(d.Run.Versions, p.version())
		}
	}
	d.Tables = []report.Table{table, exceptions(done, ways)}
	return d, nil
}

// baseline returns the way that a way is compared with.
func baseline(way string) string {
	switch way {
	case manyPaths, sameBytes, rival:
		return sameNumber
	case onePath, oneRival:
		return oneNumber
	default:
		return ""
	}
}

// versus returns the cells of a comparison of two samples, which are empty for fewer than
// two runs.
func versus(x, y []float64) []any {
	if len(x) < 2 || len(y) < 2 {
		return []any{"", ""}
	}
	p, effect := statistics.MannWhitney(x, y)
	return []any{p, effect}
}

// exceptions returns the table of the shares of runs that found an exception.
func exceptions(done []row, ways []string) report.Table {
	t := report.Table{Caption: "Exceptions of classes that are not the program's own: share of the runs that find one", Columns: []string{"program", "exception, digest of the stack", "way"}}
	for _, k := range lengths() {
		t.Columns = append(t.Columns, fmt.Sprintf("k = %d", k))
	}
	type key struct{ program, failure string }
	found := map[key]bool{}
	for _, r := range done {
		for _, f := range r.Failures {
			found[key{r.Program, f}] = true
		}
	}
	keys := slices.SortedFunc(maps.Keys(found), func(a, b key) int {
		return strings.Compare(a.program+" "+a.failure, b.program+" "+b.failure)
	})
	for _, x := range keys {
		for _, way := range ways {
			line := []any{x.program, x.failure, way}
			for _, k := range lengths() {
				runs, finding := 0, 0
				for _, r := range done {
					if r.Program == x.program && r.Way == way && r.K == k {
						runs++
						if slices.Contains(r.Failures, x.failure) {
							finding++
						}
					}
				}
				if runs == 0 {
					line = append(line, "")
				} else {
					line = append(line, fmt.Sprintf("%.0f %%", 100*float64(finding)/float64(runs)))
				}
			}
			t.Add(line...)
		}
	}
	return t
}

// cover runs a program on the inputs of a cell.
func (l *lab) cover(ctx context.Context, c cell) (row, error) {
	p, g, err := l.withChapter3Grammar(ctx, c)
	if err != nil {
		return row{}, err
	}
	texts, err := l.coveringInputs(ctx, g, p, c)
	if err != nil {
		return row{}, err
	}
	x, err := l.newCoverage(ctx, p)
	if err != nil {
		return row{}, err
	}
	defer x.runner.Close()
	for _, text := range texts {
		if _, err := x.Run(ctx, text); err != nil {
			return row{}, err
		}
	}
	return row{
		Values:   map[string]float64{"branches": x.share(), "inputs": float64(len(texts)), "bytes": float64(size(texts)), "exceptions": float64(len(x.failures))},
		Failures: slices.Sorted(maps.Keys(x.failures)),
	}, nil
}

// withChapter3Grammar returns the program of a cell with its published grammar, or with
// the bundled one without -grammars.
func (l *lab) withChapter3Grammar(ctx context.Context, c cell) (program, *grammars.Grammar, error) {
	p, err := l.find(c.Program)
	if err != nil {
		return p, nil, err
	}
	if l.grammars == "" || p.chapter3 == "" {
		return l.withBundledGrammar(ctx, c)
	}
	g, err := l.grammar(ctx, p.chapter3, true)
	return p, g, err
}

// withBundledGrammar returns the program of a cell with its bundled grammar.
func (l *lab) withBundledGrammar(ctx context.Context, c cell) (program, *grammars.Grammar, error) {
	p, err := l.find(c.Program)
	if err != nil {
		return p, nil, err
	}
	g, err := l.grammar(ctx, p.Grammar, false)
	return p, g, err
}

// coveringInputs generates the inputs of a cell. Random inputs are as many as cover the
// paths with the same seed.
func (l *lab) coveringInputs(ctx context.Context, g *grammars.Grammar, p program, c cell) ([][]byte, error) {
	number := c
	switch c.Way {
	case sameNumber, sameBytes, rival:
		number.Way = manyPaths
	case oneNumber, oneRival:
		number.Way = onePath
	}
	covering, _, err := cover(ctx, g, number)
	if err != nil {
		return nil, err
	}
	seed := drawSeed(c.Seed, "train")<<8 + uint64(c.K) //nolint:gosec // not negative
	switch c.Way {
	case sameNumber, oneNumber:
		return drawRandom(ctx, g, seed, len(covering), 0)
	case sameBytes:
		return drawRandom(ctx, g, seed, 100*len(covering), size(covering))
	case rival, oneRival:
		return l.grammarinate(ctx, g, p, seed, len(covering))
	default:
		return covering, nil
	}
}

// drawRandom draws up to n random inputs, until they have a number of bytes, if it is not 0.
func drawRandom(ctx context.Context, g *grammars.Grammar, seed uint64, n, bytes int) (texts [][]byte, err error) {
	for input, err := range drawWithin(ctx, g, seed, n, unparsedBounds(g)) {
		if err != nil {
			return nil, err
		}
		texts = append(texts, input.Text)
		if bytes > 0 && size(texts) >= bytes {
			break
		}
	}
	return texts, nil
}

// grammarinate generates inputs with Grammarinator as the dissertation does: to depth 30,
// with a cooldown of 0.9 and spaces.
func (l *lab) grammarinate(ctx context.Context, g *grammars.Grammar, p program, seed uint64, n int) ([][]byte, error) {
	generator := l.rivals[g.Name]
	if generator == nil {
		if l.grammars == "" {
			return nil, errors.New("-grammarinator: needs -grammars")
		}
		var err error
		if generator, err = grammarinator.New(ctx, l.bin, filepath.Join(l.grammars, p.chapter3+".g4")); err != nil {
			return nil, err
		}
		l.rivals[g.Name] = generator
	}
	texts, _, err := generator.Generate(ctx, grammarinator.Options{Start: g.Start, N: n, Depth: 30, Cooldown: 0.9, Seed: seed, Serializer: grammarinator.Spaces})
	return texts, err
}

// A coverage collects the blocks and exceptions of a program that inputs reach.
type coverage struct {
	runner   *observe.Runner
	packages string
	blocks   map[string]bool // whether each block is reached
	reached  int
	failures map[string]bool
}

func (l *lab) newCoverage(ctx context.Context, p program) (*coverage, error) {
	built, err := l.build(ctx, p, true)
	if err != nil {
		return nil, err
	}
	x := &coverage{runner: built.NewRunner(observe.Limits{}), packages: p.Cover, blocks: map[string]bool{}, failures: map[string]bool{}}
	for _, u := range built.Header().Units {
		if u.Kind == observation.KindBlock {
			x.blocks[u.ID] = false
		}
	}
	return x, nil
}

// Run runs the program on an input.
func (x *coverage) Run(ctx context.Context, input []byte) (observation.Observation, error) {
	o, err := x.runner.Run(ctx, input)
	if err != nil {
		return o, err
	}
	for _, id := range o.Methods {
		if reached, ok := x.blocks[id]; ok && !reached {
			x.blocks[id] = true
			x.reached++
		}
	}
	if f := o.Failure; f != nil && !strings.HasPrefix(f.Type, x.packages) {
		x.failures[f.Type+" "+f.Stack] = true
	}
	return o, nil
}

// reset forgets the blocks that were reached.
func (x *coverage) reset() {
	x.reached = 0
	for id := range x.blocks {
		x.blocks[id] = false
	}
}

// share returns the share of the blocks that are reached.
func (x *coverage) share() float64 { return float64(x.reached) / float64(max(1, len(x.blocks))) }
