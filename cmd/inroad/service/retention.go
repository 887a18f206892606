package service

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api/client"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/server"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
	"github.com/inroad/inroad/cmd/inroad/cli"
)

// A keeper deletes data, and applies retention policies: in a store, or as the client of
// a service.
type keeper interface {
	DeleteGrammar(ctx context.Context, id string) error
	DeleteSubject(ctx context.Context, name string, req openapi.DeleteSubjectParams) error
	DeleteModel(ctx context.Context, name string) error
	DeleteKeyEvents(ctx context.Context, req openapi.DeleteKeyEventsParams) (openapi.DeletedEvents, error)
	Policies(ctx context.Context, req openapi.ListPoliciesParams) (openapi.PolicyList, error)
	PutPolicy(ctx context.Context, subject string, req openapi.PolicyRequest) (openapi.Policy, error)
	DeletePolicy(ctx context.Context, subject string) error
	Prune(ctx context.Context, req openapi.PruneRequest) (openapi.Pruning, error)
}

// newKeeperCommand returns a command that deletes data or applies policies.
func newKeeperCommand(use, short, long string, args int, run func(ctx context.Context, t *target, k keeper, args []string) error) (*target, *cobra.Command) {
	t := &target{}
	cmd := &cobra.Command{Use: use, Short: short, Long: long, Args: cobra.ExactArgs(args)}
	return t, bindTarget(t, cmd, bolt.Options{Existing: true},
		func(s store.Store) keeper { return server.Retention{Store: s, Now: time.Now} },
		func(c *client.Client) keeper { return c },
		func(ctx context.Context, k keeper, args []string) error { return run(ctx, t, k, args) })
}

// maxDays is the maximum number of days that --days of store delete key-log takes, as for
// a policy.
const maxDays = 36500

// newStoreDelete returns the commands store delete observations, model, grammar and
// key-log.
func newStoreDelete() *cobra.Command {
	var commit string
	var changed func(flag string) bool
	_, observations := newKeeperCommand("observations --store FILE|--server URL PROGRAM [--commit COMMIT]", "Delete the observations of a program, or of one of its commits", "", 1,
		func(ctx context.Context, _ *target, k keeper, args []string) error {
			var req openapi.DeleteSubjectParams
			if changed("commit") {
				req.Commit = &commit
			}
			return k.DeleteSubject(ctx, args[0], req)
		})
	changed = observations.Flags().Changed
	observations.Flags().StringVar(&commit, "commit", "", "`COMMIT` whose observations to delete, which may be empty; all commits unless given")
	_, model := newKeeperCommand("model --store FILE|--server URL MODEL", "Delete a model", "", 1,
		func(ctx context.Context, _ *target, k keeper, args []string) error {
			return k.DeleteModel(ctx, args[0])
		})
	_, grammar := newKeeperCommand("grammar --store FILE|--server URL ID", "Delete an uploaded grammar", "", 1,
		func(ctx context.Context, _ *target, k keeper, args []string) error {
			return k.DeleteGrammar(ctx, args[0])
		})
	var days int
	_, log := newKeeperCommand("key-log --store FILE|--server URL --days N", "Delete entries of the key log that are older than some days", "", 0,
		func(ctx context.Context, t *target, k keeper, _ []string) error {
			if days < 1 || days > maxDays {
				return fmt.Errorf("--days %d: must be between 1 and %d", days, maxDays)
			}
			deleted, err := k.DeleteKeyEvents(ctx, openapi.DeleteKeyEventsParams{Until: time.Now().AddDate(0, 0, -days)})
			if err == nil {
				_, err = fmt.Fprintln(t.Out, cli.Count(int(deleted.Deleted), "entry", "entries"))
			}
			return err
		})
	log.Flags().IntVar(&days, "days", 0, "keep the entries of this many `DAYS`")
	return cli.Group("delete observations|model|grammar|key-log --store FILE|--server URL", "Delete observations, models, grammars or old key events", `Delete observations, models, grammars or old key events.

What something uses is not deleted, and the error names what uses it: an alias, a
training, a running campaign; for a grammar, also a model or any campaign.`, observations, model, grammar, log)
}

// newStorePolicy returns the commands store policy set, list and delete.
func newStorePolicy() *cobra.Command {
	req := &openapi.PolicyRequest{}
	_, set := newKeeperCommand("set --store FILE|--server URL PROGRAM [--commits N] [--models N] [--days N]", "Set the retention policy of a program",
		`Set the retention policy of a program, or of all programs without a policy of
their own if PROGRAM is '*'. Flags that are not given do not limit anything.

Always kept are: the commit that was updated last; models with an alias and the
observations that they were trained on; and what a training or a running campaign
uses.`, 1,
		func(ctx context.Context, _ *target, k keeper, args []string) error {
			if err := openapi.Validate(req); err != nil {
				return err
			}
			_, err := k.PutPolicy(ctx, args[0], *req)
			return err
		})
	set.Example = `  inroad store policy set --store inroad.db calc --commits 10 --models 0
  inroad store policy set --server https://inroad.example.org '*' --days 90`
	cli.Bind(set.Flags(), req, "commits", "models", "days")
	t, list := newKeeperCommand("list --store FILE|--server URL [flags]", "List the retention policies", "", 0,
		func(ctx context.Context, t *target, k keeper, _ []string) error {
			found, err := k.Policies(ctx, openapi.ListPoliciesParams{})
			switch {
			case err != nil:
				return err
			case t.format == "json":
				return cli.WriteJSON(t.Out, found)
			}
			out := tabwriter.NewWriter(t.Out, 0, 0, 2, ' ', 0)
			for _, p := range found.Policies {
				fmt.Fprintf(out, "%s\t%s\n", cli.Printable(p.Subject), rules(p))
			}
			return out.Flush()
		})
	cli.BindFormat(list.Flags(), &t.format, "text", "json")
	_, remove := newKeeperCommand("delete --store FILE|--server URL PROGRAM", "Delete the retention policy of a program", "", 1,
		func(ctx context.Context, _ *target, k keeper, args []string) error {
			return k.DeletePolicy(ctx, args[0])
		})
	return cli.Group("policy set|list|delete --store FILE|--server URL", "Manage what is kept of programs", `Manage what is kept of programs.

A service applies the policies every hour; inroad store prune applies them now.`, set, list, remove)
}

// rules describes the rules of a policy.
func rules(p openapi.Policy) string {
	var out []string
	if p.Commits != nil {
		out = append(out, "keep "+cli.Count(*p.Commits, "commit", "commits"))
	}
	switch {
	case p.Models != nil && *p.Models == 0:
		out = append(out, "keep only models with an alias")
	case p.Models != nil:
		out = append(out, "keep "+cli.Count(*p.Models, "model", "models"))
	}
	if p.Days != nil {
		out = append(out, "keep "+cli.Count(*p.Days, "day", "days"))
	}
	if len(out) == 0 {
		return "keep everything"
	}
	return strings.Join(out, ", ")
}

// newStorePrune returns the command store prune.
func newStorePrune() *cobra.Command {
	req := &openapi.PruneRequest{}
	t, cmd := newKeeperCommand("prune --store FILE|--server URL [--dry-run]", "Apply the retention policies now, and list what they delete",
		`Apply the retention policies now, and list what they delete: observations of
commits and models, with the rule that does not keep them.

A file does not become smaller, but reuses the space; inroad store compact
releases it.`, 0,
		func(ctx context.Context, t *target, k keeper, _ []string) error {
			done, err := k.Prune(ctx, *req)
			if err != nil {
				return err
			}
			if t.format == "json" {
				return cli.WriteJSON(t.Out, done)
			}
			return printPruning(t, done)
		})
	cli.Bind(cmd.Flags(), req, "dry_run")
	cli.BindFormat(cmd.Flags(), &t.format, "text", "json")
	return cmd
}

// printPruning lists the data that was deleted, or would be.
func printPruning(t *target, done openapi.Pruning) error {
	out := tabwriter.NewWriter(t.Out, 0, 0, 2, ' ', 0)
	observations, models := int64(0), 0
	for _, d := range done.Deleted {
		what := cli.Count(int(d.Observations), "observation", "observations")
		if d.Model != "" {
			what = "model " + cli.Printable(d.Model)
			models++
		}
		observations += d.Observations
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", cli.Printable(d.Subject), cli.Printable(fmt.Sprintf("commit %q", d.Commit)), what, d.Reason)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	verb := "deleted"
	if done.DryRun {
		verb = "would be deleted"
	}
	_, err := fmt.Fprintf(t.Out, "%s: %s, %s\n", verb, cli.Count(int(observations), "observation", "observations"), cli.Count(models, "model", "models"))
	return err
}
