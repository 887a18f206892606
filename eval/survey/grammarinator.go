package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inroad/inroad/eval/internal/grammarinator"
	"github.com/inroad/inroad/eval/internal/process"
	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/targeting/generate"
)

// sideBySide are the grammars that are compared unless others are named.
const sideBySide = "protobuf/protobuf2,toml,sql/sqlite,graphql,json,url,xml"

// A corpus has the inputs of one generator for a grammar.
type corpus struct {
	texts   [][]byte
	trees   []*derivation.Tree // nil for inputs that do not parse
	seconds float64            // processor time to generate them
}

// compareWith writes a table that compares random inputs with those of Grammarinator,
// whose commands are in a folder. Coverage is that of as many inputs as both have, and of
// as many bytes.
func (opt *options) compareWith(ctx context.Context, bin string, units []*unit, w io.Writer) error {
	fmt.Fprintln(w, "| grammar | generator | inputs a second | parse | distinct | bytes | k = 2, equal number | k = 3, equal number | k = 2, equal bytes | k = 3, equal bytes |")
	fmt.Fprintln(w, "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, u := range units {
		if err := opt.compareOne(ctx, bin, u, w); err != nil {
			return fmt.Errorf("%s: %w", u.Name, err)
		}
	}
	return nil
}

func (opt *options) compareOne(ctx context.Context, bin string, u *unit, w io.Writer) error {
	sources, err := u.sources(opt.Root)
	if err != nil {
		return err
	}
	g, err := grammars.LoadWith(ctx, grammars.LoadOptions{Start: u.Start}, sources...)
	if err != nil {
		return err
	}
	ours, err := opt.generate(ctx, g)
	if err != nil {
		return err
	}
	theirs, err := opt.grammarinate(ctx, bin, u, g)
	if err != nil {
		return err
	}
	if err := ours.parse(ctx, g); err != nil {
		return err
	}
	number, bytes := min(len(ours.texts), len(theirs.texts)), min(ours.bytes(), theirs.bytes())
	for i, c := range []*corpus{ours, theirs} {
		cells := []string{
			u.Name, []string{"inroad", "Grammarinator"}[i], fmt.Sprintf("%.0f", float64(len(c.texts))/c.seconds),
			percent(float64(c.parsed()) / float64(len(c.texts))), strconv.Itoa(c.distinct()), strconv.Itoa(c.bytes()),
		}
		for _, part := range []*corpus{{trees: c.trees[:number]}, {trees: c.within(bytes)}} {
			counts, err := part.covered(g)
			if err != nil {
				return err
			}
			cells = append(cells, counts...)
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
	}
	return nil
}

// generate generates random inputs with the default options.
func (opt *options) generate(ctx context.Context, g *grammars.Grammar) (*corpus, error) {
	c := &corpus{}
	begin := process.OwnTime()
	for input, err := range generate.Each(ctx, g, generate.Options{}, opt.Seed, opt.Want, 1) {
		if err != nil {
			return nil, err
		}
		c.texts = append(c.texts, input.Text)
	}
	c.seconds = (process.OwnTime() - begin).Seconds()
	return c, nil
}

// grammarinate generates random inputs with Grammarinator: without and with spaces
// between tokens, of which it returns the ones that parse more often.
func (opt *options) grammarinate(ctx context.Context, bin string, u *unit, g *grammars.Grammar) (*corpus, error) {
	var files []string
	for _, file := range u.Files {
		files = append(files, filepath.Join(opt.Root, file))
	}
	generator, err := grammarinator.New(ctx, bin, files...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = generator.Close() }()
	var best *corpus
	for _, serializer := range []string{"", grammarinator.Spaces} {
		texts, took, err := generator.Generate(ctx, grammarinator.Options{Start: u.Start, N: opt.Want, Depth: opt.depth, Seed: opt.Seed, Serializer: serializer})
		if err != nil {
			return nil, err
		}
		c := &corpus{texts: texts, seconds: took.Seconds()}
		if err := c.parse(ctx, g); err != nil {
			return nil, err
		}
		if best == nil || c.parsed() > best.parsed() {
			best = c
		}
	}
	return best, nil
}

// parse parses the inputs.
func (c *corpus) parse(ctx context.Context, g *grammars.Grammar) error {
	c.trees = make([]*derivation.Tree, len(c.texts))
	for i, text := range c.texts {
		tree, err := g.Parse(ctx, text, grammars.ParseOptions{Limits: grammars.Limits{Time: time.Minute}})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err == nil {
			c.trees[i] = tree
		}
	}
	return nil
}

func (c *corpus) parsed() int {
	return len(slices.DeleteFunc(slices.Clone(c.trees), func(t *derivation.Tree) bool { return t == nil }))
}

func (c *corpus) distinct() int {
	seen := map[string]bool{}
	for _, text := range c.texts {
		seen[string(text)] = true
	}
	return len(seen)
}

func (c *corpus) bytes() int {
	n := 0
	for _, text := range c.texts {
		n += len(text)
	}
	return n
}

// within returns the trees of the first inputs that have at most some bytes together.
func (c *corpus) within(bytes int) []*derivation.Tree {
	for i, text := range c.texts {
		if bytes -= len(text); bytes < 0 {
			return c.trees[:i]
		}
	}
	return c.trees
}

// covered returns the numbers of 2-paths and 3-paths in the trees.
func (c *corpus) covered(g *grammars.Grammar) ([]string, error) {
	const longest = 3
	extractor := features.NewExtractor(features.NewSpace(g, features.Options{Possible: true}), longest)
	set := features.NewSet(longest)
	for _, tree := range c.trees {
		if tree == nil {
			continue
		}
		if err := extractor.Add(set, tree); err != nil {
			return nil, err
		}
	}
	return []string{strconv.Itoa(set.Len(2)), strconv.Itoa(set.Len(longest))}, nil
}
