package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
	"github.com/inroad/inroad/targeting/generate"
)

// inputOptions say which inputs a program is run on.
type inputOptions struct {
	from     string
	generate int
	grammar  string
	start    string
	seed     uint64
}

func (opt *inputOptions) validate() error {
	switch {
	case opt.from == "" && opt.generate == 0:
		return errors.New("no inputs: give --inputs DIR, or --generate N and --grammar")
	case opt.from != "" && opt.generate != 0:
		return errors.New("--inputs and --generate: give one of them")
	case opt.generate < 0 || opt.generate > maxInputs:
		return fmt.Errorf("--generate %d: it is from 1 to %d", opt.generate, maxInputs)
	case opt.from != "" && opt.grammar != "":
		return errors.New("--grammar: it is for --generate")
	}
	return nil
}

// open returns the inputs, and how many there are if that is known.
func (opt *inputOptions) open(ctx context.Context, stderr io.Writer) (inputs iter.Seq2[observe.Input, error], total int, err error) {
	if opt.generate > 0 {
		g, err := openGrammar(opt.grammar, &opt.start, stderr)
		if err != nil {
			return nil, 0, err
		}
		drawSeed(&opt.seed, stderr)
		return mixedInputs(ctx, g, opt.start, opt.generate, opt.seed), opt.generate, nil
	}
	info, err := os.Stat(opt.from)
	if err != nil {
		return nil, 0, fmt.Errorf("--inputs %s: %w", opt.from, cause(err))
	}
	if !info.IsDir() {
		return observedInputs(opt.from), 0, nil
	}
	names, err := inputFiles([]string{opt.from})
	if err == nil && len(names) == 0 {
		err = errors.New("there is no file in it")
	}
	if err != nil {
		return nil, 0, fmt.Errorf("--inputs %s: %w", opt.from, err)
	}
	return fileInputs(opt.from, names, stderr), len(names), nil
}

// fileInputs reads the files one by one. One that is too large is passed over
// with a note.
func fileInputs(dir string, names []string, stderr io.Writer) iter.Seq2[observe.Input, error] {
	return func(yield func(observe.Input, error) bool) {
		for _, path := range names {
			name := path
			if below, err := filepath.Rel(dir, path); err == nil { // a corpus may move
				name = filepath.ToSlash(below)
			}
			data, err := readFile(path, observation.MaxInput)
			if err != nil {
				yield(observe.Input{}, fmt.Errorf("%s: %w", printable(name), err))
				return
			}
			if len(data) > observation.MaxInput {
				fmt.Fprintf(stderr, "inroad: note: %s has more than %d bytes and is left out\n", printable(name), observation.MaxInput)
				continue
			}
			if !yield(observe.Input{Name: name, Data: data}, nil) {
				return
			}
		}
	}
}

// observedInputs reads the inputs of a file of observations, or of what
// generate prints.
func observedInputs(name string) iter.Seq2[observe.Input, error] {
	return func(yield func(observe.Input, error) bool) {
		file, err := os.Open(name)
		if err != nil {
			yield(observe.Input{}, fmt.Errorf("%s: %w", printable(name), cause(err)))
			return
		}
		defer func() { _ = file.Close() }() // it was only read
		for r := observation.NewReader(file); ; {
			o, err := r.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", printable(name), err)
			}
			if !yield(observe.Input{Name: o.Name, Data: o.Input}, err) || err != nil {
				return
			}
		}
	}
}

// mixedInputs makes inputs to learn from: every other one covers paths of the
// grammar that those before it did not, the rest is drawn at random in all
// sizes. No two are the same, as long as that can be had.
func mixedInputs(ctx context.Context, g *grammars.Grammar, start string, n int, seed uint64) iter.Seq2[observe.Input, error] {
	return func(yield func(observe.Input, error) bool) {
		covering := &coveringInputs{g: g, start: start, seed: seed}
		drawn := &drawnInputs{g: g, start: start, seed: seed}
		seen := map[string]bool{}
		for i, tries := 0, 0; i < n; {
			next := covering.next
			if i%2 == 1 || tries > 20 { // there may be no more to cover than there was
				next = drawn.next
			}
			text, err := next(ctx)
			if err != nil {
				yield(observe.Input{}, err)
				return
			}
			if tries++; seen[string(text)] && tries < 200 {
				continue
			}
			tries = 0
			seen[string(text)] = true
			if !yield(observe.Input{Data: text}, nil) {
				return
			}
			i++
		}
	}
}

// coveringInputs covers the grammar again and again: paths of several lengths,
// in inputs of several sizes.
type coveringInputs struct {
	g     *grammars.Grammar
	start string
	seed  uint64
	round uint64
	cover *generate.Cover
}

func (c *coveringInputs) next(ctx context.Context) ([]byte, error) {
	for {
		if c.cover == nil {
			lengths, sizes := []int{2, 3}, []int{20, 50, 100}
			opt := generate.Options{Start: c.start, MaxNodes: sizes[c.round%3], Spacing: spacing(c.round / 2)}
			x, err := generate.New(c.g, rand.New(rand.NewPCG(c.seed, c.round<<1)), opt) //nolint:contextcheck // reading one token back is bounded and takes no context
			if err != nil {
				return nil, err
			}
			if c.cover, err = generate.NewCover(x, lengths[c.round%2], generate.CoverOptions{}); err != nil {
				return nil, err
			}
			c.round++
		}
		input, err := c.cover.Next(ctx)
		if err != nil {
			return nil, err
		}
		if input != nil {
			return input.Text, nil
		}
		c.cover = nil
	}
}

// spacing returns the kinds of spacing in turn: programs have code for white
// space and comments, too.
func spacing(turn uint64) generate.Spacing {
	return []generate.Spacing{generate.Compact, generate.RandomSpacing, generate.Spaced}[turn%3]
}

// drawnInputs draws from generators with all kinds of bounds in turn.
type drawnInputs struct {
	g          *grammars.Grammar
	start      string
	seed       uint64
	generators []*generate.Generator
	turn       int
}

func (d *drawnInputs) next(ctx context.Context) ([]byte, error) {
	if d.generators == nil {
		for i, depth := range []int{6, 10, 15, 20, 30} {
			for j, repeat := range []int{2, 4, 10} {
				source := rand.New(rand.NewPCG(d.seed, uint64(i*3+j)<<1|1))
				opt := generate.Options{Start: d.start, MaxDepth: depth, MaxRepeat: repeat, Spacing: spacing(uint64(i + j))}
				x, err := generate.New(d.g, source, opt) //nolint:contextcheck // reading one token back is bounded and takes no context
				if err != nil {
					return nil, err
				}
				d.generators = append(d.generators, x)
			}
		}
	}
	d.turn++
	input, err := d.generators[d.turn%len(d.generators)].Next(ctx)
	if err != nil {
		return nil, err
	}
	return input.Text, nil
}
