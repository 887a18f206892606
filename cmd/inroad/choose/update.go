package choose

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api/outfile"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/selection"
)

type updateCommand struct {
	model, out   string // files
	observations []string
	root         string
	runAllOn     []string
	ignore       []string
	corpus       []string
	cli.Streams
}

func newUpdate() *cobra.Command {
	c := &updateCommand{}
	cmd := &cobra.Command{
		Use:   "update --model FILE --observations FILE --out FILE",
		Short: "Update the recorded inputs of a model to a later commit",
		Long: `Update the record of which methods inputs reached to a later commit, from
observations of the inputs that were selected and run there. Inputs that were not
observed again stay recorded, unless they reached a method that changed between the
two commits. The trees stay those of the first commit: they predict inputs that are
not recorded. Train a new model from time to time.`,
		Example: `  inroad observe --go ParseInput --inputs selected --out run.ndjson
  inroad select update --model p.model --observations run.ndjson --out p.model`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.Streams = cli.StreamsOf(cmd)
			return c.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&c.model, "model", "", "model `FILE`")
	flags.StringArrayVar(&c.observations, "observations", nil, "`FILE` of observations at the later commit; may be repeated")
	flags.StringVar(&c.out, "out", "", "`FILE` for the updated model; may be the same")
	flags.StringVar(&c.root, "root", ".", "`DIR` of the repository to which the file names of methods are relative")
	flags.StringArrayVar(&c.runAllOn, "run-all-on", nil, "files (`PATTERN`) whose change affects all inputs; may be repeated")
	flags.StringArrayVar(&c.ignore, "ignore", nil, "files (`PATTERN`) whose change affects no input; may be repeated")
	flags.StringArrayVar(&c.corpus, "corpus", nil, "`DIR` of inputs, which are not part of the program; may be repeated")
	return cmd
}

func (c *updateCommand) run(ctx context.Context) error {
	switch {
	case c.model == "":
		return errors.New("no model: give --model FILE")
	case len(c.observations) == 0:
		return errors.New("no observations: give --observations FILE")
	case c.out == "":
		return errors.New("no output: give --out FILE")
	}
	rules := selection.Rules{RunAllOn: c.runAllOn, Ignore: append(selection.DefaultIgnore(), c.ignore...)}
	for flag, patterns := range map[string][]string{"run-all-on": c.runAllOn, "ignore": c.ignore} {
		if err := selection.CheckPatterns(patterns); err != nil {
			return fmt.Errorf("--%s: %w", flag, err)
		}
	}
	file, err := os.Open(c.model)
	if err != nil {
		return cli.FileError(c.model, err)
	}
	defer func() { _ = file.Close() }() // it was only read
	m, err := model.ReadModel(ctx, file)
	if err != nil {
		return cli.FileError(c.model, err)
	}
	u, err := c.readObservations(ctx, m)
	if err != nil {
		return err
	}
	if err := c.findAffected(ctx, m, &u, rules); err != nil {
		return err
	}
	updated, kept, dropped, err := m.Update(ctx, u)
	if err != nil {
		return err
	}
	if err := cli.FileError(c.out, outfile.Write(c.out, 0o644, updated.Write)); err != nil {
		return err
	}
	c.Notef("%s recorded at %.12s: %d observed, %d kept, %d dropped because a method that they reached changed",
		cli.Count(updated.Recorded(), "input", "inputs"), cli.Printable(u.Header.Commit), updated.Recorded()-kept, kept, dropped)
	return nil
}

// readObservations reads observations of one program at one commit.
func (c *updateCommand) readObservations(ctx context.Context, m *model.Model) (u model.Update, err error) {
	files, err := cli.OpenObservations(ctx, c.observations, false, c.Streams)
	if err != nil {
		return u, err
	}
	defer files.Close()
	first := true
	for block, err := range files.Blocks() {
		if err != nil {
			return u, err
		}
		if !first && block.Header.Commit != u.Header.Commit {
			return u, fmt.Errorf("%s: observations of commit %q, but earlier files have observations of commit %q", block.File, block.Header.Commit, u.Header.Commit)
		}
		first = false
		u.Header.Subject, u.Header.Commit = block.Header.Subject, block.Header.Commit
		u.Header.Units = append(u.Header.Units, block.Header.Units...) // a block has only units that are not in earlier blocks of its file
		for _, o := range block.Observations {
			u.Observations = append(u.Observations, observation.Observation{Input: o.Input, Methods: o.Methods})
		}
	}
	files.Summarize()
	switch commit := u.Header.Commit; {
	case m.Subject != "" && u.Header.Subject != "" && m.Subject != u.Header.Subject:
		return u, fmt.Errorf("observations of %q: must be of %q, as the model is", u.Header.Subject, m.Subject)
	case commit == "" || m.Commit == "":
		return u, errors.New("the model and the observations must name their commits")
	case strings.HasSuffix(commit, "-dirty") || strings.HasSuffix(m.Commit, "-dirty"):
		return u, errors.New("the program had uncommitted changes when it was observed: commit them, and observe again")
	}
	return u, nil
}

// findAffected finds the methods that changed between the two commits.
func (c *updateCommand) findAffected(ctx context.Context, m *model.Model, u *model.Update, rules selection.Rules) (err error) {
	r, err := selection.OpenRepository(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if err := r.SetHead(ctx, u.Header.Commit); err != nil {
		return err
	}
	found, err := r.Change(ctx, selection.ChangeOptions{
		Base: m.Commit, Commit: m.Commit, Exact: true,
		CompareOptions: selection.CompareOptions{Rules: rules, Inputs: c.corpus},
	})
	if err != nil {
		return err
	}
	change := selection.NewTable(m.Units, filepath.ToSlash(c.root)).MapCode(&found.SourceChange, func(unit int) bool {
		reached, _ := m.Support(unit)
		return reached > 0
	})
	for _, f := range change.Fallbacks {
		c.Notef("all recorded inputs that were not observed again are dropped: %s", cli.Printable(f.String()))
		u.All = true
	}
	u.Affected = change.Units
	return nil
}
