package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/inroad/inroad/eval/internal/process"
)

// Names of models.
const (
	demo = "demo"
	wide = "wide"
)

// A service is a running service process.
type service struct {
	address string
	cmd     *exec.Cmd
	dir     string
}

// build builds the command in a folder, and returns its path.
func build(ctx context.Context, dir string) (string, error) {
	inroad := filepath.Join(dir, "inroad")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", inroad, "./cmd/inroad")
	cmd.Dir = ".." // the module of the command
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build inroad: %w\n%s", err, text)
	}
	return inroad, nil
}

// start starts the service on a store, or on a temporary one if it is empty. It builds the
// command if inroad is empty.
func start(ctx context.Context, inroad, store string) (*service, error) {
	dir, err := os.MkdirTemp("", "inroad-load-")
	if err != nil {
		return nil, err
	}
	s := &service{dir: dir}
	if inroad == "" {
		if inroad, err = build(ctx, dir); err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
	}
	store = cmp.Or(store, filepath.Join(dir, "s.db"))
	s.cmd = exec.CommandContext(ctx, inroad, "serve", "--demo", "--store", store, "--listen", "127.0.0.1:0", "--log-level", "warn")
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(os.Interrupt) }
	s.cmd.Stderr = os.Stderr
	printed, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := s.cmd.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if s.address, err = process.ReadAddress(printed); err != nil {
		return nil, errors.Join(err, s.end())
	}
	return s, nil
}

func (s *service) end() error {
	_ = s.cmd.Process.Signal(os.Interrupt)
	err := s.cmd.Wait()
	return errors.Join(err, os.RemoveAll(s.dir))
}

// copies is the number of times that the wide model repeats the methods of the demo
// model.
const copies = 7

// trainWide trains a model with copies of the demo model's methods, and returns
// its number of methods.
func (s *service) trainWide(ctx context.Context) (methods int, err error) {
	text, err := s.call(ctx, http.MethodGet, "/v1/subjects/calc/observations", "", nil)
	if err != nil {
		return 0, err
	}
	var body bytes.Buffer
	for line := range bytes.Lines(text) {
		var o struct {
			Input   *string  `json:"input"`
			Methods []string `json:"methods"`
		}
		if err := json.Unmarshal(line, &o); err != nil {
			return 0, err
		}
		if o.Input == nil { // the header
			continue
		}
		var all []string
		for i := range copies {
			for _, m := range o.Methods {
				all = append(all, fmt.Sprintf("copy%d/%s", i, m))
			}
		}
		o.Methods = all
		if err := json.NewEncoder(&body).Encode(o); err != nil {
			return 0, err
		}
	}
	if _, err := s.call(ctx, http.MethodPost, "/v1/subjects/wide/observations", "application/x-ndjson", &body); err != nil {
		return 0, err
	}
	return s.train(ctx)
}

// train trains the wide model, waits for it, and returns its number of methods.
func (s *service) train(ctx context.Context) (methods int, err error) {
	text, err := s.call(ctx, http.MethodPost, "/v1/models", "application/json", strings.NewReader(`{"subject":"wide","grammar":"expr"}`))
	if err != nil {
		return 0, err
	}
	model, err := s.await(ctx, text)
	if err != nil {
		return 0, err
	}
	if _, err := s.call(ctx, http.MethodPut, "/v1/aliases/"+wide, "application/json", strings.NewReader(`{"model":"`+model+`"}`)); err != nil {
		return 0, err
	}
	var m struct{ Methods struct{ All int } }
	if text, err = s.call(ctx, http.MethodGet, "/v1/models/"+wide, "", nil); err == nil {
		err = json.Unmarshal(text, &m)
	}
	return m.Methods.All, err
}

// await waits for a job, and returns the ID of its model.
func (s *service) await(ctx context.Context, text []byte) (model string, err error) {
	var job struct {
		ID                  int
		State, Error, Model string
	}
	for job.Model == "" {
		if err := json.Unmarshal(text, &job); err != nil {
			return "", err
		}
		if job.Error != "" {
			return "", errors.New(job.Error)
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
		if text, err = s.call(ctx, http.MethodGet, fmt.Sprintf("/v1/jobs/%d", job.ID), "", nil); err != nil {
			return "", err
		}
	}
	return job.Model, nil
}

// call sends a request and returns the body of the response.
func (s *service) call(ctx context.Context, method, path, contentType string, body io.Reader) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+s.address+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", contentType)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(resp.Body)
	err = errors.Join(err, resp.Body.Close())
	if err == nil && resp.StatusCode >= http.StatusMultipleChoices {
		err = fmt.Errorf("%s %s: %s %s", method, path, resp.Status, text)
	}
	return text, err
}
