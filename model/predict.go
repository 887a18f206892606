package model

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/model/dtree"
	"github.com/inroad/inroad/model/logit"
)

// An Answer is a model's prediction for one input.
type Answer struct {
	// Syntax is set if the input is outside the grammar. Then the other fields
	// are empty, and only [Model.Outside] applies.
	Syntax   *grammars.SyntaxError
	Outcomes []OutcomeProbability // by descending probability
	Unseen   float64              // share of the input's paths that no training input had
	Methods  []*Prediction        // one per unit; must not be modified
	Refusal  *Refusal             // the refusal that is expected to stop the program; nil if none is
	Stop     Place                // where Refusal stops the program
}

// A Place is a place in an input.
type Place struct {
	Offset       int // bytes before it
	Line, Column int // from 1
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
	// Unknown is set if too few observations reached the unit, or missed it, to
	// learn when inputs reach it. Reached is then a guess.
	Unknown bool

	// Overruled is set if a regression overrules the tree, which predicts the contrary.
	// Rows and Positives then count the held-out observations for which it did so.
	Overruled bool

	leaf     int32
	terms    []logit.Term // of the regression that the input has, if Overruled is set
	unshared bool         // not shared between answers
}

// Shared reports whether all answers from the same leaf point to this
// Prediction.
func (p *Prediction) Shared() bool { return !p.unshared }

// A lookup maps paths and extra features to the features that trees test.
type lookup struct {
	ids            []uint64 // open-addressing hash table; 0 marks a free slot
	bases          []int32  // parallel to ids: index into tested; -1 if no tree or refusal tests the path
	mask           uint64
	extras         map[features.Extra]int32 // indices into tested
	tested         []tested
	refusals       []int32        // by refusal: index into tested
	refusalColumns map[int]int32  // by [Feature.Refusal]: the feature
	kinds          features.Kinds // kinds of extra features that trees test
	forest         *dtree.Forest
	firstLeaf      []int32      // by tree: index of its first prediction
	leaves         []Prediction // one per node of each tree
	outcomeColumns []int32      // feature of each outcome, or -1
	marginal       []int32      // units whose trees test outcomes
	regressions    *regressions
}

// tested holds the features that test a path or an extra feature, or -1.
type tested struct {
	plain  int32
	before [maxPhases]int32 // by phase
}

// prepare builds the lookup.
func (m *Model) prepare() {
	l := &lookup{extras: map[features.Extra]int32{}, refusalColumns: map[int]int32{}}
	size := 1024
	for size < 4*(len(m.seen)+len(m.Features)) {
		size *= 2
	}
	l.ids, l.bases, l.mask = make([]uint64, size), make([]int32, size), uint64(size-1)
	for _, id := range m.seen {
		l.set(id, -1)
	}
	for _, o := range m.Outcomes {
		l.outcomeColumns = append(l.outcomeColumns, int32(slices.IndexFunc(m.Features, func(f Feature) bool { return f.Outcome == o })))
	}
	for i, f := range m.Features {
		switch {
		case f.Refusal != 0:
			l.refusalColumns[f.Refusal] = int32(i)
		case f.Outcome != "":
		case f.Before != 0:
			l.tested[l.base(m, f)].before[f.Before-1] = int32(i)
		default:
			l.tested[l.base(m, f)].plain = int32(i)
		}
	}
	for _, r := range m.Refusals {
		l.refusals = append(l.refusals, l.base(m, r.Feature))
	}
	units := m.trees[len(m.Outcomes):]
	l.forest = dtree.NewForest(units)
	for i, t := range units {
		l.firstLeaf = append(l.firstLeaf, int32(len(l.leaves)))
		unknown := m.Unknown(i)
		for j, n := range t {
			p := m.calibration.apply(leafProbability(n), n.Positive)
			if !m.Trainable(i) {
				p = float64(n.Positives) / max(1, float64(n.Rows))
			}
			low, high := interval(p, n, m.searched(i))
			l.leaves = append(l.leaves, Prediction{
				Reached: n.Positive, Probability: p, Low: low, High: high, Rows: n.Rows, Positives: n.Positives, Unknown: unknown, leaf: int32(j),
			})
		}
		if slices.ContainsFunc(t.Columns(), func(c int32) bool { return m.Features[c].Outcome != "" }) {
			l.marginal = append(l.marginal, int32(i))
		}
	}
	l.regressions = newRegressions(m.unitRegressions, len(m.Features))
	m.lookup = l
}

// searched returns the number of columns that the tests of a unit's tree were chosen
// from, or 0 if the tree has no test.
func (m *Model) searched(unit int) int {
	if len(m.unitTree(unit)) == 1 {
		return 0
	}
	return m.Columns
}

// base returns the index into l.tested of the feature's path or extra feature,
// which it adds if needed.
func (l *lookup) base(m *Model, f Feature) int32 {
	next := int32(len(l.tested))
	if f.Extra != 0 {
		at, ok := l.extras[f.Extra]
		if ok {
			return at
		}
		l.extras[f.Extra] = next
		l.kinds |= features.Of(f.Extra.Kind())
	} else {
		id := m.space.ID(f.Path)
		if at, _ := l.get(id); at >= 0 {
			return at
		}
		l.set(id, next)
	}
	l.tested = append(l.tested, tested{-1, [maxPhases]int32{-1, -1}})
	return next
}

func (l *lookup) set(id uint64, base int32) {
	at := id & l.mask
	for l.ids[at] != 0 && l.ids[at] != id {
		at = (at + 1) & l.mask
	}
	l.ids[at], l.bases[at] = id, base
}

// get returns the index into l.tested of a path, or -1 if it is not tested, and
// whether a training input had the path.
func (l *lookup) get(id uint64) (base int32, seen bool) {
	for at := id & l.mask; ; at = (at + 1) & l.mask {
		switch l.ids[at] {
		case id:
			return l.bases[at], true
		case 0:
			return -1, false
		}
	}
}

// A predictor holds the buffers for one prediction at a time.
type predictor struct {
	extractor
	row      dtree.Bits
	first    []int32 // by tested path or extra feature: its first position, or notStopped
	leaves   []int32
	outcomes []float64
	logOdds  []float64 // by regression
	paths    int
	unseen   int
	onPath   func(length int, id uint64, at features.Position)
	onExtra  func(e features.Extra, at features.Position)
}

func (m *Model) newPredictor() *predictor {
	p := &predictor{
		extractor: *newExtractor(m.Grammar, m.Options, m.lookup.kinds, slices.Collect(maps.Keys(m.lookup.extras))...),
		row:       dtree.NewBits(len(m.Features)),
		first:     make([]int32, len(m.lookup.tested)),
		leaves:    make([]int32, len(m.Units)),
		outcomes:  make([]float64, len(m.Outcomes)),
		logOdds:   make([]float64, len(m.lookup.regressions.biases)),
	}
	l := m.lookup
	p.onPath = func(_ int, id uint64, at features.Position) {
		p.paths++
		base, seen := l.get(id)
		if base >= 0 {
			p.first[base] = min(p.first[base], int32(at))
		} else if !seen {
			p.unseen++
		}
	}
	p.onExtra = func(e features.Extra, at features.Position) {
		if base, ok := l.extras[e]; ok {
			p.first[base] = min(p.first[base], int32(at))
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

// PredictTree is [Model.Predict] for an input that is already parsed, by a grammar with
// the same digest.
func (m *Model) PredictTree(tree *derivation.Tree) (*Answer, error) {
	p, ok := m.pool.Get().(*predictor)
	if !ok {
		p = m.newPredictor()
	}
	defer m.pool.Put(p)
	return m.predictTree(p, tree)
}

func (m *Model) predict(ctx context.Context, p *predictor, input []byte) (*Answer, error) {
	tree, err := m.Grammar.Parse(ctx, input, p.parse)
	if syntax, ok := errors.AsType[*grammars.SyntaxError](err); ok {
		return &Answer{Syntax: syntax}, nil
	}
	if err != nil {
		return nil, err
	}
	return m.predictTree(p, tree)
}

func (m *Model) predictTree(p *predictor, tree *derivation.Tree) (*Answer, error) {
	p.reset()
	if err := p.eachPath(tree, p.onPath); err != nil {
		return nil, err
	}
	if p.extraExtractor != nil {
		if err := p.extraExtractor.Each(tree, p.onExtra); err != nil {
			return nil, err
		}
	}
	a := m.answer(p)
	if a.Refusal != nil {
		a.Stop.Line, a.Stop.Column = derivation.LineColumn(tree.Input(), a.Stop.Offset)
	}
	if p.paths > 0 {
		a.Unseen = float64(p.unseen) / float64(p.paths)
	}
	return a, nil
}

// reset prepares p for the next input.
func (p *predictor) reset() {
	for i := range p.first {
		p.first[i] = notStopped
	}
	p.paths, p.unseen = 0, 0
}

// answer evaluates the trees on the features in p.first.
func (m *Model) answer(p *predictor) *Answer {
	a := &Answer{Methods: make([]*Prediction, len(m.Units))}
	m.predictStop(p, a)
	m.predictOutcomes(p, a)
	m.predictMethods(p, a)
	return a
}

// predictStop finds the refusal that stops the program, and sets the features in
// p.row except for the outcome.
func (m *Model) predictStop(p *predictor, a *Answer) {
	l := m.lookup
	clear(p.row)
	s := unstopped()
	for i, base := range l.refusals {
		if at := p.first[base]; at != notStopped {
			s.add(m.Refusals[i].Phase, i, at)
		}
	}
	s = s.final()
	for i, t := range l.tested {
		if p.first[i] == notStopped {
			continue
		}
		if t.plain >= 0 {
			p.row.Set(t.plain)
		}
		for phase, column := range t.before {
			if column >= 0 && p.first[i] <= s.at[phase] {
				p.row.Set(column)
			}
		}
	}
	if s.by < 0 {
		return
	}
	a.Refusal = &m.Refusals[s.by]
	phase := a.Refusal.Phase
	a.Stop.Offset = int(s.at[phase-1])
	for _, refusal := range []int{s.by + 1, -phase} {
		if column, ok := l.refusalColumns[refusal]; ok {
			p.row.Set(column)
		}
	}
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
		probability, reached := marginalizer{l.outcomeColumns}.probability(m.unitTree(int(i)), p.row, p.outcomes, math.MaxInt)
		prediction := *a.Methods[i]
		prediction.unshared = true
		prediction.Reached, prediction.Probability = reached, m.calibration.apply(probability, reached)
		prediction.Low, prediction.High = interval(prediction.Probability, m.unitTree(int(i))[prediction.leaf], m.searched(int(i)))
		a.Methods[i] = &prediction
	}
	m.overrule(p, a)
}

// Reasons returns the conditions of the leaf of a unit's tree that prediction p comes
// from. If a regression overrules the tree, they are the conditions of the overruled
// leaf.
func (m *Model) Reasons(unit int, p *Prediction) []Condition {
	for _, way := range m.unitTree(unit).Ways() {
		if way.Leaf == p.leaf {
			return m.conditions(way.Conditions)
		}
	}
	return nil
}
