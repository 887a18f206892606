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
	rows := k.rows
	if learn != nil {
		rows = make([]*record, len(learn))
		for i, r := range learn {
			rows[i] = k.rows[r]
		}
	}
	var refused []int32
	if k.opt.Refusals {
		refused = findRefusals(k.features, rows)
	}
	v := &view{refusals: summarizeRefusals(k.features, refused, rows)}
	v.matrix = k.newMatrix(refused)
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
func (k *task) newMatrix(refused []int32) *matrix {
	all := slices.Clone(k.features)
	if len(refused) > 0 {
		for _, f := range k.features {
			f.Before = true
			all = append(all, f)
		}
	}
	before := int32(len(k.features))
	firstRefusal := int32(len(all))
	all = append(all, Feature{Refusal: AnyRefusal})
	for i := range refused {
		all = append(all, Feature{Refusal: i + 1})
	}
	firstOutcome := int32(len(all))
	for _, o := range k.outcomes {
		all = append(all, Feature{Outcome: o})
	}
	index := refusalIndex(refused)
	rows := make([][]int32, len(k.rows))
	for i, r := range k.rows {
		row := slices.Clone(r.features)
		if len(refused) > 0 {
			stop, by := r.stop(index)
			if by >= 0 {
				row = append(row, firstRefusal, firstRefusal+1+int32(by))
			}
			for j, f := range r.features {
				if r.at[j] <= stop {
					row = append(row, before+f)
				}
			}
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
