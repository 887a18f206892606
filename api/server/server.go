// Package api serves inroad over HTTP.
//
// The contract is openapi/openapi.yaml: what is generated from it decodes
// requests, and each request is checked against it. Handlers translate and call
// the packages that the commands call. [New] makes a [Server], and [Server.Run]
// serves until its context ends.
package server

import (
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

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/grammars"
)

// Config says what a server serves, and its bounds. Fields that are zero mean
// the default.
type Config struct {
	Store   *store.Store
	Log     *slog.Logger
	Version string
	Tracer  trace.TracerProvider // of spans for requests and jobs; none if nil
	// NeedKeys has requests be refused without a key. Else only those are served
	// that were sent to a loopback address, and not from another site.
	NeedKeys bool

	Timeout    time.Duration   // of a request that is no stream; 1 minute
	Stall      time.Duration   // how long a stream may wait for its client; 30 seconds
	Grace      time.Duration   // for requests to end when the server is to end; 15 seconds
	MaxBody    int64           // bytes of a body that is read at once; 16 MiB
	MaxUpload  int64           // bytes of a body that is streamed; 1 GiB
	MaxActive  int             // requests at the same time; 256
	MaxWait    time.Duration   // of requests for a processor; 100 milliseconds
	MaxQueue   int             // jobs that wait; 100
	MaxMemory  int64           // bytes that a training may take, about; 2 GiB
	CacheBytes int64           // of grammars and models in memory, about; 128 MiB
	Workers    int             // goroutines of a training or a batch; one a core
	Limits     grammars.Limits // of a parse
	Quotas     store.Limits    // of keys that have none of their own; none if 0
}

func (c Config) withDefaults() Config {
	or := func(n *int, otherwise int) {
		if *n == 0 {
			*n = otherwise
		}
	}
	or64 := func(n *int64, otherwise int64) {
		if *n == 0 {
			*n = otherwise
		}
	}
	orTime := func(d *time.Duration, otherwise time.Duration) {
		if *d == 0 {
			*d = otherwise
		}
	}
	orTime(&c.Timeout, time.Minute)
	orTime(&c.Stall, 30*time.Second)
	orTime(&c.Grace, 15*time.Second)
	orTime(&c.MaxWait, 100*time.Millisecond)
	or64(&c.MaxBody, 16<<20)
	or64(&c.MaxUpload, 1<<30)
	or64(&c.MaxMemory, 2<<30)
	or64(&c.CacheBytes, 128<<20)
	or(&c.MaxActive, 256)
	or(&c.MaxQueue, 100)
	or(&c.Workers, runtime.GOMAXPROCS(0))
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// A Server serves a store.
type Server struct {
	Config
	contract *contract
	echo     *echo.Echo
	grammars *cache[*loadedGrammar]
	models   *cache[*loadedModel]
	jobs     *jobs
	metrics  *metrics
	quotas   *quotas
	strain   *strain
	active   chan struct{} // a token for each request that is being served
	closing  chan struct{} // closed when the server is to end
	ending   atomic.Bool
}

var _ openapi.StrictServerInterface = (*Server)(nil)

// New returns a server. It serves nothing yet.
func New(c Config) (*Server, error) {
	c = c.withDefaults()
	contract, err := loadContract()
	if err != nil {
		return nil, err
	}
	s := &Server{
		Config: c, contract: contract,
		grammars: newCache[*loadedGrammar](c.CacheBytes / 2),
		models:   newCache[*loadedModel](c.CacheBytes / 2),
		quotas:   newQuotas(c.Quotas),
		strain:   newStrain(c.MaxWait),
		active:   make(chan struct{}, c.MaxActive),
		closing:  make(chan struct{}),
	}
	s.jobs = &jobs{store: c.Store, log: c.Log, most: c.MaxQueue, run: s.run, wake: make(chan struct{}, 1), open: map[uint64]*openJob{}}
	s.metrics = newMetrics(s)
	s.echo = s.routes()
	return s, nil
}

func (s *Server) routes() *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.IPExtractor = echo.ExtractIPDirect()
	e.HTTPErrorHandler = s.handleError
	e.Pre(escaped)
	e.Use(s.observed, s.recovered, s.guarded, s.authorised, s.limited, s.admitted, s.bounded, s.contract.validated)
	openapi.RegisterHandlers(e, openapi.NewStrictHandler(s, nil))
	e.GET("/openapi.json", s.contract.serve)
	e.GET("/docs", serveDocs)
	e.GET("/metrics", echo.WrapHandler(s.metrics.handler))
	return e
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.echo.ServeHTTP(w, r) }

// Run serves connections of a listener, and does jobs, until ctx ends or one of
// them fails. Then requests have a while to end.
func (s *Server) Run(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler:           s.traced(s),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.jobs.serve(ctx) })
	group.Go(func() error {
		s.strain.watch(ctx)
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
		s.end()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Grace)
		defer cancel()
		if err := server.Shutdown(grace); err != nil {
			s.Log.WarnContext(ctx, "requests were cut off", "grace", s.Grace)
			return server.Close()
		}
		return nil
	})
	return group.Wait()
}

// end tells streams and those who ask that the server is to end.
func (s *Server) end() {
	if s.ending.CompareAndSwap(false, true) {
		close(s.closing)
	}
}

// errEnding is why streams end with the server.
var errEnding = errors.New("the service shuts down")

// streaming returns a context that ends with ctx or with the server.
func (s *Server) streaming(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-s.closing:
			cancel(errEnding)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}
