package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/inroad/inroad/api/store/postgres/postgrestest"
	"github.com/inroad/inroad/eval/internal/process"
)

// What compareStores uploads and trains.
const (
	uploads   = 8      // at the same time, each of a program of its own
	perUpload = 10_000 // observations
	units     = 40     // methods of a program
	trainings = 4      // at the same time
	sample    = 1000   // observations of a training, which reads all of them
)

// compareStores measures a data file, and a database with 1, 2 and 4 replicas, one after
// the other.
func (opt options) compareStores(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "inroad-stores-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if opt.inroad == "" {
		if opt.inroad, err = build(ctx, dir); err != nil {
			return err
		}
	}
	database := postgrestest.Server{Settings: []string{"fsync=on"}} // as a data file
	defer database.Close()
	out := tabwriter.NewWriter(opt.stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintln(out, "| store\t| replicas\t| uploaded/s\t| predictions/s\t| p50\t| p99\t| refused\t| errors\t| trainings\t| memory\t| store\t|")
	fmt.Fprintln(out, "| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t|")
	for _, replicas := range []int{0, 1, 2, 4} {
		name, store := "file", filepath.Join(dir, "s.db")
		if replicas > 0 {
			name = "PostgreSQL"
			if store, err = database.NewDatabase(ctx); err != nil {
				return err
			}
		}
		m, err := opt.measure(ctx, store, max(1, replicas))
		if err != nil {
			return fmt.Errorf("%s with %d replicas: %w", name, replicas, err)
		}
		fmt.Fprintf(out, "| %s\t| %d\t| %.0f\t| %.0f\t| %.2f ms\t| %.2f ms\t| %d\t| %d\t| %.1f s\t| %d MB\t| %.0f MB\t|\n", name, max(1, replicas), m.uploaded,
			float64(m.predictions.responses())/opt.duration.Seconds(), m.predictions.percentile(50), m.predictions.percentile(99),
			m.predictions.refused, m.predictions.errors, m.training.Seconds(), m.memory>>20, m.size/1e6)
		if err := out.Flush(); err != nil {
			return err
		}
		if m.predictions.first != nil {
			fmt.Fprintf(os.Stderr, "load: first error: %v\n", m.predictions.first)
		}
	}
	return opt.copyStores(ctx, dir, &database)
}

// copyStores measures copies of the data file to a database and back.
func (opt options) copyStores(ctx context.Context, dir string, database *postgrestest.Server) error {
	url, err := database.NewDatabase(ctx)
	if err != nil {
		return err
	}
	file, back := filepath.Join(dir, "s.db"), filepath.Join(dir, "back.db")
	for _, c := range []struct{ name, from, to string }{{"file to database", file, url}, {"database to file", url, back}} {
		begun := time.Now()
		cmd := exec.CommandContext(ctx, opt.inroad, "store", "copy", c.from, c.to)
		text, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, text)
		}
		memory := int64(0)
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			memory = usage.Maxrss >> 10
		}
		if _, err := fmt.Fprintf(opt.stdout, "copy, %s: %.1f s, %d MB of memory: %s", c.name, time.Since(begun).Seconds(), memory, text); err != nil {
			return err
		}
	}
	return nil
}

// storeSize returns the size of the store of a service in bytes.
func (s *service) storeSize(ctx context.Context) (size float64, err error) {
	text, err := s.call(ctx, http.MethodGet, "/metrics", "", nil)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if _, err := fmt.Sscanf(line, "inroad_store_bytes %g", &size); err == nil {
			return size, nil
		}
	}
	return 0, errors.New("no size of the store in /metrics")
}

// A measurement has the results of one store.
type measurement struct {
	uploaded    float64 // observations per second
	predictions *result
	training    time.Duration // until all trainings have ended
	memory      int64         // peak of all replicas
	size        float64       // bytes of the store after the uploads
}

// measure starts replicas on an empty store, and uses them.
func (opt options) measure(ctx context.Context, store string, replicas int) (m measurement, err error) {
	var services []*service
	defer func() {
		for _, s := range services {
			err = errors.Join(err, s.end())
		}
	}()
	var addresses []string
	for range replicas {
		s, err := start(ctx, opt.inroad, store)
		if err != nil {
			return m, err
		}
		services, addresses = append(services, s), append(addresses, s.address)
	}
	begun := time.Now()
	group, uploading := errgroup.WithContext(ctx)
	for i := range uploads {
		body := observations(rand.New(rand.NewPCG(opt.seed, uint64(i))))
		group.Go(func() error {
			_, err := services[i%replicas].call(uploading, http.MethodPost, fmt.Sprintf("/v1/subjects/p%d/observations", i), "application/x-ndjson", bytes.NewReader(body))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return m, err
	}
	m.uploaded = float64(uploads*perUpload) / time.Since(begun).Seconds()
	if m.size, err = services[0].storeSize(ctx); err != nil {
		return m, err
	}
	if m.predictions, err = (load{"predictions", demo, opt.connections}).run(ctx, addresses, opt); err != nil {
		return m, err
	}
	begun = time.Now()
	group, training := errgroup.WithContext(ctx)
	for i := range trainings {
		group.Go(func() error { return services[i%replicas].trainProgram(training, fmt.Sprint("p", i)) })
	}
	if err := group.Wait(); err != nil {
		return m, err
	}
	m.training = time.Since(begun)
	for _, s := range services {
		m.memory += process.PeakMemory(s.cmd.Process.Pid)
	}
	return m, nil
}

// observations returns the observations of a program whose methods depend on the
// characters of the inputs.
func observations(r *rand.Rand) []byte {
	var out bytes.Buffer
	for range perUpload {
		input := expression(r, 60)
		reached := []string{"main"}
		for u := range units {
			if strings.Contains(input, string("xyz+-*/%0123456789"[u%18])+string("(xyz+-*/%)"[u%10])) {
				reached = append(reached, fmt.Sprintf("file%d.go#f%d", u%5, u))
			}
		}
		line, _ := json.Marshal(map[string]any{"input": input, "methods": reached}) // of strings: never fails
		out.Write(append(line, '\n'))
	}
	return out.Bytes()
}

// trainProgram trains a model of a program, and waits for it.
func (s *service) trainProgram(ctx context.Context, program string) error {
	text, err := s.call(ctx, http.MethodPost, "/v1/models", "application/json", strings.NewReader(fmt.Sprintf(`{"subject":%q,"grammar":"expr","options":{"sample":%d}}`, program, sample)))
	if err != nil {
		return err
	}
	_, err = s.await(ctx, text)
	return err
}
