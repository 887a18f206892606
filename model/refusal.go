package model

import (
	"math"
	"slices"

	"github.com/inroad/inroad/model/observation"
)

// A Refusal is a construct that makes a program stop: inputs with the feature
// fail, and the program reads them only up to the feature's first position.
type Refusal struct {
	Feature Feature
	Outcome string // most frequent outcome of the training inputs that it stops
	Rows    int    // training inputs that it stops
	Failed  int    // training inputs among Rows that failed
}

// Limits of the search for refusals.
const (
	maxRefusals        = 256
	minRefusalRows     = 3   // failures that a refusal must explain
	minRefusalShare    = 0.9 // share of failures among the inputs with the feature
	minRefusalEvidence = 4.0 // gain in nats
)

// notStopped is the position of the stop of an input that has no refused construct.
const notStopped = math.MaxInt32

// A refusalSearch learns the constructs that a program refuses by sequential
// covering: it takes the feature that explains the failures best, removes the
// inputs with that feature, and repeats.
type refusalSearch struct {
	rows         []*record
	features     []Feature
	failures     []int32 // by feature: inputs left that have it and failed
	accepted     []int32 // by feature: inputs left that have it and did not fail
	failuresLeft int
	acceptedLeft int
}

// failed reports whether the run did not end with the outcome ok.
func (r *record) failed() bool { return r.outcome != string(observation.OK) }

// findRefusals returns the features that the program refuses, as indices into
// all, most important first.
func findRefusals(all []Feature, rows []*record) []int32 {
	s := &refusalSearch{rows: rows, features: all, failures: make([]int32, len(all)), accepted: make([]int32, len(all))}
	left := make([]bool, len(rows))
	holders := make([][]int32, len(all))
	for i, r := range rows {
		left[i] = true
		counts := s.accepted
		if r.failed() {
			counts = s.failures
			s.failuresLeft++
		} else {
			s.acceptedLeft++
		}
		for _, f := range r.features {
			counts[f]++
			holders[f] = append(holders[f], int32(i))
		}
	}
	var out []int32
	for len(out) < maxRefusals && s.failuresLeft > 0 && s.acceptedLeft > 0 {
		best := s.best()
		if best < 0 {
			break
		}
		out = append(out, best)
		for _, i := range holders[best] {
			if left[i] {
				left[i] = false
				s.remove(rows[i])
			}
		}
	}
	return out
}

func (s *refusalSearch) remove(r *record) {
	counts := s.accepted
	if r.failed() {
		counts = s.failures
		s.failuresLeft--
	} else {
		s.acceptedLeft--
	}
	for _, f := range r.features {
		counts[f]--
	}
}

// best returns the feature with the highest gain, or -1 if no gain suffices.
func (s *refusalSearch) best() int32 {
	best, most := int32(-1), minRefusalEvidence
	base := math.Log(float64(s.failuresLeft) / float64(s.failuresLeft+s.acceptedLeft))
	for f := range s.features {
		failed, accepted := float64(s.failures[f]), float64(s.accepted[f])
		if failed < minRefusalRows || failed < minRefusalShare*(failed+accepted) {
			continue
		}
		gain := failed * (math.Log((failed+0.5)/(failed+accepted+1)) - base)
		const tolerance = 1e-9
		if gain > most+tolerance || best >= 0 && gain >= most-tolerance && compareFeatures(s.features[f], s.features[best]) < 0 {
			best, most = int32(f), gain
		}
	}
	return best
}

// stop returns the position where a record's program stops, and the index of
// the refusal that stops it, or notStopped and -1.
func (r *record) stop(refusals map[int32]int) (at int32, refusal int) {
	at, refusal = notStopped, -1
	for i, f := range r.features {
		n, ok := refusals[f]
		if ok && (r.at[i] < at || r.at[i] == at && n < refusal) {
			at, refusal = r.at[i], n
		}
	}
	return at, refusal
}

// refusalIndex returns the indices of refusals by feature.
func refusalIndex(refusals []int32) map[int32]int {
	out := make(map[int32]int, len(refusals))
	for i, f := range refusals {
		out[f] = i
	}
	return out
}

// summarize describes the refusals with the inputs that they stop.
func summarizeRefusals(all []Feature, refusals []int32, rows []*record) []Refusal {
	index := refusalIndex(refusals)
	out := make([]Refusal, len(refusals))
	outcomes := make([]map[string]int, len(refusals))
	for i, f := range refusals {
		out[i].Feature, outcomes[i] = all[f], map[string]int{}
	}
	for _, r := range rows {
		if _, by := r.stop(index); by >= 0 {
			out[by].Rows++
			out[by].Failed += btoi(r.failed())
			outcomes[by][r.outcome]++
		}
	}
	for i, counts := range outcomes {
		names := make([]string, 0, len(counts))
		for name := range counts {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			if counts[name] > counts[out[i].Outcome] {
				out[i].Outcome = name
			}
		}
	}
	return out
}
