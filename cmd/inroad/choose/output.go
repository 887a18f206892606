package choose

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/outfile"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/targeting/selection"
	"github.com/inroad/inroad/targeting/selection/tests"
)

// An output holds the flags that say how to print and write a selection.
type output struct {
	mode, format          string
	rest, jsonOut, junit  string // files
	summary, githubOutput string // files that are appended to
	explain               bool
	took                  time.Duration // of the selection; 0 if it was not measured
	cli.Streams
}

func (o *output) bind(flags *pflag.FlagSet) {
	cli.BindEnum(flags, &o.mode, "mode",
		"enforce prints the selected inputs; observe prints all, and reports what would be selected; prioritize prints all, selected ones first",
		"enforce", "observe", "prioritize")
	cli.BindEnum(flags, &o.format, "format", "paths prints one path per line, paths0 ends each path with a NUL, github is for $GITHUB_OUTPUT",
		"paths", "paths0", "json", "github")
	flags.StringVar(&o.rest, "rest", "", "`FILE` for the paths that are left out")
	flags.StringVar(&o.jsonOut, "json-out", "", "`FILE` for the selection, as --format json prints it")
	flags.StringVar(&o.junit, "junit", "", "`FILE` for the selection as a JUnit report, in which the inputs left out are skipped")
	flags.StringVar(&o.summary, "summary", "", "`FILE` to append a summary in Markdown to, such as $GITHUB_STEP_SUMMARY")
	flags.StringVar(&o.githubOutput, "github-output", "", "`FILE` to append the output of --format github to, without the paths, such as $GITHUB_OUTPUT")
	flags.BoolVar(&o.explain, "explain", false, "print on standard error why each input is selected")
}

// write writes a selection.
func (o *output) write(s openapi.Selection) error {
	var paths []string
	for _, in := range s.Inputs {
		paths = append(paths, in.Path)
	}
	if o.format == "json" || o.format == "github" || o.jsonOut != "" {
		if err := checkText(slices.Concat(paths, s.Rest)); err != nil {
			return err
		}
	}
	if o.mode != "enforce" {
		paths = append(paths, s.Rest...)
	}
	out := bufio.NewWriter(o.Out)
	if err := o.print(out, s, paths); err != nil {
		return err
	}
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{o.rest, func(w io.Writer) error { return writePaths(w, s.Rest, o.format == "paths0") }},
		{o.jsonOut, func(w io.Writer) error { return cli.WriteJSON(w, s) }},
		{o.junit, func(w io.Writer) error { return writeJUnit(w, s) }},
	} {
		if file.name != "" {
			if err := cli.FileError(file.name, outfile.Write(file.name, 0o644, file.write)); err != nil {
				return err
			}
		}
	}
	if err := appendTo("summary", o.summary, func(w io.Writer) { o.writeSummary(w, s) }); err != nil {
		return err
	}
	if err := appendTo("github-output", o.githubOutput, func(w io.Writer) { writeGitHub(w, s, len(paths)) }); err != nil {
		return err
	}
	o.report(s)
	return out.Flush()
}

// writeJUnit writes the selection as a JUnit report, with the folders of inputs as classes.
func writeJUnit(w io.Writer, s openapi.Selection) error {
	var cases []tests.Case
	for _, in := range s.Inputs {
		c := tests.Case{Class: path.Dir(in.Path), Name: path.Base(in.Path)}
		for _, r := range in.Reasons {
			c.Reasons = append(c.Reasons, selection.Reason{Kind: selection.ReasonKind(r.Kind), Unit: r.Unit, Chance: r.Chance})
		}
		cases = append(cases, c)
	}
	for _, name := range s.Rest {
		cases = append(cases, tests.Case{Class: path.Dir(name), Name: path.Base(name), Skipped: true})
	}
	return tests.WriteCases(w, "inroad select", cases)
}

// print prints the selection in the format of standard output.
func (o *output) print(w io.Writer, s openapi.Selection, paths []string) error {
	switch o.format {
	case "json":
		return cli.WriteJSON(w, s)
	case "github":
		writeGitHub(w, s, len(paths))
		list := []string{}
		for _, path := range paths {
			list = append(list, safePath(path))
		}
		_, err := fmt.Fprintf(w, "inputs=%s\n", toJSON(list))
		return err
	default:
		return writePaths(w, paths, o.format == "paths0")
	}
}

// writePaths writes paths for other programs.
func writePaths(w io.Writer, paths []string, zero bool) error {
	end := "\n"
	if zero {
		end = "\x00"
	}
	for _, path := range paths {
		if !zero && strings.ContainsAny(path, "\n\r") {
			return fmt.Errorf("%s: a path with a line end cannot be printed on one line; use --format paths0", cli.Printable(path))
		}
	}
	out := bufio.NewWriter(w)
	for _, path := range paths {
		fmt.Fprint(out, safePath(path), end)
	}
	return out.Flush()
}

// safePath returns a path that programs do not mistake for a flag.
func safePath(path string) string {
	if strings.HasPrefix(path, "-") {
		return "./" + path
	}
	return path
}

// checkText rejects paths that JSON cannot contain.
func checkText(paths []string) error {
	for _, path := range paths {
		if !utf8.ValidString(path) {
			return fmt.Errorf("%s: a path that is not UTF-8 cannot be in JSON; use --format paths0", cli.Printable(path))
		}
	}
	return nil
}

// writeGitHub writes outputs of a step of a workflow, one per line. JSON contains no
// line ends.
func writeGitHub(w io.Writer, s openapi.Selection, n int) {
	causes := append([]openapi.Fallback{}, s.Fallbacks[:min(len(s.Fallbacks), mostShown)]...)
	fmt.Fprintf(w, "count=%d\ntotal=%d\neverything=%t\nfallbacks=%s\n", n, s.Corpus, s.Everything, toJSON(causes))
}

// toJSON encodes texts.
func toJSON(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // texts can be encoded
	}
	return text
}

// report prints to standard error how many inputs were selected, and why.
func (o *output) report(s openapi.Selection) {
	for _, why := range fallbacks(s) {
		o.Notef("all inputs are to be run: %s", cli.Printable(why))
	}
	for i, u := range s.Unobserved {
		if i == mostShown {
			o.Notef("note: %d more changed methods were never observed", len(s.Unobserved)-mostShown)
			break
		}
		o.Notef("note: %s: %s; no input is selected for it", cli.Printable(u.Method), cli.Printable(u.Reason))
	}
	o.Notef("%s", cli.Printable(sentence(s)))
	if !o.explain {
		return
	}
	for _, line := range facts(s) {
		o.Notef("%s", line)
	}
	for _, c := range s.Changes {
		fmt.Fprintf(o.Err, "%s: %s\n", cli.Printable(c.How), cli.Printable(c.Name))
		for _, method := range c.Methods {
			if method != c.Name {
				fmt.Fprintf(o.Err, "  affects %s\n", cli.Printable(method))
			}
		}
	}
	if s.Changes == nil {
		for _, method := range s.Changed {
			fmt.Fprintf(o.Err, "changed: %s\n", cli.Printable(method))
		}
	}
	for _, in := range s.Inputs {
		var reasons []string
		for _, r := range in.Reasons {
			reasons = append(reasons, selection.Reason{Kind: selection.ReasonKind(r.Kind), Unit: r.Unit, Chance: r.Chance}.String())
		}
		fmt.Fprintf(o.Err, "%s: %s\n", cli.Printable(in.Path), cli.Printable(strings.Join(reasons, "; ")))
	}
}

// mostShown is the maximum number of fallbacks and changed methods to print.
const mostShown = 10

// fallbacks returns the first reasons to run all inputs.
func fallbacks(s openapi.Selection) []string {
	var out []string
	for i, f := range s.Fallbacks {
		if i == mostShown {
			return append(out, fmt.Sprintf("%d more reasons", len(s.Fallbacks)-mostShown))
		}
		out = append(out, f.Cause+": "+f.Detail)
	}
	return out
}

// sentence summarizes a selection in a sentence.
func sentence(s openapi.Selection) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %s selected", len(s.Inputs), cli.Count(s.Corpus, "input", "inputs"))
	if s.TotalMs > 0 {
		fmt.Fprintf(&b, ", about %s of %s", shortDuration(s.CostMs), shortDuration(s.TotalMs))
	}
	if len(s.Changed) > 0 {
		fmt.Fprintf(&b, "; %s changed", cli.Count(len(s.Changed), "method", "methods"))
		if !s.Everything {
			fmt.Fprintf(&b, ", expected recall %.0f %%", 100*s.Recall)
		}
	}
	if s.Cut {
		b.WriteString("; the budget or the maximum was reached")
	}
	return b.String()
}

// milliseconds converts a duration to milliseconds, as in the contract.
func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// shortDuration formats a number of milliseconds for people.
func shortDuration(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond))
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(time.Millisecond).String()
	default:
		return d.Round(time.Microsecond).String()
	}
}

// appendTo appends to the file in a flag, unless the flag is empty.
func appendTo(flag, name string, write func(io.Writer)) (err error) {
	if name == "" {
		return nil
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644) //nolint:gosec // for others to read
	if err != nil {
		return fmt.Errorf("--%s %s: %w", flag, cli.Printable(name), cli.Cause(err))
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	out := bufio.NewWriter(file)
	write(out)
	return out.Flush()
}

// writeSummary writes a summary in Markdown.
func (o *output) writeSummary(w io.Writer, s openapi.Selection) {
	fmt.Fprintf(w, "### Inputs for this change\n\n%s.\n\n", markdown(sentence(s)))
	for _, why := range fallbacks(s) {
		fmt.Fprintf(w, "- all inputs are to be run: %s\n", markdown(why))
	}
	for i, method := range s.Changed {
		if i == mostShown {
			fmt.Fprintf(w, "- and %d more\n", len(s.Changed)-mostShown)
			break
		}
		fmt.Fprintf(w, "- changed: %s\n", markdown(method))
	}
	for i, u := range s.Unobserved {
		if i == mostShown {
			fmt.Fprintf(w, "- %d more changed methods were never observed\n", len(s.Unobserved)-mostShown)
			break
		}
		fmt.Fprintf(w, "- no input is selected for %s: %s\n", markdown(u.Method), markdown(u.Reason))
	}
	for _, line := range facts(s) {
		fmt.Fprintf(w, "- %s\n", markdown(line))
	}
	if took := milliseconds(o.took); took > 0 && len(s.Rest) > 0 {
		fmt.Fprintf(w, "- the selection took %s, and saves time if an input takes longer than %s\n",
			shortDuration(took), shortDuration(took/float64(len(s.Rest))))
	}
	fmt.Fprintln(w)
}

// facts returns the facts about a selection that a report lists.
func facts(s openapi.Selection) []string {
	var out []string
	if s.Everything && s.WithoutFallbacks > 0 {
		out = append(out, fmt.Sprintf("without these causes, %s would be selected", cli.Count(s.WithoutFallbacks, "input", "inputs")))
	}
	if s.Age > 0 {
		out = append(out, fmt.Sprintf("the model is %s old; %.0f %% of the methods changed since", cli.Count(s.Age, "commit", "commits"), 100*s.Stale))
	}
	return out
}

// markdown escapes a text for Markdown.
func markdown(text string) string {
	var b strings.Builder
	for _, c := range cli.Printable(text) {
		if strings.ContainsRune("\\`*_{}[]<>()#+-!|&~@", c) {
			fmt.Fprintf(&b, "&#%d;", c)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}
