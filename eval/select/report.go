package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"
)

// A result is what came of choosing inputs for one change.
type result struct {
	fallback bool // everything was run
	chosen   int
	affected int // inputs that execute the changed function
	found    int // of them were chosen
	differ   int // inputs that behave differently
	caught   int // of them were chosen
}

func (r result) String() string {
	return fmt.Sprintf("%d chosen, %d of %d that execute it, %d of %d that differ", r.chosen, r.found, r.affected, r.caught, r.differ)
}

func (r result) recall() float64 { return float64(r.found) / float64(max(1, r.affected)) }

// byChance returns how likely one of n inputs drawn at random behaves
// differently: 1 less the chance that all are among the others.
func (r result) byChance(n, corpus int) float64 {
	none := 0.0
	for i := range r.differ {
		if n > corpus-r.differ {
			return 1
		}
		none += math.Log(float64(corpus-n-i)) - math.Log(float64(corpus-i))
	}
	return 1 - math.Exp(none)
}

// report prints what came of all changes to a program.
func report(w io.Writer, name string, results []result, corpus int) {
	var recalls, shares, oracle []float64
	fallbacks, changing, caught := 0, 0, 0
	random := 0.0
	for _, r := range results {
		fallbacks += number(r.fallback)
		recalls = append(recalls, r.recall())
		shares = append(shares, float64(r.chosen)/float64(corpus))
		oracle = append(oracle, float64(r.affected)/float64(corpus))
		if r.differ > 0 {
			changing++
			caught += number(r.caught > 0)
			random += r.byChance(r.chosen, corpus)
		}
	}
	part := func(n float64) string {
		if changing == 0 {
			return "-"
		}
		return fmt.Sprintf("%.1f %%", 100*n/float64(changing))
	}
	fmt.Fprintf(w, "%s: %d changes, %d to behaviour; everything was run for %d\n", name, len(results), changing, fallbacks)
	fmt.Fprintf(w, "recall: median %.3f, 5th percentile %.3f, mean %.3f\n", quantile(recalls, 0.5), quantile(recalls, 0.05), mean(recalls))
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "\tinputs run\tof them needed\trecall\tchanges caught")
	row := func(name string, share, recall float64, caught string) {
		fmt.Fprintf(out, "%s\t%.1f %%\t%.1f %%\t%.3f\t%s\n", name, 100*share, 100*min(1, mean(oracle)*recall/max(share, 1e-9)), recall, caught)
	}
	row("everything", 1, 1, part(float64(changing)))
	row("chosen", mean(shares), mean(recalls), part(float64(caught)))
	row("random, as many", mean(shares), mean(shares), part(random))
	row("random, as good", needed(results, float64(caught), mean(recalls), corpus), mean(recalls), part(float64(caught)))
	row("oracle", mean(oracle), 1, part(float64(changing)))
	_ = out.Flush() // standard output
	fmt.Fprintln(w)
}

// needed returns the share of inputs that must be drawn at random to find as
// many of those affected, or to catch as many changes if that takes more.
func needed(results []result, caught, recall float64, corpus int) float64 {
	n := int(math.Ceil(recall * float64(corpus)))
	for ; n < corpus; n++ {
		sum := 0.0
		for _, r := range results {
			if r.differ > 0 {
				sum += r.byChance(n, corpus)
			}
		}
		if sum >= caught-1e-9 {
			break
		}
	}
	return float64(n) / float64(corpus)
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(1, len(values)))
}

func quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(q*float64(len(sorted)-1))]
}
