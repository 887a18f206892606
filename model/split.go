package model

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/observation"
)

// ErrNotGathered tells that a trainer was not given an observation before, or
// looked for less in it than is asked for.
var ErrNotAdded = errors.New("an observation or a kind of feature that the trainer did not gather")

// Measure learns from some of the observations that the trainer has, and asks
// about others of them. The options may be others than the trainer's, as long
// as they ask for no features beyond its own: whoever compares many ways to
// learn has inputs taken apart only once.
func (t *Trainer) Evaluate(ctx context.Context, learn, ask []observation.Observation, opt Options) (*Evaluation, error) {
	opt = opt.withDefaults()
	if err := opt.check(); err != nil {
		return nil, err
	}
	if opt.K > t.opt.K || opt.Trivia != t.opt.Trivia || opt.Extras&^t.opt.Extras != 0 {
		return nil, ErrNotAdded
	}
	part, err := t.subset(learn, opt)
	if err != nil {
		return nil, err
	}
	m, err := part.Train(ctx, nil)
	if err != nil {
		return nil, err
	}
	answers := make([]*Answer, len(ask))
	feature := t.featureIndex(m)
	p := m.newPredictor()
	for i, o := range ask {
		r, err := t.recordOf(o)
		switch {
		case err != nil:
			return nil, err
		case r == nil:
		case r.outside:
			answers[i] = &Answer{Syntax: &grammars.SyntaxError{}}
		default:
			clear(p.row)
			for _, f := range r.features {
				if at, ok := feature[f]; ok {
					p.row.Set(at)
				}
			}
			answers[i] = m.answer(p)
		}
	}
	return m.score(ask, answers), nil
}

// part returns a trainer that has but some of the observations, and of their
// features those that the options ask for.
func (t *Trainer) subset(observations []observation.Observation, opt Options) (*Trainer, error) {
	part := *t
	part.opt, part.records, part.stats = opt, nil, Stats{Observations: len(observations)}
	wanted := make([]bool, len(t.features))
	for i, f := range t.features {
		wanted[i] = len(f.Path) > 0 && len(f.Path) <= opt.K || f.Extra != 0 && opt.Extras&features.Of(f.Extra.Kind()) != 0
	}
	met := map[*record]bool{}
	for _, o := range observations {
		r, err := t.recordOf(o)
		if err != nil {
			return nil, err
		}
		if r == nil || met[r] {
			continue
		}
		met[r] = true
		some := *r
		some.features = slices.DeleteFunc(slices.Clone(r.features), func(f int32) bool { return !wanted[f] })
		part.records = append(part.records, some)
	}
	return &part, nil
}

// recordOf returns the record of an observation, or nil if it does not count.
func (t *Trainer) recordOf(o observation.Observation) (*record, error) {
	like := record{outcome: outcomeName(o), unlabelled: o.Methods == nil}
	for _, id := range o.Methods {
		unit, ok := t.unitIndex[id]
		if !ok {
			return nil, ErrNotAdded
		}
		like.methods = append(like.methods, unit)
	}
	slices.Sort(like.methods)
	like.methods = slices.Compact(like.methods)
	for _, i := range t.byDigest[sha256.Sum256(o.Input)] {
		if r := &t.records[i]; like.subsumedBy(r) {
			return r, nil
		}
	}
	return nil, nil
}

// places returns the place in a model of each feature that its trees ask for, by
// the place in the trainer.
func (t *Trainer) featureIndex(m *Model) map[int32]int32 {
	out := map[int32]int32{}
	for i, f := range m.Features {
		switch {
		case f.Path != nil:
			out[t.pathIndex[m.space.ID(f.Path)]] = int32(i)
		case f.Extra != 0:
			out[t.extraIndex[f.Extra]] = int32(i)
		}
	}
	return out
}
