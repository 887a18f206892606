package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
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
	j := store.Job{
		Subject: req.Body.Subject, Commit: commit, Grammar: req.Body.Grammar, Start: req.Body.Start, From: req.Body.From, Options: options,
	}
	if name := req.Params.IdempotencyKey; name != "" {
		j.RequestKey, j.BodyDigest = digest(caller(ctx), name), []byte(digest(string(api.AppendJSON(nil, req.Body))))
	}
	body := j.BodyDigest
	if j, err = s.jobs.Add(ctx, j, clientOf(ctx)); err != nil {
		return nil, err
	}
	if !bytes.Equal(j.BodyDigest, body) {
		return nil, &repeatError{req.Params.IdempotencyKey, j.ID}
	}
	return openapi.TrainModel202JSONResponse{
		Body: jobOf(queue.Job{Job: j}), Headers: openapi.TrainModel202ResponseHeaders{Location: "/v1/jobs/" + strconv.FormatUint(j.ID, 10)},
	}, nil
}

// digest returns a digest of texts.
func digest(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		fmt.Fprintf(h, "%d:%s", len(t), t)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// A repeatError reports a request with the Idempotency-Key of an earlier request, but
// another body.
type repeatError struct {
	name string
	job  uint64
}

func (e *repeatError) Error() string {
	return fmt.Sprintf("Idempotency-Key %q: already used by job %d with another body; use a new key", e.name, e.job)
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
func (s *Server) run(ctx context.Context, j store.Job, w queue.Work) (queue.Result, error) {
	return s.traceJob(ctx, j, func(ctx context.Context) (queue.Result, error) { return s.train(ctx, j, w) })
}

// train trains a model on stored observations.
func (s *Server) train(ctx context.Context, j store.Job, w queue.Work) (queue.Result, error) {
	var none queue.Result
	g, err := s.library.Grammar(ctx, j.Grammar)
	if err != nil {
		return none, err
	}
	info, err := s.Store.Commit(ctx, j.Subject, j.Commit)
	if err != nil {
		return none, err
	}
	l := api.Learning{Grammar: g, Start: j.Start, From: j.From, Total: info.Observations, Progress: w.Report, Shards: w.Shards}
	l.Cached = func(key []byte) iter.Seq2[api.CachedBlock, error] { return s.blocks(ctx, j, key) }
	if err := json.Unmarshal(j.Options, &l.Options); err != nil {
		return none, err
	}
	m, err := s.engine.Learn(ctx, l)
	if err != nil {
		return none, err
	}
	w.Report(openapi.Progress{Stage: "storing"})
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		return none, err
	}
	return queue.Result{File: file.Bytes(), Model: store.Model{
		ID: m.Digest, Subject: j.Subject, Commit: j.Commit, Grammar: j.Grammar, Quality: api.AppendJSON(nil, api.NewModel(m).Quality()),
	}}, nil
}

// blocks yields a block with the header, then the stored observations of a job, with the
// features that earlier trainings have stored with a key.
func (s *Server) blocks(ctx context.Context, j store.Job, key []byte) iter.Seq2[api.CachedBlock, error] {
	return func(yield func(api.CachedBlock, error) bool) {
		header, err := s.Store.Header(ctx, j.Subject, j.Commit)
		if !yield(api.CachedBlock{Block: observation.Block{Header: header}}, err) || err != nil {
			return
		}
		for at := uint64(1); ; at++ {
			b, err := s.Store.Block(ctx, j.Subject, j.Commit, at, key)
			if err == nil && (b.Number == 0 || j.Blocks != 0 && b.Number > j.Blocks) {
				return
			}
			at = b.Number
			out := api.CachedBlock{Block: observation.Block{Observations: b.Observations}, Features: b.Features}
			if s.FeatureCache > 0 {
				out.Keep = func(features []byte) {
					f := store.Features{Subject: j.Subject, Commit: j.Commit, Block: b.Number, Key: key, Data: features}
					if err := s.Store.PutFeatures(ctx, f, s.FeatureCache); err != nil && ctx.Err() == nil {
						s.Log.WarnContext(ctx, "features not kept", "job", j.ID, "err", err) // they are extracted again
					}
				}
			}
			if !yield(out, err) || err != nil {
				return
			}
		}
	}
}

// ListModels lists models, newest first.
func (s *Server) ListModels(ctx context.Context, req openapi.ListModelsRequestObject) (openapi.ListModelsResponseObject, error) {
	found, next, err := newest("models", req.Params.Cursor, req.Params.Limit, func(m store.Model) uint64 { return m.Number }, func(before uint64, limit int) ([]store.Model, error) {
		return s.Store.Models(ctx, req.Params.Subject, before, limit)
	})
	return openapi.ListModels200JSONResponse{Next: next, Models: convert(found, func(m store.Model) openapi.ModelItem {
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
