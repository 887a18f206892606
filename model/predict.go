package model

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/dtree"
)

// An Answer is a model's prediction for one input.
type Answer struct {
	// Syntax is set if the input is outside the grammar. Then the other fields
	// are empty, and only [Model.Outside] applies.
	Syntax   *grammars.SyntaxError
	Outcomes []OutcomeProbability // by descending probability
	Unseen   float64              // share of the input's paths that no training input had
	Methods  []*Prediction        // one per unit; must not be modified
}

// An OutcomeProbability is the probability that a run has an outcome.
type OutcomeProbability struct {
	Outcome     string
	Probability float64
}

// A Prediction tells whether an input reaches a unit.
type Prediction struct {
	Reached     bool    // predicted class
	Probability float64 // calibrated probability that the input reaches the unit
	Low, High   float64 // 95 % confidence interval of Probability
	Rows        int32   // support: observations in the leaf
	Positives   int32   // observations among Rows that reached the unit

	leaf     int32
	unshared bool // not shared between answers
}

// Shared reports whether all answers from the same leaf point to this
// Prediction.
func (p *Prediction) Shared() bool { return !p.unshared }

// A lookup maps paths and extra features to the features that trees test.
type lookup struct {
	ids            []uint64 // open-addressing hash table; 0 marks a free slot
	features       []int32  // parallel to ids; -1 if no tree tests the path
	mask           uint64
	extras         map[features.Extra]int32
	kinds          features.Kinds // kinds of extra features that trees test
	forest         *dtree.Forest
	firstLeaf      []int32      // by tree: index of its first prediction
	leaves         []Prediction // one per node of each tree
	outcomeColumns []int32      // feature of each outcome, or -1
	marginal       []int32      // units whose trees test outcomes
}

// prepare builds the lookup.
func (m *Model) prepare() {
	l := &lookup{extras: map[features.Extra]int32{}}
	size := 1024
	for size < 4*(len(m.seen)+len(m.Features)) {
		size *= 2
	}
	l.ids, l.features, l.mask = make([]uint64, size), make([]int32, size), uint64(size-1)
	for _, id := range m.seen {
		l.set(id, -1)
	}
	for _, o := range m.Outcomes {
		l.outcomeColumns = append(l.outcomeColumns, int32(slices.IndexFunc(m.Features, func(f Feature) bool { return f.Outcome == o })))
	}
	for i, f := range m.Features {
		switch {
		case f.Extra != 0:
			l.extras[f.Extra] = int32(i)
			l.kinds |= features.Of(f.Extra.Kind())
		case f.Path != nil:
			l.set(m.space.ID(f.Path), int32(i))
		}
	}
	units := m.trees[len(m.Outcomes):]
	l.forest = dtree.NewForest(units)
	for i, t := range units {
		l.firstLeaf = append(l.firstLeaf, int32(len(l.leaves)))
		for j, n := range t {
			p := m.calibration.apply(leafProbability(n), n.Positive)
			if !m.Trainable(i) {
				p = float64(n.Positives) / max(1, float64(n.Rows))
			}
			low, high := wilson(p, float64(n.Rows))
			l.leaves = append(l.leaves, Prediction{n.Positive, p, low, high, n.Rows, n.Positives, int32(j), false})
		}
		if slices.ContainsFunc(t.Columns(), func(c int32) bool { return m.Features[c].Outcome != "" }) {
			l.marginal = append(l.marginal, int32(i))
		}
	}
	m.lookup = l
}

func (l *lookup) set(id uint64, feature int32) {
	at := id & l.mask
	for l.ids[at] != 0 && l.ids[at] != id {
		at = (at + 1) & l.mask
	}
	l.ids[at], l.features[at] = id, feature
}

// get returns the feature of a path, or -1 if no tree tests it, and whether a
// training input had the path.
func (l *lookup) get(id uint64) (feature int32, seen bool) {
	for at := id & l.mask; ; at = (at + 1) & l.mask {
		switch l.ids[at] {
		case id:
			return l.features[at], true
		case 0:
			return -1, false
		}
	}
}

// A predictor holds the buffers for one prediction at a time.
type predictor struct {
	extractor
	row      dtree.Bits
	leaves   []int32
	outcomes []float64
	paths    int
	unseen   int
	onPath   func(length int, id uint64)
	onExtra  func(features.Extra)
}

func (m *Model) newPredictor() *predictor {
	p := &predictor{
		extractor: *newExtractor(m.Grammar, m.Options, m.lookup.kinds, slices.Collect(maps.Keys(m.lookup.extras))...),
		row:       dtree.NewBits(len(m.Features)),
		leaves:    make([]int32, len(m.Units)),
		outcomes:  make([]float64, len(m.Outcomes)),
	}
	l := m.lookup
	p.onPath = func(_ int, id uint64) {
		p.paths++
		feature, seen := l.get(id)
		if feature >= 0 {
			p.row.Set(feature)
		} else if !seen {
			p.unseen++
		}
	}
	p.onExtra = func(e features.Extra) {
		if feature, ok := l.extras[e]; ok {
			p.row.Set(feature)
		}
	}
	return p
}

// Predict returns the outcome and the methods that the model predicts for an
// input. An input outside the grammar is not an error, but sets
// [Answer.Syntax]. An error means that a limit was exceeded or ctx is done.
func (m *Model) Predict(ctx context.Context, input []byte, limits grammars.Limits) (*Answer, error) {
	p, ok := m.pool.Get().(*predictor)
	if !ok {
		p = m.newPredictor()
	}
	defer m.pool.Put(p)
	p.parse.Limits = limits
	return m.predict(ctx, p, input)
}

func (m *Model) predict(ctx context.Context, p *predictor, input []byte) (*Answer, error) {
	tree, err := m.Grammar.Parse(ctx, input, p.parse)
	if syntax, ok := errors.AsType[*grammars.SyntaxError](err); ok {
		return &Answer{Syntax: syntax}, nil
	}
	if err != nil {
		return nil, err
	}
	clear(p.row)
	p.paths, p.unseen = 0, 0
	if err := p.eachPath(tree, p.onPath); err != nil {
		return nil, err
	}
	if p.extraExtractor != nil {
		if err := p.extraExtractor.Each(tree, p.onExtra); err != nil {
			return nil, err
		}
	}
	a := m.answer(p)
	if p.paths > 0 {
		a.Unseen = float64(p.unseen) / float64(p.paths)
	}
	return a, nil
}

// answer evaluates the trees on the features in p.row.
func (m *Model) answer(p *predictor) *Answer {
	a := &Answer{Methods: make([]*Prediction, len(m.Units))}
	m.predictOutcomes(p, a)
	m.predictMethods(p, a)
	return a
}

// predictOutcomes predicts the outcome and sets its feature in p.row.
func (m *Model) predictOutcomes(p *predictor, a *Answer) {
	if len(m.Outcomes) == 0 {
		return
	}
	outcomeProbabilities(m.trees[:len(m.Outcomes)], p.row, p.outcomes)
	likeliest := 0
	for i, probability := range p.outcomes {
		a.Outcomes = append(a.Outcomes, OutcomeProbability{m.Outcomes[i], probability})
		if probability > p.outcomes[likeliest] {
			likeliest = i
		}
	}
	slices.SortStableFunc(a.Outcomes, func(a, b OutcomeProbability) int { return cmp.Compare(b.Probability, a.Probability) })
	if f := m.lookup.outcomeColumns[likeliest]; f >= 0 {
		p.row.Set(f)
	}
}

func (m *Model) predictMethods(p *predictor, a *Answer) {
	l := m.lookup
	l.forest.Leaves(p.row, p.leaves)
	for i, leaf := range p.leaves {
		a.Methods[i] = &l.leaves[l.firstLeaf[i]+leaf]
	}
	for _, i := range l.marginal {
		probability, reached := marginalizer{l.outcomeColumns}.probability(m.unitTree(int(i)), p.row, p.outcomes)
		prediction := *a.Methods[i]
		prediction.unshared = true
		prediction.Reached, prediction.Probability = reached, m.calibration.apply(probability, reached)
		prediction.Low, prediction.High = wilson(prediction.Probability, float64(prediction.Rows))
		a.Methods[i] = &prediction
	}
}

// Reasons returns the conditions that led to prediction p of a unit.
func (m *Model) Reasons(unit int, p *Prediction) []Condition {
	for _, way := range m.unitTree(unit).Ways() {
		if way.Leaf == p.leaf {
			return m.conditions(way.Conditions)
		}
	}
	return nil
}
