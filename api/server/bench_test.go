package server_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/inroad/inroad/api/server"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
)

// BenchmarkPredict has 16 clients ask about an input of about 100 bytes, one after
// the other. It reports answers a second, and how long 99 of 100 took at most.
func BenchmarkPredict(b *testing.B) {
	s := startOn(b, b.TempDir()+"/s.db", func(c *server.Config) { c.MaxActive = 64 })
	s.trained(b)
	const clients = 16
	input := strings.Repeat("(1+22)*x-", 11) + "1"
	body := fmt.Sprintf(`{"inputs":[{"input":%q}]}`, input)
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	defer transport.CloseIdleConnections()
	requests := make(chan struct{}, clients)
	times := make([][]time.Duration, clients)
	var group sync.WaitGroup
	for i := range clients {
		group.Go(func() {
			for range requests {
				start := time.Now()
				req, _ := http.NewRequestWithContext(b.Context(), http.MethodPost, s.url+"/v1/models/latest/predictions", strings.NewReader(body))
				req.Header.Set("Content-Type", "application/json")
				resp, err := transport.RoundTrip(req)
				if err != nil || resp.StatusCode != http.StatusOK {
					b.Errorf("%v %v", resp, err)
					return
				}
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
				times[i] = append(times[i], time.Since(start))
			}
		})
	}
	start := time.Now()
	for b.Loop() {
		requests <- struct{}{}
	}
	close(requests)
	group.Wait()
	all := slices.Concat(times...)
	slices.Sort(all)
	b.ReportMetric(float64(len(all))/time.Since(start).Seconds(), "answers/s")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, "p99-ms")
}

// BenchmarkAnswer answers requests one after the other without a network between,
// with a model of as many methods as a library has.
func BenchmarkAnswer(b *testing.B) {
	for _, methods := range []int{20, 160} {
		b.Run(fmt.Sprintf("%d methods", methods), func(b *testing.B) {
			server := wide(b, methods)
			input := strings.Repeat("(1+22)*x-", 11) + "1"
			body := fmt.Sprintf(`{"inputs":[{"input":%q}]}`, input)
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "http://localhost/v1/models/latest/predictions", strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				server.ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					b.Fatalf("%d %s", w.Code, w.Body)
				}
				b.SetBytes(int64(w.Body.Len()))
			}
		})
	}
}

// wide returns a server with a model of so many methods.
func wide(b *testing.B, methods int) *server.Server {
	b.Helper()
	st, err := bolt.Open(b.Context(), filepath.Join(b.TempDir(), "s.db"), bolt.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { st.Close() })
	var observations []observation.Observation
	r := rand.New(rand.NewPCG(1, 0))
	for i := range 500 {
		o := observation.Observation{Input: []byte(fmt.Sprint(i))}
		for range r.IntN(20) {
			op := "+-*/%"[r.IntN(5)]
			o.Input = fmt.Appendf(o.Input, "%c%d", op, r.IntN(100))
			for m := range methods {
				if m%7 == int(op)%7 || r.IntN(50) == 0 {
					o.Methods = append(o.Methods, fmt.Sprintf("library/file%d.go#(*parser).method%03d", m%10, m))
				}
			}
		}
		observations = append(observations, o)
	}
	sources, err := bundled.Sources("expr")
	if err != nil {
		b.Fatal(err)
	}
	m, err := model.Train(b.Context(), "", sources, observation.Header{Subject: "wide"}, observations, model.Defaults())
	if err != nil {
		b.Fatal(err)
	}
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		b.Fatal(err)
	}
	if _, err := st.PutModel(b.Context(), store.Model{ID: m.Digest, Subject: "wide", Grammar: "expr"}, file.Bytes()); err != nil {
		b.Fatal(err)
	}
	server, err := server.New(server.Config{Store: st})
	if err != nil {
		b.Fatal(err)
	}
	return server
}
