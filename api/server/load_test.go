package server_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/inroad/inroad/api/server"
	"github.com/inroad/inroad/grammars"
)

// A gate is a context that blocks whoever looks at it until it is opened.
type gate struct {
	context.Context
	looked chan struct{}
	open   chan struct{}
}

func (g *gate) Err() error {
	select {
	case g.looked <- struct{}{}:
	default:
	}
	<-g.open
	return context.Canceled
}

// blockLoading keeps other grammars from loading until the test ends: it begins
// to load one that is as large as all others may be together.
func blockLoading(t *testing.T) {
	t.Helper()
	g := &gate{context.Background(), make(chan struct{}, 1), make(chan struct{})}
	ended := make(chan error, 1)
	go func() {
		_, err := grammars.Load(g, grammars.Source{Name: "g.g4", Text: "grammar g; s : 'x' ;" + strings.Repeat(" ", 600<<10)})
		ended <- err
	}()
	<-g.looked
	t.Cleanup(func() {
		close(g.open)
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the grammar that kept others from loading: %v", err)
		}
	})
}

// A requestLog sends the routes of completed requests to a channel.
type requestLog struct {
	slog.Handler
	routes chan string
}

func (l *requestLog) Enabled(context.Context, slog.Level) bool { return true }

func (l *requestLog) WithAttrs([]slog.Attr) slog.Handler { return l }

func (l *requestLog) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "request" {
		r.Attrs(func(a slog.Attr) bool {
			if a.Key == "route" {
				l.routes <- a.Value.String()
			}
			return true
		})
	}
	return nil
}

// A notifyingConn calls wrote after each write.
type notifyingConn struct {
	net.Conn
	wrote func()
}

func (c *notifyingConn) Write(p []byte) (int, error) {
	defer c.wrote()
	return c.Conn.Write(p)
}

// TestLoadingEndsWithItsClient checks that a request whose grammar is still
// loading ends when its client goes, whether it loads a grammar of its own or
// through the cache.
func TestLoadingEndsWithItsClient(t *testing.T) {
	for _, test := range []struct{ name, path, route, body string }{
		{"a grammar to check", "/v1/grammar-checks", "/v1/grammar-checks", `{"files":[{"name":"a.g4","text":"grammar a; s : 'x' ;"}]}`},
		{"a grammar to store", "/v1/grammars", "/v1/grammars", `{"files":[{"name":"a.g4","text":"grammar a; s : 'x' ;"}]}`},
		{"a grammar to parse with", "/v1/grammars/json/parses", "/v1/grammars/:grammar/parses", `{"input":"1"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			completed := &requestLog{slog.DiscardHandler, make(chan string, 10)}
			s := start(t, func(c *server.Config) { c.Log = slog.New(completed) })
			blockLoading(t)
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				c, err := new(net.Dialer).DialContext(ctx, network, address)
				return &notifyingConn{c, leave}, err
			}}}
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+test.path, strings.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			resp, err := client.Do(req)
			if err == nil {
				resp.Body.Close()
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("the client got %v", err)
			}
			if got := <-completed.routes; got != test.route {
				t.Errorf("request of %s ended, want %s", got, test.route)
			}
		})
	}
}
