package logit

import (
	"math"
	"slices"
)

// An activeSet holds the columns with a weight, and how the gradient of the quadratic
// approximation along one of them depends on the weights of the others. A sweep over
// the set then takes no longer for many rows than for few.
type activeSet struct {
	columns   []int32 // indices in Fitter.columns
	steps     []float64
	gradients []float64
	// curvatures[a*n+b] is the sum of the curvatures of the rows with both columns a and
	// b. Column n-1 stands for the bias, which all rows have.
	curvatures []float64

	starts  []int32 // by row: start of its columns in members; one more at the end
	members []int32 // indices in columns
}

// descend minimizes the approximation along the bias and the columns with a weight.
func (f *Fitter) descend() {
	a := &f.active
	f.activate()
	n := len(a.columns) + 1
	bias := n - 1
	for range maxSweeps {
		step := a.gradients[bias] / a.curvatures[bias*n+bias]
		a.move(bias, step)
		change := math.Abs(step)
		for at, j := range a.columns {
			c := &f.columns[j]
			if c.weight == 0 {
				continue
			}
			curvature := a.curvatures[at*n+at]
			weight := shrink(float64(curvature*c.weight)+a.gradients[at], f.opt.Penalty) / curvature
			if step := weight - c.weight; step != 0 {
				c.weight = weight
				a.move(at, step)
				change = max(change, math.Abs(step))
			}
		}
		if change < sweepTolerance {
			break
		}
	}
	f.bias += a.steps[bias]
	for i := range f.odds {
		f.odds[i] += a.steps[bias]
	}
	for at, j := range a.columns {
		if step := a.steps[at]; step != 0 {
			for _, i := range f.columns[j].holders {
				f.odds[i] += step
			}
		}
	}
}

// move changes the weight of a column of the set by step.
func (a *activeSet) move(at int, step float64) {
	a.steps[at] += step
	n := len(a.gradients)
	for b, curvature := range a.curvatures[at*n : at*n+n] {
		a.gradients[b] -= float64(curvature * step)
	}
}

// activate finds the columns with a weight, and their gradients and curvatures.
func (f *Fitter) activate() {
	a := &f.active
	a.columns = a.columns[:0]
	for j, c := range f.columns {
		if c.weight != 0 {
			a.columns = append(a.columns, int32(j))
		}
	}
	n := len(a.columns) + 1
	a.steps, a.gradients, a.curvatures = zeros(a.steps, n), zeros(a.gradients, n), zeros(a.curvatures, n*n)
	f.transpose()
	for i, curvature := range f.curvature {
		residual := f.residual[i]
		members := a.members[a.starts[i]:a.starts[i+1]] // the last is the bias
		for x, at := range members {
			a.gradients[at] += residual
			row := a.curvatures[int(at)*n : int(at)*n+n]
			for _, b := range members[x:] {
				row[b] += curvature
			}
		}
	}
	for at := range n {
		for b := range at {
			a.curvatures[at*n+b] = a.curvatures[b*n+at]
		}
	}
}

// transpose lists the columns of the set by row.
func (f *Fitter) transpose() {
	a := &f.active
	a.starts = slices.Grow(a.starts[:0], len(f.rows)+1)[:len(f.rows)+1]
	for i := range a.starts {
		a.starts[i] = 1 // the bias
	}
	a.starts[0] = 0
	for _, j := range a.columns {
		for _, i := range f.columns[j].holders {
			a.starts[i+1]++
		}
	}
	for i := range f.rows {
		a.starts[i+1] += a.starts[i]
	}
	total := int(a.starts[len(f.rows)])
	a.members = slices.Grow(a.members[:0], total)[:total]
	for at, j := range a.columns {
		for _, i := range f.columns[j].holders {
			a.members[a.starts[i]] = int32(at)
			a.starts[i]++
		}
	}
	for i := range f.rows {
		a.members[a.starts[i]] = int32(len(a.columns))
		a.starts[i]++
	}
	copy(a.starts[1:], a.starts[:len(f.rows)])
	a.starts[0] = 0
}

// zeros returns n zeros in the memory of s if it suffices.
func zeros(s []float64, n int) []float64 {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}
