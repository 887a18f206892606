package server

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/labstack/echo/v4"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/targeting/selection"
)

// maxCorpus bounds the inputs of a selection.
const maxCorpus = 1_000_000

// SelectInputs chooses the inputs that a change calls for.
func (s *Server) SelectInputs(ctx context.Context, req openapi.SelectInputsRequestObject) (openapi.SelectInputsResponseObject, error) {
	asked, rest, err := s.contract.selectRequest(req)
	if err != nil {
		return nil, err
	}
	m, stored, err := s.model(ctx, asked.Model)
	if err != nil {
		return nil, err
	}
	change, err := changeOf(m, asked)
	if err != nil {
		return nil, &askedError{err}
	}
	c := &corpus{units: map[string]int{}}
	for unit, u := range m.Units {
		c.units[u.ID] = unit
	}
	p, err := selection.PredictEach(ctx, m, c.items(rest), selection.PredictOptions{Workers: s.Workers, Limits: s.Limits})
	if err != nil {
		return nil, err
	}
	opt := selectOptions(asked)
	c.mark(p.Inputs, &opt)
	var chosen *selection.Selection
	if asked.Minimize {
		chosen = selection.Minimize(p, opt.Costs)
	} else {
		chosen = selection.Select(m, p.Inputs, p, change, opt)
	}
	out := selectionOf(chosen, m)
	out.Model, out.Ignored = stored.ID, change.Ignored
	return out, nil
}

// changeOf maps the change that was told to units.
func changeOf(m *model.Model, asked *openapi.SelectRequest) (selection.Change, error) {
	for _, patterns := range [][]string{asked.Always, asked.FullOn, asked.Ignore} {
		if err := selection.CheckPatterns(patterns); err != nil {
			return selection.Change{}, err
		}
	}
	files, err := selection.ParseDiff(asked.Diff)
	if err != nil {
		return selection.Change{}, err
	}
	told := selection.GitChange{Files: files, Untracked: asked.Untracked, InputFolders: asked.Folders}
	if asked.Touched != nil {
		told.Touched = append([]string{}, *asked.Touched...)
	}
	rules := selection.Rules{RunAllOn: asked.FullOn, Ignore: append(selection.DefaultIgnore(), asked.Ignore...)}
	change := told.Map(selection.NewTable(m.Units, cmp.Or(asked.Root, ".")), rules)
	var given []selection.Fallback
	for _, f := range asked.Fallbacks {
		given = append(given, selection.Fallback{Cause: selection.Cause(f.Cause), Detail: f.Detail})
	}
	change.Fallbacks = append(given, change.Fallbacks...)
	return change, nil
}

func selectOptions(asked *openapi.SelectRequest) selection.Options {
	opt := selection.Defaults()
	opt.Goal = selection.Goal{
		Recall: asked.Recall, Budget: time.Duration(asked.BudgetMs * float64(time.Millisecond)), Max: asked.Max, PerClass: asked.PerClass,
	}
	if asked.Recall == 0 {
		opt.Goal.Recall = selection.Defaults().Goal.Recall
		if asked.BudgetMs > 0 || asked.Max > 0 {
			opt.Goal.Recall = 1 // as far as there is room
		}
	}
	opt.Always = asked.Always
	if asked.Sample != nil {
		opt.Sample = *asked.Sample
	}
	if asked.MinRecall != nil {
		opt.MinRecall = *asked.MinRecall
	}
	if asked.Seed != nil {
		opt.Seed = uint64(*asked.Seed)
	}
	return opt
}

// A corpus is what is told of inputs as they come in.
type corpus struct {
	units map[string]int // by ID
	told  []toldInput
}

// A toldInput is what is told of an input beside its content.
type toldInput struct {
	changed openapi.SelectInputChanged
	failed  bool
	took    time.Duration
}

// items yields the inputs.
func (c *corpus) items(inputs iter.Seq2[openapi.SelectInput, error]) iter.Seq2[selection.Item, error] {
	return func(yield func(selection.Item, error) bool) {
		for in, err := range inputs {
			var item selection.Item
			if err == nil {
				item, err = c.item(in)
			}
			if err == nil && len(c.told) > maxCorpus {
				err = &limit.Error{What: "inputs of a selection", Value: strconv.Itoa(maxCorpus)}
			}
			if !yield(item, err) || err != nil {
				return
			}
		}
	}
}

func (c *corpus) item(in openapi.SelectInput) (selection.Item, error) {
	item := selection.Item{Path: in.Path, Size: in.Size}
	switch {
	case in.Input != nil || in.InputBase64 != nil:
		text, err := bytesOf(in.Input, in.InputBase64)
		if err != nil {
			return item, err
		}
		item.Read = func() ([]byte, error) { return text, nil }
	case in.Digest != "":
		if err := item.Digest.UnmarshalText([]byte(in.Digest)); err != nil {
			return item, &requestError{"body: digest: " + err.Error()}
		}
	default:
		return item, &requestError{"body: " + excerpt(in.Path) + ": one of input, input_base64 and digest is to be given"}
	}
	if in.Reached != nil {
		item.Reached = &selection.Observation{}
		for _, id := range *in.Reached {
			if unit, ok := c.units[id]; ok { // another one cannot have changed
				item.Reached.Units = append(item.Reached.Units, unit)
			}
		}
	}
	c.told = append(c.told, toldInput{in.Changed, in.Failed, time.Duration(in.DurationMs * float64(time.Millisecond))})
	return item, nil
}

// mark adds what was told of the inputs to the options.
func (c *corpus) mark(inputs []selection.Input, opt *selection.Options) {
	opt.Changed, opt.Failed = map[string]bool{}, map[selection.Digest]bool{}
	timings := map[selection.Digest]selection.Timing{}
	for i, in := range inputs {
		t := c.told[i]
		if t.changed != "" {
			opt.Changed[in.Path] = t.changed == openapi.New
		}
		if t.failed {
			opt.Failed[in.Digest] = true
		}
		if t.took > 0 {
			timings[in.Digest] = selection.Timing{Size: in.Size, Duration: t.took}
		}
	}
	opt.Costs = selection.LearnCosts(timings)
}

func selectionOf(chosen *selection.Selection, m *model.Model) openapi.SelectInputs200JSONResponse {
	r := chosen.Report(func(unit int) string { return m.Units[unit].ID })
	out := openapi.SelectInputs200JSONResponse{
		Inroad: r.Version, Exact: m.Grammar.Exact(), Everything: r.Everything, Fallbacks: []openapi.Fallback{}, Changed: r.Changed,
		Corpus: r.Corpus, Classes: r.Classes, Affected: r.Affected, Recall: r.Recall, CostMs: r.CostMS, TotalMs: r.TotalMS, Cut: r.Cut,
		Inputs: []openapi.SelectedInput{}, Rest: []string{},
	}
	for _, f := range r.Fallbacks {
		out.Fallbacks = append(out.Fallbacks, openapi.Fallback{Cause: string(f.Cause), Detail: f.Detail})
	}
	for _, in := range r.Inputs {
		entry := openapi.SelectedInput{Path: in.Path, Digest: in.Digest.String(), Size: in.Size, CostMs: in.CostMS, Reasons: []openapi.SelectReason{}}
		for _, why := range in.Reasons {
			entry.Reasons = append(entry.Reasons, openapi.SelectReason{Kind: openapi.SelectReasonKind(why.Kind), Unit: why.Unit, Chance: why.Chance})
		}
		out.Inputs = append(out.Inputs, entry)
	}
	for _, i := range chosen.Rest {
		out.Rest = append(out.Rest, chosen.Inputs[i].Path)
	}
	return out
}

// selectRequest returns what is asked for, and the inputs: those of the body, or
// those that are still to come.
func (c *contract) selectRequest(req openapi.SelectInputsRequestObject) (*openapi.SelectRequest, iter.Seq2[openapi.SelectInput, error], error) {
	if req.JSONBody != nil {
		return req.JSONBody, func(yield func(openapi.SelectInput, error) bool) {
			for _, in := range req.JSONBody.Inputs {
				if !yield(in, nil) {
					return
				}
			}
		}, nil
	}
	schema := c.routes["POST /v1/selections"].Operation.RequestBody.Value.Content[echo.MIMEApplicationJSON].Schema.Value
	lines := bufio.NewReaderSize(req.Body, 64<<10)
	head, err := readLine(lines)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, broken(err)
	}
	asked := &openapi.SelectRequest{}
	if err := checkedLine(schema, 1, head, asked); err != nil {
		return nil, nil, err
	}
	if asked.Inputs != nil {
		return nil, nil, &requestError{"body: line 1: inputs are lines of their own here"}
	}
	return asked, func(yield func(openapi.SelectInput, error) bool) {
		of := schema.Properties["inputs"].Value.Items.Value
		for at := 2; ; at++ {
			text, end := readLine(lines)
			if end != nil && !errors.Is(end, io.EOF) {
				yield(openapi.SelectInput{}, broken(end))
				return
			}
			if len(bytes.TrimSpace(text)) > 0 {
				var in openapi.SelectInput
				if err := checkedLine(of, at, text, &in); !yield(in, err) || err != nil {
					return
				}
			}
			if end != nil {
				return
			}
		}
	}, nil
}

// checkedLine reads a line of a body that is to be as a schema says.
func checkedLine(schema *openapi3.Schema, at int, text []byte, to any) error {
	var value any
	err := json.Unmarshal(text, &value)
	if err == nil {
		err = schema.VisitJSON(value)
	}
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err == nil {
		return nil
	}
	reason := err.Error()
	if wrong, ok := errors.AsType[*openapi3.SchemaError](err); ok {
		reason = wrong.Reason
		if at := wrong.JSONPointer(); len(at) > 0 {
			reason = "/" + strings.Join(at, "/") + ": " + reason
		}
	}
	return &requestError{fmt.Sprintf("body: line %d: %s", at, excerpt(reason))}
}
