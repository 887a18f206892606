package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/inroad/inroad/features/fit"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/g4"
)

// longestFit is the length of the longest paths that a corpus is asked for.
const longestFit = 3

// survey looks at the inputs of the corpus.
func (opt *checkOptions) survey(ctx context.Context, g *grammars.Grammar) (*fit.Report, error) {
	files, err := inputFiles(opt.corpus)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("--corpus: there is no input")
	}
	survey := fit.New(g, g.Start, longestFit)
	bar := newProgress(opt.stderr, "parsed", len(files))
	defer bar.end()
	for i, name := range files {
		input, err := readFile(name, maxInputRead)
		if err != nil {
			survey.Reject(printable(name), err)
		} else if err := survey.Add(ctx, printable(name), input); err != nil {
			return nil, err
		}
		bar.set(i + 1)
	}
	return survey.Report(), nil
}

// A fitPrinter writes a report for people.
type fitPrinter struct {
	*bufio.Writer
	all bool // not only the first of each list
}

// maxListed is how many lines of a list are shown unless all are asked for.
const maxListed = 10

func (p *fitPrinter) print(r *fit.Report) {
	fmt.Fprintf(p, "corpus: %s, %d parsed (%s %%)\n", count(r.Inputs, "input", "inputs"), r.Parsed, percent(r.Parsed, big.NewInt(int64(r.Inputs))))
	p.list("reasons for rejecting", len(r.Rejections), func(i int) string {
		e := r.Rejections[i]
		line := fmt.Sprintf("%d: %s", e.Inputs, e.Reason)
		if len(e.Expected) > 0 {
			line += ", expected " + shorten(e.Expected, " | ")
		}
		var places []string
		for _, place := range e.Examples {
			places = append(places, place.String())
		}
		return line + "; " + strings.Join(places, ", ")
	})
	for _, c := range r.Coverage {
		fmt.Fprintf(p, "k=%d: %d of %v (%s %%)\n", c.K, c.Covered, c.Possible, percent(c.Covered, c.Possible))
	}
	p.list("rules never used", len(r.UnusedRules), func(i int) string {
		u := r.UnusedRules[i]
		return fmt.Sprintf("%v: %s", u.Place, u.Rule)
	})
	p.list("alternatives never used", len(r.Unused), func(i int) string {
		u := r.Unused[i]
		if u.Optional {
			return fmt.Sprintf("%v: %s: always without %s", u.Place, u.Rule, u.Part)
		}
		return fmt.Sprintf("%v: %s: %s", u.Place, u.Rule, u.Part)
	})
	p.list("ambiguous, which makes generating and learning poor", len(r.Ambiguities), func(i int) string {
		a := r.Ambiguities[i]
		return fmt.Sprintf("%d: rule %s, alternatives %s; %v: %q", a.Times, a.Rule, alternatives(a.Alternatives), a.Example, a.Text)
	})
}

// list writes a list under a heading, if there is something in it.
func (p *fitPrinter) list(heading string, n int, line func(int) string) {
	if n == 0 {
		return
	}
	fmt.Fprintf(p, "%s: %d\n", heading, n)
	for i := range n {
		if i == maxListed && !p.all {
			fmt.Fprintf(p, "  and %d more; --all lists them\n", n-i)
			return
		}
		fmt.Fprintf(p, "  %s\n", line(i))
	}
}

// shorten joins names, and only counts those after the first few.
func shorten(names []string, by string) string {
	const most = 6
	if len(names) <= most+1 {
		return strings.Join(names, by)
	}
	return fmt.Sprintf("%s%sand %d others", strings.Join(names[:most], by), by, len(names)-most)
}

func alternatives(alts []int) string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(alts)), ", "), "[]")
}

// checkJSON is what check --format json writes.
type checkJSON struct {
	Usable   bool          `json:"usable"`
	Grammar  string        `json:"grammar,omitempty"`
	Digest   string        `json:"digest,omitempty"`
	Exact    *bool         `json:"exact,omitempty"`
	Start    string        `json:"start,omitempty"`
	Findings []findingJSON `json:"findings"`
	Corpus   *corpusJSON   `json:"corpus,omitempty"`
}

type findingJSON struct {
	Severity string `json:"severity"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Message  string `json:"message"`
}

type corpusJSON struct {
	*fit.Report
	UnusedRules []unusedJSON `json:"unused_rules"`
	Unused      []unusedJSON `json:"unused"`
}

// unusedJSON adds the place to what is not used.
type unusedJSON struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	fit.Unused
}

func newCheckJSON(g *grammars.Grammar, found g4.Diagnostics, report *fit.Report) *checkJSON {
	out := &checkJSON{Findings: []findingJSON{}}
	for _, d := range found {
		severity := "error"
		if d.Severity == g4.Warning {
			severity = "warning"
		}
		out.Findings = append(out.Findings, findingJSON{severity, d.File, d.Line, d.Column, d.Message})
	}
	if g != nil {
		out.Usable, out.Grammar, out.Digest, out.Exact, out.Start = true, g.Name, g.Digest, new(g.Exact()), g.Start
	}
	if report != nil {
		out.Corpus = &corpusJSON{report, unusedIn(report.UnusedRules), unusedIn(report.Unused)}
	}
	return out
}

func unusedIn(list []fit.Unused) []unusedJSON {
	out := []unusedJSON{}
	for _, u := range list {
		out = append(out, unusedJSON{u.Place.File, u.Place.Line, u.Place.Column, u})
	}
	return out
}
