package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/inroad/inroad/api/outfile"
	"github.com/inroad/inroad/targeting/selection"
)

// write writes a selection to all that asked for it.
func (opt *selectOptions) write(f *found) error {
	chosen, rest := f.paths(), f.rest
	printed := chosen
	if opt.mode != "enforce" {
		printed = slices.Concat(chosen, rest)
	}
	if opt.format == "json" || opt.format == "github" || opt.jsonOut != "" {
		if err := checkText(append(chosen, rest...)); err != nil {
			return err
		}
	}
	out := bufio.NewWriter(opt.stdout)
	if err := opt.writeAs(out, f, printed); err != nil {
		return err
	}
	if opt.rest != "" {
		if err := writeWhole(opt.rest, func(w io.Writer) error { return writePaths(w, rest, opt.format == "paths0") }); err != nil {
			return err
		}
	}
	if opt.jsonOut != "" {
		if err := writeWhole(opt.jsonOut, func(w io.Writer) error { return writeJSON(w, f.Report) }); err != nil {
			return err
		}
	}
	if opt.summary != "" {
		if err := addTo("summary", opt.summary, f.writeSummary); err != nil {
			return err
		}
	}
	if opt.outputs != "" {
		if err := addTo("github-output", opt.outputs, func(w io.Writer) error { return f.writeOutputs(w, len(printed)) }); err != nil {
			return err
		}
	}
	opt.tell(f)
	return out.Flush()
}

// paths returns the paths that are chosen.
func (f *found) paths() []string {
	var out []string
	for _, c := range f.Inputs {
		out = append(out, c.Path)
	}
	return out
}

func (opt *selectOptions) writeAs(w io.Writer, f *found, paths []string) error {
	switch opt.format {
	case "json":
		return writeJSON(w, f.Report)
	case "github":
		return writeGitHub(w, f, paths)
	}
	return writePaths(w, paths, opt.format == "paths0")
}

// writePaths writes paths for other programs. One that begins with a hyphen
// would be taken for a flag.
func writePaths(w io.Writer, paths []string, zero bool) error {
	end := "\n"
	if zero {
		end = "\x00"
	}
	for _, path := range paths {
		if !zero && strings.ContainsAny(path, "\n\r") {
			return fmt.Errorf("%s: a path with a line end cannot be a line; --format paths0 can have it", printable(path))
		}
	}
	out := bufio.NewWriter(w)
	for _, path := range paths {
		fmt.Fprint(out, safePath(path), end)
	}
	return out.Flush()
}

func safePath(path string) string {
	if strings.HasPrefix(path, "-") {
		return "./" + path
	}
	return path
}

// checkText refuses paths that JSON cannot have.
func checkText(paths []string) error {
	for _, path := range paths {
		if !utf8.ValidString(path) {
			return fmt.Errorf("%s: a path that is no text cannot be in JSON; --format paths0 can have it", printable(path))
		}
	}
	return nil
}

// writeGitHub writes outputs of a step with the paths among them.
func writeGitHub(w io.Writer, f *found, paths []string) error {
	list := []string{}
	for _, path := range paths {
		list = append(list, safePath(path))
	}
	inputs, err := json.Marshal(list)
	if err != nil {
		return err
	}
	if err := f.writeOutputs(w, len(list)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "inputs=%s\n", inputs)
	return err
}

// writeOutputs writes outputs of a step, a line each. JSON has no line ends in it.
func (f *found) writeOutputs(w io.Writer, n int) error {
	causes := append([]selection.Fallback{}, f.Fallbacks[:min(len(f.Fallbacks), mostShown)]...)
	fallbacks, err := json.Marshal(causes)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "count=%d\ntotal=%d\neverything=%t\nfallbacks=%s\n", n, f.Corpus, f.Everything, fallbacks)
	return err
}

// writeWhole writes a file that others may read. A regular file is written whole or not at all.
func writeWhole(name string, write func(io.Writer) error) error {
	if err := outfile.Write(name, 0o644, write); err != nil {
		return fmt.Errorf("%s: %w", printable(name), cause(err))
	}
	return nil
}

// tell says on standard error what was chosen.
func (opt *selectOptions) tell(f *found) {
	for _, why := range f.whyEverything() {
		fmt.Fprintf(opt.stderr, "inroad: everything is called for: %s\n", printable(why))
	}
	fmt.Fprintf(opt.stderr, "inroad: %s\n", printable(f.sentence()))
	if opt.explain {
		for _, unit := range f.Changed {
			fmt.Fprintf(opt.stderr, "changed: %s\n", printable(unit))
		}
		for _, c := range f.Inputs {
			fmt.Fprintf(opt.stderr, "%s: %s\n", printable(c.Path), printable(reasons(c)))
		}
	}
}

// mostShown is how many reasons or methods people are told.
const mostShown = 10

// whyEverything returns the reasons to run everything, or the first of them.
func (f *found) whyEverything() []string {
	var out []string
	for i, fall := range f.Fallbacks {
		if i == mostShown {
			return append(out, fmt.Sprintf("and for %d more reasons", len(f.Fallbacks)-mostShown))
		}
		out = append(out, fall.String())
	}
	return out
}

func reasons(c selection.Entry) string {
	var out []string
	for _, r := range c.Reasons {
		out = append(out, r.String())
	}
	return strings.Join(out, "; ")
}

// sentence sums a selection up.
func (f *found) sentence() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %s chosen", len(f.Inputs), count(f.Corpus, "input", "inputs"))
	if f.TotalMS > 0 {
		fmt.Fprintf(&b, ", about %s of %s", shortDuration(milliseconds(f.CostMS)), shortDuration(milliseconds(f.TotalMS)))
	}
	if len(f.Changed) > 0 {
		fmt.Fprintf(&b, "; %s changed", count(len(f.Changed), "method", "methods"))
	}
	if len(f.Changed) > 0 && !f.Everything {
		fmt.Fprintf(&b, ", and %.0f %% of the inputs that reach them are expected among those chosen", 100*f.Recall)
	}
	if f.Cut {
		b.WriteString("; there was no room for more")
	}
	return b.String()
}

func milliseconds(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

// addTo adds to the end of the file that a flag names.
func addTo(flag, name string, write func(io.Writer) error) (err error) {
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644) //nolint:gosec // for others to read
	if err != nil {
		return fmt.Errorf("--%s %s: %w", flag, printable(name), cause(err))
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	out := bufio.NewWriter(file)
	if err := write(out); err != nil {
		return err
	}
	return out.Flush()
}

// writeSummary writes a summary in Markdown.
func (f *found) writeSummary(out io.Writer) error {
	fmt.Fprintf(out, "### Inputs for this change\n\n%s.\n\n", markdown(f.sentence()))
	for _, why := range f.whyEverything() {
		fmt.Fprintf(out, "- everything is called for: %s\n", markdown(why))
	}
	for i, unit := range f.Changed {
		if i == mostShown {
			fmt.Fprintf(out, "- and %d more\n", len(f.Changed)-mostShown)
			break
		}
		fmt.Fprintf(out, "- changed: %s\n", markdown(unit))
	}
	_, err := fmt.Fprintln(out)
	return err
}

// markdown returns a text that Markdown shows as it is.
func markdown(text string) string {
	var b strings.Builder
	for _, c := range printable(text) {
		if strings.ContainsRune("\\`*_{}[]<>()#+-!|&~@", c) {
			fmt.Fprintf(&b, "&#%d;", c)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}
