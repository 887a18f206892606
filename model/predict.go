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

// An Answer is what a model says of an input.
type Answer struct {
	// Syntax tells where the input leaves the grammar; then the model has no
	// prediction, only [Model.Outside].
	Syntax   *grammars.SyntaxError
	Outcomes []OutcomeProbability // how the run will end, the likeliest first
	Unseen   float64              // the share of the input's paths that no input of the training had
	Methods  []*Prediction        // by unit; shared with other answers
}

// A Chance is how likely an outcome is.
type OutcomeProbability struct {
	Outcome     string
	Probability float64
}

// A Prediction is what a model says of one unit.
type Prediction struct {
	Reached     bool
	Probability float64 // that the unit is entered, as held-out observations showed
	Low, High   float64 // the interval of 95 % that the number of observations leaves
	Rows        int32   // observations of inputs like this one
	Positives   int32   // of them entered the unit

	leaf     int32
	unshared bool // it is of one answer alone
}

// Shared reports whether all answers that come from the same leaf have this very
// prediction.
func (p *Prediction) Shared() bool { return !p.unshared }

// A lookup finds the features that trees ask for, and tells paths that the
// training had from those that it had not.
type lookup struct {
	ids            []uint64 // a hash table; 0 where there is none
	features       []int32  // beside the ids; -1 where no tree asks
	mask           uint64
	extras         map[features.Extra]int32
	kinds          features.Kinds // of extras that trees ask for
	forest         *dtree.Forest
	firstLeaf      []int32      // by tree: where its leaves begin
	leaves         []Prediction // by tree and node
	outcomeColumns []int32      // by outcome: its feature, or -1
	marginal       []int32      // units whose trees ask for outcomes
}

// prepare makes all that predictions need.
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

// get returns the feature of a path, or -1 if no tree asks for it, and whether
// the training had it.
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

// A predictor has the memory for one prediction at a time.
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

// Predict tells what the program would do with an input. An input outside the
// grammar is an answer; the error is a limit that was reached, or the cause of
// ctx's end.
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

// answer asks the trees about the features that were found.
func (m *Model) answer(p *predictor) *Answer {
	a := &Answer{Methods: make([]*Prediction, len(m.Units))}
	m.predictOutcomes(p, a)
	m.predictMethods(p, a)
	return a
}

// answerOutcomes tells how the run will end. The likeliest outcome is then a
// feature of the input.
func (m *Model) predictOutcomes(p *predictor, a *Answer) {
	if len(m.Outcomes) == 0 {
		return
	}
	marginalizer{}.outcomeProbabilities(m.trees[:len(m.Outcomes)], p.row, p.outcomes)
	likeliest := 0
	for i, chance := range p.outcomes {
		a.Outcomes = append(a.Outcomes, OutcomeProbability{m.Outcomes[i], chance})
		if chance > p.outcomes[likeliest] {
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
		chance, covered := marginalizer{l.outcomeColumns}.probability(m.unitTree(int(i)), p.row, p.outcomes)
		answer := *a.Methods[i]
		answer.unshared = true
		answer.Reached, answer.Probability = covered, m.calibration.apply(chance, covered)
		answer.Low, answer.High = wilson(answer.Probability, float64(answer.Rows))
		a.Methods[i] = &answer
	}
}

// Reasons returns the questions that led to a prediction of a unit.
func (m *Model) Reasons(unit int, p *Prediction) []Condition {
	for _, way := range m.unitTree(unit).Ways() {
		if way.Leaf == p.leaf {
			return m.conditions(way.Conditions)
		}
	}
	return nil
}
