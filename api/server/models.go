package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"strconv"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/queue"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
)

// TrainModel queues a training job.
func (s *Server) TrainModel(ctx context.Context, req openapi.TrainModelRequestObject) (openapi.TrainModelResponseObject, error) {
	if s.shuttingDown.Load() {
		return nil, errShutdown
	}
	commit, err := s.commit(ctx, req.Body.Subject, req.Body.Commit)
	if err != nil {
		return nil, err
	}
	g, err := s.library.Grammar(ctx, req.Body.Grammar)
	if err != nil {
		return nil, err
	}
	if _, err := g.StartRule(req.Body.Start); err != nil {
		return nil, err
	}
	if req.Body.From != "" {
		if _, err := s.library.find(ctx, req.Body.From); err != nil {
			return nil, err
		}
	}
	if err := s.checkJobSize(ctx, req.Body.Subject, commit, &req.Body.Options); err != nil {
		return nil, err
	}
	options, err := json.Marshal(req.Body.Options)
	if err != nil {
		return nil, err
	}
	j, err := s.jobs.Add(ctx, store.Job{
		Subject: req.Body.Subject, Commit: commit, Grammar: req.Body.Grammar, Start: req.Body.Start, From: req.Body.From, Options: options,
	}, clientOf(ctx))
	if err != nil {
		return nil, err
	}
	return openapi.TrainModel202JSONResponse{
		Body: jobOf(queue.Job{Job: j}), Headers: openapi.TrainModel202ResponseHeaders{Location: "/v1/jobs/" + strconv.FormatUint(j.ID, 10)},
	}, nil
}

// checkJobSize rejects a training that exceeds the memory limit, estimated from the
// numbers of observations and methods. The engine checks again while it reads inputs.
func (s *Server) checkJobSize(ctx context.Context, subject, commit string, options *openapi.TrainOptions) error {
	info, err := s.Store.Commit(ctx, subject, commit)
	if err != nil {
		return err
	}
	return s.engine.CheckTraining(options, model.Size{Observations: int(info.Observations), Methods: info.Units})
}

// run runs a job in a span.
func (s *Server) run(ctx context.Context, j store.Job, report func(openapi.Progress)) (queue.Result, error) {
	return s.traceJob(ctx, j, func(ctx context.Context) (queue.Result, error) { return s.train(ctx, j, report) })
}

// train trains a model on stored observations.
func (s *Server) train(ctx context.Context, j store.Job, report func(openapi.Progress)) (queue.Result, error) {
	var none queue.Result
	g, err := s.library.Grammar(ctx, j.Grammar)
	if err != nil {
		return none, err
	}
	info, err := s.Store.Commit(ctx, j.Subject, j.Commit)
	if err != nil {
		return none, err
	}
	l := api.Learning{Grammar: g, Start: j.Start, From: j.From, Blocks: s.blocks(ctx, j), Total: info.Observations, Progress: report}
	if err := json.Unmarshal(j.Options, &l.Options); err != nil {
		return none, err
	}
	m, err := s.engine.Learn(ctx, l)
	if err != nil {
		return none, err
	}
	report(openapi.Progress{Stage: "storing"})
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		return none, err
	}
	return queue.Result{File: file.Bytes(), Model: store.Model{
		ID: m.Digest, Subject: j.Subject, Commit: j.Commit, Grammar: j.Grammar, Quality: api.AppendJSON(nil, api.NewModel(m).Quality()),
	}}, nil
}

// blocks yields a block with the header, then the stored observations of a job.
func (s *Server) blocks(ctx context.Context, j store.Job) iter.Seq2[observation.Block, error] {
	return func(yield func(observation.Block, error) bool) {
		header, err := s.Store.Header(ctx, j.Subject, j.Commit)
		if !yield(observation.Block{Header: header}, err) || err != nil {
			return
		}
		for block, err := range s.Store.Observations(ctx, j.Subject, j.Commit) {
			if !yield(observation.Block{Observations: block}, err) || err != nil {
				return
			}
		}
	}
}

// ListModels lists models, newest first.
func (s *Server) ListModels(ctx context.Context, req openapi.ListModelsRequestObject) (openapi.ListModelsResponseObject, error) {
	limit := cmp.Or(req.Params.Limit, defaultLimit)
	found, err := s.Store.Models(ctx, req.Params.Subject, uint64(req.Params.Before), limit+1)
	found, before := page(found, limit, func(m store.Model) uint64 { return m.Number })
	return openapi.ListModels200JSONResponse{Before: before, Models: convert(found, func(m store.Model) openapi.ModelItem {
		return openapi.ModelItem{
			ID: m.ID, Number: int64(m.Number), Subject: m.Subject, Commit: m.Commit, Grammar: m.Grammar, Created: m.Created, Size: m.Size,
			Quality: qualityOf(m),
		}
	})}, err
}

// qualityOf returns the quality that was stored with a model, or nil.
func qualityOf(m store.Model) *openapi.ModelQuality {
	var out openapi.ModelQuality
	if json.Unmarshal(m.Quality, &out) != nil {
		return nil
	}
	return &out
}

// GetModelFile sends the file of a model.
func (s *Server) GetModelFile(ctx context.Context, req openapi.GetModelFileRequestObject) (openapi.GetModelFileResponseObject, error) {
	stored, err := s.library.find(ctx, req.Model)
	if err != nil {
		return nil, err
	}
	file, err := s.Store.ModelFile(ctx, stored)
	if err != nil {
		return nil, err
	}
	return streamResponse(func(w http.ResponseWriter) error {
		w.Header().Set("Content-Length", strconv.Itoa(len(file)))
		w.Header().Set("Content-Disposition", `attachment; filename="`+stored.ID[:min(12, len(stored.ID))]+`.model"`)
		out := stream(ctx, w, "application/octet-stream")
		if _, err := out.Write(file); err != nil {
			return err
		}
		return out.flush()
	}), nil
}
