package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/dtree"
)

// latest is the name of the newest model, of all or, after a subject and an @, of
// a program.
const latest = "latest"

// find returns the model that a name stands for.
func (s *Server) find(name string) (store.Model, error) {
	subject, ok := strings.CutSuffix(name, "@"+latest)
	if !ok && name != latest {
		m, err := s.Store.Model(name)
		if _, none := errors.AsType[*store.NotFoundError](err); none {
			return s.Store.Named(name)
		}
		return m, err
	}
	if !ok {
		subject = ""
	}
	found, err := s.Store.Models(subject, 0, 1)
	if err == nil && len(found) == 0 {
		err = &store.NotFoundError{Kind: "model", Name: name}
	}
	if err != nil {
		return store.Model{}, err
	}
	return found[0], nil
}

// model returns the model that a name stands for, ready for use.
func (s *Server) model(ctx context.Context, name string) (*model.Model, store.Model, error) {
	m, stored, err := s.loaded(ctx, name)
	if err != nil {
		return nil, stored, err
	}
	return m.Model, stored, nil
}

func (s *Server) loaded(ctx context.Context, name string) (*loadedModel, store.Model, error) {
	stored, err := s.find(name)
	if err != nil {
		return nil, stored, err
	}
	m, err := s.models.get(ctx, stored.ID, func() (*loadedModel, int64, error) {
		file, err := s.Store.ModelFile(stored)
		if err != nil {
			return nil, 0, err
		}
		m, err := model.ReadModel(bytes.NewReader(file))
		if err != nil {
			return nil, 0, err
		}
		// Trees take about as much in memory as they take uncompressed in the file, and
		// what is said of their leaves as much again.
		return newLoadedModel(m), 16*stored.Size + int64(len(m.Grammar.Nodes))<<12 + 1<<16, nil
	})
	return m, stored, err
}

// TrainModel queues a training.
func (s *Server) TrainModel(ctx context.Context, req openapi.TrainModelRequestObject) (openapi.TrainModelResponseObject, error) {
	if s.ending.Load() {
		return nil, errEnding
	}
	commit, err := s.commit(req.Body.Subject, req.Body.Commit)
	if err != nil {
		return nil, err
	}
	if _, err := s.grammar(ctx, req.Body.Grammar); err != nil {
		return nil, err
	}
	options, err := json.Marshal(req.Body.Options)
	if err != nil {
		return nil, err
	}
	if err := s.conceivable(req.Body.Subject, commit, options); err != nil {
		return nil, err
	}
	j, err := s.jobs.add(store.Job{Subject: req.Body.Subject, Commit: commit, Grammar: req.Body.Grammar, Options: options})
	if err != nil {
		return nil, err
	}
	return openapi.TrainModel202JSONResponse{
		Body: jobOf(j), Headers: openapi.TrainModel202ResponseHeaders{Location: "/v1/jobs/" + strconv.FormatUint(j.ID, 10)},
	}, nil
}

// conceivable refuses a training that is too large by the number of observations
// and methods alone. What is in the inputs is seen when it runs.
func (s *Server) conceivable(subject, commit string, options []byte) error {
	info, err := s.Store.Commit(subject, commit)
	if err != nil {
		return err
	}
	opt, err := s.trainOptions(options)
	if err != nil {
		return err
	}
	return s.affordable(model.Size{Observations: int(info.Observations), Methods: info.Units}, opt)
}

// run does a job.
func (s *Server) run(ctx context.Context, j store.Job, report func(openapi.Progress)) (string, error) {
	return s.tracedJob(ctx, j, func(ctx context.Context) (string, error) { return s.train(ctx, j, report) })
}

// train learns a model and stores it.
func (s *Server) train(ctx context.Context, j store.Job, report func(openapi.Progress)) (string, error) {
	g, _, err := s.sources(j.Grammar)
	if err != nil {
		return "", err
	}
	opt, err := s.trainOptions(j.Options)
	if err != nil {
		return "", err
	}
	opt.Progress = nowAndThen(func(done, total int) {
		report(openapi.Progress{Stage: "learning", Done: int64(done), Total: int64(total)})
	})
	trainer, err := model.NewTrainer(g.Start, g.Sources, opt)
	if err != nil {
		return "", err
	}
	if err := s.gather(ctx, j, trainer, opt, report); err != nil {
		return "", err
	}
	report(openapi.Progress{Stage: "learning"})
	m, err := trainer.Train(ctx, nil)
	if err != nil {
		return "", err
	}
	report(openapi.Progress{Stage: "storing"})
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		return "", err
	}
	stored, err := s.Store.PutModel(store.Model{ID: m.Digest, Subject: j.Subject, Commit: j.Commit, Grammar: j.Grammar}, file.Bytes())
	return stored.ID, err
}

// nowAndThen tells of progress, but not of each step: trees may be grown by the thousand.
func nowAndThen(tell func(done, total int)) func(done, total int) {
	const pace = 50 * time.Millisecond
	var last time.Time
	return func(done, total int) {
		if now := time.Now(); done == total || now.Sub(last) >= pace {
			last = now
			tell(done, total)
		}
	}
}

// gather gives a trainer the observations of a program, unless learning from them
// would take too much memory.
func (s *Server) gather(ctx context.Context, j store.Job, trainer *model.Trainer, opt model.Options, report func(openapi.Progress)) error {
	header, err := s.Store.Header(j.Subject, j.Commit)
	if err != nil {
		return err
	}
	info, err := s.Store.Commit(j.Subject, j.Commit)
	if err != nil {
		return err
	}
	trainer.AddHeader(header)
	done, estimated := int64(0), int64(0)
	for block, err := range s.Store.Observations(j.Subject, j.Commit) {
		report(openapi.Progress{Stage: "reading", Done: done, Total: info.Observations})
		if err != nil {
			return err
		}
		if err := trainer.Add(ctx, block); err != nil {
			return err
		}
		// It is estimated from all that was read, so not for each block.
		if done += int64(len(block)); done >= estimated+estimated/8 {
			estimated = done
			if err := s.affordable(trainer.Size(), opt); err != nil {
				return err
			}
		}
	}
	return s.affordable(trainer.Size(), opt)
}

// affordable refuses what takes too much memory to learn from.
func (s *Server) affordable(size model.Size, opt model.Options) error {
	if model.EstimateMemory(size, opt) > s.MaxMemory {
		return &limit.Error{What: "memory of a training", Value: fmt.Sprintf("%d MiB", s.MaxMemory>>20)}
	}
	return nil
}

// trainOptions returns the options of a training that a job was given.
func (s *Server) trainOptions(text []byte) (model.Options, error) {
	var asked openapi.TrainOptions
	err := json.Unmarshal(text, &asked)
	if err != nil {
		return model.Options{}, err
	}
	opt, err := trainOptions(asked)
	opt.Workers, opt.Limits = s.Workers, s.Limits
	return opt, err
}

func trainOptions(asked openapi.TrainOptions) (model.Options, error) {
	opt := model.Defaults()
	opt.K = cmp.Or(asked.K, opt.K)
	opt.MaxDepth = cmp.Or(asked.MaxDepth, opt.MaxDepth)
	opt.MinLeaf = cmp.Or(asked.MinLeaf, opt.MinLeaf)
	opt.Folds = cmp.Or(asked.Folds, opt.Folds)
	switch asked.Balance {
	case openapi.Sqrt:
		opt.Balance = dtree.Sqrt
	case openapi.Subsample:
		opt.Balance = dtree.Subsample
	case openapi.None:
		opt.Balance = dtree.None
	case "": // as recommended
	}
	var err error
	if len(asked.Features) > 0 {
		var names []string
		for _, name := range asked.Features {
			names = append(names, string(name))
		}
		opt.Extras, err = features.KindsNamed(names...)
	}
	if asked.Outcome != nil {
		opt.Outcome = *asked.Outcome
	}
	if asked.Margin != nil {
		opt.Margin = *asked.Margin
	}
	if asked.KeepInputs != nil {
		opt.Inputs = *asked.KeepInputs
	}
	if asked.Trivia != nil {
		opt.Trivia = *asked.Trivia
	}
	if asked.Seed != nil {
		opt.Seed = uint64(*asked.Seed)
	}
	return opt, err
}

// ListModels lists models.
func (s *Server) ListModels(_ context.Context, req openapi.ListModelsRequestObject) (openapi.ListModelsResponseObject, error) {
	limit := limitOf(req.Params.Limit)
	found, err := s.Store.Models(req.Params.Subject, uint64(req.Params.Before), limit+1)
	if err != nil {
		return nil, err
	}
	out := openapi.ListModels200JSONResponse{Models: []openapi.ModelItem{}}
	if len(found) > limit {
		found = found[:limit]
		out.Before = int64(found[limit-1].Number)
	}
	for _, m := range found {
		out.Models = append(out.Models, openapi.ModelItem{
			ID: m.ID, Number: int64(m.Number), Subject: m.Subject, Commit: m.Commit, Grammar: m.Grammar, Created: m.Created, Size: m.Size,
		})
	}
	return out, nil
}

// GetModel returns what a model is and how good it is.
func (s *Server) GetModel(ctx context.Context, req openapi.GetModelRequestObject) (openapi.GetModelResponseObject, error) {
	m, stored, err := s.model(ctx, req.Model)
	if err != nil {
		return nil, err
	}
	trainable, quality := qualityOf(m)
	return openapi.GetModel200JSONResponse{
		ID: stored.ID, Number: int64(stored.Number), Subject: stored.Subject, Commit: stored.Commit, Grammar: stored.Grammar,
		Created: stored.Created, Size: stored.Size, Exact: m.Grammar.Exact(), Observations: m.Rows, Outside: m.Outside.Rows,
		Methods: len(m.Units), Trainable: trainable, Features: len(m.Features), K: m.Options.K, Seed: int64(m.Options.Seed), Quality: quality,
	}, nil
}

// qualityOf returns how many units of a model can be told apart, and how its trees
// did on observations that were held out.
func qualityOf(m *model.Model) (trainable int, q openapi.Quality) {
	var all model.Confusion
	for unit := range m.Units {
		if m.Trainable(unit) {
			trainable++
			all = all.Plus(m.HeldOut(unit))
		}
	}
	return trainable, openapi.Quality{
		Methods: trainable, Accuracy: all.Accuracy(), Precision: all.Precision(), Recall: all.Recall(), F1: all.F1(),
	}
}

// GetModelFile sends the file of a model.
func (s *Server) GetModelFile(ctx context.Context, req openapi.GetModelFileRequestObject) (openapi.GetModelFileResponseObject, error) {
	stored, err := s.find(req.Model)
	if err != nil {
		return nil, err
	}
	file, err := s.Store.ModelFile(stored)
	if err != nil {
		return nil, err
	}
	return streamed{ctx, func(_ context.Context, w http.ResponseWriter) error {
		w.Header().Set("Content-Length", strconv.Itoa(len(file)))
		w.Header().Set("Content-Disposition", `attachment; filename="`+stored.ID[:min(12, len(stored.ID))]+`.model"`)
		out := s.stream(w, "application/octet-stream")
		if _, err := out.Write(file); err != nil {
			return err
		}
		return out.flush()
	}}, nil
}
