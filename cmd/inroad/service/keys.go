package service

import (
	"cmp"
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

// NewKeys returns the commands keys create, keys list, keys log and keys revoke.
func NewKeys() *cobra.Command {
	return cli.Group("keys create|list|log|revoke --store FILE|--server URL", "Manage the keys that requests to the service need", `Create, list and revoke the keys that requests to the service need, and list
their log.

A key is sent as Authorization: Bearer KEY. The store has only a digest of it. A
running service has its store open and manages its keys itself, for requests with
the scope admin; their key is read from INROAD_KEY.`,
		newKeysCreate(), newKeysList(), newKeysLog(), newKeysRevoke())
}

// A keyring stores keys: it is a store, or the client of a service.
type keyring interface {
	CreateKey(ctx context.Context, k openapi.KeyRequest) (openapi.NewKey, error)
	Keys(ctx context.Context) (openapi.KeyList, error)
	KeyLog(ctx context.Context, req openapi.ListKeyEventsParams) (openapi.KeyLog, error)
	RevokeKey(ctx context.Context, id string) error
}

// storedKeys is the keyring of a store that no service has open.
type storedKeys struct{ store store.Store }

func (s storedKeys) CreateKey(ctx context.Context, req openapi.KeyRequest) (openapi.NewKey, error) {
	if err := openapi.Validate(&req); err != nil {
		return openapi.NewKey{}, err
	}
	k, err := server.KeyOf(req, "")
	if err != nil {
		return openapi.NewKey{}, err
	}
	k, secret, err := s.store.NewKey(ctx, k)
	return openapi.NewKey{Key: server.DescribeKey(k), Secret: secret}, err
}

func (s storedKeys) Keys(ctx context.Context) (openapi.KeyList, error) {
	return server.Keys(ctx, s.store, openapi.ListKeysParams{})
}

func (s storedKeys) KeyLog(ctx context.Context, req openapi.ListKeyEventsParams) (openapi.KeyLog, error) {
	if err := openapi.Validate(&req); err != nil {
		return openapi.KeyLog{}, err
	}
	return server.KeyLog(ctx, s.store, req)
}

func (s storedKeys) RevokeKey(ctx context.Context, id string) error {
	return s.store.RevokeKey(ctx, id, "")
}

// A keysCommand holds the state that the keys commands share.
type keysCommand struct{ target }

// bind adds the flags that select the keyring, and sets run as the command's function.
// A store is opened with the options opt.
func (c *keysCommand) bind(cmd *cobra.Command, opt bolt.Options, run func(ctx context.Context, keys keyring, args []string) error) *cobra.Command {
	return bindTarget(&c.target, cmd, opt, func(s store.Store) keyring { return storedKeys{s} }, func(c *client.Client) keyring { return c }, run)
}

func newKeysCreate() *cobra.Command {
	c, req := &keysCommand{}, &openapi.KeyRequest{}
	cmd := c.bind(&cobra.Command{
		Use:   "create --store FILE|--server URL --name NAME [flags]",
		Short: "Create a key and print it, once",
		Long: `Create a key and print it, once.

--expires takes a duration (90d, 12h), a day (2027-01-31, from its beginning in UTC)
or a time (2027-01-31T12:00:00Z). From then on, the key is refused.`,
		Example: `  inroad keys create --store inroad.db --name ci --scopes read,write --expires 90d
  curl -H "Authorization: Bearer $KEY" https://inroad.example.org/v1/models`,
		Args: cobra.NoArgs,
	}, bolt.Options{}, func(ctx context.Context, keys keyring, _ []string) error {
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
	cli.Bind(cmd.Flags(), req, "name", "scopes", "rate", "active", "upload", "expires")
	cli.SetDefault(cmd.Flags(), "scopes", "read")
	cli.BindFormat(cmd.Flags(), &c.format, "text", "json")
	return cmd
}

func newKeysList() *cobra.Command {
	c := &keysCommand{}
	cmd := c.bind(&cobra.Command{
		Use:   "list --store FILE|--server URL [flags]",
		Short: "List keys: ID, scopes, quotas, creation, expiry, last use and name",
		Args:  cobra.NoArgs,
	}, bolt.Options{ReadOnly: true}, func(ctx context.Context, keys keyring, _ []string) error {
		list, err := keys.Keys(ctx)
		if err != nil {
			return err
		}
		if c.format == "json" {
			return cli.WriteJSON(c.Out, list)
		}
		out := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
		for _, k := range list.Keys {
			fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", cli.Printable(k.ID), joined(k.Scopes), quotas(k), k.Created.Format(time.RFC3339),
				expiry(k, time.Now()), lastUse(k), cli.Printable(k.Name))
		}
		return out.Flush()
	})
	cli.BindFormat(cmd.Flags(), &c.format, "text", "json")
	return cmd
}

// joined returns scopes separated by commas.
func joined(scopes []openapi.Scope) string {
	var out []string
	for _, scope := range scopes {
		out = append(out, string(scope))
	}
	return cmp.Or(cli.Printable(strings.Join(out, ",")), "-")
}

// expiry describes when a key expires or has expired.
func expiry(k openapi.Key, now time.Time) string {
	switch {
	case k.Expires.IsZero():
		return "never expires"
	case now.Before(k.Expires):
		return "expires " + k.Expires.Format(time.RFC3339)
	default:
		return "expired " + k.Expires.Format(time.RFC3339)
	}
}

func lastUse(k openapi.Key) string {
	if k.LastUsed.IsZero() {
		return "never used"
	}
	return "used " + k.LastUsed.Format(time.RFC3339)
}

func newKeysLog() *cobra.Command {
	c, req, all := &keysCommand{}, &openapi.ListKeyEventsParams{}, false
	cmd := c.bind(&cobra.Command{
		Use:   "log --store FILE|--server URL [flags]",
		Short: "List key events, newest first: number, time, event, key, name and details",
		Long: `List key events, newest first: number, time, event, key, name and details.

Each creation and each revocation has an entry, with the key that was used for it,
if any. Accepted and refused requests are counted: per hour, there is one entry
for each key, scope and reason.`,
		Args: cobra.NoArgs,
	}, bolt.Options{ReadOnly: true}, func(ctx context.Context, keys keyring, _ []string) error {
		log, err := keys.KeyLog(ctx, *req)
		for all && err == nil && log.Next != "" {
			req.Cursor = log.Next
			var page openapi.KeyLog
			page, err = keys.KeyLog(ctx, *req)
			log.Events, log.Next = append(log.Events, page.Events...), page.Next
		}
		if err != nil {
			return err
		}
		if c.format == "json" {
			return cli.WriteJSON(c.Out, log)
		}
		out := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
		for _, e := range log.Events {
			fmt.Fprintf(out, "%d\t%s\t%s\t%s\t%s\t%s\n", e.Number, e.Last.Format(time.RFC3339), cli.Printable(string(e.Kind)),
				cli.Printable(cmp.Or(e.Key, "-")), cli.Printable(cmp.Or(e.Name, "-")), details(e))
		}
		if err := out.Flush(); err != nil {
			return err
		}
		if log.Next != "" {
			c.Notef("note: for older entries, add --all, or --cursor %s", log.Next)
		}
		return nil
	})
	cmd.Flags().BoolVar(&all, "all", false, "list all entries, page by page")
	cli.Bind(cmd.Flags(), req, "limit", "cursor")
	cli.BindFormat(cmd.Flags(), &c.format, "text", "json")
	return cmd
}

// details returns the fields of an event that depend on its kind.
func details(e openapi.KeyEvent) string {
	if e.Kind == openapi.KeyUsed || e.Kind == openapi.KeyRefused {
		return requests(e)
	}
	var out []string
	if len(e.Scopes) > 0 {
		out = append(out, "scopes "+joined(e.Scopes))
	}
	if e.By != "" {
		out = append(out, "by key "+cli.Printable(e.By))
	}
	return cmp.Or(strings.Join(out, ", "), "-")
}

// requests describes the number of requests of an event, and the reason for refusals.
func requests(e openapi.KeyEvent) string {
	out := fmt.Sprintf("%s with scope %s since %s", cli.Count(int(e.Count), "request", "requests"), joined(e.Scopes), e.First.Format(time.RFC3339))
	switch e.Reason {
	case "":
		return out
	case openapi.MissingKey:
		return out + ": no key"
	case openapi.MissingScope:
		return out + ": key without the scope"
	default:
		return out + ": key " + cli.Printable(string(e.Reason))
	}
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
	}, bolt.Options{Existing: true}, func(ctx context.Context, keys keyring, args []string) error { return keys.RevokeKey(ctx, args[0]) })
}
