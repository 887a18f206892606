package service

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
	"github.com/inroad/inroad/api/store/postgres"
	"github.com/inroad/inroad/api/store/transfer"
	"github.com/inroad/inroad/cmd/inroad/cli"
)

// bindStore adds the flag --store.
func bindStore(flags *pflag.FlagSet, name *string) {
	flags.StringVar(name, "store", "", "data `FILE` of the service, or the URL of a PostgreSQL database")
}

// isDatabase reports whether a store is the URL of a PostgreSQL database.
func isDatabase(name string) bool {
	return strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://")
}

// checkName returns an error for a name that is neither a file name nor the URL of a
// PostgreSQL database.
func checkName(name string) error {
	scheme, _, isURL := strings.Cut(name, "://")
	if name == "" || isURL && !isDatabase(name) && !strings.ContainsAny(scheme, `/\\.`) {
		return fmt.Errorf("store %q: must be a file or a URL such as postgres://user@host/database", storeName(name))
	}
	return nil
}

// openStore opens the store with a name. The options apply to a file.
func openStore(ctx context.Context, name string, opt bolt.Options) (store.Store, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	if isDatabase(name) {
		return postgres.Open(ctx, name)
	}
	return bolt.Open(ctx, name, opt)
}

// serviceStore opens the store of a service. No other service can have a file open, but
// several replicas can have the same database open. serves says whether this replica
// takes requests.
func serviceStore(ctx context.Context, name string, serves bool) (store.Store, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	if !isDatabase(name) {
		return bolt.Open(ctx, name, bolt.Options{})
	}
	s, err := postgres.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	if err := s.Join(ctx, serves); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// storeName returns the name of a store for messages: a URL without its password, or only
// its scheme if it is malformed.
func storeName(name string) string {
	scheme, _, isURL := strings.Cut(name, "://")
	if !isURL {
		return name
	}
	u, err := url.Parse(name)
	if err != nil {
		return scheme + "://…"
	}
	query := u.Query()
	for _, secret := range []string{"password", "sslpassword"} {
		if query.Has(secret) {
			query.Set(secret, "xxxxx")
			u.RawQuery = query.Encode()
		}
	}
	return u.Redacted()
}

// withFile opens a store in a file, calls use with it, and closes it.
func withFile(ctx context.Context, path string, opt bolt.Options, use func(s *bolt.Store) error) error {
	s, err := bolt.Open(ctx, path, opt)
	if err != nil {
		return err
	}
	return errors.Join(use(s), s.Close())
}

type storeCommand struct {
	store  string
	format string
	cli.Streams
}

// NewStore returns the command store with its subcommands.
func NewStore() *cobra.Command {
	check, checkCmd := newStoreCommand("check --store FILE [--format json]", "Read everything in the store and report damage", 0, (*storeCommand).check)
	cli.BindFormat(checkCmd.Flags(), &check.format, "text", "json")
	_, compact := newStoreCommand("compact --store FILE", "Release the space that the store no longer uses", 0, (*storeCommand).compact)
	_, backup := newStoreCommand("backup --store FILE BACKUP", "Write a copy of the store to a new file", 1, (*storeCommand).backup)
	_, restore := newStoreCommand("restore --store FILE BACKUP", "Check a backup and create a new store from it", 1, (*storeCommand).restore)
	return cli.Group("store check|compact|backup|restore|copy|delete|policy|prune", "Maintain the service's data: check, compact, back up, copy, delete", `Maintain the service's data: check, compact, back up and restore its file, copy it
between a file and a database, and delete what is no longer needed.

A file can be used only while the service is stopped: it has the file open. A
database can be used at any time. A running service answers GET /v1/backup with a
backup of its file.`, checkCmd, compact, backup, restore, newStoreCopy(), newStoreDelete(), newStorePolicy(), newStorePrune())
}

func newStoreCommand(use, short string, args int, run func(c *storeCommand, ctx context.Context, args []string) error) (*storeCommand, *cobra.Command) {
	c := &storeCommand{}
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.ExactArgs(args),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.Streams = cli.StreamsOf(cmd)
			if c.store == "" {
				return errors.New("no store: give --store FILE")
			}
			if isDatabase(c.store) {
				return fmt.Errorf("--store %s: must be a file; PostgreSQL has its own tools (pg_dump, pg_restore, pg_amcheck)", storeName(c.store))
			}
			return run(c, cmd.Context(), args)
		},
	}
	bindStore(cmd.Flags(), &c.store)
	return c, cmd
}

func newStoreCopy() *cobra.Command {
	c := &storeCommand{}
	cmd := &cobra.Command{
		Use:   "copy FROM TO [--format json]",
		Short: "Copy everything between data files and databases",
		Long: `Copy everything from one store to another: grammars, observations, models,
aliases, jobs, campaigns, keys and their log. FROM and TO are each a data file of
the service, or the URL of a PostgreSQL database.

TO must be a new file or an empty database. The copy appears there once it is
complete and compared with FROM; a copy that fails leaves nothing behind. No
service may have the file FROM open, or use the database TO. Services may use the
database FROM: the copy has its state at one time.`,
		Example: `  inroad store copy inroad.db postgres://inroad@db.example.org/inroad
  inroad store copy postgres://inroad@db.example.org/inroad copy.db`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.Streams = cli.StreamsOf(cmd)
			return c.copyStore(cmd.Context(), args[0], args[1])
		},
	}
	cli.BindFormat(cmd.Flags(), &c.format, "text", "json")
	return cmd
}

func (c *storeCommand) copyStore(ctx context.Context, from, to string) (err error) {
	if err := checkName(to); err != nil {
		return err
	}
	if _, err := os.Lstat(to); err == nil && !isDatabase(to) {
		return fmt.Errorf("%s: already exists; TO must be a new file or an empty database", cli.Printable(to))
	}
	source, err := openStore(ctx, from, bolt.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	var copied transfer.Contents
	fill := func(target store.Store) (err error) {
		copied, err = transfer.Copy(ctx, source, target)
		return err
	}
	if isDatabase(to) {
		var target *postgres.Store
		if target, err = postgres.Open(ctx, to); err == nil {
			err = errors.Join(fill(target), target.Close())
		}
	} else {
		err = bolt.Create(ctx, to, func(s *bolt.Store) error { return fill(s) })
	}
	if err != nil {
		return err
	}
	if c.format == "json" {
		return cli.WriteJSON(c.Out, copied)
	}
	_, err = fmt.Fprintf(c.Out, "%s, %s of %s, %s with %s, %s, %s, %s, %s, %s\n",
		cli.Count(copied.Grammars, "grammar", "grammars"), cli.Count(int(copied.Observations), "observation", "observations"),
		cli.Count(copied.Commits, "commit", "commits"), cli.Count(copied.Models, "model", "models"), cli.Count(copied.Aliases, "alias", "aliases"),
		cli.Count(copied.Jobs, "job", "jobs"), cli.Count(copied.Campaigns, "campaign", "campaigns"), cli.Count(copied.Keys, "key", "keys"),
		cli.Count(copied.Events, "key event", "key events"), cli.Count(copied.Policies, "policy", "policies"))
	return err
}

func (c *storeCommand) check(ctx context.Context, _ []string) error {
	return withFile(ctx, c.store, bolt.Options{ReadOnly: true, Damaged: true}, func(s *bolt.Store) error { return c.report(ctx, s) })
}

// report prints the contents of a store and its faults.
func (c *storeCommand) report(ctx context.Context, s *bolt.Store) error {
	r, err := s.Check(ctx)
	switch {
	case err != nil:
		return err
	case c.format == "json":
		err = cli.WriteJSON(c.Out, r)
	default:
		for _, fault := range r.Faults {
			fmt.Fprintln(c.Out, cli.Printable(fault))
		}
		_, err = fmt.Fprintf(c.Out, "%s, %s of %s, %s, %s, %s, %s; %s\n",
			cli.Count(r.Grammars, "grammar", "grammars"), cli.Count(int(r.Observations), "observation", "observations"),
			cli.Count(r.Subjects, "program", "programs"), cli.Count(r.Models, "model", "models"), cli.Count(r.Jobs, "job", "jobs"),
			cli.Count(r.Campaigns, "campaign", "campaigns"), cli.Count(r.Keys, "key", "keys"), cli.Count(len(r.Faults), "fault", "faults"))
	}
	if err == nil && len(r.Faults) > 0 {
		err = cli.ErrReported
	}
	return err
}

func (c *storeCommand) compact(ctx context.Context, _ []string) error {
	before, after, err := bolt.CompactFile(ctx, c.store)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.Out, "%s: %d bytes, %d before\n", c.store, after, before)
	return err
}

func (c *storeCommand) backup(ctx context.Context, args []string) error {
	return withFile(ctx, c.store, bolt.Options{ReadOnly: true, Damaged: true}, func(s *bolt.Store) error { return s.Backup(ctx, args[0]) })
}

func (c *storeCommand) restore(ctx context.Context, args []string) error {
	if _, err := os.Lstat(c.store); err == nil {
		return fmt.Errorf("%s: already exists; move it away first", cli.Printable(c.store))
	}
	return withFile(ctx, args[0], bolt.Options{ReadOnly: true}, func(s *bolt.Store) error {
		if err := c.report(ctx, s); err != nil {
			return err
		}
		return s.Backup(ctx, c.store)
	})
}
