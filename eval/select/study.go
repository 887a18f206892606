package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"

	"github.com/inroad/inroad/eval/internal/input"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
	"github.com/inroad/inroad/targeting/selection"
)

// A study is a library before it is changed: its model, and the corpus with the
// units that each input reaches.
type study struct {
	model    *model.Model
	table    *selection.Table
	known    *selection.Predictions
	corpus   [][]byte
	executed []map[string]bool // by input: IDs of the units it reached
}

// observeLibrary runs the library on inputs, trains a model on half of them, and
// uses the others as the corpus.
func observeLibrary(ctx context.Context, grammar string, b bench, opt options) (_ *study, err error) {
	sources, err := bundled.Sources(grammar)
	if err != nil {
		return nil, err
	}
	inputs, err := input.Mix(ctx, sources, 2*opt.inputs, opt.seed)
	if err != nil {
		return nil, err
	}
	program, err := b.program(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, program.Close()) }()
	observed := make([]observation.Observation, len(inputs))
	err = program.Observe(ctx, named(inputs), observe.Options{}, func(o observation.Observation) error {
		var i int
		_, err := fmt.Sscan(o.Name, &i)
		observed[i] = o
		return err
	})
	if err != nil {
		return nil, err
	}
	return newStudy(ctx, sources, program.Header(), observed, opt)
}

// newStudy trains a model on the first half of the observations, and uses the
// inputs of the second half as the corpus.
func newStudy(ctx context.Context, sources []grammars.Source, header observation.Header, observed []observation.Observation, opt options) (*study, error) {
	with := model.Defaults()
	with.Workers = runtime.GOMAXPROCS(0)
	s := &study{}
	var err error
	if s.model, err = model.Train(ctx, "", sources, header, observed[:opt.inputs], with); err != nil {
		return nil, err
	}
	for _, o := range observed[opt.inputs : 2*opt.inputs] {
		executed := map[string]bool{}
		for _, id := range o.Methods {
			executed[id] = true
		}
		s.corpus = append(s.corpus, o.Input)
		s.executed = append(s.executed, executed)
	}
	s.table = selection.NewTable(s.model.Units, ".")
	s.known, err = selection.Predict(ctx, s.model, s.paths(), selection.PredictOptions{Workers: with.Workers})
	return s, err
}

func named(inputs [][]byte) iter.Seq2[observe.Input, error] {
	return func(yield func(observe.Input, error) bool) {
		for i, text := range inputs {
			if !yield(observe.Input{Name: fmt.Sprint(i), Data: text}, nil) {
				return
			}
		}
	}
}

// paths returns the corpus with the index of each input as its path.
func (s *study) paths() selection.Corpus {
	out := selection.Corpus{Read: func(path string) ([]byte, error) {
		var i int
		_, err := fmt.Sscan(path, &i)
		return s.corpus[i], err
	}}
	for i := range s.corpus {
		out.Paths = append(out.Paths, fmt.Sprint(i))
	}
	return out
}

// reached returns by file the first lines of the functions that inputs of the
// corpus reach.
func (s *study) reached() map[string]map[int]bool {
	out := map[string]map[int]bool{}
	for _, u := range s.model.Units {
		if strings.HasPrefix(u.File, "inroadstudy/") || !slices.ContainsFunc(s.executed, func(e map[string]bool) bool { return e[u.ID] }) {
			continue
		}
		if out[u.File] == nil {
			out[u.File] = map[int]bool{}
		}
		out[u.File][u.Start] = true
	}
	return out
}

// judge selects inputs for a mutant and returns the result.
func (s *study) judge(m mutant, before, after []string, with selection.Options) (result, error) {
	files, err := selection.ParseDiff(m.diff)
	if err != nil {
		return result{}, err
	}
	change := s.table.Map(files, selection.Rules{}, func(string) bool { return false })
	return s.selectInputs(change, func(i int) bool { return before[i] != "" && after[i] != "" && after[i] != before[i] }, with), nil
}

// selectInputs selects inputs for a change and counts those that reach a changed
// unit and those that behave differently.
func (s *study) selectInputs(change selection.Change, differs func(int) bool, with selection.Options) result {
	selected := selection.Select(s.model, s.known.Inputs, s.known, change, with)
	r := result{fallback: selected.Everything(), selected: len(selected.Selected)}
	in := make([]bool, len(s.corpus))
	for _, c := range selected.Selected {
		in[c.Input] = true
	}
	for i, executed := range s.executed {
		affected := slices.ContainsFunc(change.Units, func(u int) bool { return executed[s.model.Units[u].ID] })
		r.affected += number(affected)
		r.found += number(affected && in[i])
		r.differ += number(differs(i))
		r.caught += number(differs(i) && in[i])
	}
	return r
}

func number(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
