package model

import (
	"context"
	"slices"
	"strings"

	"github.com/inroad/inroad/model/dtree"
)

// A view is the training data as seen with a list of refusals, which may have
// been learned from some of the rows only.
type view struct {
	refused        []refused
	refusals       []Refusal // the same, described
	shared         bool      // the matrix belongs to the view of all rows
	matrix         *matrix
	outcomeColumns []int32 // column of each outcome

	withoutOutcomes, withOutcomes *dtree.Table // training data for outcomes, and for units

	grown *grown // trees grown with the same refusals on the same rows; may be nil
}

// newView learns refusals from the given rows, or from all rows if learn is
// nil, and returns the data of all rows. before holds trees that were grown on the
// same rows; it may be nil.
func (k *task) newView(ctx context.Context, learn []int32, before *grown) (*view, error) {
	final := learn == nil
	if final {
		learn = make([]int32, len(k.rows))
		for i := range learn {
			learn[i] = int32(i)
		}
	}
	var err error
	v := &view{}
	switch {
	case !k.opt.Refusals:
	case before != nil && before.ignorePlaces == k.ignorePlaces:
		v.refused = before.refused
	default:
		if v.refused, err = k.findRefusals(ctx, learn); err != nil {
			return nil, err
		}
	}
	if before != nil && slices.Equal(before.refused, v.refused) {
		v.grown = before
	}
	if v.refusals, err = k.describeRefusals(v.refused, learn); err != nil {
		return nil, err
	}
	if k.view != nil && slices.Equal(v.refused, k.view.refused) {
		shared := *k.view
		shared.refusals, shared.shared, shared.grown = v.refusals, true, v.grown
		return &shared, nil
	}
	if v.matrix, err = k.newMatrix(ctx, v.refused, final); err != nil {
		return nil, err
	}
	v.outcomeColumns = make([]int32, len(k.outcomes))
	for c, f := range v.matrix.columns {
		if i, ok := slices.BinarySearch(k.outcomes, f.Outcome); ok {
			v.outcomeColumns[i] = int32(c)
		}
	}
	v.withOutcomes, v.withoutOutcomes = v.matrix.table, v.matrix.table.Before(v.matrix.firstOutcome)
	if !k.opt.Outcome {
		v.withOutcomes = v.withoutOutcomes
	}
	return v, nil
}

// close removes the scratch files of the view.
func (v *view) close() error {
	if v.shared || v.matrix.stored == nil {
		return nil
	}
	return v.matrix.stored.close()
}

// findOutcomes lists the outcomes of the rows and finds the outcome of each row.
// An outcome of few rows loses its failure type.
func (k *task) findOutcomes() {
	counts := map[string]int{}
	for _, r := range k.rows {
		counts[r.outcome]++
	}
	name := func(r *record) string {
		if counts[r.outcome] < minOutcome {
			kind, _, _ := strings.Cut(r.outcome, ":")
			return kind
		}
		return r.outcome
	}
	var outcomes []string
	for _, r := range k.rows {
		if i, known := slices.BinarySearch(outcomes, name(r)); !known {
			outcomes = slices.Insert(outcomes, i, name(r))
		}
	}
	if len(outcomes) < 2 {
		return
	}
	k.outcomes = outcomes
	k.outcomeOf = make([]int32, len(k.rows))
	for i, r := range k.rows {
		at, _ := slices.BinarySearch(outcomes, name(r))
		k.outcomeOf[i] = int32(at)
	}
}
