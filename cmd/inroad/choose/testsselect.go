package choose

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/outfile"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/selection"
	"github.com/inroad/inroad/targeting/selection/tests"
)

type testsSelectCommand struct {
	observations          []string
	change                change
	req                   openapi.SelectRequest // its patterns and root
	history               string
	format, onError       string
	rest, jsonOut, junit  string // files
	summary, githubOutput string // files that are appended to
	explain               bool
	cli.Streams

	header observation.Header
	tests  []tests.Test
}

func newTestsSelect() *cobra.Command {
	c := &testsSelectCommand{}
	cmd := &cobra.Command{
		Use:   "select --observations FILE [--base REV] [flags]",
		Short: "Select the tests that a change affects",
		Long: `Select the tests that a change affects: those that reached a changed method when they
were recorded, those whose own files changed, those that nothing is recorded of, and
those that failed recently.

If a test file changed, its package, file or class is selected as a whole, so that new
tests run as well. All tests are selected if the effect of the change is unknown.
Nothing is printed if no test is to be run.`,
		Example: `  inroad tests select --observations tests.ndjson >selected && xargs -r -L1 go test <selected
  inroad tests select --observations tests.ndjson --format pytest >selected && xargs -r -d '\n' pytest <selected
  mvn test $(inroad tests select --observations tests.ndjson --format surefire)`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.Streams = cli.StreamsOf(cmd)
			return c.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&c.observations, "observations", nil, "`FILE` with the methods that tests reached; may be repeated")
	c.change.bind(flags)
	cli.Bind(flags, &c.req, "root", "run_all_on", "ignore", "always")
	flags.StringVar(&c.history, "history", "", "`FILE` with the results of earlier selections, from inroad select learn")
	cli.BindEnum(flags, &c.format, "format", "arguments for go test, pytest, Maven Surefire or Gradle; auto is for the tests that are recorded",
		"auto", "go", "pytest", "surefire", "gradle", "names", "json")
	flags.StringVar(&c.rest, "rest", "", "`FILE` for the IDs of the tests that are left out")
	flags.StringVar(&c.jsonOut, "json-out", "", "`FILE` for the selection, as --format json prints it")
	flags.StringVar(&c.junit, "junit", "", "`FILE` for the selection as a JUnit report, in which the tests left out are skipped")
	flags.StringVar(&c.summary, "summary", "", "`FILE` to append a summary in Markdown to, such as $GITHUB_STEP_SUMMARY")
	flags.StringVar(&c.githubOutput, "github-output", "", "`FILE` to append count, total, everything and fallbacks to, such as $GITHUB_OUTPUT")
	flags.BoolVar(&c.explain, "explain", false, "print on standard error why each test is selected")
	cli.BindEnum(flags, &c.onError, "on-error", "all selects all tests on an error, fail fails", "all", "fail")
	return cmd
}

func (c *testsSelectCommand) run(ctx context.Context) error {
	if len(c.observations) == 0 {
		return errors.New("no record: give --observations FILE, which inroad tests observe or import wrote")
	}
	if c.change.diff != "" && (c.change.base != "" || c.change.head != "") {
		return errors.New("--diff: cannot be combined with --base or --head")
	}
	for _, patterns := range [][]string{c.req.Always, c.req.RunAllOn, c.req.Ignore} {
		if err := selection.CheckPatterns(patterns); err != nil {
			return err
		}
	}
	s, answer, err := c.choose(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil && c.onError == "all" {
		cause := selection.OtherError
		if errors.Is(err, fs.ErrNotExist) {
			cause = selection.NoModel
		}
		s, answer = c.answer(tests.Change{Fallbacks: []selection.Fallback{{Cause: cause, Detail: err.Error()}}})
		err = nil
	}
	if err != nil {
		return err
	}
	return c.write(s, answer)
}

func (c *testsSelectCommand) choose(ctx context.Context) (*tests.Selection, openapi.Selection, error) {
	if err := c.readRecord(ctx); err != nil {
		return nil, openapi.Selection{}, err
	}
	h, err := readHistory(c.history)
	if err != nil {
		return nil, openapi.Selection{}, err
	}
	change, err := c.readChange(ctx)
	if err != nil {
		return nil, openapi.Selection{}, err
	}
	failed := h.Failed()
	change.Failed, change.Always = map[string]bool{}, c.req.Always
	for _, t := range c.tests {
		change.Failed[t.ID] = failed[selection.DigestOf([]byte(t.ID))]
	}
	s, answer := c.answer(change)
	return s, answer, nil
}

// readRecord reads the tests that are recorded. All files must be of the same commit.
func (c *testsSelectCommand) readRecord(ctx context.Context) error {
	files, err := cli.OpenObservations(ctx, c.observations, false, c.Streams)
	if err != nil {
		return err
	}
	defer files.Close()
	index := map[string]int{}
	known := map[string]bool{}
	for block, err := range files.Blocks() {
		if err != nil {
			return err
		}
		if c.header.Commit == "" {
			c.header.Commit = block.Header.Commit
		}
		if block.Header.Commit != c.header.Commit {
			return fmt.Errorf("--observations: tests recorded at %q and %q: must be at the same commit", c.header.Commit, block.Header.Commit)
		}
		for _, u := range block.Header.Units {
			if !known[u.ID] {
				known[u.ID] = true
				c.header.Units = append(c.header.Units, u)
			}
		}
		for _, o := range block.Observations {
			t := tests.Test{ID: string(o.Input), Methods: o.Methods, Duration: o.Duration}
			if i, ok := index[t.ID]; ok { // recorded again
				if t.Methods != nil {
					t.Methods = append(t.Methods, c.tests[i].Methods...)
				}
				c.tests[i] = t
				continue
			}
			index[t.ID] = len(c.tests)
			c.tests = append(c.tests, t)
		}
	}
	files.Summarize()
	return nil
}

// module returns the import path of the Go module at the root.
func (c *testsSelectCommand) module() string {
	text, err := os.ReadFile(filepath.Join(c.req.Root, "go.mod"))
	if err != nil {
		return ""
	}
	if match := goModule.FindSubmatch(text); match != nil {
		return string(match[1])
	}
	return ""
}

var goModule = regexp.MustCompile(`(?m)^module[ \t]+"?([^\s"]+)"?`)

// layout returns which files belong to the tests, relative to the root.
func (c *testsSelectCommand) layout() *tests.Layout {
	var files []string
	for _, u := range c.header.Units {
		files = append(files, u.File)
	}
	return tests.NewLayout(c.module(), c.tests, files)
}

// below returns a file of the repository relative to the root of the program. It returns
// false for a file that is not below it.
func below(root, file string) (string, bool) {
	if root = path.Clean(root); root == "." {
		return file, true
	}
	return strings.CutPrefix(file, root+"/")
}

// exists reports whether a group still exists.
func (c *testsSelectCommand) exists(group string) bool {
	if c.module() != "" && tests.KindOf(group+".Test") == tests.Go && !strings.HasSuffix(group, ".py") {
		dir := strings.TrimPrefix(strings.TrimPrefix(group, c.module()), "/")
		found, err := filepath.Glob(filepath.Join(c.req.Root, filepath.FromSlash(dir), "*_test.go"))
		return err != nil || len(found) > 0
	}
	_, err := os.Stat(filepath.Join(c.req.Root, filepath.FromSlash(group)))
	return err == nil
}

// answer selects tests. It also returns the selection in the type of the contract.
func (c *testsSelectCommand) answer(change tests.Change) (*tests.Selection, openapi.Selection) {
	s := tests.Select(c.tests, change)
	out := openapi.Selection{
		Inroad: api.SelectionFormat, Base: c.change.base, Exact: true, Everything: s.Everything, Fallbacks: []openapi.Fallback{},
		Changed: append([]string{}, change.Units...), Corpus: len(c.tests), Recall: 1, Inputs: []openapi.SelectedInput{}, Rest: []string{},
	}
	for _, f := range change.Fallbacks {
		out.Fallbacks = append(out.Fallbacks, openapi.Fallback{Cause: string(f.Cause), Detail: f.Detail})
	}
	for _, t := range s.Tests {
		entry := openapi.SelectedInput{Path: t.ID, Digest: selection.DigestOf([]byte(t.ID)).String(), Size: len(t.ID), CostMs: milliseconds(t.Duration)}
		for _, r := range t.Reasons {
			entry.Reasons = append(entry.Reasons, openapi.SelectReason{Kind: openapi.SelectReasonKind(r.Kind), Unit: r.Unit, Chance: r.Chance})
		}
		out.Inputs = append(out.Inputs, entry)
		out.CostMs += entry.CostMs
		out.Affected++
	}
	out.TotalMs = out.CostMs
	for _, t := range s.Rest {
		out.Rest = append(out.Rest, t.ID)
		out.TotalMs += milliseconds(t.Duration)
	}
	return s, out
}

// autoFormat returns the format for the tests that are recorded. If there are none, the
// tests of a Go module are Go tests.
func (c *testsSelectCommand) autoFormat() tests.Format {
	switch {
	case len(c.tests) > 0:
		return tests.FormatOf(tests.KindOf(c.tests[0].ID))
	case c.module() != "":
		return tests.GoArgs
	default:
		return tests.Names
	}
}

// write writes a selection.
func (c *testsSelectCommand) write(s *tests.Selection, answer openapi.Selection) error {
	format := tests.Format(c.format)
	if format == "auto" {
		format = c.autoFormat()
		if s.Everything && len(c.tests) == 0 && format == tests.Names { // no output would mean that no test is to be run
			return fmt.Errorf("--format auto: no test is recorded, so the format is unknown: give go, pytest, surefire or gradle; all tests are to be run: %s", fallbacks(answer)[0])
		}
	}
	out := bufio.NewWriter(c.Out)
	if format == "json" {
		if err := cli.WriteJSON(out, answer); err != nil {
			return err
		}
	} else {
		for _, line := range tests.Args(s, format, c.exists) {
			fmt.Fprintln(out, line)
		}
	}
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{c.rest, func(w io.Writer) error { return writePaths(w, answer.Rest, false) }},
		{c.jsonOut, func(w io.Writer) error { return cli.WriteJSON(w, answer) }},
		{c.junit, func(w io.Writer) error { return tests.WriteJUnit(w, s) }},
	} {
		if file.name != "" {
			if err := cli.FileError(file.name, outfile.Write(file.name, 0o644, file.write)); err != nil {
				return err
			}
		}
	}
	if err := appendTo("summary", c.summary, func(w io.Writer) { writeTestsSummary(w, s, answer) }); err != nil {
		return err
	}
	if err := appendTo("github-output", c.githubOutput, func(w io.Writer) { writeGitHub(w, answer, len(answer.Inputs)) }); err != nil {
		return err
	}
	c.report(s, answer)
	return out.Flush()
}

// report prints to standard error how many tests were selected, and why.
func (c *testsSelectCommand) report(s *tests.Selection, answer openapi.Selection) {
	for _, why := range fallbacks(answer) {
		c.Notef("all tests are to be run: %s", cli.Printable(why))
	}
	for i, id := range s.Gaps {
		if i == mostShown {
			c.Notef("note: and %d more", len(s.Gaps)-mostShown)
			break
		}
		c.Notef("note: no test reaches %s, which changed", cli.Printable(id))
	}
	c.Notef("%s", testsSentence(answer))
	if !c.explain {
		return
	}
	for _, t := range s.Tests {
		var reasons []string
		for _, r := range t.Reasons {
			reasons = append(reasons, r.String())
		}
		fmt.Fprintf(c.Err, "%s: %s\n", cli.Printable(t.ID), cli.Printable(strings.Join(reasons, "; ")))
	}
}

// testsSentence summarizes a selection of tests in a sentence.
func testsSentence(s openapi.Selection) string {
	text := fmt.Sprintf("%d of %s selected", len(s.Inputs), cli.Count(s.Corpus, "test", "tests"))
	if s.TotalMs > 0 {
		text += fmt.Sprintf(", about %s of %s", shortDuration(s.CostMs), shortDuration(s.TotalMs))
	}
	if len(s.Changed) > 0 {
		text += fmt.Sprintf("; %s changed", cli.Count(len(s.Changed), "method", "methods"))
	}
	return text
}

// writeTestsSummary writes a summary in Markdown.
func writeTestsSummary(w io.Writer, s *tests.Selection, answer openapi.Selection) {
	fmt.Fprintf(w, "### Tests for this change\n\n%s.\n\n", markdown(testsSentence(answer)))
	for _, why := range fallbacks(answer) {
		fmt.Fprintf(w, "- all tests are to be run: %s\n", markdown(why))
	}
	for title, list := range map[string][]string{"changed": answer.Changed} {
		for i, id := range list {
			if i == mostShown {
				fmt.Fprintf(w, "- and %d more\n", len(list)-mostShown)
				break
			}
			fmt.Fprintf(w, "- %s: %s\n", title, markdown(id))
		}
	}
	for i, id := range s.Gaps {
		if i == mostShown {
			break
		}
		fmt.Fprintf(w, "- no test reaches: %s\n", markdown(id))
	}
	fmt.Fprintln(w)
}
