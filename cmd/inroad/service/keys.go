package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/server"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/cmd/inroad/cli"
)

// NewKeys returns the commands keys create, keys list and keys revoke.
func NewKeys() *cobra.Command {
	return cli.Group("keys create|list|revoke --store FILE|--server URL", "Manage the keys that requests to the service need", `Create, list and revoke the keys that requests to the service need.

A key is sent as Authorization: Bearer KEY. The store has only a digest of it. A
running service has its store open and manages its keys itself, for requests with
the scope admin; their key is read from INROAD_KEY.`,
		newKeysCreate(), newKeysList(), newKeysRevoke())
}

// A keyring stores keys: it is a store, or the client of a service.
type keyring interface {
	CreateKey(ctx context.Context, k openapi.KeyRequest) (openapi.NewKey, error)
	Keys(ctx context.Context) (openapi.KeyList, error)
	RevokeKey(ctx context.Context, id string) error
}

// storedKeys is the keyring of a store that no service has open.
type storedKeys struct{ store *store.Store }

func (s storedKeys) CreateKey(_ context.Context, req openapi.KeyRequest) (openapi.NewKey, error) {
	if err := openapi.Validate(&req); err != nil {
		return openapi.NewKey{}, err
	}
	k, secret, err := s.store.NewKey(server.KeyOf(req))
	return openapi.NewKey{Key: server.DescribeKey(k), Secret: secret}, err
}

func (s storedKeys) Keys(context.Context) (openapi.KeyList, error) {
	found, err := s.store.Keys()
	out := openapi.KeyList{Keys: []openapi.Key{}}
	for _, k := range found {
		out.Keys = append(out.Keys, server.DescribeKey(k))
	}
	return out, err
}

func (s storedKeys) RevokeKey(_ context.Context, id string) error { return s.store.RevokeKey(id) }

// A keysCommand holds the state that the keys commands share.
type keysCommand struct {
	store  string
	format string
	server cli.Server
	cli.Streams
}

// bind adds the flags that select the keyring, and sets run as the command's function.
func (c *keysCommand) bind(cmd *cobra.Command, run func(ctx context.Context, keys keyring, args []string) error) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c.Streams = cli.StreamsOf(cmd)
		switch {
		case c.store != "" && cmd.Flags().Changed("server"):
			return errors.New("--store and --server: give only one of them")
		case c.store != "":
			return withStore(c.store, store.Options{}, func(s *store.Store) error { return run(cmd.Context(), storedKeys{s}, args) })
		case c.server.URL == "":
			return errors.New("no store: give --store FILE, or --server URL if a service has it open")
		}
		client, err := c.server.Client()
		if err != nil {
			return err
		}
		return run(cmd.Context(), client, args)
	}
	flags := cmd.Flags()
	bindStore(flags, &c.store)
	c.server.Bind(flags)
	return cmd
}

func newKeysCreate() *cobra.Command {
	c, req := &keysCommand{}, &openapi.KeyRequest{}
	cmd := c.bind(&cobra.Command{
		Use:   "create --store FILE|--server URL --name NAME [flags]",
		Short: "Create a key and print it, once",
		Example: `  inroad keys create --store inroad.db --name ci --scopes read,write
  curl -H "Authorization: Bearer $KEY" https://inroad.example.org/v1/models`,
		Args: cobra.NoArgs,
	}, func(ctx context.Context, keys keyring, _ []string) error {
		created, err := keys.CreateKey(ctx, *req)
		if err != nil {
			return err
		}
		if c.format == "json" {
			return cli.WriteJSON(c.Out, created)
		}
		_, err = fmt.Fprintln(c.Out, cli.Printable(created.Secret))
		return err
	})
	cli.Bind(cmd.Flags(), req, "name", "scopes", "rate", "active", "upload")
	cli.SetDefault(cmd.Flags(), "scopes", "read")
	cli.BindFormat(cmd.Flags(), &c.format, "text", "json")
	return cmd
}

func newKeysList() *cobra.Command {
	c := &keysCommand{}
	cmd := c.bind(&cobra.Command{
		Use:   "list --store FILE|--server URL [flags]",
		Short: "List keys: ID, scopes, quotas, creation time and name",
		Args:  cobra.NoArgs,
	}, func(ctx context.Context, keys keyring, _ []string) error {
		list, err := keys.Keys(ctx)
		if err != nil {
			return err
		}
		if c.format == "json" {
			return cli.WriteJSON(c.Out, list)
		}
		out := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
		for _, k := range list.Keys {
			var scopes []string
			for _, scope := range k.Scopes {
				scopes = append(scopes, string(scope))
			}
			fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\n", cli.Printable(k.ID), cli.Printable(strings.Join(scopes, ",")), quotas(k), k.Created.Format(time.RFC3339), cli.Printable(k.Name))
		}
		return out.Flush()
	})
	cli.BindFormat(cmd.Flags(), &c.format, "text", "json")
	return cmd
}

// quotas returns the quotas of a key that the flags set.
func quotas(k openapi.Key) string {
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

func newKeysRevoke() *cobra.Command {
	return (&keysCommand{}).bind(&cobra.Command{
		Use:   "revoke --store FILE|--server URL ID",
		Short: "Revoke a key",
		Args:  cobra.ExactArgs(1),
	}, func(ctx context.Context, keys keyring, args []string) error { return keys.RevokeKey(ctx, args[0]) })
}
