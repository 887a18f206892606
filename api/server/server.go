// Package server serves inroad over HTTP.
//
// A handler decodes a request that was validated against the contract, calls an
// [api.Engine], and encodes the answer. The server adds keys, quotas, jobs and
// streams. [New] returns a [Server], and [Server.Run] serves until its context ends.
package server

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/errgroup"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/queue"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/web"
	"github.com/inroad/inroad/grammars"
)

// Config configures a server. Zero fields have the defaults named below.
type Config struct {
	Store   store.Store
	Log     *slog.Logger
	Version string
	Tracer  trace.TracerProvider // for spans of requests and jobs; no tracing if nil
	// NeedKeys rejects requests without a key. Without it, only requests to a loopback
	// address and from the same origin are served.
	NeedKeys bool
	Role     Role // RoleAll

	Timeout    time.Duration    // of a request that is not streamed; 1 minute
	Stall      time.Duration    // how long a stream waits for a client that stops; 30 seconds
	MinRate    int64            // minimum of bytes per second that the client of a stream sends or accepts on average; 500
	Grace      time.Duration    // for open requests at shutdown; 15 seconds
	MaxBody    int64            // bytes of a body that is not streamed; 16 MiB
	MaxUpload  int64            // bytes of a streamed body; 1 GiB
	MaxBodies  int64            // bytes of memory for the bodies of concurrent requests, of which one key may use a quarter; 256 MiB
	MaxActive  int              // concurrent requests; 256, of which a quarter is for short ones
	MaxWait    time.Duration    // scheduling latency above which requests are rejected; 100 milliseconds
	MaxQueue   int              // queued jobs; 100
	MaxRunning int              // campaigns that have not ended; 100
	MaxOpen    int              // campaigns in memory; 8
	Clock      func() time.Time // for leases of campaigns; time.Now
	MaxMemory  int64            // approximate bytes of a training or an evaluation; 2 GiB
	// FeatureCache is the number of bytes of the store for features of observations, which
	// trainings need again; 512 MiB. A negative value turns the cache off.
	FeatureCache int64
	CacheBytes   int64 // approximate bytes of cached grammars and models; 128 MiB
	// ParserCache is the approximate size in bytes of each of the two caches that speed
	// up later parses with a grammar, for tokens and for predictions; 64 MiB.
	ParserCache int
	Processors  int             // requests that compute for long at the same time; GOMAXPROCS
	Workers     int             // goroutines of a training or a batch; as many as Processors
	Limits      grammars.Limits // of a parse
	// Quotas are the limits of keys without limits of their own. Active also applies
	// to each address without a key, and is three quarters of MaxActive if 0. The
	// other limits are off if 0. A negative value turns any limit off.
	Quotas     store.Limits
	MaxStreams int // concurrent streams of a key or an address; a quarter of MaxActive; negative for no limit
}

func (c Config) withDefaults() Config {
	c.Role = cmp.Or(c.Role, RoleAll)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	c.Timeout = cmp.Or(c.Timeout, time.Minute)
	c.Stall = cmp.Or(c.Stall, 30*time.Second)
	c.Grace = cmp.Or(c.Grace, 15*time.Second)
	c.MaxBody = cmp.Or(c.MaxBody, 16<<20)
	c.MaxUpload = cmp.Or(c.MaxUpload, 1<<30)
	c.MaxBodies = cmp.Or(c.MaxBodies, 256<<20)
	c.MaxActive = cmp.Or(c.MaxActive, 256)
	c.MaxWait = cmp.Or(c.MaxWait, 100*time.Millisecond)
	c.MaxQueue = cmp.Or(c.MaxQueue, 100)
	c.MaxRunning, c.MaxOpen = cmp.Or(c.MaxRunning, 100), cmp.Or(c.MaxOpen, 8)
	if c.Clock == nil {
		c.Clock = time.Now
	}
	c.MaxMemory = cmp.Or(c.MaxMemory, 2<<30)
	c.FeatureCache = cmp.Or(c.FeatureCache, 512<<20)
	c.CacheBytes = cmp.Or(c.CacheBytes, 128<<20)
	c.ParserCache = cmp.Or(c.ParserCache, 64<<20)
	c.Processors = cmp.Or(c.Processors, runtime.GOMAXPROCS(0))
	c.Workers = cmp.Or(c.Workers, c.Processors)
	c.MinRate = cmp.Or(c.MinRate, 500)
	c.Quotas.Active = cmp.Or(c.Quotas.Active, longShare(c.MaxActive))
	c.MaxStreams = cmp.Or(c.MaxStreams, max(1, c.MaxActive/4))
	return c
}

// longShare returns how many of a number of concurrent requests may be streams or
// compute for long. One client may have as many requests.
func longShare(requests int) int { return max(1, requests*3/4) }

// A Server serves the grammars, observations and models of a store.
type Server struct {
	Config
	contract    *contract
	echo        *echo.Echo
	engine      *api.Engine
	library     *library
	jobs        queue.Queue
	campaigns   *campaigns
	metrics     *metrics
	quotas      *quotas
	keyLog      *keyLog
	memory      *memory
	shedder     *loadShedder
	turns       *turns
	keyRequests *keyRequests
	active      chan struct{} // has an element for each request in progress
	long        chan struct{} // has an element for each request in progress that is a stream or computes for long

	unsubscribe func()        // from changes of a store that replicas share
	missed      chan struct{} // has an element if changes may have been missed

	shuttingDown atomic.Bool
	shutdown     chan struct{} // closed when the shutdown begins
}

var _ openapi.StrictServerInterface = (*Server)(nil)

// New returns a server that is not running yet.
func New(c Config) (*Server, error) {
	c = c.withDefaults()
	contract, err := loadContract()
	if err != nil {
		return nil, err
	}
	s := &Server{
		Config: c, contract: contract,
		library:     newLibrary(c.Store, c.CacheBytes, c.ParserCache),
		quotas:      newQuotas(c.Quotas, c.MaxStreams),
		keyLog:      newKeyLog(c.Store, c.Log),
		memory:      newMemory(c.MaxBodies),
		keyRequests: &keyRequests{byKey: map[string]map[*context.CancelCauseFunc]bool{}},
		shedder:     newLoadShedder(c.MaxWait),
		turns:       newTurns(c.Processors),
		active:      make(chan struct{}, c.MaxActive),
		long:        make(chan struct{}, longShare(c.MaxActive)),
		shutdown:    make(chan struct{}),
		unsubscribe: func() {}, missed: make(chan struct{}, 1),
	}
	s.engine = &api.Engine{Library: s.library, Untrusted: true, Limits: c.Limits, Workers: c.Workers, MaxMemory: c.MaxMemory}
	if s.jobs, err = queue.New(c.Store, queue.Options{MaxQueued: c.MaxQueue, Log: c.Log, Describe: describeError}); err != nil {
		return nil, err
	}
	s.campaigns = &campaigns{
		store: c.Store, engine: s.engine, turns: s.turns, log: c.Log, now: c.Clock, wait: c.Timeout, detach: s.streamContext,
		maxRunning: c.MaxRunning, maxOpen: c.MaxOpen, changes: map[uint64]chan struct{}{},
	}
	if shared, ok := c.Store.(store.Shared); ok {
		s.campaigns.shared = true
		s.share(shared)
	}
	s.metrics = newMetrics(s)
	page, err := web.New()
	if err != nil {
		return nil, err
	}
	s.echo = s.routes(page)
	return s, nil
}

func (s *Server) routes(page *web.Page) *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.IPExtractor = echo.ExtractIPDirect()
	e.HTTPErrorHandler = s.handleError
	e.Binder = binder{}
	e.Pre(routeByRawPath)
	e.Use(s.logRequest, recoverPanic, s.limitRole, s.checkOrigin, s.authenticate, s.limitClient, s.limitLoad, s.limitMemory, s.limitRequest, s.contract.validate, s.takeTurn)
	openapi.RegisterHandlers(e, openapi.NewStrictHandler(s, nil))
	e.GET("/openapi.json", s.contract.serve)
	e.GET("/docs", serveDocs)
	servePage(e, page)
	return e
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.echo.ServeHTTP(w, r) }

// Run serves the connections of a listener and runs jobs until ctx ends or either
// fails. Then open requests have the grace period to complete.
func (s *Server) Run(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler:           s.trace(s),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       s.Timeout + s.Grace, // of a request that is rejected before its body is read
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		if s.Role == RoleAPI {
			return nil
		}
		return s.jobs.Serve(ctx, s.run)
	})
	group.Go(func() error {
		s.checkKeys(ctx)
		return nil
	})
	group.Go(func() error {
		s.shedder.watch(ctx)
		return nil
	})
	group.Go(func() error {
		s.keyLog.run(ctx)
		return nil
	})
	group.Go(func() error {
		s.pruneAlways(ctx)
		return nil
	})
	group.Go(func() error {
		if err := s.Store.TrimFeatures(ctx, max(s.FeatureCache, 0)); err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "features not deleted", "err", err) // the limit may have been higher before
		}
		return nil
	})
	group.Go(func() error {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	group.Go(func() error {
		<-ctx.Done()
		s.beginShutdown()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Grace)
		defer cancel()
		if err := server.Shutdown(grace); err != nil {
			s.Log.WarnContext(ctx, "open requests aborted", "grace", s.Grace)
			return server.Close()
		}
		return nil
	})
	err := group.Wait()
	s.beginShutdown()
	s.campaigns.computing.Wait()
	s.keyLog.flush(context.WithoutCancel(ctx))
	s.unsubscribe()
	return err
}

// beginShutdown ends all streams and rejects new jobs.
func (s *Server) beginShutdown() {
	if s.shuttingDown.CompareAndSwap(false, true) {
		close(s.shutdown)
	}
}

var errShutdown = errors.New("the service is shutting down")

// streamContext returns a context that ends with ctx or at shutdown.
func (s *Server) streamContext(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-s.shutdown:
			cancel(errShutdown)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}
