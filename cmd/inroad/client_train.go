package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
)

// train has a service learn from observations.
func (c *client) train(ctx context.Context, opt *trainOptions) error {
	g, err := c.openGrammar(ctx, opt.grammar, &opt.start, opt.stderr)
	if err != nil {
		return err
	}
	if opt.start != g.Start {
		if g, err = c.upload(ctx, g, opt.start); err != nil {
			return err
		}
	}
	reader := &observationReader{stdin: opt.stdin, stderr: opt.stderr, strict: opt.strict}
	about, err := c.observe(ctx, opt.observations, reader)
	if err != nil {
		return err
	}
	body := openapi.TrainRequest{Subject: about.Subject, Commit: about.Commit, Grammar: g.id}
	if body.Options, err = opt.request(); err != nil {
		return err
	}
	resp, err := c.TrainModel(ctx, body)
	job, err := read[openapi.Job](ctx, c, resp, err)
	if err != nil {
		return err
	}
	if job, err = c.follow(ctx, job, opt.stderr); err != nil {
		return err
	}
	m, err := c.download(ctx, job.Model, opt.out)
	if err != nil {
		return err
	}
	if opt.out == "" {
		return opt.report(m, c.url, reader.wrong)
	}
	return opt.report(m, opt.out, reader.wrong)
}

// request returns the options of a training.
func (opt *trainOptions) request() (openapi.TrainOptions, error) {
	out := openapi.TrainOptions{
		K: opt.K, MaxDepth: opt.MaxDepth, MinLeaf: opt.MinLeaf, Folds: opt.Folds, Balance: openapi.TrainOptionsBalance(opt.balance),
		Trivia: &opt.trivia, Outcome: &opt.outcome, Margin: &opt.Margin, KeepInputs: &opt.Inputs,
	}
	if opt.features != "all" {
		for name := range strings.SplitSeq(opt.features, ",") {
			out.Features = append(out.Features, openapi.TrainOptionsFeatures(name))
		}
	}
	var err error
	out.Seed, err = sentSeed(opt.Seed)
	return out, err
}

// observe sends files of observations, and returns what they are about.
func (c *client) observe(ctx context.Context, names []string, reader *observationReader) (about observation.Header, err error) {
	for i, name := range names {
		header, err := c.observeFile(ctx, name, reader)
		switch {
		case err != nil:
			return about, err
		case i > 0 && header.Subject != about.Subject:
			return about, otherSubject(name, header.Subject, about.Subject)
		case i > 0 && header.Commit != about.Commit:
			return about, fmt.Errorf("%s: it is of commit %q, and files before it of %q; a service keeps them apart", inputName(name), header.Commit, about.Commit)
		}
		about = header
	}
	reader.sum()
	return about, nil
}

// observeFile sends a file of observations.
func (c *client) observeFile(ctx context.Context, name string, reader *observationReader) (observation.Header, error) {
	in := reader.stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return observation.Header{}, fmt.Errorf("%s: %w", printable(name), cause(err))
		}
		defer func() { _ = file.Close() }() // it was only read
		in = file
	}
	header, body, err := peekHeader(in)
	if err != nil {
		return header, fmt.Errorf("%s: %w", inputName(name), cause(err))
	}
	resp, err := c.AddObservationsWithBody(ctx, header.Subject, &openapi.AddObservationsParams{Strict: reader.strict}, "application/x-ndjson", body)
	report, err := read[openapi.UploadReport](ctx, c, resp, err)
	if problem, ok := errors.AsType[*problemError](err); ok && problem.kind() == "observations" {
		return header, fmt.Errorf("%s: %w", inputName(name), err)
	}
	if err != nil {
		return header, err
	}
	for _, line := range report.Errors {
		reader.leave(name, line.Line, line.Message)
	}
	reader.wrong += max(0, int(report.Wrong)-len(report.Errors))
	return header, nil
}

// peekHeader reads what observations are about, and returns them with it.
func peekHeader(r io.Reader) (observation.Header, io.Reader, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	first, err := nextLine(in)
	if err != nil && !errors.Is(err, io.EOF) {
		return observation.Header{}, nil, err
	}
	headed := observation.NewReader(bytes.NewReader(first))
	if _, err := headed.Next(); err != nil && !errors.Is(err, io.EOF) {
		return observation.Header{}, nil, err
	}
	if headed.Header().Subject == "" {
		return observation.Header{}, nil, errors.New(`the program has no name, which a service keeps observations by; begin the file with {"inroad":"observations/1","subject":"NAME"}`)
	}
	return headed.Header(), io.MultiReader(bytes.NewReader(first), strings.NewReader("\n"), in), nil
}

// follow waits for the end of a job, and shows how far it is. Who interrupts the
// command wants no model.
func (c *client) follow(ctx context.Context, job openapi.Job, stderr io.Writer) (openapi.Job, error) {
	bar := newProgress(stderr, "waiting", 0)
	defer bar.end()
	for {
		switch job.State {
		case openapi.Done:
			return job, nil
		case openapi.Failed:
			return job, errors.New(job.Error)
		case openapi.Cancelled, openapi.Interrupted:
			return job, fmt.Errorf("%s: the training was %s", c.url, job.State)
		case openapi.Queued, openapi.Running:
		}
		resp, err := c.FollowJob(ctx, job.ID)
		if err == nil {
			err = c.events(ctx, resp, &job, bar)
		}
		if ctx.Err() != nil {
			c.cancel(ctx, job.ID)
			return job, context.Cause(ctx)
		}
		if err != nil {
			return job, err
		}
		select { // a service that shuts down ends its streams
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// events reads a job whenever it changes, until it ends or the stream does.
func (c *client) events(ctx context.Context, resp *http.Response, job *openapi.Job, bar *progress) error {
	defer func() { _ = resp.Body.Close() }() // it was only read
	in := bufio.NewReader(resp.Body)
	for {
		line, err := nextLine(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return c.broken(ctx, err)
		}
		data, ok := bytes.CutPrefix(line, []byte("data: "))
		if !ok {
			continue
		}
		if err := json.Unmarshal(data, job); err != nil {
			return c.broken(ctx, err)
		}
		if bar != nil && job.Progress.Stage != "" {
			bar.what = job.Progress.Stage
			bar.setOf(int(job.Progress.Done), int(job.Progress.Total))
		}
	}
}

// cancel cancels a job that nobody waits for.
func (c *client) cancel(ctx context.Context, job int64) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer stop()
	if resp, err := c.CancelJob(ctx, job); err == nil {
		_ = resp.Body.Close()
	}
}

// download returns a model, and writes it to a file if that has a name.
func (c *client) download(ctx context.Context, id, name string) (*model.Model, error) {
	resp, err := c.GetModelFile(ctx, id)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	m, err := model.ReadModel(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, c.broken(ctx, err)
	}
	if name == "" {
		return m, nil
	}
	return m, writeModel(name, m)
}
