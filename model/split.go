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

// ErrNotAdded reports that [Trainer.Evaluate] needs an observation or a kind of
// feature that the trainer does not have in memory.
var ErrNotAdded = errors.New("observation or kind of feature not added to the trainer")

// Evaluate trains a model on some of the trainer's observations and evaluates
// it on others. opt may differ from the trainer's options, but must not require
// further features. Comparing many options this way extracts the features of
// each input only once.
func (t *Trainer) Evaluate(ctx context.Context, train, test []observation.Observation, opt Options) (*Evaluation, error) {
	opt = opt.withDefaults()
	if err := opt.check(); err != nil {
		return nil, err
	}
	if t.log != nil || opt.K > t.opt.K || opt.Trivia != t.opt.Trivia || opt.Extras&^t.opt.Extras != 0 {
		return nil, ErrNotAdded
	}
	part, err := t.subset(train, opt)
	if err != nil {
		return nil, err
	}
	m, err := part.Train(ctx, nil)
	if err != nil {
		return nil, err
	}
	answers := make([]*Answer, len(test))
	feature := t.featureIndex(m)
	p := m.newPredictor()
	for i, o := range test {
		r, err := t.recordOf(o)
		switch {
		case err != nil:
			return nil, err
		case r == nil:
		case r.outside:
			answers[i] = &Answer{Syntax: &grammars.SyntaxError{}}
		default:
			p.reset()
			for j, f := range r.features {
				if base, ok := feature[f]; ok {
					p.first[base] = r.at[j]
				}
			}
			answers[i] = m.answer(p)
		}
	}
	return m.score(test, answers), nil
}

// subset returns a trainer with some of the observations and the features that
// opt requires.
func (t *Trainer) subset(observations []observation.Observation, opt Options) (*Trainer, error) {
	part := *t
	opt.Sample = 0 // the caller has chosen
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
		some.content = &content{methods: r.methods}
		for i, f := range r.features {
			if wanted[f] {
				some.features, some.at = append(some.features, f), append(some.at, r.at[i])
			}
		}
		part.records = append(part.records, some)
	}
	return &part, nil
}

// recordOf returns the record of an observation, or nil if the trainer ignored
// it.
func (t *Trainer) recordOf(o observation.Observation) (*record, error) {
	want := record{outcome: OutcomeName(o), unlabelled: o.Methods == nil}
	var methods []int32
	for _, id := range o.Methods {
		unit, ok := t.unitIndex[id]
		if !ok {
			return nil, ErrNotAdded
		}
		methods = append(methods, unit)
	}
	slices.Sort(methods)
	want.reached = t.hashMethods(slices.Compact(methods))
	i, known := t.byDigest[sha256.Sum256(o.Input)]
	for known {
		r := &t.records[i]
		if want.subsumedBy(r) {
			return r, nil
		}
		i, known = r.next, r.next != 0
	}
	return nil, nil
}

// featureIndex maps indices of the trainer's features to the positions in a
// predictor of m.
func (t *Trainer) featureIndex(m *Model) map[int32]int32 {
	out := map[int32]int32{}
	add := func(f Feature) {
		switch {
		case f.Path != nil:
			out[t.pathIndex[m.space.ID(f.Path)]] = m.lookup.base(m, f)
		case f.Extra != 0:
			out[t.extraIndex[f.Extra]] = m.lookup.base(m, f)
		}
	}
	for _, f := range m.Features {
		add(f)
	}
	for _, r := range m.Refusals {
		add(r.Feature)
	}
	return out
}
