package model

import (
	"context"
	"maps"
	"slices"
)

// Limits of the choice whether to trust places.
const (
	placeFolds   = 2     // folds that decide
	placeUnits   = 64    // units whose predictions decide
	minPlaceGain = 0.005 // gain in mean F1 from which on places are ignored
)

// choosePlaces decides whether the search for refusals trusts the places that failure
// messages name. It ignores places if models without them predict held-out rows better.
// Places mislead if the program goes on after an error, or names a place other than that
// of the refused construct.
func (k *task) choosePlaces(ctx context.Context) error {
	if !k.opt.Refusals || k.opt.Folds == 1 || !slices.ContainsFunc(k.rows, func(r *record) bool { return r.place != unknownPlace }) {
		return nil
	}
	units := k.sampleUnits(placeUnits)
	if len(units) == 0 {
		return nil
	}
	k.grown = map[int]*grown{}
	trusting, err := k.tryPlaces(ctx, units, false)
	if err != nil {
		return err
	}
	grown := maps.Clone(k.grown)
	ignoring, err := k.tryPlaces(ctx, units, true)
	if err != nil {
		return err
	}
	if k.ignorePlaces = ignoring > trusting+minPlaceGain; !k.ignorePlaces {
		k.grown = grown
	}
	return nil
}

// sampleUnits returns at most n unit targets that are reached by some rows only, and by
// different rows. The sample does not depend on the names of the units.
func (k *task) sampleUnits(n int) []*target {
	units := k.varying(k.targets[len(k.outcomes):])
	slices.SortStableFunc(units, func(a, b *target) int { return slices.Compare(a.digest[:], b.digest[:]) })
	units = slices.CompactFunc(units, func(a, b *target) bool { return a.digest == b.digest })
	return units[:min(n, len(units))]
}

// tryPlaces returns the mean F1 of the units on held-out rows if the places in
// failure messages are trusted or ignored.
func (k *task) tryPlaces(ctx context.Context, units []*target, ignore bool) (float64, error) {
	k.ignorePlaces = ignore
	for _, t := range units {
		t.byDepth = make([]heldOut, len(k.opt.depths()))
	}
	for fold := range min(placeFolds, k.opt.Folds, len(k.rows)) {
		if err := k.validateFold(ctx, units, fold); err != nil {
			return 0, err
		}
	}
	sum := 0.0
	for _, t := range units {
		sum += t.byDepth[choose(t.byDepth)].confusion.F1()
	}
	return sum / float64(len(units)), nil
}
