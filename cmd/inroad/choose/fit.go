package choose

import (
	"context"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/model/observation"
)

// Numbers of inputs that are parsed to find out whether the corpus fits the grammar: a
// few first, and more if most of these are outside the grammar.
const (
	firstFit = 8
	allFit   = 48
)

// noteFit prints a note if most inputs of the corpus are outside the grammar of the
// model, although most training inputs are not. It parses a part of the corpus. Errors
// are ignored, because the selection does not depend on the result.
func (t *task) noteFit(ctx context.Context, m openapi.Model) {
	trained := m.Observations.Used + m.Observations.Outside
	if 4*m.Observations.Outside > trained || m.Methods.All == 0 {
		return
	}
	parsed, outside, example, err := t.fit(ctx, m, spread(t.corpus.files, firstFit))
	if err == nil && 2*outside > parsed && len(t.corpus.files) > firstFit {
		parsed, outside, example, err = t.fit(ctx, m, spread(t.corpus.files, allFit))
	}
	if err != nil || 2*outside <= parsed {
		return
	}
	t.Notef("note: %d of %s that were parsed are outside the grammar %s, but only %d of %d in training: is this the corpus of the program? %s:%s",
		outside, cli.Count(parsed, "input", "inputs"), cli.Printable(m.Grammar), m.Observations.Outside, trained,
		cli.Printable(example.Name), cli.Printable(api.Excerpt(example.Outside.Syntax.Message)))
}

// fit parses files. It returns the number of files that were parsed, the number of files
// outside the grammar, and the answer for the first of these.
func (t *task) fit(ctx context.Context, m openapi.Model, files []string) (parsed, outside int, example openapi.Answer, err error) {
	inputs := func(yield func(openapi.Input, error) bool) {
		for _, name := range files {
			text, err := readInput(name)
			if err != nil || len(text) > observation.MaxInput {
				continue
			}
			in := openapi.Input{Name: cli.InputName(name)}
			in.Input, in.InputBase64 = api.Encode(text)
			if !yield(in, nil) {
				return
			}
		}
	}
	for answer, err := range t.service.Predict(ctx, m.ID, openapi.PredictParams{}, inputs) {
		if err != nil {
			return 0, 0, example, err
		}
		switch {
		case answer.Error != "":
			continue
		case answer.Outside != nil && outside == 0:
			example = answer
			fallthrough
		case answer.Outside != nil:
			outside++
		}
		parsed++
	}
	return parsed, outside, example, nil
}

// spread returns at most n elements, evenly spread.
func spread(list []string, n int) []string {
	if len(list) <= n {
		return list
	}
	out := make([]string, n)
	for i := range out {
		out[i] = list[i*len(list)/n]
	}
	return out
}
