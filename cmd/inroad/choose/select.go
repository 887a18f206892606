package choose

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/client"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/outfile"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/targeting/selection"
)

// A task holds the state that select and select minimize share: a request about a
// corpus, and the output.
type task struct {
	req    openapi.SelectRequest
	corpus corpus
	cache  cache
	server cli.Server
	output output
	cli.Streams

	service api.Service
}

// bindCorpus adds the flags for the corpus and the model.
func (t *task) bindCorpus(flags *pflag.FlagSet) {
	cli.BindModel(flags, &t.req.Model)
	flags.StringArrayVar(&t.corpus.paths, "corpus", nil, "`DIR` of inputs, or one input; may be repeated")
	flags.StringArrayVar(&t.corpus.observations, "observations", nil, "`FILE` with the methods that inputs reached and how long they took; may be repeated")
	flags.StringVar(&t.corpus.history, "history", "", "`FILE` with the results of earlier selections")
	flags.StringVar(&t.cache.file, "cache", "", "`FILE` to cache predictions in; a service has its own cache")
	t.server.BindWorkers(flags)
}

// check returns an error unless there is a model and a corpus.
func (t *task) check() error {
	switch {
	case t.req.Model == "":
		return errors.New("no model: give --model FILE")
	case len(t.corpus.paths) == 0:
		return errors.New("no inputs: give --corpus DIR")
	}
	return nil
}

// open lists the inputs of the corpus, and opens the service.
func (t *task) open(streams cli.Streams) (err error) {
	t.Streams, t.corpus.Streams, t.output.Streams = streams, streams, streams
	if t.service, err = t.server.Service(); err != nil {
		return err
	}
	if engine, ok := t.service.(*api.Engine); ok && t.cache.file != "" {
		engine.Cache = t.cache.open
	}
	return t.corpus.list()
}

// ask sends the request for a model and saves the cache.
func (t *task) ask(ctx context.Context, m openapi.Model) (openapi.Selection, error) {
	req := t.req // a copy, because t.req selects all inputs if this fails
	req.Model = m.ID
	if err := t.corpus.readObservations(ctx, m.Commit); err != nil {
		return openapi.Selection{}, err
	}
	if t.req.BudgetMs > 0 && t.corpus.costs.Unknown {
		t.Notef("note: no durations of inputs are known, so --budget does not limit the selection; give --history or --observations with durations")
	}
	bar := cli.NewProgress(t.Err, "inputs", len(t.corpus.files))
	defer bar.End()
	s, err := t.service.Select(ctx, req, t.corpus.inputs(ctx, bar))
	if err != nil {
		return s, err
	}
	cli.NoteSeed(t.Streams, t.req.Seed, s.Seed)
	t.noteFit(ctx, m)
	return s, t.cache.save()
}

type selectCommand struct {
	task
	change      change
	age         int     // of the model, in commits
	stale       float64 // share of the methods that changed since the model was trained
	onError     string
	generateDir string
}

// NewSelect returns the command select.
func NewSelect() *cobra.Command {
	c := &selectCommand{}
	cmd := &cobra.Command{
		Use:   "select --model MODEL --corpus DIR [--base REV] [flags]",
		Short: "Select the inputs of a corpus to run for a change",
		Long: `Select the inputs of a corpus to run for a change.

The change is the difference between the working tree and the base, or a unified
diff against the commit that the model was trained at. Source files are compared by
their declarations: a changed constant affects the methods that mention it, and
comments affect none. Inputs that are recorded to reach an affected method, or
predicted to, are selected. So are inputs that the change adds or edits, that failed
recently or that --always names, and a few at random, to measure the recall.

A changed method that no observation reached is reported, and selects no input. All
inputs are selected if the effect of the change is unknown: there is no model, a
build file changed, the clone is shallow, or any error occurs. The exit status is 0
then, unless --on-error fail is given and an error occurs.

Paths are printed in the order to run them: first one input of each class.`,
		Example: `  inroad select --model p.model --corpus testdata --base origin/main | xargs -r -d '\n' ./run-inputs
  inroad select --model p.model --corpus testdata --base origin/main --budget 5m --format paths0 --rest rest.txt
  inroad select minimize --model p.model --corpus testdata
  inroad select learn results.ndjson --selection select.json --history history.json`,
		Args: cli.UnknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.check(); err != nil {
				return err
			}
			if err := c.open(cli.StreamsOf(cmd)); err != nil {
				return err
			}
			return c.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	c.bindCorpus(flags)
	c.change.bind(flags)
	cli.Bind(flags, &c.req, "root", "run_all_on", "ignore", "ignore_causes", "always", "recall", "budget_ms", "max", "per_class", "sample", "min_recall", "min_chance", "seed", "generate")
	flags.StringVar(&c.generateDir, "generate-dir", "", "`DIR` to write generated inputs to")
	c.output.bind(flags)
	cli.BindEnum(flags, &c.onError, "on-error", "all selects all inputs on an error, fail fails", "all", "fail")
	c.server.Bind(flags)
	cmd.AddCommand(newMinimize(), newLearn(), newReport(), newUpdate())
	return cmd
}

// check checks flags that depend on each other.
func (c *selectCommand) check() error {
	err := c.task.check()
	switch {
	case err != nil:
		return err
	case c.change.diff != "" && (c.change.base != "" || c.change.head != ""):
		return errors.New("--diff: cannot be combined with --base or --head")
	case (c.req.Generate > 0) != (c.generateDir != ""):
		return errors.New("--generate and --generate-dir: give both or neither")
	}
	return nil
}

func (c *selectCommand) run(ctx context.Context) error {
	started := time.Now()
	s, err := c.choose(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil && c.onError == "all" {
		cause := selection.OtherError
		if _, ok := errors.AsType[*client.UnreachableError](err); ok {
			cause = selection.Unreachable
		}
		s, err = c.selectAll(cause, err.Error())
	}
	if err != nil {
		return err
	}
	s.Base, s.Age, s.Stale = c.change.base, c.age, c.stale
	c.output.took = time.Since(started)
	return c.output.write(s)
}

func (c *selectCommand) choose(ctx context.Context) (openapi.Selection, error) {
	if err := c.corpus.readHistory(); err != nil {
		return openapi.Selection{}, err
	}
	m, err := cli.OpenModel(ctx, c.service, c.req.Model, c.Streams)
	if errors.Is(err, fs.ErrNotExist) {
		return c.withoutModel(ctx)
	}
	if err != nil {
		return openapi.Selection{}, err
	}
	if err := c.readChange(ctx, m.Commit); err != nil {
		return openapi.Selection{}, err
	}
	s, err := c.ask(ctx, m)
	if err != nil {
		return s, err
	}
	return s, c.writeGenerated(&s)
}

// readChange adds the change to the request, and marks the inputs that it adds or
// edits.
func (c *selectCommand) readChange(ctx context.Context, commit string) (err error) {
	c.req.Root = filepath.ToSlash(c.req.Root)
	if c.change.diff != "" {
		for _, name := range c.corpus.paths {
			c.req.Folders = append(c.req.Folders, filepath.ToSlash(name))
		}
		c.req.Diff, err = c.change.readDiff(ctx, c.In)
		return err
	}
	found, err := c.readGit(ctx, commit)
	if err != nil {
		return err
	}
	if commit == "" {
		found.Fallbacks = []selection.Fallback{{Cause: selection.StaleModel, Detail: "the model does not name the commit that it was trained at"}}
	}
	c.age, c.stale = found.Age, found.Staleness()
	c.req.Changes, c.req.Ignored = api.SelectChanges(found.Changes), found.Ignored
	for _, f := range found.Fallbacks {
		c.req.Fallbacks = append(c.req.Fallbacks, openapi.Fallback{Cause: string(f.Cause), Detail: f.Detail})
	}
	return nil
}

// readGit reads the change in the repository, for a model that was trained at a
// commit.
func (c *selectCommand) readGit(ctx context.Context, commit string) (*selection.GitChange, error) {
	rules := selection.Rules{RunAllOn: c.req.RunAllOn, Ignore: append(selection.DefaultIgnore(), c.req.Ignore...)}
	found, err := c.change.readGit(ctx, selection.ChangeOptions{
		Commit:         commit,
		CompareOptions: selection.CompareOptions{Rules: rules, Inputs: c.corpus.paths},
	}, c.Streams)
	if err == nil {
		c.corpus.changed = found.ChangedInputs(c.corpus.files)
	}
	return found, err
}

// withoutModel selects all inputs. The change still determines which of them are new.
func (c *selectCommand) withoutModel(ctx context.Context) (openapi.Selection, error) {
	if c.change.diff == "" {
		if _, err := c.readGit(ctx, ""); err != nil {
			return openapi.Selection{}, err
		}
	}
	return c.selectAll(selection.NoModel, c.req.Model+": not found")
}

// selectAll selects all inputs, for the given reason.
func (c *selectCommand) selectAll(cause selection.Cause, detail string) (openapi.Selection, error) {
	return api.SelectAll(c.req, c.corpus.withoutContent(), openapi.Fallback{Cause: string(cause), Detail: detail})
}

// writeGenerated writes the generated inputs to their folder, and reports the methods
// for which none was generated.
func (c *selectCommand) writeGenerated(s *openapi.Selection) error {
	for _, miss := range s.Missed {
		c.Notef("note: no input was generated for %s: %s", cli.Printable(miss.Method), cli.Printable(miss.Reason))
	}
	for i, in := range s.Inputs {
		if in.Input == nil && in.InputBase64 == nil {
			continue
		}
		text, err := api.Decode(in.Input, in.InputBase64)
		if err != nil {
			return err
		}
		name := filepath.Join(c.generateDir, in.Path)
		err = os.MkdirAll(c.generateDir, 0o755) //nolint:gosec // inputs are for others to read
		if err == nil {
			err = outfile.Write(name, 0o644, func(w io.Writer) error { _, err := w.Write(text); return err })
		}
		if err != nil {
			return fmt.Errorf("--generate-dir %s: %w", cli.Printable(c.generateDir), cli.Cause(err))
		}
		s.Inputs[i].Path = filepath.ToSlash(name)
	}
	return nil
}

func newMinimize() *cobra.Command {
	t := &task{}
	t.req.Minimize = true
	cmd := &cobra.Command{
		Use:   "minimize --model MODEL --corpus DIR [flags]",
		Short: "Select a smallest part of a corpus that reaches the same methods",
		Long: `Select a part of a corpus that reaches the same methods as the whole corpus, and
from which no input can be removed without losing a method. Cheap inputs are
preferred. Inputs that cannot be predicted are all kept.`,
		Example: `  inroad select minimize --model p.model --corpus testdata`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := t.check(); err != nil {
				return err
			}
			if err := t.open(cli.StreamsOf(cmd)); err != nil {
				return err
			}
			if err := t.corpus.readHistory(); err != nil {
				return err
			}
			m, err := cli.OpenModel(cmd.Context(), t.service, t.req.Model, t.Streams)
			if err != nil {
				return err
			}
			s, err := t.ask(cmd.Context(), m)
			if err != nil {
				return err
			}
			return t.output.write(s)
		},
	}
	t.bindCorpus(cmd.Flags())
	t.output.bind(cmd.Flags())
	t.server.Bind(cmd.Flags())
	return cmd
}
