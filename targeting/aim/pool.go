package aim

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/grammars/parallel"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/generate"
)

// poolSize is the size of a pool for each run of a round.
const poolSize = 20

// maxMutated limits the known inputs that are mutated for a pool.
const maxMutated = 300

// A pool holds inputs like those that a model usually learns from. A [Refiner] runs
// the inputs that the model predicts to be instructive. Because it chooses them by
// predictions alone, the inputs of a leaf that it runs are a random sample of all
// inputs of the leaf. Inputs that are generated for a unit are no random sample: in a
// leaf that does not separate well, they would reach the unit more often than other
// inputs, and the model would predict the unit too often.
type pool struct {
	texts [][]byte
	// rarer holds, by input and picked unit, the probability of the unit's rarer class:
	// reached or not. It is nil for inputs outside the grammar or above a limit.
	rarer [][]float64
}

// newPool generates a pool of n inputs. As in training, a third of them are mutants
// of known inputs that the program accepted.
func newPool(ctx context.Context, g *grammars.Grammar, known []observation.Observation, seed uint64, n int) (*pool, error) {
	p := &pool{}
	for input, err := range generate.TrainingInputs(ctx, g, g.Start, stream(0, "pool")^seed, n-n/3) {
		if err != nil {
			return nil, err
		}
		p.texts = append(p.texts, input.Text)
	}
	var accepted []*derivation.Tree
	for _, i := range rand.New(rand.NewPCG(seed, 0)).Perm(len(known)) {
		if known[i].Outcome != observation.OK || len(accepted) == maxMutated {
			continue
		}
		tree, err := g.Parse(ctx, known[i].Input, grammars.ParseOptions{})
		if _, ok := errors.AsType[*grammars.SyntaxError](err); ok || limited(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		accepted = append(accepted, tree)
	}
	for input, err := range generate.TrainingMutants(ctx, g, g.Start, stream(0, "pool")^seed, accepted, n/3) {
		if err != nil {
			return nil, err
		}
		p.texts = append(p.texts, input.Text)
	}
	return p, nil
}

// limited reports whether an input exceeded a limit.
func limited(err error) bool {
	_, ok := errors.AsType[*limit.Error](err)
	return ok
}

// predict sets p.rarer to the predictions of a model for the picked units.
func (p *pool) predict(ctx context.Context, m *model.Model, picked []int, workers int, limits grammars.Limits) error {
	p.rarer = make([][]float64, len(p.texts))
	group, ctx := parallel.WithContext(ctx)
	for w := range workers {
		group.Go(func() error {
			for i := w; i < len(p.texts); i += workers {
				answer, err := m.Predict(ctx, p.texts[i], limits)
				if limited(err) || err == nil && answer.Syntax != nil {
					continue
				}
				if err != nil {
					return err
				}
				p.rarer[i] = make([]float64, len(picked))
				for j, unit := range picked {
					p.rarer[i][j] = answer.Methods[unit].Probability
					if reached, rows := m.Support(unit); 2*reached > rows {
						p.rarer[i][j] = 1 - p.rarer[i][j]
					}
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// anyUnit makes [pool.draw] draw all inputs with the same probability.
const anyUnit = -1

// draw draws up to n different inputs that are not in seen, for one of the picked
// units. An input's weight is the probability of the unit's rarer class, so that about
// as many inputs are drawn from leaves that predict the class as from leaves that miss
// it.
func (p *pool) draw(source *rand.Rand, picked, n int, seen map[string]bool) [][]byte {
	type drawn struct {
		text []byte
		time float64 // of the first event of a Poisson process with the weight as rate
	}
	var all []drawn
	for i, text := range p.texts {
		wait := source.ExpFloat64()
		if seen[string(text)] || p.rarer[i] == nil {
			continue
		}
		if picked != anyUnit {
			wait /= max(p.rarer[i][picked], math.SmallestNonzeroFloat32)
		}
		all = append(all, drawn{text, wait})
	}
	slices.SortStableFunc(all, func(a, b drawn) int { return cmp.Compare(a.time, b.time) })
	var out [][]byte
	met := map[string]bool{}
	for _, d := range all {
		if len(out) >= n {
			break
		}
		if !met[string(d.text)] {
			met[string(d.text)] = true
			out = append(out, d.text)
		}
	}
	return out
}
