package logit

import (
	"context"
	"math"
)

// Limits of the iteration.
const (
	maxApproximations = 20    // with the final penalty
	maxHalvings       = 20    // of a step
	maxSweeps         = 8     // of an approximation
	lossTolerance     = 1e-3  // relative decrease of the loss by the last approximation
	sweepTolerance    = 0.01  // change of a weight by the last sweep
	minStep           = 0.001 // change of a weight that is not made
	minCurvature      = 1e-5
)

// followPath minimizes the loss with a high penalty first, which allows few weights, and
// then with lower ones, down to that of the options. So the weights are close to the
// minimum at each penalty, where a quadratic approximation of the loss is good.
func (f *Fitter) followPath(ctx context.Context) error {
	positive, negative := 0.0, 0.0
	for i, label := range f.labels {
		if label > 0 {
			positive += f.weights[i]
		} else {
			negative += f.weights[i]
		}
	}
	f.bias = math.Log(positive / negative)
	f.odds = f.odds[:0]
	for range f.labels {
		f.odds = append(f.odds, f.bias)
	}
	loss := f.approximate()
	f.penalty = f.opt.Penalty
	for steepest := f.steepest(); f.penalty < steepest; {
		f.penalty *= 2
	}
	for f.penalty > f.opt.Penalty {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		f.penalty /= 2
		loss = f.improve(loss)
	}
	for range maxApproximations {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		before := loss + f.penalties()
		if loss = f.improve(loss); before-(loss+f.penalties()) < lossTolerance*before {
			break
		}
	}
	return nil
}

// steepest returns the greatest slope of the loss along a column.
func (f *Fitter) steepest() float64 {
	out := 0.0
	for j := range f.columns {
		c := &f.columns[j]
		c.slope = math.Abs(sum(f.residual, c.holders))
		out = max(out, c.slope)
	}
	return out
}

// sum returns the sum of the values at the given indices. It adds up four sums at a time,
// because each addition waits for the one before.
func sum(values []float64, at []int32) float64 {
	var a, b, c, d float64
	for ; len(at) >= 4; at = at[4:] {
		a += values[at[0]]
		b += values[at[1]]
		c += values[at[2]]
		d += values[at[3]]
	}
	for _, i := range at {
		a += values[i]
	}
	return (a + b) + (c + d)
}

// penalties returns the penalty of all weights.
func (f *Fitter) penalties() float64 {
	out := 0.0
	for _, c := range f.columns {
		out += float64(f.penalty * math.Abs(c.weight))
	}
	return out
}

// approximate approximates the loss by a quadratic function at the current weights. It
// returns the loss without the penalty.
func (f *Fitter) approximate() (loss float64) {
	f.curvature, f.residual = f.curvature[:0], f.residual[:0]
	for i, odds := range f.odds {
		small := math.Exp(-math.Abs(odds))
		p := 1 / (1 + small) // of the more probable class
		other := max(float64(small*p), minCurvature)
		loss += float64(f.weights[i] * math.Log1p(small))
		f.curvature = append(f.curvature, f.weights[i]*p*other)
		if odds < 0 {
			p = small * p
		}
		f.residual = append(f.residual, f.weights[i]*(f.labels[i]-p))
		if (odds > 0) != (f.labels[i] > 0) {
			loss += float64(f.weights[i] * math.Abs(odds))
		}
	}
	return loss
}

// improve minimizes the approximation by coordinate descent, once along all columns and
// then along the columns with a weight. Then it approximates the loss at the new weights.
// If the approximation was so bad that the loss grew, improve halves the step until the
// loss does not grow. It takes and returns the loss without the penalty.
func (f *Fitter) improve(before float64) (loss float64) {
	bias := f.bias
	f.oddsBefore = append(f.oddsBefore[:0], f.odds...)
	limit := before + f.penalties()
	for j := range f.columns {
		f.columns[j].before, f.columns[j].curvature = f.columns[j].weight, 0
	}
	f.sweep(true)
	for range maxSweeps {
		if f.sweep(false) < sweepTolerance {
			break
		}
	}
	f.updateOdds(bias)
	loss = f.approximate()
	for range maxHalvings {
		if loss+f.penalties() <= limit {
			break
		}
		f.bias = (f.bias + bias) / 2
		for j := range f.columns {
			c := &f.columns[j]
			c.weight = (c.weight + c.before) / 2
		}
		for i := range f.odds {
			f.odds[i] = (f.odds[i] + f.oddsBefore[i]) / 2
		}
		loss = f.approximate()
	}
	return loss
}

// sweep minimizes the approximation along the bias and each column, or, unless all is
// set, each column with a weight. It returns the greatest change of a weight.
func (f *Fitter) sweep(all bool) (change float64) {
	gradient, curvature := 0.0, 0.0
	for i, r := range f.residual {
		gradient += r
		curvature += f.curvature[i]
	}
	step := gradient / curvature
	f.bias += step
	change = math.Abs(step)
	for i := range f.residual {
		f.residual[i] -= float64(f.curvature[i] * step)
	}
	if !all {
		for _, j := range f.active {
			if c := &f.columns[j]; c.weight != 0 {
				change = max(change, f.descend(c))
			}
		}
		return change
	}
	f.active = f.active[:0]
	for j := range f.columns {
		c := &f.columns[j]
		change = max(change, f.descend(c))
		if c.weight != 0 {
			f.active = append(f.active, int32(j))
		}
	}
	return change
}

// descend minimizes the approximation along a column. It returns the change of its weight.
func (f *Fitter) descend(c *column) (change float64) {
	gradient := sum(f.residual, c.holders)
	if c.weight == 0 && math.Abs(gradient) <= f.penalty {
		return 0
	}
	if c.curvature == 0 {
		c.curvature = sum(f.curvature, c.holders)
	}
	weight := shrink(float64(c.curvature*c.weight)+gradient, f.penalty) / c.curvature
	step := weight - c.weight
	if math.Abs(step) < minStep && weight != 0 {
		return 0
	}
	c.weight = weight
	for _, i := range c.holders {
		f.residual[i] -= float64(f.curvature[i] * step)
	}
	return math.Abs(step)
}

// updateOdds updates the odds after changes of the weights. bias is the bias before.
func (f *Fitter) updateOdds(bias float64) {
	for i := range f.odds {
		f.odds[i] += f.bias - bias
	}
	for _, c := range f.columns {
		if step := c.weight - c.before; step != 0 {
			for _, i := range c.holders {
				f.odds[i] += step
			}
		}
	}
}

// shrink moves x toward 0 by the penalty.
func shrink(x, penalty float64) float64 {
	switch {
	case x > penalty:
		return x - penalty
	case x < -penalty:
		return x + penalty
	default:
		return 0
	}
}
