package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api/server"
	"github.com/inroad/inroad/api/store"
)

type serveOptions struct {
	listen    string
	store     string
	demo      bool
	timeout   time.Duration
	maxUpload int64
	maxMemory int64
	needKeys  bool
	quotas    store.Limits
	tlsCert   string
	tlsKey    string
	logFormat string
	logLevel  string

	stdout, stderr io.Writer
}

func newServeCommand() *cobra.Command {
	opt := &serveOptions{}
	cmd := &cobra.Command{
		Use:   "serve --store FILE|--demo [flags]",
		Short: "Serve grammars, observations, models and predictions over HTTP",
		Long: `Serve grammars, observations, models and predictions over HTTP.

The store is one file, which is made if it is not there. /openapi.json is the
contract of the service. On an address that other machines can reach requests
need a key, see inroad keys. On a loopback address they do not unless --need-keys
is given; then requests are refused that were sent to another name or from
another site.

With --demo there is something to ask from the start: observations of a small
program, and the model demo of it. Without --store all is gone when it ends.

SIGTERM or Ctrl-C ends it: requests have a while to end, and a training that runs
is begun again at the next start.`,
		Example: `  inroad serve --demo
  inroad serve --store inroad.db
  inroad serve --store inroad.db --listen 127.0.0.1:9000 --log-format json`,
		Args:                  cobra.NoArgs,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opt.stdout, opt.stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return opt.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&opt.listen, "listen", "127.0.0.1:8080", "the `ADDRESS` to listen on; port 0 takes any that is free")
	flags.StringVar(&opt.store, "store", "", "the `FILE` that everything is kept in")
	flags.BoolVar(&opt.demo, "demo", false, "begin with an example, and say what to try")
	flags.DurationVar(&opt.timeout, "timeout", time.Minute, "how long a request may take that is no stream")
	flags.Int64Var(&opt.maxUpload, "max-upload", 1<<30, "how many `BYTES` a streamed body may have")
	flags.Int64Var(&opt.maxMemory, "max-memory", 2048, "how many `MiB` a training may take, as estimated before it learns")
	flags.BoolVar(&opt.needKeys, "need-keys", false, "refuse requests without a key on loopback addresses, too")
	bindLimits(flags, &opt.quotas, "key-", "a key", "no bound")
	flags.StringVar(&opt.tlsCert, "tls-cert", "", "serve HTTPS with the certificate in this `FILE`")
	flags.StringVar(&opt.tlsKey, "tls-key", "", "the `FILE` with the certificate's private key")
	flags.StringVar(&opt.logFormat, "log-format", "text", "text or json")
	flags.StringVar(&opt.logLevel, "log-level", "info", "debug, info, warn or error")
	return cmd
}

func (opt *serveOptions) run(ctx context.Context) error {
	log, err := opt.logger()
	switch {
	case err != nil:
		return err
	case opt.store == "" && !opt.demo:
		return errors.New("no store: give --store FILE; it is made if it is not there")
	case opt.timeout <= 0:
		return fmt.Errorf("--timeout %v: it is over 0", opt.timeout)
	case opt.maxUpload <= 0:
		return fmt.Errorf("--max-upload %d: it is over 0", opt.maxUpload)
	case opt.maxMemory <= 0 || opt.maxMemory > 1<<40:
		return fmt.Errorf("--max-memory %d: it is over 0", opt.maxMemory)
	case (opt.tlsCert == "") != (opt.tlsKey == ""):
		return errors.New("--tls-cert and --tls-key go together")
	}
	if err := checkLimits(opt.quotas, "key-"); err != nil {
		return err
	}
	loopback, err := isLoopback(ctx, opt.listen)
	if err != nil {
		return err
	}
	opt.needKeys = opt.needKeys || !loopback
	if opt.store == "" && opt.needKeys {
		return errors.New("requests would need a key: give --store FILE, which keys can be made in")
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	if opt.store == "" {
		dir, err := os.MkdirTemp("", "inroad-demo-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }() // it is of no use to anybody
		opt.store = filepath.Join(dir, "inroad.db")
	}
	st, err := store.Open(opt.store, store.Options{})
	if err != nil {
		return err
	}
	return errors.Join(opt.serve(ctx, log, st), st.Close())
}

func (opt *serveOptions) serve(ctx context.Context, log *slog.Logger, st *store.Store) error {
	keys, err := st.Keys()
	if err != nil {
		return err
	}
	if opt.needKeys && len(keys) == 0 {
		return fmt.Errorf("requests would need a key, and %s has none; make one with inroad keys create --store %[1]s", opt.store)
	}
	if opt.demo {
		if err := putDemo(ctx, st); err != nil {
			return err
		}
	}
	config := server.Config{
		Store: st, Log: log, Version: version(), NeedKeys: opt.needKeys, Timeout: opt.timeout, MaxUpload: opt.maxUpload,
		MaxMemory: opt.maxMemory << 20, Quotas: opt.quotas,
	}
	endTracing, err := trace(ctx, log, &config)
	if err != nil {
		return err
	}
	defer endTracing()
	server, err := server.New(config)
	if err != nil {
		return err
	}
	listener, scheme, err := opt.listener(ctx)
	if err != nil {
		return err
	}
	address := scheme + "://" + listener.Addr().String()
	log.InfoContext(ctx, "listening", "address", address, "store", opt.store, "keys", opt.needKeys, "version", version())
	if opt.demo {
		if err := invite(opt.stdout, address, opt.needKeys); err != nil {
			return errors.Join(err, listener.Close())
		}
	}
	err = server.Run(ctx, listener)
	log.InfoContext(ctx, "ended", "err", err)
	return err
}

// logger returns what the service logs to.
func (opt *serveOptions) logger() (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(opt.logLevel)); err != nil {
		return nil, fmt.Errorf("--log-level %s: it is debug, info, warn or error", opt.logLevel)
	}
	options := &slog.HandlerOptions{Level: level}
	switch opt.logFormat {
	case "text":
		return slog.New(slog.NewTextHandler(opt.stderr, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(opt.stderr, options)), nil
	default:
		return nil, fmt.Errorf("--log-format %s: it is text or json", opt.logFormat)
	}
}

// listener listens, with TLS if there is a certificate.
func (opt *serveOptions) listener(ctx context.Context) (l net.Listener, scheme string, err error) {
	if opt.tlsCert == "" {
		l, err = new(net.ListenConfig).Listen(ctx, "tcp", opt.listen)
		return l, "http", err
	}
	certificate, err := tls.LoadX509KeyPair(opt.tlsCert, opt.tlsKey)
	if err != nil {
		return nil, "", fmt.Errorf("--tls-cert: %w", err)
	}
	l, err = new(net.ListenConfig).Listen(ctx, "tcp", opt.listen)
	if err != nil {
		return nil, "", err
	}
	return tls.NewListener(l, &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}}), "https", nil
}

// isLoopback reports whether an address is one that only this machine can reach.
func isLoopback(ctx context.Context, address string) (bool, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false, fmt.Errorf("--listen %s: it is HOST:PORT: %w", address, err)
	}
	if host == "" {
		return false, nil
	}
	addresses, err := net.DefaultResolver.LookupIPAddr(ctx, host)
	if err != nil {
		return false, fmt.Errorf("--listen %s: %w", address, err)
	}
	reachable := func(a net.IPAddr) bool { return !a.IP.IsLoopback() }
	return !slices.ContainsFunc(addresses, reachable), nil
}
