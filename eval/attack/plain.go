package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	plainInterval = 20 * time.Millisecond // between two plain predictions
	patience      = 5 * time.Second       // timeout of a plain prediction
)

// A plainResult has the times that plain predictions took.
type plainResult struct {
	mu     sync.Mutex
	took   []time.Duration // sorted; patience if the request failed
	failed int
	first  error
}

// percentile returns the n-th percentile of the times.
func (r *plainResult) percentile(n int) time.Duration {
	if len(r.took) == 0 {
		return patience
	}
	return r.took[min(len(r.took)*n/100, len(r.took)-1)]
}

// requestPlain requests predictions at a steady rate until ctx ends, however long
// the answers take.
func requestPlain(ctx context.Context, address, key string) *plainResult {
	r := &plainResult{}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}, Timeout: patience}
	defer client.CloseIdleConnections()
	ticks := time.NewTicker(plainInterval)
	defer ticks.Stop()
	var group sync.WaitGroup
	for due := time.Now(); ctx.Err() == nil; due = due.Add(plainInterval) {
		for time.Since(due) < 0 && ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-ticks.C:
			}
		}
		group.Go(func() {
			err := predict(ctx, client, address, key)
			if err != nil && ctx.Err() != nil { // the attack is over
				return
			}
			r.add(time.Since(due), err)
		})
	}
	group.Wait()
	slices.Sort(r.took)
	return r
}

func (r *plainResult) add(took time.Duration, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		took = patience
		r.failed++
		if r.first == nil {
			r.first = err
		}
	}
	r.took = append(r.took, took)
}

// predict requests one prediction.
func predict(ctx context.Context, client *http.Client, address, key string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/v1/models/demo/predictions", strings.NewReader(`{"inputs":[{"input":"x*(y+1)-(3+z)%2"}]}`))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // only read
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s", resp.Status, text)
	}
	return err
}
