// Command cover measures how many inputs it takes to cover all k-paths of a
// grammar: with many paths per input, in trees of several sizes, and with one path
// per input.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/targeting/generate"
)

func main() {
	names := flag.String("grammars", "json,csv,url", "bundled grammars, separated by commas")
	seed := flag.Uint64("seed", 1, "random seed")
	flag.Parse()
	if err := run(context.Background(), strings.Split(*names, ","), *seed, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// A setting is one row of the table.
type setting struct {
	name     string
	maxNodes int
	opt      generate.CoverOptions
}

func settings() []setting {
	one := func(by generate.CloseOff) generate.CoverOptions {
		return generate.CoverOptions{OneTarget: true, CloseOff: by}
	}
	return []setting{
		{"packed, 50 nodes", 50, generate.CoverOptions{}},
		{"packed, 100 nodes", 100, generate.CoverOptions{}},
		{"packed, 200 nodes", 200, generate.CoverOptions{}},
		{"packed, 1000 nodes", 1000, generate.CoverOptions{}},
		{"one path, shortest", 200, one(generate.ByShortest)},
		{"one path, random", 2000, one(generate.ByChance)},
		{"one path, least used", 2000, one(generate.ByLeastUsed)},
	}
}

func run(ctx context.Context, names []string, seed uint64, stdout io.Writer) error {
	out := tabwriter.NewWriter(stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintln(out, "| grammar\t| setting\t| k = 1\t| k = 2\t| k = 3\t| k = 5\t|")
	fmt.Fprintln(out, "| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t|")
	for _, name := range names {
		g, err := bundled.Load(ctx, name)
		if err != nil {
			return err
		}
		for _, w := range settings() {
			fmt.Fprintf(out, "| %s\t| %s\t|", g.Name, w.name)
			for _, k := range []int{1, 2, 3, 5} {
				if err := cover(ctx, g, w, k, seed, out); err != nil {
					return fmt.Errorf("cover %s: %w", name, err)
				}
			}
			fmt.Fprintln(out)
		}
	}
	return out.Flush()
}

// cover covers the paths of length k, and prints the number of inputs, nodes, bytes and
// seconds needed.
func cover(ctx context.Context, g *grammars.Grammar, w setting, k int, seed uint64, out io.Writer) error {
	begin := time.Now()
	x, err := generate.New(g, rand.New(rand.NewPCG(seed, 0)), generate.Options{MaxNodes: w.maxNodes})
	if err != nil {
		return err
	}
	c, err := generate.NewCover(x, k, w.opt)
	if err != nil {
		return err
	}
	symbols := features.NewExtractor(features.NewSpace(g, features.Options{}), 1)
	inputs, nodes, bytes := 0, 0, 0
	for {
		input, err := c.Next(ctx)
		if err != nil {
			return err
		}
		if input == nil {
			break
		}
		inputs++
		bytes += len(input.Text)
		if err := symbols.Each(input.Tree, func(int, uint64, int) { nodes++ }); err != nil {
			return err
		}
	}
	covered, all := c.Covered()
	if covered != all {
		return fmt.Errorf("k=%d: covered %d of %d paths", k, covered, all)
	}
	fmt.Fprintf(out, " **%d**, %d, %d, %.2f\t|", inputs, nodes, bytes, time.Since(begin).Seconds())
	return nil
}
