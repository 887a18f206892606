package service

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api/client"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
	"github.com/inroad/inroad/cmd/inroad/cli"
)

// A target holds the flags of a command that works on a store, or asks the service that
// has the store open.
type target struct {
	store  string
	format string
	server cli.Server
	cli.Streams
}

// bindTarget adds the flags --store and --server, and sets run as the command's function.
// run gets the result of local for a store, which is opened with the options opt, or the
// result of remote for a client.
func bindTarget[T any](t *target, cmd *cobra.Command, opt bolt.Options, local func(store.Store) T, remote func(*client.Client) T,
	run func(ctx context.Context, on T, args []string) error,
) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		t.Streams = cli.StreamsOf(cmd)
		switch {
		case t.store != "" && cmd.Flags().Changed("server"):
			return errors.New("--store and --server: give only one of them")
		case t.store != "":
			s, err := openStore(cmd.Context(), t.store, opt)
			if err != nil {
				return err
			}
			return errors.Join(run(cmd.Context(), local(s), args), s.Close())
		case t.server.URL == "":
			return errors.New("no store: give --store FILE, or --server URL if a service has it open")
		}
		c, err := t.server.Client()
		if err != nil {
			return err
		}
		return run(cmd.Context(), remote(c), args)
	}
	bindStore(cmd.Flags(), &t.store)
	t.server.Bind(cmd.Flags())
	return cmd
}
