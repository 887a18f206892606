package solve

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/generate"
)

// A Rest says what is left of the paths of a cover.
type Rest struct {
	Impossible int // it is proved that no tree has the path
	NotFound   int // no input was found
}

// maxClosed limits the paths that are solved to complete a cover. The others count as
// not found.
const maxClosed = 200

// Complete solves the paths that a cover gave up and calls take with the inputs. The
// cover's generator must have the solver's grammar and start rule.
func (s *Solver) Complete(ctx context.Context, c *generate.Cover, r *rand.Rand, take func(*generate.Input) error) (Rest, error) {
	impossible := 0
	for i, p := range c.Unrealised() {
		if i == maxClosed {
			break
		}
		if c.Covers(p) { // by an input for an earlier path
			continue
		}
		solution, err := s.Try(ctx, targeting.Constraint{Conditions: []targeting.Condition{targeting.Require(p)}})
		if err == nil && solution == nil {
			impossible++
			continue
		}
		var inputs []*generate.Input
		if err == nil {
			inputs, err = solution.Smallest(ctx, r, 1)
		}
		switch {
		case isUnsolved(err) || err == nil && len(inputs) == 0:
			continue
		case err != nil:
			return Rest{}, err
		}
		if _, err := c.Credit(inputs[0].Tree); err != nil {
			return Rest{}, err
		}
		if err := take(inputs[0]); err != nil {
			return Rest{}, err
		}
	}
	return Rest{impossible, len(c.Unrealised()) - impossible}, nil
}

// isUnsolved reports whether an error says that no input was found, without a proof
// that there is none.
func isUnsolved(err error) bool {
	var unrealised *UnrealisedError
	var limited *limit.Error
	return errors.As(err, &unrealised) || errors.As(err, &limited)
}
