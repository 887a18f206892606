package model

import (
	"context"
	"math"
	"slices"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/model/dtree"
	"github.com/inroad/inroad/model/observation"
)

// A Refusal is a construct that makes a program stop: inputs with the feature
// fail, and the program reads them only up to the feature's first position.
type Refusal struct {
	Feature Feature
	Phase   int    // the phase of the program that stops, from 1
	Outcome string // most frequent outcome of the training inputs that it stops
	Rows    int    // training inputs that it stops
	Failed  int    // training inputs among Rows that failed in the phase
}

// maxPhases is the number of phases that are told apart. A program that reads
// its whole input before it executes it has two.
const maxPhases = 2

// Limits of the search for refusals.
const (
	maxRefusals        = 256
	minRefusalRows     = 3   // failures that a refusal must explain
	maxAcceptedShare   = 0.1 // share of accepted inputs among the inputs with the feature
	minRefusalEvidence = 4.0 // gain in nats
)

// notStopped is the position of the stop of an input that has no refused construct.
const notStopped = math.MaxInt32

// findPhases assigns a phase, from 1, to each failing outcome, and 0 to the
// outcome ok. An outcome is in phase 2 if a method separates it from the outcomes of
// phase 1: runs with this outcome or ok reach the method, and runs with outcomes
// of phase 1 do not.
func (k *task) findPhases() {
	if len(k.outcomes) == 0 {
		return
	}
	out := make([]int, len(k.outcomes))
	ok := slices.Index(k.outcomes, string(observation.OK))
	rows := make([]int, len(k.outcomes))
	for _, r := range k.labelled {
		rows[k.outcomeOf[r]]++
	}
	units := k.targets[len(k.outcomes):]
	reached := make([][]int, len(k.outcomes)) // by outcome and unit: rows
	for o := range reached {
		reached[o] = make([]int, len(units))
	}
	for i, t := range units {
		for r := range t.labels.All() {
			reached[k.outcomeOf[r]][i]++
		}
	}
	precedes := func(a, b int) bool {
		for m, n := range reached[b] {
			if n > 0 && 20*n >= 19*rows[b] && 20*reached[ok][m] >= 19*rows[ok] && 20*reached[a][m] <= rows[a] {
				return true
			}
		}
		return false
	}
	for b := range out {
		if b == ok {
			continue
		}
		out[b] = 1
		for a := range out {
			if ok >= 0 && a != b && a != ok && rows[a] >= minOutcome && rows[b] >= minOutcome && precedes(a, b) {
				out[b] = maxPhases
			}
		}
	}
	k.phases = out
}

// findRefusals learns the constructs that the program refuses from the given
// rows, most important first within each phase. Features are indices into
// k.features.
func (k *task) findRefusals(ctx context.Context, rows []int32) ([]refused, error) {
	if len(k.outcomes) == 0 {
		return nil, nil
	}
	var out []refused
	for phase := 1; phase <= maxPhases; phase++ {
		s := &refusalSearch{records: k.rows, cells: k.cells, features: k.features, ignorePlaces: k.ignorePlaces, failed: dtree.NewBits(len(k.rows))}
		for _, r := range rows {
			if at := k.phases[k.outcomeOf[r]]; at == 0 || at >= phase { // others stopped before
				s.rows = append(s.rows, r)
				if at == phase {
					s.failed.Set(r)
				}
			}
		}
		found, err := s.explain(ctx)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			out = append(out, refused{f, phase})
		}
	}
	return out, nil
}

// A refused is a feature that the program refuses in a phase.
type refused struct {
	feature int32
	phase   int
}

// A refusalSearch learns the constructs that a phase of a program refuses by
// sequential covering: it takes the feature that explains the failures best,
// removes the inputs with that feature, and repeats.
type refusalSearch struct {
	records      []*record
	cells        cells
	rows         []int32    // ascending
	failed       dtree.Bits // rows that failed
	features     []Feature
	ignorePlaces bool    // any feature of an input may be the reason for its failure
	later        int32   // maximum distance in bytes of a refused construct behind the place that the message names
	failures     []int32 // by feature: rows left that have it and failed
	accepted     []int32 // by feature: rows left that have it and did not fail
	candidates   []int32 // features that may be refused
	explained    int     // sum of failures
	passed       int     // sum of accepted
	failuresLeft int
	acceptedLeft int
	maxAccepted  float64 // maximum share of accepted inputs among the inputs with a refused feature
}

// explain returns the refused features. Most messages name the place of the
// refused construct. If too few failures can be explained like this, the
// construct may come some bytes later.
func (s *refusalSearch) explain(ctx context.Context) ([]int32, error) {
	var best []int32
	most := 0.0
	for _, later := range []int32{2, 8, 24} {
		s.later = later
		s.failures, s.accepted = make([]int32, len(s.features)), make([]int32, len(s.features))
		s.failuresLeft, s.acceptedLeft, s.explained, s.passed = 0, 0, 0, 0
		found, share, err := s.find(ctx)
		if err != nil {
			return nil, err
		}
		if share > most+0.1 {
			best, most = found, share
		}
		if most >= 0.9 || s.ignorePlaces || !slices.ContainsFunc(s.rows, func(r int32) bool { return s.records[r].place != unknownPlace }) {
			break
		}
	}
	return best, nil
}

// find returns the refused features and the share of the failures that they
// explain.
func (s *refusalSearch) find(ctx context.Context) (found []int32, share float64, err error) {
	left := dtree.NewBits(len(s.records))
	reader := s.cells.reader()
	for i, r := range s.rows {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, 0, context.Cause(ctx)
		}
		features, at, err := reader.row(r)
		if err != nil {
			return nil, 0, err
		}
		left.Set(r)
		s.count(r, features, at, 1)
	}
	failures := s.failuresLeft
	s.candidates = s.candidates[:0]
	for f, n := range s.failures { // which only become less
		if n >= minRefusalRows && refusable(s.features[f]) {
			s.candidates = append(s.candidates, int32(f))
		}
	}
	// If the program accepts few inputs anyway, a refused feature must be accepted
	// less often than others.
	s.maxAccepted = min(maxAcceptedShare, float64(s.acceptedLeft)/float64(s.acceptedLeft+failures)/2)
	for len(found) < maxRefusals && s.failuresLeft > 0 && s.acceptedLeft > 0 {
		best := s.best()
		if best < 0 {
			break
		}
		found = append(found, best)
		if err := s.remove(best, left, reader); err != nil {
			return nil, 0, err
		}
	}
	return found, 1 - float64(s.failuresLeft)/max(1, float64(failures)), nil
}

// remove takes the rows with a refused feature out of left, except for failures that it
// does not explain.
func (s *refusalSearch) remove(refused int32, left dtree.Bits, reader cellReader) error {
	return s.cells.holders(refused, func(rows []int32) error {
		for _, r := range rows {
			if !left.Has(r) {
				continue
			}
			features, at, err := reader.row(r)
			if err != nil {
				return err
			}
			if s.failed.Has(r) && s.evidence(r, at[slices.Index(features, refused)]) != explains {
				continue
			}
			left.Unset(r)
			s.count(r, features, at, -1)
		}
		return nil
	})
}

// count adds n to the counts of a row with the given features and their positions.
func (s *refusalSearch) count(row int32, features, at []int32, n int32) {
	if s.failed.Has(row) {
		s.failuresLeft += int(n)
	} else {
		s.acceptedLeft += int(n)
	}
	for j, f := range features {
		switch s.evidence(row, at[j]) {
		case explains:
			s.failures[f] += n
			s.explained += int(n)
		case passed:
			s.accepted[f] += n
			s.passed += int(n)
		}
	}
}

// evidence tells whether a feature of a row explains why the row failed.
type evidence int

const (
	unread   evidence = iota // the program did not read as far as the feature
	passed                   // the program read the feature and went on
	explains                 // the feature may be the reason
)

// maxEarlier is the maximum distance in bytes from a refused construct to the
// place that the failure message names, if that is behind the construct.
const maxEarlier = 24

// evidence returns whether the feature of a row at a position explains why the row
// failed.
func (s *refusalSearch) evidence(row, at int32) evidence {
	place := s.records[row].place
	switch {
	case !s.failed.Has(row):
		return passed
	case s.ignorePlaces || place == unknownPlace:
		return explains
	case at > place+s.later:
		return unread
	case at < place-maxEarlier:
		return passed
	default:
		return explains
	}
}

// refusable reports whether a program may refuse a feature because of a single
// place.
func refusable(f Feature) bool { return f.Extra == 0 || f.Extra.Kind() != features.Early }

// best returns the feature with the highest gain, or -1 if no gain suffices.
func (s *refusalSearch) best() int32 {
	best, most := int32(-1), minRefusalEvidence
	explained, passed := float64(s.explained), float64(s.passed)
	base := math.Log(min(explained/(explained+passed), float64(s.failuresLeft)/float64(s.failuresLeft+s.acceptedLeft)))
	for _, f := range s.candidates {
		failed, accepted := float64(s.failures[f]), float64(s.accepted[f])
		if failed < minRefusalRows || accepted > s.maxAccepted*(failed+accepted) {
			continue
		}
		gain := failed * (math.Log((failed+0.5)/(failed+accepted+1)) - base)
		const tolerance = 1e-9
		if gain > most+tolerance || best >= 0 && gain >= most-tolerance && compareFeatures(s.features[f], s.features[best]) < 0 {
			best, most = f, gain
		}
	}
	return best
}

// A stop is the place where a refusal stops each phase of a program.
type stop struct {
	at [maxPhases]int32 // by phase: the last position that it reads; notStopped for all, -1 for none
	by int              // index of the refusal, or -1
}

// stopOf returns where the refusals stop the program, given the features of its input and
// their first positions. The first phase with a refusal stops, at the first refusal in
// the input; later phases do not begin.
func stopOf(features, at []int32, refusals []refused, index refusalIndex) stop {
	out := unstopped()
	if len(refusals) == 0 {
		return out
	}
	for i, f := range features {
		if index.refused.Has(f) {
			for _, n := range index.refusals[f] {
				out.add(refusals[n].phase, n, at[i])
			}
		}
	}
	return out.final()
}

// unstopped returns a stop without refusals.
func unstopped() stop { return stop{[maxPhases]int32{notStopped, notStopped}, -1} }

// add adds a refusal of a phase at a position.
func (s *stop) add(phase, refusal int, at int32) {
	// Until final is called, by is kept only for the first phase that stops.
	first := phase == 1 || s.at[0] == notStopped
	switch before := s.at[phase-1]; {
	case at < before, at == before && first && refusal < s.by:
		s.at[phase-1] = at
		if first {
			s.by = refusal
		}
	}
}

// final marks the phases after the first one that stops as not begun.
func (s stop) final() stop {
	if s.at[0] != notStopped {
		s.at[1] = -1
	}
	return s
}

// A refusalIndex lists the indices of refusals by feature.
type refusalIndex struct {
	refused  dtree.Bits // features with a refusal
	refusals map[int32][]int
}

func (k *task) indexRefusals(refusals []refused) refusalIndex {
	out := refusalIndex{dtree.NewBits(len(k.features)), map[int32][]int{}}
	for i, r := range refusals {
		out.refused.Set(r.feature)
		out.refusals[r.feature] = append(out.refusals[r.feature], i)
	}
	return out
}

// describeRefusals describes the refusals with the rows that they stop.
func (k *task) describeRefusals(refusals []refused, rows []int32) ([]Refusal, error) {
	index := k.indexRefusals(refusals)
	out := make([]Refusal, len(refusals))
	outcomes := make([][]int, len(refusals)) // rows by outcome
	for i, r := range refusals {
		out[i].Feature, out[i].Phase, outcomes[i] = k.features[r.feature], r.phase, make([]int, len(k.outcomes))
	}
	if len(refusals) == 0 {
		return out, nil
	}
	reader := k.cells.reader()
	for _, r := range rows {
		features, at, err := reader.row(r)
		if err != nil {
			return nil, err
		}
		by := stopOf(features, at, refusals, index).by
		if by < 0 {
			continue
		}
		out[by].Rows++
		out[by].Failed += btoi(k.phases[k.outcomeOf[r]] == out[by].Phase)
		outcomes[by][k.outcomeOf[r]]++
	}
	for i, counts := range outcomes {
		most := 0
		for o, n := range counts {
			if n > counts[most] {
				most = o
			}
		}
		out[i].Outcome = k.outcomes[most]
	}
	return out, nil
}
