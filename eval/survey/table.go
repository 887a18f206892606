package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// writeTable writes the totals and a table with a line for each pure grammar.
func writeTable(w io.Writer, rows []*row, opt *options) error {
	fmt.Fprintf(w, "%d grammars without code that may change their trees.\n\n", len(rows))
	writeTotals(w, rows, opt)
	fmt.Fprintf(w, "\n| grammar | examples | inputs | thrown away | seconds | k = %d | impossible | not found | seconds | ANTLR accepts | notes |\n", opt.K)
	fmt.Fprintln(w, "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, r := range rows {
		if _, err := fmt.Fprintf(w, "| %s | %s |\n", r.Name, r.cells()); err != nil {
			return err
		}
	}
	return nil
}

// cells returns the measurements of a row.
func (r *row) cells() string {
	parsed, inputs, thrown, seconds, covered, impossible, missing, covering, accepted := "", "", "", "", "", "", "", "", ""
	if e := r.Example; e != nil {
		parsed = fmt.Sprintf("%d of %d", e.Parsed, e.Tried)
	}
	if x := r.Random; x != nil {
		inputs = fmt.Sprint(x.Distinct)
		thrown = percent(x.thrown())
		seconds = fmt.Sprintf("%.1f", x.Seconds)
	}
	if c := r.Cover; c != nil && c.Paths+c.Excluded > 0 {
		covered = fmt.Sprintf("%d of %d", c.Covered, c.Paths+c.Excluded)
		impossible, missing = fmt.Sprint(c.Excluded+c.Impossible), fmt.Sprint(c.NotFound)
		covering = fmt.Sprintf("%.1f", c.Seconds)
	}
	if v := r.ANTLR; v != nil {
		accepted = fmt.Sprintf("%d of %d", v.Accepted, v.Checked)
	}
	return fmt.Sprintf("%s | %s | %s | %s | %s | %s | %s | %s | %s | %s", parsed, inputs, thrown, seconds, covered, impossible, missing, covering, accepted, r.note())
}

// note returns why a row is incomplete.
func (r *row) note() string {
	var notes []string
	if r.Error != "" {
		notes = append(notes, r.Error)
	}
	if r.Random != nil {
		notes = append(notes, r.Random.Error)
	}
	if r.Cover != nil {
		notes = append(notes, r.Cover.Error)
	}
	if r.Random != nil && r.Random.None {
		notes = append(notes, "no input has a token, which is proved")
	}
	notes = append(notes, r.Stopped...)
	if r.ANTLR != nil {
		notes = append(notes, r.ANTLR.Error, r.ANTLR.First)
	}
	i := slices.IndexFunc(notes, func(s string) bool { return s != "" })
	if i < 0 {
		return ""
	}
	return cell(notes[i])
}

// writeTotals writes the shares of grammars that meet each goal.
func writeTotals(w io.Writer, rows []*row, opt *options) {
	fmt.Fprintln(w, "| of these | grammars | share |")
	fmt.Fprintln(w, "| --- | --- | --- |")
	share := func(what string, holds func(*row) bool) {
		n := 0
		for _, r := range rows {
			if holds(r) {
				n++
			}
		}
		fmt.Fprintf(w, "| %s | %d | %s |\n", what, n, percent(float64(n)/float64(max(len(rows), 1))))
	}
	share("load", func(r *row) bool { return r.Error == "" && r.Nodes > 0 })
	checked := slices.ContainsFunc(rows, func(r *row) bool { return r.ANTLR != nil })
	if checked {
		share("accept the same examples as the ANTLR tool", func(r *row) bool {
			return r.Example != nil && r.ANTLR != nil && r.Example.Differ == 0
		})
	}
	generated := func(r *row) bool {
		return r.Random != nil && (r.Random.None || r.Random.Distinct >= opt.Want) && r.Random.Seconds <= opt.Limit.Seconds()
	}
	share(fmt.Sprintf("give %d distinct random inputs of at most %d tokens within %v of processor time", opt.Want, opt.Tokens, opt.Limit), generated)
	if checked {
		share("give them, and the ANTLR tool accepts all", func(r *row) bool { return generated(r) && r.accepted() })
	}
	share("give random inputs and throw less than 5 % of the draws away", func(r *row) bool { return r.Random != nil && r.Random.thrown() < 0.05 })
	share("give random inputs and throw less than 30 % of the draws away", func(r *row) bool { return r.Random != nil && r.Random.thrown() < 0.30 })
	share(fmt.Sprintf("have all paths of length %d covered or proved impossible", opt.K), func(r *row) bool { return r.Cover.complete() })
	share("have at least 95 % of these paths covered or proved impossible", func(r *row) bool {
		return r.Cover != nil && r.Cover.Paths+r.Cover.Excluded > 0 && 20*r.Cover.NotFound <= r.Cover.Paths
	})

	var thrown []float64
	paths, covered, impossible, missing := 0, 0, 0, 0
	for _, r := range rows {
		if r.Random != nil {
			thrown = append(thrown, r.Random.thrown())
		} else {
			thrown = append(thrown, 1)
		}
		if c := r.Cover; c != nil {
			paths, covered, impossible, missing = paths+c.Paths+c.Excluded, covered+c.Covered, impossible+c.Excluded+c.Impossible, missing+c.NotFound
		}
	}
	if len(thrown) == 0 {
		return
	}
	slices.Sort(thrown)
	fmt.Fprintf(w, "\nDraws thrown away: %s in the median, %s in the 95th percentile. Paths of length %d: %d, of which %d are covered, %d proved impossible and %d not found.\n",
		percent(thrown[len(thrown)/2]), percent(thrown[(len(thrown)*95)/100]), opt.K, paths, covered, impossible, missing)
}

// accepted reports whether the ANTLR tool accepts all random inputs, and all other
// generated inputs that it parsed in time.
func (r *row) accepted() bool {
	return r.ANTLR != nil && r.Random != nil && r.ANTLR.Random == r.Random.Distinct && r.ANTLR.Accepted == r.ANTLR.Checked
}

// complete reports whether every path is covered or proved impossible.
func (c *cover) complete() bool {
	return c != nil && c.Error == "" && c.Paths+c.Excluded > 0 && c.NotFound == 0
}

func percent(share float64) string {
	return fmt.Sprintf("%.1f %%", 100*share)
}

// cell returns a text as it may stand in a table, shortened.
func cell(text string) string {
	text = strings.NewReplacer("|", "\\|", "\n", " ", "<", "&lt;").Replace(text)
	if runes := []rune(text); len(runes) > 120 {
		text = string(runes[:120]) + "…"
	}
	return text
}
