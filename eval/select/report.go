package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"text/tabwriter"
)

// A result is the result of selecting inputs for one change.
type result struct {
	fallback bool // all inputs were selected
	selected int  // inputs
	affected int  // inputs that reach the changed function
	found    int  // affected inputs that are selected
	differ   int  // inputs on which the change behaves differently
	caught   int  // differing inputs that are selected
}

func (r result) String() string {
	return fmt.Sprintf("%d selected, %d of %d that reach it, %d of %d that differ", r.selected, r.found, r.affected, r.caught, r.differ)
}

func (r result) recall() float64 { return float64(r.found) / float64(max(1, r.affected)) }

// byChance returns the probability that at least one of n random inputs behaves
// differently.
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

// report prints the results of all changes to a program.
func report(w io.Writer, name string, results []result, corpus int) {
	t := newTally(results, corpus)
	fmt.Fprintf(w, "%s: %d changes, %d of behaviour; all inputs were selected for %d\n", name, len(results), t.changing, t.fallbacks)
	fmt.Fprintf(w, "recall: median %.3f, 5th percentile %.3f, mean %.3f\n", quantile(t.recalls, 0.5), quantile(t.recalls, 0.05), mean(t.recalls))
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "\tinputs run\tof them needed\trecall\tchanges caught")
	row := func(name string, share, recall, caught float64) {
		fmt.Fprintf(out, "%s\t%.1f %%\t%.1f %%\t%.3f\t%s\n", name, 100*share, 100*min(1, mean(t.oracle)*recall/max(share, 1e-9)), recall, t.part(caught))
	}
	row("all inputs", 1, 1, float64(t.changing))
	row("selected", mean(t.shares), mean(t.recalls), float64(t.caught))
	row("random, as many", mean(t.shares), mean(t.shares), t.random)
	for _, r := range []struct {
		name string
		n    int
	}{
		{"random, same recall", int(math.Ceil(mean(t.recalls)*float64(corpus) - 1e-9))},
		{"random, 99 % as many caught", needed(results, 0.99*float64(t.caught), corpus)},
		{"random, as many caught", needed(results, float64(t.caught), corpus)},
	} {
		share := float64(r.n) / float64(corpus)
		row(r.name, share, share, byChance(results, r.n, corpus))
	}
	row("oracle", mean(t.oracle), 1, float64(t.changing))
	_ = out.Flush() // standard output
	fmt.Fprintln(w)
}

// A tally sums results.
type tally struct {
	recalls, shares, oracle []float64 // by change
	fallbacks               int
	changing, caught        int     // changes of behaviour, and those that a selected input shows
	random                  float64 // expected number of changes that as many random inputs show
}

func newTally(results []result, corpus int) tally {
	t := tally{}
	for _, r := range results {
		t.fallbacks += number(r.fallback)
		t.recalls = append(t.recalls, r.recall())
		t.shares = append(t.shares, float64(r.selected)/float64(corpus))
		t.oracle = append(t.oracle, float64(r.affected)/float64(corpus))
		t.changing += number(r.differ > 0)
		t.caught += number(r.caught > 0)
		t.random += r.byChance(r.selected, corpus)
	}
	return t
}

// part returns a number of changes as a share of the changes of behaviour.
func (t tally) part(n float64) string {
	if t.changing == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*n/float64(t.changing))
}

// byChance returns the expected number of changes of behaviour that n random
// inputs show.
func byChance(results []result, n, corpus int) float64 {
	sum := 0.0
	for _, r := range results {
		sum += r.byChance(n, corpus)
	}
	return sum
}

// needed returns the number of random inputs expected to show this many changes of
// behaviour.
func needed(results []result, caught float64, corpus int) int {
	return sort.Search(corpus, func(n int) bool { return byChance(results, n, corpus) >= caught-1e-9 })
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
