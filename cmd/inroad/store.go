package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api/outfile"
	"github.com/inroad/inroad/api/store"
)

type storeOptions struct {
	store  string
	format string

	stdout io.Writer
}

func newStoreCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "store check|compact|backup|restore --store FILE",
		Short: "Look after the file that the service keeps everything in",
		Long: `Look after the file that the service keeps everything in.

The service must not run meanwhile: it has the store open. A backup of a service
that runs is had from it, with GET /v1/backup.`,
		Args:                  noSuchCommand,
		DisableFlagsInUseLine: true,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	checked := &storeOptions{}
	check := newStorePart(checked, "check --store FILE [--format json]", "Read all that is in the store, and tell what is wrong", 0,
		func(opt *storeOptions, _ []string) error { return opt.check() })
	check.Flags().StringVar(&checked.format, "format", "text", "text or json")
	choices(check.Flags(), "format", "text", "json")
	cmd.AddCommand(
		check,
		newStorePart(&storeOptions{}, "compact --store FILE", "Give back the space that is not in use any more", 0,
			func(opt *storeOptions, _ []string) error { return opt.compact() }),
		newStorePart(&storeOptions{}, "backup --store FILE BACKUP", "Write a copy of the store to a file that is not there yet", 1,
			func(opt *storeOptions, args []string) error { return opt.backup(args[0]) }),
		newStorePart(&storeOptions{}, "restore --store FILE BACKUP", "Make a store that is not there yet of a backup, having checked it", 1,
			func(opt *storeOptions, args []string) error { return opt.restore(args[0]) }),
	)
	return cmd
}

func newStorePart(opt *storeOptions, use, short string, args int, run func(opt *storeOptions, args []string) error) *cobra.Command {
	cmd := &cobra.Command{
		Use:                   use,
		Short:                 short,
		Args:                  cobra.ExactArgs(args),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.stdout = cmd.OutOrStdout()
			if opt.store == "" {
				return errors.New("no store: give --store FILE")
			}
			return run(opt, args)
		},
	}
	cmd.Flags().StringVar(&opt.store, "store", "", "the `FILE` that the service keeps everything in")
	return cmd
}

func (opt *storeOptions) check() error {
	return withStore(opt.store, store.Options{ReadOnly: true}, func(s *store.Store) error { return opt.report(s) })
}

// report tells what is in a store and what is wrong with it.
func (opt *storeOptions) report(s *store.Store) error {
	r, err := s.Check()
	if err != nil {
		return err
	}
	if opt.format == "json" {
		err := writeJSON(opt.stdout, r)
		if err == nil && len(r.Faults) > 0 {
			err = errReported
		}
		return err
	}
	for _, fault := range r.Faults {
		fmt.Fprintln(opt.stdout, printable(fault))
	}
	_, err = fmt.Fprintf(opt.stdout, "%s, %s of %s, %s, %s, %s; %s\n",
		count(r.Grammars, "grammar", "grammars"), count(int(r.Observations), "observation", "observations"), count(r.Subjects, "subject", "subjects"),
		count(r.Models, "model", "models"), count(r.Jobs, "job", "jobs"), count(r.Keys, "key", "keys"), count(len(r.Faults), "fault", "faults"))
	if err == nil && len(r.Faults) > 0 {
		err = errReported
	}
	return err
}

func (opt *storeOptions) compact() error {
	target, err := filepath.EvalSymlinks(opt.store)
	if err != nil {
		return err
	}
	compacted := target + ".compacted"
	if err := removeIfThere(compacted); err != nil { // of one that was interrupted
		return err
	}
	return withStore(opt.store, store.Options{}, func(s *store.Store) error {
		before, err := os.Stat(opt.store)
		if err != nil {
			return err
		}
		if err := s.Compact(compacted); err != nil {
			return err
		}
		if err := outfile.Replace(compacted, target); err != nil { // while it is locked
			return err
		}
		after, err := os.Stat(opt.store)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(opt.stdout, "%s: %d bytes, %d before\n", opt.store, after.Size(), before.Size())
		return err
	})
}

func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func (opt *storeOptions) backup(to string) error {
	return withStore(opt.store, store.Options{ReadOnly: true}, func(s *store.Store) error { return s.Backup(to) })
}

func (opt *storeOptions) restore(from string) error {
	if _, err := os.Lstat(opt.store); err == nil {
		return fmt.Errorf("%s: it is there already; move it away first", opt.store)
	}
	return withStore(from, store.Options{ReadOnly: true}, func(s *store.Store) error {
		if err := opt.report(s); err != nil {
			return err
		}
		return s.Backup(opt.store)
	})
}
