package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/server"
	"github.com/inroad/inroad/api/store"
)

type keysOptions struct {
	store  string
	format string
	name   string
	scopes []string
	limits store.Limits
	server serverOptions

	stdout io.Writer
}

func newKeysCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "keys create|list|revoke --store FILE|--server URL",
		Short: "Make and revoke the keys that requests to the service need",
		Long: `Make and revoke the keys that requests to the service need.

A key is sent as Authorization: Bearer KEY. The store has only a digest of it. A
service that runs has its store open: it makes and revokes keys itself, for who
has one with the scope admin in INROAD_KEY.`,
		Args:                  noSuchCommand,
		DisableFlagsInUseLine: true,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newKeysCreateCommand(), newKeysListCommand(), newKeysRevokeCommand())
	return cmd
}

// newKeysPart makes one of the commands. Its run gets the keys of the store or of
// the service.
func newKeysPart(cmd *cobra.Command, opt *keysOptions, run func(ctx context.Context, keys keyring, args []string) error) *cobra.Command {
	cmd.DisableFlagsInUseLine = true
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		opt.stdout = cmd.OutOrStdout()
		if opt.store != "" {
			if cmd.Flags().Changed("server") {
				return errors.New("--store and --server: keys are kept in one of them")
			}
			return withStore(opt.store, store.Options{}, func(s *store.Store) error { return run(cmd.Context(), storedKeys{s}, args) })
		}
		c, err := opt.server.connect(cmd)
		if err != nil {
			return err
		}
		if c == nil {
			return errors.New("no store: give --store FILE, or --server URL if a service has it open")
		}
		return run(cmd.Context(), servedKeys{c}, args)
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&opt.store, "store", "", "the `FILE` that the service keeps everything in")
	opt.server.bind(flags)
	return cmd
}

// A keyring is where keys are kept.
type keyring interface {
	create(ctx context.Context, k openapi.KeyRequest) (openapi.NewKey, error)
	list(ctx context.Context) ([]openapi.Key, error)
	revoke(ctx context.Context, id string) error
}

// storedKeys are those of a store that no service has open.
type storedKeys struct{ *store.Store }

func (s storedKeys) create(_ context.Context, k openapi.KeyRequest) (openapi.NewKey, error) {
	made, secret, err := s.NewKey(server.KeyOf(k))
	return openapi.NewKey{Key: server.DescribeKey(made), Secret: secret}, err
}

func (s storedKeys) list(context.Context) ([]openapi.Key, error) {
	found, err := s.Keys()
	out := []openapi.Key{}
	for _, k := range found {
		out = append(out, server.DescribeKey(k))
	}
	return out, err
}

func (s storedKeys) revoke(_ context.Context, id string) error { return s.RevokeKey(id) }

// servedKeys are those of a service that runs.
type servedKeys struct{ *client }

func (s servedKeys) create(ctx context.Context, k openapi.KeyRequest) (openapi.NewKey, error) {
	resp, err := s.CreateKey(ctx, k)
	return read[openapi.NewKey](ctx, s.client, resp, err)
}

func (s servedKeys) list(ctx context.Context) ([]openapi.Key, error) {
	resp, err := s.ListKeys(ctx)
	list, err := read[openapi.KeyList](ctx, s.client, resp, err)
	return list.Keys, err
}

func (s servedKeys) revoke(ctx context.Context, id string) error {
	resp, err := s.RevokeKey(ctx, id)
	if err != nil {
		return err
	}
	return resp.Body.Close()
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
	cmd := newKeysPart(&cobra.Command{
		Use:   "create --store FILE|--server URL --name NAME [flags]",
		Short: "Make a key and print it, once",
		Example: `  inroad keys create --store inroad.db --name ci --scopes read,write
  curl -H "Authorization: Bearer $KEY" https://inroad.example.org/v1/models`,
		Args: cobra.NoArgs,
	}, opt, func(ctx context.Context, keys keyring, _ []string) error { return opt.create(ctx, keys) })
	flags := cmd.Flags()
	flags.StringVar(&opt.name, "name", "", "whose key it is")
	flags.StringSliceVar(&opt.scopes, "scopes", []string{"read"}, "what it allows: read to ask, write to upload and train, admin to make keys and take backups")
	bindLimits(flags, &opt.limits, "", "it", "as the service has it for all keys")
	flags.StringVar(&opt.format, "format", "text", "text for the key alone, or json")
	choices(flags, "format", "text", "json")
	return cmd
}

// bindLimits adds flags for what keys may do.
func bindLimits(flags *pflag.FlagSet, limits *store.Limits, prefix, who, otherwise string) {
	flags.Float64Var(&limits.Rate, prefix+"rate", 0, "how many requests a second "+who+" may send; "+otherwise+" if 0")
	flags.IntVar(&limits.Active, prefix+"active", 0, "how many requests "+who+" may send at the same time; "+otherwise+" if 0")
	flags.Int64Var(&limits.Upload, prefix+"upload", 0, "how many `BYTES` "+who+" may send an hour; "+otherwise+" if 0")
}

func checkLimits(limits store.Limits, prefix string) error {
	if !(limits.Rate >= 0 && limits.Rate <= 1e6) || limits.Active < 0 || limits.Upload < 0 {
		return fmt.Errorf("--%srate, --%[1]sactive and --%[1]supload are not below 0", prefix)
	}
	return nil
}

func (opt *keysOptions) create(ctx context.Context, keys keyring) error {
	if opt.name == "" {
		return errors.New("no name: say with --name whose key it is")
	}
	if err := checkLimits(opt.limits, ""); err != nil {
		return err
	}
	k := openapi.KeyRequest{Name: opt.name, Rate: opt.limits.Rate, Active: opt.limits.Active, Upload: opt.limits.Upload}
	for _, name := range opt.scopes {
		if !slices.Contains(store.Scopes(), store.Scope(name)) {
			return fmt.Errorf("--scopes %s: they are read, write and admin", name)
		}
		k.Scopes = append(k.Scopes, openapi.Scope(name))
	}
	made, err := keys.create(ctx, k)
	if err != nil {
		return err
	}
	if opt.format == "json" {
		return writeJSON(opt.stdout, made)
	}
	_, err = fmt.Fprintln(opt.stdout, made.Secret)
	return err
}

func newKeysListCommand() *cobra.Command {
	opt := &keysOptions{}
	cmd := newKeysPart(&cobra.Command{
		Use:   "list --store FILE|--server URL [flags]",
		Short: "List keys: id, scopes, limits, when they were made, whose they are",
		Args:  cobra.NoArgs,
	}, opt, func(ctx context.Context, keys keyring, _ []string) error { return opt.list(ctx, keys) })
	cmd.Flags().StringVar(&opt.format, "format", "text", "text or json")
	choices(cmd.Flags(), "format", "text", "json")
	return cmd
}

func (opt *keysOptions) list(ctx context.Context, keys keyring) error {
	found, err := keys.list(ctx)
	if err != nil {
		return err
	}
	if opt.format == "json" {
		return writeJSON(opt.stdout, openapi.KeyList{Keys: found})
	}
	out := tabwriter.NewWriter(opt.stdout, 0, 0, 2, ' ', 0)
	for _, k := range found {
		var scopes []string
		for _, scope := range k.Scopes {
			scopes = append(scopes, string(scope))
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\n", printable(k.ID), printable(strings.Join(scopes, ",")), limitsText(k), k.Created.Format(time.RFC3339), printable(k.Name))
	}
	return out.Flush()
}

// limitsText says what the limits of a key are, as flags set them.
func limitsText(k openapi.Key) string {
	var out []string
	if k.Rate > 0 {
		out = append(out, fmt.Sprintf("rate=%g", k.Rate))
	}
	if k.Active > 0 {
		out = append(out, fmt.Sprintf("active=%d", k.Active))
	}
	if k.Upload > 0 {
		out = append(out, fmt.Sprintf("upload=%d", k.Upload))
	}
	return cmp.Or(strings.Join(out, ","), "-")
}

func newKeysRevokeCommand() *cobra.Command {
	return newKeysPart(&cobra.Command{
		Use:   "revoke --store FILE|--server URL ID",
		Short: "End what a key allows",
		Args:  cobra.ExactArgs(1),
	}, &keysOptions{}, func(ctx context.Context, keys keyring, args []string) error { return keys.revoke(ctx, args[0]) })
}
