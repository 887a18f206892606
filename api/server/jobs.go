package server

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

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
	limit := cmp.Or(req.Params.Limit, defaultLimit)
	found, err := s.Store.Jobs(ctx, req.Params.Subject, uint64(req.Params.Before), limit+1)
	if err != nil {
		return nil, err
	}
	found, before := page(found, limit, func(j store.Job) uint64 { return j.ID })
	out := openapi.ListJobs200JSONResponse{Jobs: []openapi.Job{}, Before: before}
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

// page truncates a list to one page. It returns the cursor of the next page, which is
// the number of the last element, or 0 on the last page.
func page[T any](list []T, limit int, number func(T) uint64) ([]T, int64) {
	if len(list) <= limit {
		return list, 0
	}
	return list[:limit], int64(number(list[limit-1]))
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
