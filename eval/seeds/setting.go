package main

import (
	"context"
	"iter"
	"runtime"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/dtree"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/generate"
)

// A setting is a way to learn a model.
type setting struct {
	name        string
	corpus      string // the setting whose observations it learns from
	isPublished bool   // the grammar is a published one
	inputs      func(ctx context.Context, g *grammars.Grammar, seed uint64, n int) iter.Seq2[*generate.Input, error]
	perLeaf     bool // targeting gets one input for each leaf of a method, and not ten for the method
	relabel     func(units []observation.Unit) ([]observation.Unit, func(*observation.Observation))
	train       func(*model.Options)
}

// settings returns the protocol of the dissertation, the same without its balance of
// classes, the same with the defaults of inroad for learning and targeting, and the
// defaults of inroad.
func settings() []setting {
	published := func(name string, balance dtree.Balance) setting {
		return setting{
			name: name, corpus: "seed", isPublished: true, inputs: draw, perLeaf: true, relabel: relabelPublished,
			train: func(o *model.Options) {
				o.K, o.Extras, o.MaxDepth, o.MinLeaf, o.Folds = 4, 0, 5, 1, 1
				o.Balance, o.Outcome, o.Refusals = balance, false, false
			},
		}
	}
	return []setting{
		published("seed", dtree.Subsample),
		published("seed, no balance", dtree.None),
		{
			name: "seed, default learner", corpus: "seed", isPublished: true, inputs: draw, relabel: relabelPublished,
			train: func(*model.Options) {},
		},
		{
			name: "default", corpus: "default",
			inputs: func(ctx context.Context, g *grammars.Grammar, seed uint64, n int) iter.Seq2[*generate.Input, error] {
				return generate.TrainingInputs(ctx, g, "", seed, n)
			},
			relabel: observation.Labels{}.Relabel,
			train:   func(*model.Options) {},
		},
	}
}

func settingNamed(name string) setting {
	for _, s := range settings() {
		if s.name == name {
			return s
		}
	}
	panic("unknown setting " + name) // cells have names of settings
}

// relabelPublished merges overloads, and leaves out constructors and static initialisers.
func relabelPublished(units []observation.Unit) ([]observation.Unit, func(*observation.Observation)) {
	var kept []observation.Unit
	dropped := map[string]bool{}
	for _, u := range units {
		if u.Kind == observation.KindInitializer {
			dropped[u.ID] = true
		} else {
			kept = append(kept, u)
		}
	}
	selected, relabel := observation.Labels{MergeOverloads: true, NoConstructors: true}.Relabel(kept)
	return selected, func(o *observation.Observation) {
		var methods []string
		var counts []int
		for i, id := range o.Methods {
			if dropped[id] {
				continue
			}
			methods = append(methods, id)
			if o.Counts != nil {
				counts = append(counts, o.Counts[i])
			}
		}
		o.Methods, o.Counts = methods, counts
		relabel(o)
	}
}

func (s setting) grammarName(p program) string {
	if s.isPublished {
		return p.seedGrammar
	}
	return p.Grammar
}

func (s setting) grammar(ctx context.Context, l *lab, p program) (*grammars.Grammar, error) {
	return l.grammar(ctx, s.grammarName(p), s.isPublished)
}

// A learned has a model and the observations that test it.
type learned struct {
	model   *model.Model
	test    []observation.Observation
	relabel func(*observation.Observation)
	methods int // of the program that have a label
}

// learn trains a model of a program.
func (l *lab) learn(ctx context.Context, c cell) (*learned, error) {
	p, err := l.find(c.Program)
	if err != nil {
		return nil, err
	}
	s := settingNamed(c.Setting)
	sources, err := l.sources(s.grammarName(p), s.isPublished)
	if err != nil {
		return nil, err
	}
	header, train, err := l.observations(ctx, p, s, "train", c.Seed)
	if err != nil {
		return nil, err
	}
	_, test, err := l.observations(ctx, p, s, "test", c.Seed)
	if err != nil {
		return nil, err
	}
	units, relabel := s.relabel(header.Units)
	header.Units = units
	for i := range train {
		relabel(&train[i])
	}
	for i := range test {
		relabel(&test[i])
	}
	with := model.Defaults()
	with.Workers, with.Seed = runtime.GOMAXPROCS(0), drawSeed(c.Seed, "train")
	s.train(&with)
	m, err := model.Train(ctx, "", sources, header, train, with)
	if err != nil {
		return nil, err
	}
	return &learned{m, test, relabel, len(units)}, nil
}
