package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/inroad/inroad/eval/internal/process"
	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/refine"
	"github.com/inroad/inroad/targeting/generate"
	"github.com/inroad/inroad/targeting/solve"
)

// A task tells a process of its own what to measure.
type task struct {
	Root     string
	Unit     unit
	Examples []string
	Out      string // the folder for generated inputs
	Want     int    // distinct random inputs
	Tokens   int    // of a random input
	Nodes    int    // of a random input
	K        int
	Seed     uint64
	Memory   int64
	Profile  string // the folder for processor profiles
	Passes   bool   // whether to measure passes over the inputs in Out instead

	Limit      time.Duration // processor time of each step but the last
	CoverLimit time.Duration // processor time of covering
}

// A measurement fills a row. It prints the row after every step, so that the
// measurements before a step that fails are kept.
type measurement struct {
	task
	row     row
	out     *json.Encoder
	grammar *grammars.Grammar
}

// measure reads a task and prints its row after each step, one line each.
func measure(ctx context.Context, in io.Reader, out io.Writer) error {
	m := measurement{out: json.NewEncoder(out)}
	if err := json.NewDecoder(in).Decode(&m.task); err != nil {
		return err
	}
	m.row.unit = m.Unit
	debug.SetMemoryLimit(m.Memory * 3 / 4) // collect garbage before the limit ends the process
	go watchMemory(m.Memory)
	type step struct {
		name  string
		limit time.Duration
		run   func(context.Context) error
	}
	steps := []step{{"load", m.Limit, m.load}, {"examples", m.Limit, m.examples}, {"random", m.Limit, m.random}, {"cover", m.CoverLimit, m.cover}}
	if m.Passes {
		steps = append(steps[:1], step{"passes", 60 * m.Limit, m.passes})
	}
	for _, step := range steps {
		m.row.Running = step.name
		if err := m.out.Encode(m.row); err != nil {
			return err
		}
		checkMemory(m.Memory)
		err := within(ctx, step.limit, step.run)
		var limit *timeError
		switch {
		case errors.As(err, &limit):
			m.row.Stopped = append(m.row.Stopped, step.name+": "+limit.Error())
		case err != nil:
			return fmt.Errorf("%s: %w", step.name, err)
		}
		if m.grammar == nil {
			break
		}
	}
	m.row.Running = ""
	return m.out.Encode(m.row)
}

// load loads the grammar.
func (m *measurement) load(ctx context.Context) error {
	defer stopwatch(&m.row.Load)()
	sources, err := m.Unit.sources(m.Root)
	if err != nil {
		return err
	}
	g, err := grammars.LoadWith(ctx, grammars.LoadOptions{Start: m.Unit.Start}, sources...)
	if err != nil {
		m.row.Error = firstLine(err)
		return context.Cause(ctx)
	}
	m.grammar, m.row.Nodes = g, len(g.Nodes)
	return nil
}

// examples parses the examples.
func (m *measurement) examples(ctx context.Context) error {
	e := &examples{}
	m.row.Example = e
	defer stopwatch(&e.Seconds)()
	for _, file := range m.Examples {
		text, err := os.ReadFile(filepath.Join(m.Root, file))
		if err != nil {
			return err
		}
		_, err = m.grammar.Parse(ctx, text, grammars.ParseOptions{Latin1: m.Unit.Latin1, Limits: grammars.Limits{Time: time.Hour}})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		e.Tried++
		if err == nil {
			e.Parsed++
		} else if e.First == "" {
			e.First = file + ": " + firstLine(err)
		}
		if err := m.keep("examples", err == nil, e.Tried, text); err != nil {
			return err
		}
	}
	return nil
}

// random generates distinct random inputs.
func (m *measurement) random(ctx context.Context) error {
	r := &random{}
	m.row.Random = r
	defer stopwatch(&r.Seconds)()
	if err := refine.Prepare(ctx, m.grammar, m.grammar.Start); err != nil {
		r.Error = firstLine(err)
		return context.Cause(ctx)
	}
	if features.NewSpace(m.grammar, features.Options{Possible: true}).Count(1).Sign() == 0 {
		r.None = true
		return nil
	}
	seen := map[string]bool{}
	opt := generate.Options{MaxNodes: m.Nodes}
	for round := uint64(0); r.Distinct < m.Want && round < 10; round++ { // duplicates are drawn again
		for input, err := range generate.Each(ctx, m.grammar, opt, m.Seed+round, max(m.Want-r.Distinct, m.Want/4), 1) {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil {
				r.Error = firstLine(err)
				return nil
			}
			r.Inputs++
			r.Draws += input.Draws
			tokens := 0
			for _, token := range input.Tree.Tokens() {
				if !token.Trivia() {
					tokens++
				}
			}
			switch text := string(input.Text); {
			case tokens > m.Tokens:
				r.Large++
			case !seen[text]:
				seen[text] = true
				r.Distinct++
				r.Tokens += tokens
				r.Bytes += len(text)
				if err := m.keep("random", true, r.Distinct, input.Text); err != nil {
					return err
				}
			}
			if r.Distinct == m.Want {
				break
			}
		}
	}
	return nil
}

// coverNodes is the default size limit of `inroad generate --strategy kpath`.
const coverNodes = 200

// cover covers all paths, and decides for each of the rest whether an input has it.
func (m *measurement) cover(ctx context.Context) error {
	c := &cover{}
	m.row.Cover = c
	defer stopwatch(&c.Seconds)()
	if m.Profile != "" {
		file, err := os.Create(filepath.Join(m.Profile, strings.ReplaceAll(m.Unit.Name, "/", "-")+".prof"))
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	count := func(possible bool) *big.Int {
		return features.NewSpace(m.grammar, features.Options{Possible: possible}).Count(m.K)
	}
	c.Excluded = int(new(big.Int).Sub(count(false), count(true)).Int64())
	if m.row.Random.None {
		return nil
	}
	x, err := generate.New(m.grammar, rand.New(rand.NewPCG(m.Seed, 0)), generate.Options{MaxNodes: coverNodes}) //nolint:contextcheck // bounded
	if err != nil {
		c.Error = firstLine(err)
		return nil
	}
	paths, err := generate.NewCover(x, m.K, generate.CoverOptions{})
	if err == nil {
		err = m.inputs(ctx, c, paths)
		c.Covered, c.Paths = paths.Covered()
		c.NotFound = c.Paths - c.Covered - c.Impossible
	}
	if err != nil && ctx.Err() == nil {
		c.Error = firstLine(err)
		return nil
	}
	return err
}

// inputs covers paths.
func (m *measurement) inputs(ctx context.Context, c *cover, paths *generate.Cover) error {
	keep := func(input *generate.Input) error {
		c.Inputs++
		return m.keep("cover", true, c.Inputs, input.Text)
	}
	for {
		input, err := paths.Next(ctx)
		if err != nil {
			return err
		}
		if input == nil {
			break
		}
		if err := keep(input); err != nil {
			return err
		}
	}
	solver, err := solve.New(m.grammar, "") //nolint:contextcheck // bounded
	if err != nil {
		return err
	}
	rest, err := solver.Complete(ctx, paths, rand.New(rand.NewPCG(m.Seed, 0)), keep)
	space := features.NewSpace(m.grammar, features.Options{})
	for _, missing := range rest {
		if missing.Proved() {
			c.Impossible++
		} else if len(c.Missing) < mostMissing {
			c.Missing = append(c.Missing, strings.Join(space.Symbols(missing.Path), " > ")+"\t"+space.Pattern(missing.Path))
		}
	}
	return err
}

// mostMissing limits the paths that a row lists.
const mostMissing = 40

// keep writes an input for the ANTLR tool to read. Its name says whether inroad
// accepts it. Generated inputs are written in the encoding of the examples.
func (m *measurement) keep(kind string, accepted bool, number int, text []byte) error {
	if m.Unit.Latin1 && kind != "examples" {
		bytes, err := grammars.EncodeLatin1(text)
		if err != nil {
			return err
		}
		text = bytes
	}
	name := fmt.Sprintf("%s-%05d-%t", kind, number, accepted)
	return os.WriteFile(filepath.Join(m.Out, name), text, 0o600)
}

// stopwatch adds the processor time until the returned function is called.
func stopwatch(seconds *float64) func() {
	begin := process.OwnTime()
	return func() { *seconds += (process.OwnTime() - begin).Seconds() }
}
