package client

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"time"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
)

// Train implements [api.Service]: it uploads the observations, starts a job and
// waits for it. If ctx ends, the job is cancelled.
func (c *Client) Train(ctx context.Context, t api.Training) (openapi.Model, error) {
	req := openapi.TrainRequest{Start: t.Start, From: t.From, Options: t.Options}
	if err := openapi.Validate(&req.Options); err != nil {
		return openapi.Model{}, err
	}
	g, err := c.Grammar(ctx, t.Grammar)
	if err != nil {
		return openapi.Model{}, err
	}
	invalid := api.CountInvalid(&t.Observations)
	about, err := c.addObservations(ctx, t.Observations)
	if err != nil {
		return openapi.Model{}, err
	}
	req.Grammar, req.Subject, req.Commit = g.ID, about.Subject, about.Commit
	params := &openapi.TrainModelParams{IdempotencyKey: cmp.Or(t.IdempotencyKey, rand.Text())}
	job, err := ask[openapi.Job](ctx, c, &req, func() (*http.Response, error) { return c.generated.TrainModel(ctx, params, req) })
	if err != nil {
		return openapi.Model{}, err
	}
	if job, err = c.follow(ctx, job, t.Progress); err != nil {
		return openapi.Model{}, err
	}
	out, err := c.Model(ctx, job.Model)
	out.Observations.Invalid = invalid.Count
	return out, err
}

// addObservations uploads observations, and returns their first header, which names the
// program and the commit.
func (c *Client) addObservations(ctx context.Context, o observation.Sources) (observation.Header, error) {
	next, stop := iter.Pull2(o.Blocks())
	defer stop()
	first, err, _ := next()
	about := first.Header
	switch {
	case err != nil:
		return about, err
	case about.Subject == "":
		return about, fmt.Errorf(`%s: the program has no name, but a service stores observations by program; begin the file with {"inroad":"observations/1","subject":"NAME"}`, first.File)
	}
	body := newObservationBody(ctx, func(yield func(observation.Block, error) bool) {
		for block, err, ok := first, error(nil), true; ok; block, err, ok = next() {
			if err == nil && block.Header.Commit != about.Commit {
				err = fmt.Errorf("%s: observations of commit %q, but earlier files have observations of commit %q; a service stores commits separately", block.File, block.Header.Commit, about.Commit)
			}
			if !yield(block, err) {
				return
			}
		}
	})
	resp, err := c.generated.AddObservationsWithBody(ctx, about.Subject, &openapi.AddObservationsParams{}, ndjson, body)
	_, err = read[openapi.UploadReport](ctx, c, resp, err)
	return about, body.stop(err)
}

// AddUnits stores the units of a program, without observations.
func (c *Client) AddUnits(ctx context.Context, about observation.Header) error {
	body := newObservationBody(ctx, func(yield func(observation.Block, error) bool) { yield(observation.Block{Header: about}, nil) })
	resp, err := c.generated.AddObservationsWithBody(ctx, about.Subject, &openapi.AddObservationsParams{}, ndjson, body)
	_, err = read[openapi.UploadReport](ctx, c, resp, err)
	return body.stop(err)
}

// newObservationBody returns a body with observations. All its headers name the program
// of the first block.
func newObservationBody(ctx context.Context, blocks iter.Seq2[observation.Block, error]) *lineBody {
	return newBody(ctx, func(ctx context.Context, w io.Writer) error {
		buffer := bufio.NewWriter(w)
		out := observation.NewAppender(buffer)
		var about *observation.Header
		for block, err := range blocks {
			if err != nil {
				return &sourceError{err}
			}
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if about == nil {
				about = &observation.Header{Subject: block.Header.Subject, Commit: block.Header.Commit}
				err = out.WriteHeader(block.Header)
			} else if len(block.Header.Units) > 0 {
				err = out.WriteHeader(observation.Header{Subject: about.Subject, Commit: about.Commit, Units: block.Header.Units})
			}
			for _, o := range block.Observations {
				err = errors.Join(err, out.Write(o))
			}
			if err := errors.Join(err, buffer.Flush()); err != nil {
				return err
			}
		}
		return nil
	})
}

// follow waits for the end of a job, and reports its progress.
func (c *Client) follow(ctx context.Context, job openapi.Job, report func(openapi.Progress)) (openapi.Job, error) {
	for failures := 0; ; {
		switch job.State {
		case openapi.Done:
			return job, nil
		case openapi.Failed:
			return job, errors.New(job.Error)
		case openapi.Cancelled, openapi.Interrupted:
			return job, fmt.Errorf("%s: the training was %s", c.url, job.State)
		case openapi.Queued, openapi.Running:
		}
		resp, err := c.generated.FollowJob(ctx, job.ID)
		if err == nil {
			err = c.events(ctx, resp, &job, report)
		}
		if ctx.Err() != nil {
			c.cancel(ctx, job.ID)
			return job, context.Cause(ctx)
		}
		pause := 100 * time.Millisecond
		_, unreachable := errors.AsType[*UnreachableError](err)
		switch {
		case err == nil:
			failures = 0
		case unreachable && failures+1 < maxTries: // the service restarts, or another replica answers
			failures, pause = failures+1, time.Second
		default:
			return job, err
		}
		select { // a service that shuts down ends its streams early
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// events reads a job whenever it changes, until the stream ends. A stream that breaks
// off is an error only before its first event: the job can be followed again.
func (c *Client) events(ctx context.Context, resp *http.Response, job *openapi.Job, report func(openapi.Progress)) error {
	defer func() { _ = resp.Body.Close() }() // it was only read
	in := bufio.NewReader(resp.Body)
	for read := false; ; {
		line, err := api.ReadLine(in, maxLine)
		if err != nil && read {
			return nil //nolint:nilerr // see above
		}
		if err != nil {
			return c.invalidAnswer(ctx, err)
		}
		data, ok := bytes.CutPrefix(line, []byte("data: "))
		if !ok {
			continue
		}
		*job = openapi.Job{}
		if err := json.Unmarshal(data, job); err != nil {
			return c.invalidAnswer(ctx, err)
		}
		read = true
		if job.State == openapi.Queued {
			job.Progress.Stage = "waiting"
		}
		if report != nil && job.Progress.Stage != "" {
			report(job.Progress)
		}
	}
}

// cancel cancels a job whose caller has stopped waiting.
func (c *Client) cancel(ctx context.Context, job int64) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer stop()
	if resp, err := c.generated.CancelJob(ctx, job); err == nil {
		_ = resp.Body.Close()
	}
}

// Model implements [api.Service].
func (c *Client) Model(ctx context.Context, name string) (openapi.Model, error) {
	if name == "" {
		return openapi.Model{}, errNoModel
	}
	resp, err := c.generated.GetModel(ctx, name)
	out, err := read[openapi.Model](ctx, c, resp, err)
	if err == nil && out.ID == "" {
		err = c.invalidAnswer(ctx, errors.New("the model has no ID"))
	}
	return out, err
}

// ModelFile implements [api.Service]. It reads the whole file and checks that it is a
// model.
func (c *Client) ModelFile(ctx context.Context, name string) (io.ReadCloser, error) {
	if name == "" {
		return nil, errNoModel
	}
	resp, err := c.generated.GetModelFile(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	file, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err == nil {
		_, err = model.ReadModel(ctx, bytes.NewReader(file))
	}
	if err != nil {
		return nil, c.invalidAnswer(ctx, err)
	}
	return io.NopCloser(bytes.NewReader(file)), nil
}

// Evaluate implements [api.Service].
func (c *Client) Evaluate(ctx context.Context, name string, observations observation.Sources, params openapi.EvaluateModelParams) (openapi.Evaluation, error) {
	if name == "" {
		return openapi.Evaluation{}, errNoModel
	}
	invalid := api.CountInvalid(&observations)
	body := newObservationBody(ctx, observations.Blocks())
	resp, err := c.generated.EvaluateModelWithBody(ctx, name, &params, ndjson, body)
	out, err := read[openapi.Evaluation](ctx, c, resp, err)
	err = body.stop(err)
	out.Invalid, out.Errors = invalid.Count, invalid.Errors
	return out, err
}

var errNoModel = errors.New("no model: give the name of a model at the service")
