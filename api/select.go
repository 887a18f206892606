package api

import (
	"context"
	"iter"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/targeting/selection"
	code "github.com/inroad/inroad/targeting/selection/source"
)

// SelectionFormat names the format of a selection in its field inroad.
const SelectionFormat = "selection/1"

// maxCorpus is the maximum number of inputs of a selection.
const maxCorpus = 1_000_000

// Select implements [Service]. The answer lists the methods for which no input was
// generated.
func (e *Engine) Select(ctx context.Context, req openapi.SelectRequest, corpus iter.Seq2[openapi.SelectInput, error]) (openapi.Selection, error) {
	var none openapi.Selection
	opt, err := selectOptions(&req)
	if err != nil {
		return none, err
	}
	m, err := e.Library.Model(ctx, req.Model)
	if err != nil {
		return none, err
	}
	change, err := changeOf(m.Model, &req)
	if err != nil {
		return none, err
	}
	predict := selection.PredictOptions{Workers: e.workers(), Limits: e.Limits}
	if e.Cache != nil {
		if predict.Cache, err = e.Cache(m.Model); err != nil {
			return none, err
		}
	}
	c := newSelectCorpus(m.Model)
	p, err := selection.PredictEach(ctx, m.Model, c.items(corpus), predict)
	if err != nil {
		return none, err
	}
	c.addTo(&opt, p.Inputs)
	if req.Minimize {
		return selectionAnswer(selection.Minimize(p, opt.Costs), m.Model, opt.Seed), nil
	}
	s := selection.Select(m.Model, p.Inputs, p, change, opt)
	texts, missed, err := s.Fill(ctx, m.Model, s.Undertested(p, req.Generate), opt)
	if err != nil {
		return none, err
	}
	out := selectionAnswer(s, m.Model, opt.Seed)
	out.Ignored = change.Ignored
	for _, c := range change.Changes {
		mapped := openapi.SelectMapped{Name: c.Name, How: string(c.How), Methods: []string{}}
		for _, u := range c.Units {
			mapped.Methods = append(mapped.Methods, m.Units[u].ID)
		}
		out.Changes = append(out.Changes, mapped)
	}
	for _, miss := range missed {
		out.Missed = append(out.Missed, openapi.SelectMiss{Method: m.Units[miss.Unit].ID, Reason: Excerpt(miss.Err.Error())})
	}
	for i, selected := range s.Selected {
		if text, ok := texts[selected.Input]; ok {
			out.Inputs[i].Input, out.Inputs[i].InputBase64 = Encode(text)
		}
	}
	return out, nil
}

// SelectAll selects inputs without a model, for a given reason: all of them, as far as
// the budget and the maximum of the request allow. The change in the request is
// ignored, and inputs need neither content nor digest.
func SelectAll(req openapi.SelectRequest, corpus []openapi.SelectInput, why openapi.Fallback) (openapi.Selection, error) {
	req.Diff, req.Changes, req.Ignored, req.Folders, req.Fallbacks = "", nil, nil, nil, nil
	opt, err := selectOptions(&req)
	if err != nil {
		return openapi.Selection{}, err
	}
	c := newSelectCorpus(nil)
	var inputs []selection.Input
	for _, in := range corpus {
		item, err := c.item(in)
		if err != nil {
			return openapi.Selection{}, err
		}
		inputs = append(inputs, selection.Input{Path: item.Path, Digest: item.Digest, Size: item.Size})
	}
	c.addTo(&opt, inputs)
	change := selection.Change{Fallbacks: []selection.Fallback{{Cause: selection.Cause(why.Cause), Detail: why.Detail}}}
	return selectionAnswer(selection.Select(nil, inputs, nil, change, opt), nil, opt.Seed), nil
}

// selectOptions validates a request and returns its options.
func selectOptions(req *openapi.SelectRequest) (selection.Options, error) {
	req.Inputs = nil // they are the corpus
	if err := openapi.Validate(req); err != nil {
		return selection.Options{}, err
	}
	for _, field := range []struct {
		name     string
		patterns []string
	}{{"always", req.Always}, {"run_all_on", req.RunAllOn}, {"ignore", req.Ignore}} {
		if err := selection.CheckPatterns(field.patterns); err != nil {
			return selection.Options{}, openapi.FieldErrorf(field.name, "%v", err)
		}
	}
	opt := selection.Options{
		Goal:   selection.Goal{Recall: req.Recall, Budget: duration(req.BudgetMs), Max: req.Max, PerClass: req.PerClass},
		Always: req.Always, Sample: *req.Sample, MinRecall: *req.MinRecall, MinChance: *req.MinChance, Seed: Seed(req.Seed),
	}
	return opt, nil
}

// changeOf maps the change of a request to units.
func changeOf(m *model.Model, req *openapi.SelectRequest) (selection.Change, error) {
	table := selection.NewTable(m.Units, req.Root)
	var out selection.Change
	if len(req.Changes) > 0 {
		if req.Diff != "" {
			return out, openapi.FieldErrorf("diff", "changes are given too: give one of them")
		}
		out = table.MapCode(sourceChange(req), func(unit int) bool {
			reached, _ := m.Support(unit)
			return reached > 0 || m.Outside.Reached[unit] > 0
		})
	} else {
		files, err := selection.ParseDiff(req.Diff)
		if err != nil {
			return out, openapi.FieldErrorf("diff", "%v", err)
		}
		rules := selection.Rules{RunAllOn: req.RunAllOn, Ignore: append(selection.DefaultIgnore(), req.Ignore...)}
		out = table.Map(files, rules, selection.InFolders(req.Folders))
		out.Ignored = append(out.Ignored, req.Ignored...)
	}
	for _, f := range req.Fallbacks {
		out.Fallbacks = append(out.Fallbacks, selection.Fallback{Cause: selection.Cause(f.Cause), Detail: f.Detail})
	}
	out.Fallbacks = slices.DeleteFunc(out.Fallbacks, func(f selection.Fallback) bool {
		return slices.Contains(req.IgnoreCauses, openapi.SelectRequestIgnoreCauses(f.Cause))
	})
	return out, nil
}

// kindOf returns the kind of a declaration by its name in the contract.
func kindOf(kind openapi.SelectChangeKind) code.Kind {
	switch kind {
	case openapi.DeclFunction:
		return code.Function
	case openapi.DeclValue:
		return code.Value
	case openapi.DeclType:
		return code.Type
	case openapi.DeclImport:
		return code.Import
	case openapi.DeclStatement:
		return code.Statement
	}
	return 0
}

// sourceChange returns the changed declarations of a request.
func sourceChange(req *openapi.SelectRequest) *selection.SourceChange {
	out := &selection.SourceChange{Ignored: req.Ignored}
	for _, c := range req.Changes {
		out.Changes = append(out.Changes, selection.CodeChange{
			Name: c.Name, Kind: kindOf(c.Kind), How: selection.How(c.How), Affected: regionsOf(c.Affected), AtLoad: regionsOf(c.AtLoad),
		})
	}
	return out
}

func regionsOf(in []openapi.SelectRegion) []selection.Region {
	var out []selection.Region
	for _, r := range in {
		region := selection.Region{File: r.File, Name: r.Name, First: r.First, Last: r.Last}
		for _, p := range r.Places {
			region.Places = append(region.Places, code.Place{Line: p.Line, Column: p.Column, Straight: p.Straight})
		}
		out = append(out, region)
	}
	return out
}

// SelectChanges converts changed declarations to the type of the contract.
func SelectChanges(changes []selection.CodeChange) []openapi.SelectChange {
	out := []openapi.SelectChange{}
	for _, c := range changes {
		out = append(out, openapi.SelectChange{
			Name: c.Name, Kind: openapi.SelectChangeKind(c.Kind.String()), How: openapi.SelectChangeHow(c.How),
			Affected: selectRegions(c.Affected), AtLoad: selectRegions(c.AtLoad),
		})
	}
	return out
}

func selectRegions(in []selection.Region) []openapi.SelectRegion {
	var out []openapi.SelectRegion
	for _, r := range in {
		region := openapi.SelectRegion{File: r.File, Name: r.Name, First: r.First, Last: r.Last}
		for _, p := range r.Places {
			region.Places = append(region.Places, openapi.SelectPlace{Line: p.Line, Column: p.Column, Straight: p.Straight})
		}
		out = append(out, region)
	}
	return out
}

// A selectCorpus holds the inputs of a request.
type selectCorpus struct {
	units  map[string]int // by ID; nil without a model
	inputs []inputFacts
}

// inputFacts holds the fields of an input other than its content.
type inputFacts struct {
	changed  openapi.SelectInputChanged
	failed   bool
	duration time.Duration
}

func newSelectCorpus(m *model.Model) *selectCorpus {
	c := &selectCorpus{}
	if m != nil {
		c.units = map[string]int{}
		for unit, u := range m.Units {
			c.units[u.ID] = unit
		}
	}
	return c
}

// items yields the inputs as items to predict.
func (c *selectCorpus) items(corpus iter.Seq2[openapi.SelectInput, error]) iter.Seq2[selection.Item, error] {
	return func(yield func(selection.Item, error) bool) {
		for in, err := range corpus {
			var item selection.Item
			if err == nil {
				item, err = c.item(in)
			}
			if err == nil && item.Read == nil && in.Digest == "" {
				err = openapi.FieldErrorf("inputs", "%s: one of input, input_base64 and digest is required", Excerpt(in.Path))
			}
			if err == nil && len(c.inputs) > maxCorpus {
				err = &limit.Error{What: "inputs of a selection", Value: strconv.Itoa(maxCorpus)}
			}
			if !yield(item, err) || err != nil {
				return
			}
		}
	}
}

func (c *selectCorpus) item(in openapi.SelectInput) (selection.Item, error) {
	item := selection.Item{Path: in.Path, Size: in.Size}
	if in.Input != nil || in.InputBase64 != nil {
		text, err := Decode(in.Input, in.InputBase64)
		if err != nil {
			return item, err
		}
		item.Read = func() ([]byte, error) { return text, nil }
	} else if in.Digest != "" {
		if err := item.Digest.UnmarshalText([]byte(in.Digest)); err != nil {
			return item, openapi.FieldErrorf("digest", "%v", err)
		}
	}
	if in.Reached != nil {
		item.Reached = &selection.Observation{}
		for _, id := range *in.Reached {
			if unit, ok := c.units[id]; ok { // a unit that the model does not know cannot have changed
				item.Reached.Units = append(item.Reached.Units, unit)
			}
		}
	}
	c.inputs = append(c.inputs, inputFacts{in.Changed, in.Failed, duration(in.DurationMs)})
	return item, nil
}

// addTo adds the facts about the inputs to the options of a selection.
func (c *selectCorpus) addTo(opt *selection.Options, inputs []selection.Input) {
	opt.Changed, opt.Failed = map[string]bool{}, map[selection.Digest]bool{}
	timings := map[selection.Digest]selection.Timing{}
	for i, in := range inputs {
		facts := c.inputs[i]
		if facts.changed != "" {
			opt.Changed[in.Path] = facts.changed == openapi.New
		}
		if facts.failed {
			opt.Failed[in.Digest] = true
		}
		if facts.duration > 0 {
			timings[in.Digest] = selection.Timing{Size: in.Size, Duration: facts.duration}
		}
	}
	opt.Costs = selection.LearnCosts(timings)
}

// selectionAnswer converts a selection to the type of the contract; the model may be nil.
func selectionAnswer(s *selection.Selection, m *model.Model, seed uint64) openapi.Selection {
	out := openapi.Selection{
		Inroad: SelectionFormat, Exact: true, Everything: s.Everything(), Fallbacks: []openapi.Fallback{}, Changed: []string{},
		Corpus: len(s.Inputs), Known: s.Known, Classes: s.Classes, Affected: round(s.Affected, 1), Recall: round(s.Recall, 4),
		CostMs: milliseconds(s.Cost), TotalMs: milliseconds(s.Total), Cut: s.Cut, Seed: int64(seed),
		Inputs: []openapi.SelectedInput{}, Rest: []string{},
	}
	if m != nil {
		out.Model, out.Exact = m.Digest, m.Grammar.Exact()
	}
	if s.Everything() && m != nil {
		out.WithoutFallbacks = s.Without
	}
	for _, f := range s.Fallbacks {
		out.Fallbacks = append(out.Fallbacks, openapi.Fallback{Cause: string(f.Cause), Detail: f.Detail})
	}
	for _, u := range s.Unobserved {
		out.Unobserved = append(out.Unobserved, openapi.SelectUnobserved{Method: u.Method, Reason: u.Why})
	}
	for _, unit := range s.Units {
		out.Changed = append(out.Changed, m.Units[unit].ID)
	}
	for _, selected := range s.Selected {
		in := s.Inputs[selected.Input]
		entry := openapi.SelectedInput{Path: in.Path, Digest: in.Digest.String(), Size: in.Size, CostMs: milliseconds(selected.Cost)}
		for _, why := range selected.Reasons {
			entry.Reasons = append(entry.Reasons, openapi.SelectReason{
				Kind: openapi.SelectReasonKind(why.Kind), Unit: why.Unit, Chance: round(why.Chance, 4),
			})
		}
		out.Inputs = append(out.Inputs, entry)
	}
	for _, i := range s.Rest {
		out.Rest = append(out.Rest, s.Inputs[i].Path)
	}
	return out
}

// duration converts milliseconds, as in the contract, to a duration.
func duration(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

// milliseconds converts a duration to milliseconds, as in the contract, rounded to
// microseconds.
func milliseconds(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond)) / float64(time.Millisecond)
}

func round(x float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(x*scale) / scale
}
