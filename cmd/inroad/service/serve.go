package service

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/server"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/cmd/inroad/cli"
)

type serveCommand struct {
	listen                      string
	store                       string
	demo                        bool
	timeout                     time.Duration
	maxUpload                   int64
	maxMemory, featureCache     int64
	parserCache                 int
	maxCampaigns, openCampaigns int
	maxBodies                   int64
	needKeys                    bool
	quotas                      openapi.KeyRequest // only its rate and its upload quota
	active                      int
	streams                     int
	tlsCert                     string
	tlsKey                      string
	logFormat                   string
	logLevel                    string
	role                        string
	cli.Streams
}

// NewServe returns the command serve.
func NewServe() *cobra.Command {
	c := &serveCommand{}
	cmd := &cobra.Command{
		Use:   "serve --store FILE|--demo [flags]",
		Short: "Serve grammars, observations, models and predictions over HTTP",
		Long: `Serve grammars, observations, models and predictions over HTTP.

The store is one file, which is created if necessary, or a PostgreSQL database,
which any number of replicas of the service can use at the same time. / is a page to look at
models and to try inputs. /openapi.json is the contract of the service, and /docs
shows it. On an address that other machines can reach, requests need a key; see
inroad keys. On a loopback address they need one only with --need-keys; without
it, requests that were sent to another host name or from another site are refused.

With --demo the service starts with observations of a small program and a model
of it, demo. Without --store, everything is gone when it ends.

SIGTERM or Ctrl-C ends the service: requests get time to finish, and a running
training starts again with the service.`,
		Example: `  inroad serve --demo
  inroad serve --store inroad.db
  inroad serve --store inroad.db --listen 127.0.0.1:9000 --log-format json
  inroad serve --store postgres://inroad@db.example.org/inroad --role api --listen :8080`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.Streams = cli.StreamsOf(cmd)
			return c.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&c.listen, "listen", "127.0.0.1:8080", "`ADDRESS` to listen on; port 0 takes a free port")
	bindStore(flags, &c.store)
	cli.BindEnum(flags, &c.role, "role", "what this replica does: take requests (api), run jobs (worker), or both (all)", string(server.RoleAll), string(server.RoleAPI), string(server.RoleWorker))
	flags.BoolVar(&c.demo, "demo", false, "start with an example, and print requests to try")
	flags.DurationVar(&c.timeout, "timeout", time.Minute, "maximum duration of a request that is not streamed")
	flags.Int64Var(&c.maxUpload, "max-upload", 1<<30, "maximum size of a streamed body in `BYTES`")
	flags.Int64Var(&c.maxMemory, "max-memory", 2048, "memory limit of a training in `MiB`, as estimated. From half of it, features go to temporary files in TMPDIR; the training fails if the rest does not fit")
	flags.Int64Var(&c.featureCache, "feature-cache", 512, "maximum size in `MiB` of the features of observations that the store keeps for later trainings; 0 for none")
	flags.Int64Var(&c.maxBodies, "max-bodies", 256, "maximum memory for the bodies of concurrent requests in `MiB`; one key may use a quarter")
	flags.IntVar(&c.parserCache, "parser-cache", 64, "maximum size in `MiB` of each of the two caches that speed up later parses with a grammar, for tokens and for predictions")
	flags.IntVar(&c.maxCampaigns, "max-campaigns", 100, "maximum number of campaigns that have not ended; one key may have half of them")
	flags.IntVar(&c.openCampaigns, "open-campaigns", 8, "maximum number of campaigns in memory; others are computed again from their observations when they are used")
	flags.BoolVar(&c.needKeys, "need-keys", false, "require keys on loopback addresses as well")
	cli.BindPrefixed(flags, "key-", &c.quotas, "rate", "upload")
	flags.IntVar(&c.active, "key-active", 192, "maximum number of concurrent requests of a key, or of an address without a key; 0 for no limit")
	flags.IntVar(&c.streams, "key-streams", 64, "maximum number of concurrent streams of a key, or of an address without a key; 0 for no limit")
	flags.StringVar(&c.tlsCert, "tls-cert", "", "serve HTTPS with the certificate in this `FILE`")
	flags.StringVar(&c.tlsKey, "tls-key", "", "`FILE` with the private key of the certificate")
	cli.BindEnum(flags, &c.logFormat, "log-format", "format of the log", "text", "json")
	cli.BindEnum(flags, &c.logLevel, "log-level", "least level that is logged", "debug", "info", "warn", "error")
	cli.SetDefault(flags, "log-level", "info")
	return cmd
}

// minBodies is the least memory for bodies in MiB with which a key can send a body of
// the maximum size.
const minBodies = 64

func (c *serveCommand) run(ctx context.Context) error {
	switch {
	case c.store == "" && !c.demo:
		return errors.New("no store: give --store FILE, which is created if necessary")
	case c.role != string(server.RoleAll) && !isDatabase(c.store):
		return fmt.Errorf("--role %s: must be all unless --store is a database", c.role)
	case c.timeout <= 0:
		return fmt.Errorf("--timeout %v: must be greater than 0", c.timeout)
	case c.maxUpload <= 0:
		return fmt.Errorf("--max-upload %d: must be greater than 0", c.maxUpload)
	case c.maxMemory <= 0 || c.maxMemory > 1<<40:
		return fmt.Errorf("--max-memory %d: must be between 1 and 1099511627776", c.maxMemory)
	case c.featureCache < 0 || c.featureCache > 1<<40:
		return fmt.Errorf("--feature-cache %d: must be between 0 and 1099511627776", c.featureCache)
	case c.maxBodies < minBodies || c.maxBodies > 1<<40:
		return fmt.Errorf("--max-bodies %d: must be between %d and 1099511627776", c.maxBodies, minBodies)
	case c.parserCache < 1 || c.parserCache > 1<<20:
		return fmt.Errorf("--parser-cache %d: must be between 1 and 1048576", c.parserCache)
	case c.maxCampaigns < 1:
		return fmt.Errorf("--max-campaigns %d: must be at least 1", c.maxCampaigns)
	case c.openCampaigns < 1:
		return fmt.Errorf("--open-campaigns %d: must be at least 1", c.openCampaigns)
	case c.active < 0:
		return fmt.Errorf("--key-active %d: must be at least 0", c.active)
	case c.streams < 0:
		return fmt.Errorf("--key-streams %d: must be at least 0", c.streams)
	case (c.tlsCert == "") != (c.tlsKey == ""):
		return errors.New("--tls-cert and --tls-key: give both or neither")
	}
	loopback, err := isLoopback(ctx, c.listen)
	if err != nil {
		return err
	}
	c.needKeys = c.needKeys || !loopback
	if c.store == "" && c.needKeys {
		return errors.New("requests need a key, but there is no store: give --store FILE, and create keys in it")
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	if c.store == "" {
		dir, err := os.MkdirTemp("", "inroad-demo-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }() // best effort: the folder is temporary
		c.store = filepath.Join(dir, "inroad.db")
	}
	st, err := serviceStore(ctx, c.store, c.role != string(server.RoleWorker))
	if err != nil {
		return err
	}
	return errors.Join(c.serve(ctx, c.logger(), st), st.Close())
}

// spareThreads returns the number of processors for long computations, and allows Go to
// run more threads than that, unless GOMAXPROCS is set. The operating system then gives
// short requests a share of a processor at once, while Go's scheduler would let them wait
// for computations and the garbage collector.
func spareThreads() (processors int) {
	const spare = 2
	processors = runtime.GOMAXPROCS(0)
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(processors + spare)
	}
	return processors
}

// serve serves a store until ctx ends.
func (c *serveCommand) serve(ctx context.Context, log *slog.Logger, st store.Store) error {
	keys, err := st.Keys(ctx)
	if err != nil {
		return err
	}
	if c.needKeys && len(keys) == 0 {
		return fmt.Errorf("requests need a key, but %s has none; create one with inroad keys create --store %[1]s", storeName(c.store))
	}
	if c.demo {
		if err := putDemo(ctx, st); err != nil {
			return err
		}
	}
	config := server.Config{
		Processors: spareThreads(),
		Store:      st, Log: log, Version: cli.Version(), Role: server.Role(c.role), NeedKeys: c.needKeys, Timeout: c.timeout, MaxUpload: c.maxUpload,
		MaxMemory: c.maxMemory << 20, FeatureCache: cmp.Or(c.featureCache<<20, -1), ParserCache: c.parserCache << 20, MaxRunning: c.maxCampaigns, MaxOpen: c.openCampaigns, MaxBodies: c.maxBodies << 20, MaxStreams: cmp.Or(c.streams, -1),
		Quotas: store.Limits{Rate: c.quotas.Rate, Active: cmp.Or(c.active, -1), Upload: c.quotas.Upload},
	}
	stopTracing, err := trace(ctx, log, &config)
	if err != nil {
		return err
	}
	defer stopTracing()
	s, err := server.New(config)
	if err != nil {
		return err
	}
	listener, scheme, err := c.listener(ctx)
	if err != nil {
		return err
	}
	address := scheme + "://" + listener.Addr().String()
	log.InfoContext(ctx, "listening", "address", address, "store", storeName(c.store), "keys", c.needKeys, "version", cli.Version())
	limitMemory(ctx, log)
	if c.demo {
		if err := invite(c.Out, address, c.needKeys); err != nil {
			return errors.Join(err, listener.Close())
		}
	}
	err = s.Run(ctx, listener)
	log.InfoContext(ctx, "ended", "err", err)
	return err
}

// limitMemory makes the garbage collector keep the process below 90% of the memory of
// the machine or the control group, unless GOMEMLIMIT is set.
func limitMemory(ctx context.Context, log *slog.Logger) {
	const share = 0.9
	limit, err := memlimit.Set(memlimit.WithProvider(memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)), memlimit.WithRatio(share))
	if err != nil {
		log.WarnContext(ctx, "memory limit unknown; set GOMEMLIMIT", "err", err)
		return
	}
	log.InfoContext(ctx, "memory limit of the garbage collector", "bytes", limit)
}

// logger returns the logger of the service.
func (c *serveCommand) logger() *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.logLevel)) // the flag takes only levels
	options := &slog.HandlerOptions{Level: level}
	if c.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(c.Err, options))
	}
	return slog.New(slog.NewTextHandler(c.Err, options))
}

// listener listens on the address, with TLS if there is a certificate.
func (c *serveCommand) listener(ctx context.Context) (l net.Listener, scheme string, err error) {
	if c.tlsCert == "" {
		l, err = new(net.ListenConfig).Listen(ctx, "tcp", c.listen)
		return l, "http", err
	}
	certificate, err := tls.LoadX509KeyPair(c.tlsCert, c.tlsKey)
	if err != nil {
		return nil, "", fmt.Errorf("--tls-cert: %w", err)
	}
	l, err = new(net.ListenConfig).Listen(ctx, "tcp", c.listen)
	if err != nil {
		return nil, "", err
	}
	return tls.NewListener(l, &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}}), "https", nil
}

// isLoopback reports whether only this machine can reach an address.
func isLoopback(ctx context.Context, address string) (bool, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false, fmt.Errorf("--listen %s: must be HOST:PORT: %w", address, err)
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
