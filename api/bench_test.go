package api_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/inroad/inroad/api"
)

// BenchmarkPredict has 16 clients ask about an input of about 100 bytes, one after
// the other. It reports answers a second, and how long 99 of 100 took at most.
func BenchmarkPredict(b *testing.B) {
	s := startOn(b, b.TempDir()+"/s.db", func(c *api.Config) { c.MaxActive = 64 })
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
