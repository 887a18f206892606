package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

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
	dir, err := os.MkdirTemp("", "survey")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	args := []string{"--no-actions", "-o", dir}
	for _, file := range u.Files {
		args = append(args, filepath.Join(opt.Root, file))
	}
	if out, err := exec.CommandContext(ctx, filepath.Join(bin, "grammarinator-process"), args...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("grammarinator-process: %w\n%s", err, out)
	}
	generators, err := filepath.Glob(filepath.Join(dir, "*Generator.py"))
	if err != nil || len(generators) != 1 {
		return nil, errors.Join(fmt.Errorf("grammarinator-process: wrote %d generators", len(generators)), err)
	}
	name := strings.TrimSuffix(filepath.Base(generators[0]), ".py")
	var best *corpus
	for _, serializer := range []string{"", "grammarinator.runtime.simple_space_serializer"} {
		out := filepath.Join(dir, "inputs"+serializer)
		args := []string{
			name + "." + name, "--sys-path", dir, "-r", u.Start, "-n", strconv.Itoa(opt.Want), "-d", strconv.Itoa(opt.depth),
			"--random-seed", strconv.FormatUint(opt.Seed, 10), "-o", filepath.Join(out, "%d"), "--sys-recursion-limit", "100000", "--encoding-errors", "replace", "-j", "1",
		}
		if serializer != "" {
			args = append(args, "-s", serializer)
		}
		cmd := exec.CommandContext(ctx, filepath.Join(bin, "grammarinator-generate"), args...)
		if printed, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("grammarinator-generate: %w\n%s", err, printed)
		}
		c := &corpus{seconds: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()}
		for i := range opt.Want {
			text, err := os.ReadFile(filepath.Join(out, strconv.Itoa(i)))
			if err != nil {
				return nil, err
			}
			c.texts = append(c.texts, text)
		}
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
