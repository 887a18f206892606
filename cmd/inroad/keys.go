package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/inroad/inroad/model/store"
)

type keysOptions struct {
	store  string
	name   string
	scopes []string
	limits store.Limits

	stdout io.Writer
}

func newKeysCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "keys create|list|revoke --store FILE",
		Short: "Make and revoke the keys that requests to the service need",
		Long: `Make and revoke the keys that requests to the service need.

A key is sent as Authorization: Bearer KEY. The store has only a digest of it. The
service must not run meanwhile: it has the store open.`,
		Args:                  noSuchCommand,
		DisableFlagsInUseLine: true,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newKeysCreateCommand(), newKeysListCommand(), newKeysRevokeCommand())
	return cmd
}

func (opt *keysOptions) bind(cmd *cobra.Command) {
	cmd.DisableFlagsInUseLine = true
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&opt.store, "store", "", "the `FILE` that the service keeps everything in")
}

// with opens the store for a while.
func (opt *keysOptions) with(do func(s *store.Store) error) error {
	return withStore(opt.store, store.Options{}, do)
}

// withStore opens a store, and closes it again.
func withStore(path string, opt store.Options, do func(s *store.Store) error) error {
	if path == "" {
		return errors.New("no store: give --store FILE")
	}
	s, err := store.Open(path, opt)
	if err != nil {
		return err
	}
	return errors.Join(do(s), s.Close())
}

func newKeysCreateCommand() *cobra.Command {
	opt := &keysOptions{}
	cmd := &cobra.Command{
		Use:   "create --store FILE --name NAME [flags]",
		Short: "Make a key and print it, once",
		Example: `  inroad keys create --store inroad.db --name ci --scopes read,write
  curl -H "Authorization: Bearer $KEY" https://inroad.example.org/v1/models`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opt.stdout = cmd.OutOrStdout()
			return opt.create()
		},
	}
	opt.bind(cmd)
	cmd.Flags().StringVar(&opt.name, "name", "", "whose key it is")
	cmd.Flags().StringSliceVar(&opt.scopes, "scopes", []string{"read"}, "what it allows: read to ask, write to upload and train, admin to take backups")
	bindLimits(cmd.Flags(), &opt.limits, "", "it", "as the service has it for all keys")
	return cmd
}

// bindLimits adds flags for what keys may do.
func bindLimits(flags *pflag.FlagSet, limits *store.Limits, prefix, who, otherwise string) {
	flags.Float64Var(&limits.Rate, prefix+"rate", 0, "how many requests a second "+who+" may send; "+otherwise+" if 0")
	flags.IntVar(&limits.Active, prefix+"active", 0, "how many requests "+who+" may send at the same time; "+otherwise+" if 0")
	flags.Int64Var(&limits.Upload, prefix+"upload", 0, "how many `BYTES` "+who+" may send an hour; "+otherwise+" if 0")
}

func checkLimits(limits store.Limits, prefix string) error {
	if !(limits.Rate >= 0 && limits.Rate <= 1e9) || limits.Active < 0 || limits.Upload < 0 {
		return fmt.Errorf("--%srate, --%[1]sactive and --%[1]supload are not below 0", prefix)
	}
	return nil
}

func (opt *keysOptions) create() error {
	if err := checkLimits(opt.limits, ""); err != nil {
		return err
	}
	if opt.name == "" {
		return errors.New("no name: say with --name whose key it is")
	}
	var scopes []store.Scope
	for _, name := range opt.scopes {
		scope := store.Scope(name)
		if !slices.Contains(store.Scopes(), scope) {
			return fmt.Errorf("--scopes %s: they are read, write and admin", name)
		}
		scopes = append(scopes, scope)
	}
	return opt.with(func(s *store.Store) error {
		_, secret, err := s.NewKey(store.Key{Name: opt.name, Scopes: scopes, Limits: opt.limits})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(opt.stdout, secret)
		return err
	})
}

func newKeysListCommand() *cobra.Command {
	opt := &keysOptions{}
	cmd := &cobra.Command{
		Use:   "list --store FILE",
		Short: "List keys: id, scopes, limits, when they were made, whose they are",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opt.stdout = cmd.OutOrStdout()
			return opt.list()
		},
	}
	opt.bind(cmd)
	return cmd
}

func (opt *keysOptions) list() error {
	return opt.with(func(s *store.Store) error {
		keys, err := s.Keys()
		if err != nil {
			return err
		}
		out := tabwriter.NewWriter(opt.stdout, 0, 0, 2, ' ', 0)
		for _, k := range keys {
			var scopes []string
			for _, scope := range k.Scopes {
				scopes = append(scopes, string(scope))
			}
			fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\n", k.ID, strings.Join(scopes, ","), limitsText(k.Limits), k.Created.Format(time.RFC3339), printable(k.Name))
		}
		return out.Flush()
	})
}

// limitsText says what the limits of a key are, as flags set them.
func limitsText(l store.Limits) string {
	var out []string
	if l.Rate > 0 {
		out = append(out, fmt.Sprintf("rate=%g", l.Rate))
	}
	if l.Active > 0 {
		out = append(out, fmt.Sprintf("active=%d", l.Active))
	}
	if l.Upload > 0 {
		out = append(out, fmt.Sprintf("upload=%d", l.Upload))
	}
	return cmp.Or(strings.Join(out, ","), "-")
}

func newKeysRevokeCommand() *cobra.Command {
	opt := &keysOptions{}
	cmd := &cobra.Command{
		Use:   "revoke --store FILE ID",
		Short: "End what a key allows",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return opt.with(func(s *store.Store) error { return s.RevokeKey(args[0]) })
		},
	}
	opt.bind(cmd)
	return cmd
}
