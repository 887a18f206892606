package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/dtree"
	"github.com/inroad/inroad/model/observation"
)

// A Training is a request to learn a model from files of observations. A service stores
// the observations under the program that their header names, and learns from all its
// observations of that program and commit.
type Training struct {
	Grammar      string
	Start        string // a parser rule; the grammar's own if empty
	From         string // a model whose trees are reused where they would be the same; may be empty
	Options      openapi.TrainOptions
	Observations observation.Sources
	Progress     func(openapi.Progress) // called from time to time; may be nil

	IdempotencyKey string // for a service: names the request, which may be repeated; random if empty
}

// Train implements [Service]. If the library can keep models, it keeps this one.
func (e *Engine) Train(ctx context.Context, t Training) (openapi.Model, error) {
	g, err := e.Library.Grammar(ctx, t.Grammar)
	if err != nil {
		return openapi.Model{}, err
	}
	invalid := CountInvalid(&t.Observations)
	learned, err := e.Learn(ctx, Learning{
		Grammar: g, Start: t.Start, From: t.From, Options: t.Options, Blocks: t.Observations.Blocks(), Progress: t.Progress,
	})
	if err != nil {
		return openapi.Model{}, err
	}
	m := NewModel(learned)
	if files, ok := e.Library.(*Files); ok {
		files.Keep(m)
	}
	out := m.Answer()
	out.Observations.Invalid = invalid.Count
	return out, nil
}

// A Learning is a training whose observations can come from any source.
type Learning struct {
	Grammar *Grammar
	Start   string // a parser rule; the grammar's own if empty
	From    string // a model whose trees are reused where they would be the same; may be empty
	Options openapi.TrainOptions
	Blocks  iter.Seq2[observation.Block, error]
	// Cached, if not nil, yields the observations in place of Blocks, with the features
	// that were kept with a key.
	Cached   func(key []byte) iter.Seq2[CachedBlock, error]
	Total    int64                  // observations in Blocks; 0 if unknown
	Progress func(openapi.Progress) // called from time to time; may be nil
	Shards   model.Shards           // shares the training with other processes; nil if there are none
}

// A CachedBlock is a block of observations whose features are kept between trainings.
type CachedBlock struct {
	observation.Block
	Features []byte                // nil if there are none
	Keep     func(features []byte) // keeps the features; nil if they are not kept
}

// blocks yields the observations, with the features that were kept with a key.
func (l *Learning) blocks(key []byte) iter.Seq2[CachedBlock, error] {
	if l.Cached != nil {
		return l.Cached(key)
	}
	return func(yield func(CachedBlock, error) bool) {
		for block, err := range l.Blocks {
			if !yield(CachedBlock{Block: block}, err) {
				return
			}
		}
	}
}

// addTo adds the block to a trainer. It extracts features that were not kept, and keeps
// them.
func (b *CachedBlock) addTo(ctx context.Context, trainer *model.Trainer) error {
	trainer.AddHeader(b.Header)
	if b.Features != nil {
		if x, err := trainer.Decode(ctx, b.Features, b.Observations); err == nil {
			return trainer.AddExtracted(b.Observations, x)
		}
	}
	x, err := trainer.Extract(ctx, b.Observations)
	if err != nil {
		return err
	}
	if b.Keep != nil {
		features, err := x.Encode()
		if err != nil {
			return err
		}
		b.Keep(features)
	}
	return trainer.AddExtracted(b.Observations, x)
}

// Learn learns a model.
func (e *Engine) Learn(ctx context.Context, l Learning) (learned *model.Model, err error) {
	opt, err := e.modelOptions(&l.Options)
	if err != nil {
		return nil, err
	}
	start, err := l.Grammar.StartRule(l.Start)
	if err != nil {
		return nil, err
	}
	var from *model.Model
	if l.From != "" {
		m, err := e.Library.Model(ctx, l.From)
		if err != nil {
			return nil, err
		}
		from = m.Model
	}
	report := throttle(l.Progress)
	opt.Progress = func(done, total int) {
		report(openapi.Progress{Stage: "learning", Done: int64(done), Total: int64(total)})
	}
	opt.Shards = l.Shards
	trainer, err := model.NewTrainer(ctx, start, l.Grammar.Sources, opt)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, trainer.Close()) }()
	if err := e.gather(ctx, trainer, l, opt, report); err != nil {
		return nil, err
	}
	report(openapi.Progress{Stage: "learning"})
	return trainer.Train(ctx, from)
}

// gather adds observations to a trainer. It returns an error if learning from them
// would take too much memory.
func (e *Engine) gather(ctx context.Context, trainer *model.Trainer, l Learning, opt model.Options, report func(openapi.Progress)) error {
	done, key := int64(0), trainer.FeatureKey()
	for block, err := range l.blocks(key[:]) {
		if err != nil {
			return err
		}
		if err := block.addTo(ctx, trainer); err != nil {
			return err
		}
		done += int64(len(block.Observations))
		report(openapi.Progress{Stage: "reading", Done: done, Total: l.Total})
		if err := e.checkMemory(trainer.Size(), opt); err != nil {
			return err
		}
	}
	return nil
}

// throttle limits how often progress is reported: there may be thousands of trees.
func throttle(report func(openapi.Progress)) func(openapi.Progress) {
	const interval = 50 * time.Millisecond
	var last time.Time
	stage := ""
	return func(p openapi.Progress) {
		now := time.Now()
		if report == nil || p.Stage == stage && p.Done != p.Total && now.Sub(last) < interval {
			return
		}
		last, stage = now, p.Stage
		report(p)
	}
}

// CheckTraining returns an error if the options are not allowed, or if training would
// take too much memory, estimated from the numbers of observations and methods. It
// sets absent options to their defaults, and draws the seed if it is 0.
func (e *Engine) CheckTraining(o *openapi.TrainOptions, size model.Size) error {
	opt, err := e.modelOptions(o)
	if err != nil {
		return err
	}
	if opt.Sample > 0 {
		size.Observations = min(size.Observations, 2*opt.Sample) // before some are dropped
	}
	return e.checkMemory(size, opt)
}

// checkMemory returns an error if training would take too much memory.
func (e *Engine) checkMemory(size model.Size, opt model.Options) error {
	if e.MaxMemory > 0 && model.EstimateMemory(size, opt) > e.MaxMemory {
		return e.memoryError("training")
	}
	return nil
}

func (e *Engine) memoryError(of string) error {
	return &limit.Error{What: "memory of " + of, Value: fmt.Sprintf("%d MiB", e.MaxMemory>>20)}
}

// modelOptions returns the options of a training request. It sets fields that are
// absent, so that the same request with the same observations gives the same model.
func (e *Engine) modelOptions(o *openapi.TrainOptions) (model.Options, error) {
	if err := openapi.Validate(o); err != nil {
		return model.Options{}, inOptions(err)
	}
	if err := setBalance(o); err != nil {
		return model.Options{}, inOptions(err)
	}
	learner, err := newLearner(o.Learner)
	if err != nil {
		return model.Options{}, inOptions(err)
	}
	o.Seed = new(openapi.Seed(Seed(o.Seed)))
	opt := model.Options{
		K: o.K, MaxDepth: o.MaxDepth, MinLeaf: o.MinLeaf, Folds: o.Folds, Margin: *o.Margin, Inputs: *o.KeepInputs, Sample: o.Sample,
		Trivia: *o.Trivia, Outcome: *o.Outcome, Refusals: *o.Refusals, Regressions: *o.Regressions, Seed: uint64(*o.Seed), Extras: model.Defaults().Extras,
		Balance: map[openapi.TrainOptionsBalance]dtree.Balance{
			openapi.None: dtree.None, openapi.Sqrt: dtree.Sqrt, openapi.Subsample: dtree.Subsample,
		}[o.Balance],
		Learner: learner, Workers: e.workers(), Limits: e.Limits, Memory: e.MaxMemory, Scratch: newScratchFile,
	}
	var kinds []string
	for _, name := range o.Features {
		kinds = append(kinds, string(name))
	}
	if len(kinds) > 0 {
		opt.Extras, err = features.KindsNamed(kinds...)
	}
	return opt, err
}

// inOptions prefixes the field of an error with "options.", as in a training request.
func inOptions(err error) error {
	if field, ok := errors.AsType[*openapi.FieldError](err); ok {
		field.Field = "options." + field.Field
	}
	return err
}

// ModelFile implements [Service].
func (e *Engine) ModelFile(ctx context.Context, name string) (io.ReadCloser, error) {
	m, err := e.Library.Model(ctx, name)
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		return nil, err
	}
	return io.NopCloser(&file), nil
}

// Model implements [Service].
func (e *Engine) Model(ctx context.Context, name string) (openapi.Model, error) {
	m, err := e.Library.Model(ctx, name)
	if err != nil {
		return openapi.Model{}, err
	}
	return m.Answer(), nil
}

// Answer converts the model to the type of the contract.
func (m *Model) Answer() openapi.Model {
	out := openapi.Model{
		ID: m.Digest, Number: int64(m.Number), Subject: m.Subject, Commit: m.Commit, Grammar: m.GrammarID, Created: m.Created, Size: m.Size,
		Exact: m.Grammar.Exact(), Code: report(m.Grammar).Summary.Code,
		Observations: openapi.Gathered{
			Given: m.Stats.Observations, Duplicates: m.Stats.Duplicates, Contradictory: m.Stats.Contradictory,
			Outside: m.Stats.Outside, Unlabelled: m.Stats.Unknown, Limited: m.Stats.Limited, Unsampled: m.Stats.Unsampled, Used: m.Rows,
		},
		Outcomes: append([]string{}, m.Outcomes...), Features: m.Columns, K: m.Options.K, Seed: int64(m.Options.Seed),
	}
	scores := m.HeldOutScores()
	out.Methods = methodCounts(scores)
	if learned := scores.Summarize(model.MethodScore.Trainable); learned.Pooled.Total() > 0 {
		out.HeldOut = new(methodScores(learned))
	}
	if rare := scores.Summarize(model.MethodScore.Rare); rare.Pooled.Total() > 0 {
		out.Rare = new(methodScores(rare))
	}
	return out
}

// methodCounts counts methods by status.
func methodCounts(scores *model.Evaluation) openapi.MethodCounts {
	var out openapi.MethodCounts
	for _, s := range scores.Methods {
		out.All++
		switch {
		case s.Trainable():
			out.Learned++
		case s.Reached == 0:
			out.Never++
		default:
			out.Always++
		}
	}
	return out
}

// Quality returns how much the model was trained on, and how well it predicts.
func (m *Model) Quality() openapi.ModelQuality {
	scores := m.HeldOutScores()
	out := openapi.ModelQuality{Observations: m.Rows, Methods: methodCounts(scores)}
	if learned := scores.Summarize(model.MethodScore.Trainable); learned.Pooled.Total() > 0 {
		out.F1 = &learned.F1
	}
	if rare := scores.Summarize(model.MethodScore.Rare); rare.Pooled.Total() > 0 {
		out.RareF1 = &rare.F1
	}
	return out
}
