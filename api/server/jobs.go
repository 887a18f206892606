package server

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/queue"
	"github.com/inroad/inroad/api/store"
)

// describeError returns the description and the kind of the error of a job.
func describeError(err error) (text, problem string) {
	return excerpt(err.Error()), problemOf(err).Type
}

func jobOf(j queue.Job) openapi.Job {
	return openapi.Job{
		Progress: j.Progress,
		ID:       int64(j.ID), Kind: openapi.Train, State: openapi.JobState(j.State), Subject: j.Subject, Commit: j.Commit, Grammar: j.Grammar,
		Created: j.Created, Started: j.Started, Ended: j.Ended, Attempts: j.Attempts, Error: j.Error, Problem: j.Problem, Model: j.Model,
	}
}

// ListJobs lists jobs, newest first.
func (s *Server) ListJobs(ctx context.Context, req openapi.ListJobsRequestObject) (openapi.ListJobsResponseObject, error) {
	found, next, err := newest("jobs", req.Params.Cursor, req.Params.Limit, func(j store.Job) uint64 { return j.ID }, func(before uint64, limit int) ([]store.Job, error) {
		return s.Store.Jobs(ctx, req.Params.Subject, before, limit)
	})
	if err != nil {
		return nil, err
	}
	out := openapi.ListJobs200JSONResponse{Jobs: []openapi.Job{}, Next: next}
	for _, stored := range found {
		j := queue.Job{Job: stored}
		if !stored.State.Ended() {
			if j, _, err = s.jobs.Get(ctx, stored.ID); err != nil {
				return nil, err
			}
		}
		out.Jobs = append(out.Jobs, jobOf(j))
	}
	return out, nil
}

// defaultLimit is the size of a page if the request has no limit.
const defaultLimit = 100

// newest returns a page of a list that read reads newest first, before a number, and the
// cursor of the next page.
func newest[T any](list, cursor string, limit int, number func(T) uint64, read func(before uint64, limit int) ([]T, error)) (page []T, next string, err error) {
	before, err := api.ReadNumber(list, cursor)
	if err != nil {
		return nil, "", err
	}
	limit = cmp.Or(limit, defaultLimit)
	page, err = read(before, limit+1)
	if err != nil || len(page) <= limit {
		return page, "", err
	}
	return page[:limit], api.NumberCursor(list, number(page[limit-1])), nil
}

// GetJob returns a job.
func (s *Server) GetJob(ctx context.Context, req openapi.GetJobRequestObject) (openapi.GetJobResponseObject, error) {
	j, _, err := s.jobs.Get(ctx, uint64(req.Job))
	return openapi.GetJob200JSONResponse(jobOf(j)), err
}

// CancelJob cancels a job.
func (s *Server) CancelJob(ctx context.Context, req openapi.CancelJobRequestObject) (openapi.CancelJobResponseObject, error) {
	if err := s.jobs.Cancel(ctx, uint64(req.Job)); err != nil {
		return nil, err
	}
	j, _, err := s.jobs.Get(ctx, uint64(req.Job))
	return openapi.CancelJob202JSONResponse(jobOf(j)), err
}

// FollowJob sends a job as a server-sent event now and whenever it changes, until the
// job has ended.
func (s *Server) FollowJob(ctx context.Context, req openapi.FollowJobRequestObject) (openapi.FollowJobResponseObject, error) {
	id := uint64(req.Job)
	if _, _, err := s.jobs.Get(ctx, id); err != nil {
		return nil, err
	}
	return streamResponse(func(w http.ResponseWriter) error {
		out := stream(ctx, w, "text/event-stream")
		for {
			job, changed, err := s.jobs.Get(ctx, id)
			if err != nil {
				return err
			}
			fmt.Fprint(out, "event: job\ndata: ")
			if err := out.line(jobOf(job)); err != nil {
				return err
			}
			fmt.Fprintln(out)
			if err := out.flush(); err != nil || changed == nil {
				return err
			}
			if err := s.keepAlive(ctx, out, changed); err != nil {
				return err
			}
		}
	}), nil
}

// keepAlive waits until a channel is closed. Meanwhile, it sends comments, so that the
// connection stays open.
func (s *Server) keepAlive(ctx context.Context, out *streamWriter, changed <-chan struct{}) error {
	ticker := time.NewTicker(s.Stall / 2)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-changed:
			return nil
		case <-ticker.C:
			fmt.Fprint(out, ":\n\n") // a comment
			if err := out.flush(); err != nil {
				return err
			}
		}
	}
}
