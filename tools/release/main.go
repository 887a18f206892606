// Command release builds a release of a commit: for each platform an archive and an
// SBOM, and the file SHA256SUMS with their digests.
//
//	go -C tools run ./release --out /tmp/inroad-release
//
// It builds a fresh clone, so that changes that are not committed have no effect. The
// same commit and version of Go give the same bytes in every folder and on every
// machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stderr)
	stop()
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(stderr)
	r := release{log: stderr}
	flags.StringVar(&r.repository, "repository", ".", "`FOLDER` inside the repository")
	flags.StringVar(&r.commit, "commit", "HEAD", "`COMMIT` or tag to build")
	flags.StringVar(&r.out, "out", "", "`FOLDER` for the files; it must be empty or missing")
	flags.StringVar(&r.tags, "tags", "", "build `TAGS`, such as nogolearn")
	platforms := flags.String("platforms", "darwin/amd64,darwin/arm64,linux/amd64,linux/arm64,windows/amd64,windows/arm64",
		"`LIST` of platforms, separated by commas")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q: give flags only", flags.Arg(0))
	}
	if r.out == "" {
		return errors.New("no folder for the files: give --out FOLDER")
	}
	for name := range strings.SplitSeq(*platforms, ",") {
		p, err := parsePlatform(name)
		if err != nil {
			return err
		}
		r.platforms = append(r.platforms, p)
	}
	return r.build(ctx)
}
