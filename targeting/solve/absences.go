package solve

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/targeting/generate"
)

// maxAbsences limits the paths that end in the absence of an optional part.
const maxAbsences = 1_000_000

// Absences are the paths of a length that end in the absence of an optional part: an
// element, a group or a list that an input may omit. An input covers an absence if it
// omits the part below the other symbols of the path.
type Absences struct {
	solver  *Solver
	k       int
	extract *features.Extractor
	paths   []features.Path
	covered *features.Set
	space   *features.Space

	Missing []Missing // paths without an input, of those that Cover has visited
}

// NewAbsences returns the paths of k symbols that end in an absence; none is covered yet.
func (s *Solver) NewAbsences(k int) (*Absences, error) {
	space := features.NewSpace(s.grammar, features.Options{Start: s.start.Name, Absent: true, Possible: true})
	if n := space.Count(k); n.Cmp(big.NewInt(maxAbsences)) > 0 {
		return nil, &limit.Error{What: "paths to cover", Value: strconv.Itoa(maxAbsences), Advice: fmt.Sprintf("with absences, the grammar has %v; ask for a smaller k", n)}
	}
	a := &Absences{solver: s, k: k, space: space, extract: features.NewExtractor(space, k), covered: features.NewSet(k)}
	for p := range space.All(k) {
		if s.grammar.Nodes[p[len(p)-1]].Kind == grammars.Repetition {
			a.paths = append(a.paths, append(features.Path(nil), p...))
		}
	}
	return a, nil
}

// Add counts the absences of an input as covered.
func (a *Absences) Add(tree *derivation.Tree) error { return a.extract.Add(a.covered, tree) }

// Covered returns the number of covered absences and the number of all absences.
func (a *Absences) Covered() (covered, all int) {
	for _, p := range a.paths {
		if a.covers(p) {
			covered++
		}
	}
	return covered, len(a.paths)
}

func (a *Absences) covers(p features.Path) bool { return a.covered.Has(a.k, a.space.ID(p)) }

// Cover calls take with a small input for each absence that is not covered yet, and adds
// absences without an input to Missing. An input for one absence often covers others.
func (a *Absences) Cover(ctx context.Context, r *rand.Rand, take func(*generate.Input) error) error {
	text, err := generate.New(a.solver.grammar, r, generate.Options{Start: a.solver.start.Name}) //nolint:contextcheck // reading one token back is bounded and takes no context
	if err != nil {
		return err
	}
	for _, p := range a.paths {
		if a.covers(p) {
			continue
		}
		solution, err := a.solver.Try(ctx, require(p))
		switch {
		case isUnsolved(err):
			a.Missing = append(a.Missing, Missing{Path: p, Reason: Limited, Symbol: derivation.None, Limit: err.Error()})
			continue
		case err != nil:
			return err
		case solution == nil:
			a.Missing = append(a.Missing, Missing{Path: p, Reason: NoTree, Symbol: derivation.None})
			continue
		}
		w := solution.writerWith(text, r)
		input, err := w.search(ctx, pathEffort())
		if err != nil {
			return err
		}
		if input == nil {
			a.Missing = append(a.Missing, Missing{Path: p, Reason: Misread, Symbol: derivation.None, Tried: w.fails.Tried})
			continue
		}
		if err := a.Add(input.Tree); err != nil {
			return err
		}
		if err := take(input); err != nil {
			return err
		}
	}
	return nil
}
