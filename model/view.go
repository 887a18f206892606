package model

import (
	"slices"
	"strings"

	"github.com/inroad/inroad/model/dtree"
)

// A view is the training data as seen with a list of refusals, which may have
// been learned from some of the rows only.
type view struct {
	refusals       []Refusal
	matrix         *matrix
	outcomeColumns []int32 // column of each outcome

	withoutOutcomes, withOutcomes *dtree.Table // training data for outcomes, and for units
}

// newView learns refusals from the given rows, or from all rows if learn is
// nil, and returns the data of all rows.
func (k *task) newView(learn []int32) *view {
	if learn == nil {
		learn = make([]int32, len(k.rows))
		for i := range learn {
			learn[i] = int32(i)
		}
	}
	var refusals []refused
	if k.opt.Refusals {
		refusals = k.findRefusals(learn)
	}
	v := &view{refusals: k.describeRefusals(refusals, learn)}
	v.matrix = k.newMatrix(refusals)
	v.outcomeColumns = make([]int32, len(k.outcomes))
	for c, f := range v.matrix.columns {
		if i, ok := slices.BinarySearch(k.outcomes, f.Outcome); ok {
			v.outcomeColumns[i] = int32(c)
		}
	}
	v.withoutOutcomes, v.withOutcomes = v.matrix.table(false), v.matrix.table(true)
	if !k.opt.Outcome {
		v.withOutcomes = v.withoutOutcomes
	}
	return v
}

// newMatrix returns the matrix of the rows: their features, the same features
// before the place where a refusal stops the program, the refusals, and the
// outcomes.
func (k *task) newMatrix(refusals []refused) *matrix {
	all := slices.Clone(k.features)
	phases := 0
	for _, r := range refusals {
		phases = max(phases, r.phase)
	}
	for phase := 1; phase <= phases; phase++ {
		for _, f := range k.features {
			f.Before = phase
			all = append(all, f)
		}
	}
	firstRefusal := int32(len(all))
	for i := range refusals {
		all = append(all, Feature{Refusal: i + 1})
	}
	firstPhase := int32(len(all))
	for phase := 1; phase <= phases; phase++ {
		all = append(all, Feature{Refusal: -phase})
	}
	firstOutcome := int32(len(all))
	for _, o := range k.outcomes {
		all = append(all, Feature{Outcome: o})
	}
	index := refusalIndex(refusals)
	rows := make([][]int32, len(k.rows))
	for i, r := range k.rows {
		row := slices.Clone(r.features)
		s := r.stop(refusals, index)
		for phase := range phases {
			first := int32((phase + 1) * len(k.features))
			for j, f := range r.features {
				if r.at[j] <= s.at[phase] {
					row = append(row, first+f)
				}
			}
		}
		if s.by >= 0 {
			row = append(row, firstRefusal+int32(s.by), firstPhase+int32(refusals[s.by].phase)-1)
		}
		if len(k.outcomes) > 0 {
			row = append(row, firstOutcome+k.outcomeOf[i])
		}
		rows[i] = row
	}
	return newMatrix(all, rows)
}

// findOutcomes lists the outcomes of the rows and finds the outcome of each row.
// An outcome of few rows loses its failure type.
func (k *task) findOutcomes() {
	counts := map[string]int{}
	for _, r := range k.rows {
		counts[r.outcome]++
	}
	names := make([]string, len(k.rows))
	for i, r := range k.rows {
		names[i] = r.outcome
		if counts[r.outcome] < minOutcome {
			names[i], _, _ = strings.Cut(r.outcome, ":")
		}
	}
	outcomes := slices.Clone(names)
	slices.Sort(outcomes)
	if outcomes = slices.Compact(outcomes); len(outcomes) < 2 {
		return
	}
	k.outcomes = outcomes
	k.outcomeOf = make([]int32, len(k.rows))
	for i, name := range names {
		at, _ := slices.BinarySearch(outcomes, name)
		k.outcomeOf[i] = int32(at)
	}
}
