// Package logit fits logistic regressions over rows of binary columns.
//
// A [Fitter] fits one [Regression] per set of labels. An L1 penalty keeps the
// number of columns with a weight small.
package logit

import (
	"cmp"
	"math"
	"slices"

	"github.com/inroad/inroad/model/dtree"
)

// A Regression gives the log odds that a row is positive: Bias plus the weights
// of the row's columns.
type Regression struct {
	Bias  float64
	Terms []Term // by column, ascending
}

// A Term is the weight of a column.
type Term struct {
	Column int32
	Weight float64
}

// LogOdds returns the log odds that a row is positive.
func (r Regression) LogOdds(row dtree.Bits) float64 {
	sum := r.Bias
	for _, t := range r.Terms {
		if row.Has(t.Column) {
			sum += t.Weight
		}
	}
	return sum
}

// Options configure a fitter.
type Options struct {
	Penalty    float64 // of the sum of the absolute weights
	MaxColumns int     // number of columns to choose from: those with the highest gain
}

// A Fitter fits regressions to a subset of a table's rows. It is not safe for
// concurrent use.
type Fitter struct {
	table *dtree.Table
	read  dtree.Reader
	opt   Options
	rows  []int32
	base  []int32 // by column: number of rows that contain it
	local []int32 // by row of the table: index in rows, or -1

	positives []int32   // by column
	gains     []float64 // by column

	// Of the current fit. The following are by row.
	labels    []float64
	weights   []float64
	odds      []float64
	curvature []float64
	residual  []float64
	columns   []column
	holders   []int32 // of all columns
	bias      float64
}

// A column is a column that may get a weight.
type column struct {
	at        int32
	holders   []int32 // indices in rows
	weight    float64
	before    float64 // weight before the current approximation
	curvature float64 // 0 if it is not known
}

// NewFitter returns a fitter for the given rows of t, or for all rows if rows is
// nil.
func NewFitter(t *dtree.Table, rows []int32, opt Options) (*Fitter, error) {
	if rows == nil {
		rows = make([]int32, t.Rows())
		for i := range rows {
			rows[i] = int32(i)
		}
	}
	f := &Fitter{
		table: t, read: t.Reader(), opt: opt, rows: rows, base: make([]int32, t.Columns()), local: make([]int32, t.Rows()),
		positives: make([]int32, t.Columns()), gains: make([]float64, t.Columns()),
		labels: make([]float64, len(rows)), weights: make([]float64, len(rows)), odds: make([]float64, len(rows)),
		curvature: make([]float64, len(rows)), residual: make([]float64, len(rows)),
	}
	for i := range f.local {
		f.local[i] = -1
	}
	for i, r := range rows {
		f.local[r] = int32(i)
		row, err := f.read.Row(r)
		if err != nil {
			return nil, err
		}
		for _, c := range row {
			f.base[c]++
		}
	}
	return f, nil
}

// FitterMemory returns the maximum number of bytes that a fitter allocates for a table
// with the given numbers of columns, rows and cells, in addition to the table.
func FitterMemory(columns, rows, cells int) int64 {
	return 16*int64(columns) + 48*int64(rows) + 4*int64(min(cells, maxCells))
}

// Fit fits a regression to the labels. Positive rows are weighted by the square root
// of the class ratio, as by [dtree.Sqrt]. The result is empty if all labels are equal.
func (f *Fitter) Fit(labels dtree.Bits) (Regression, error) {
	positives := 0
	for _, r := range f.rows {
		if labels.Has(r) {
			positives++
		}
	}
	if positives == 0 || positives == len(f.rows) {
		return Regression{}, nil
	}
	positiveWeight := math.Sqrt(float64(len(f.rows)-positives) / float64(positives))
	for i, r := range f.rows {
		f.labels[i], f.weights[i] = 0, 1
		if labels.Has(r) {
			f.labels[i], f.weights[i] = 1, positiveWeight
		}
	}
	if err := f.choose(labels, positives, positiveWeight); err != nil {
		return Regression{}, err
	}
	odds := positiveWeight * float64(positives) / float64(len(f.rows)-positives)
	f.bias = math.Log(odds)
	for i := range f.odds {
		f.odds[i] = f.bias
	}
	all := true // whether columns without a weight may get one
	for range maxApproximations {
		change := f.improve(all)
		if change < tolerance && all {
			break
		}
		all = change < tolerance
	}
	out := Regression{Bias: round(f.bias)}
	for _, c := range f.columns {
		if w := round(c.weight); w != 0 {
			out.Terms = append(out.Terms, Term{c.at, w})
		}
	}
	slices.SortFunc(out.Terms, func(a, b Term) int { return cmp.Compare(a.Column, b.Column) })
	return out, nil
}

// round rounds a weight to hundredths, which are enough to decide.
func round(weight float64) float64 { return math.Round(100*weight) / 100 }

// maxCells is the maximum number of rows of all chosen columns together. It limits the
// memory for large tables.
const maxCells = 1 << 23

// choose selects the columns with the highest gain.
func (f *Fitter) choose(labels dtree.Bits, positives int, positiveWeight float64) error {
	clear(f.positives)
	for _, r := range f.rows {
		if !labels.Has(r) {
			continue
		}
		row, err := f.read.Row(r)
		if err != nil {
			return err
		}
		for _, c := range row {
			f.positives[c]++
		}
	}
	purity := func(rows, positives int32) float64 {
		p := positiveWeight * float64(positives)
		if rows == 0 {
			return 0
		}
		return float64(p*p) / (p + float64(rows-positives))
	}
	all, allPositives := int32(len(f.rows)), int32(positives)
	before := purity(all, allPositives)
	highest := 0.0
	for c, n := range f.base {
		f.gains[c] = 0
		if n > 1 && n < all-1 {
			p := f.positives[c]
			f.gains[c] = purity(n, p) + purity(all-n, allPositives-p) - before
			highest = max(highest, f.gains[c])
		}
	}
	least := f.leastGain(highest)
	var chosen []int32
	for c, gain := range f.gains {
		if gain > 0 && gain >= least {
			chosen = append(chosen, int32(c))
		}
	}
	slices.SortStableFunc(chosen, func(a, b int32) int { return cmp.Compare(f.gains[b], f.gains[a]) })
	chosen = chosen[:min(len(chosen), f.opt.MaxColumns)]
	n := 0
	for i, c := range chosen {
		if n += int(f.base[c]); n > maxCells {
			chosen, n = chosen[:i], maxCells
			break
		}
	}
	f.columns, f.holders = f.columns[:0], slices.Grow(f.holders[:0], n+len(f.local))
	for _, c := range chosen {
		first := len(f.holders)
		holders, err := f.table.AppendHolders(f.holders, c)
		if err != nil {
			return err
		}
		kept := first
		for _, r := range holders[first:] {
			if i := f.local[r]; i >= 0 {
				holders[kept] = i
				kept++
			}
		}
		f.holders = holders[:kept]
		f.columns = append(f.columns, column{at: c, holders: f.holders[first:kept:kept]})
	}
	return nil
}

// leastGain returns a gain that at least MaxColumns columns have, but not many
// more, or 0.
func (f *Fitter) leastGain(highest float64) float64 {
	const buckets = 4096
	var counts [buckets + 1]int
	for _, gain := range f.gains {
		if gain > 0 {
			counts[int(buckets*gain/highest)]++
		}
	}
	n := 0
	for i := buckets; i > 0; i-- {
		if n += counts[i]; n >= f.opt.MaxColumns {
			return float64(i) / buckets * highest
		}
	}
	return 0
}

// Limits of the iteration.
const (
	maxApproximations = 100
	maxSweeps         = 100
	tolerance         = 0.001 // change of a weight
	minCurvature      = 1e-5
)

// improve approximates the loss by a quadratic function at the current weights and
// minimizes the approximation by coordinate descent, along the columns with a weight
// or all columns. It returns the greatest change of a weight.
func (f *Fitter) improve(all bool) float64 {
	for i, odds := range f.odds {
		p := 1 / (1 + math.Exp(-odds))
		f.curvature[i] = f.weights[i] * max(p*(1-p), minCurvature)
		f.residual[i] = f.weights[i] * (f.labels[i] - p)
	}
	before := f.bias
	for j := range f.columns {
		c := &f.columns[j]
		c.before, c.curvature = c.weight, 0
	}
	for sweep := range maxSweeps {
		if f.sweep(all && sweep == 0) < tolerance/2 {
			break
		}
	}
	change := math.Abs(f.bias - before)
	for _, c := range f.columns {
		change = max(change, math.Abs(c.weight-c.before))
	}
	return change
}

// sweep minimizes the approximation along the bias and each column, or, unless all
// is set, each column with a weight.
func (f *Fitter) sweep(all bool) (change float64) {
	sum, curvature := 0.0, 0.0
	for i, r := range f.residual {
		sum += r
		curvature += f.curvature[i]
	}
	step := sum / curvature
	f.bias += step
	for i := range f.residual {
		f.residual[i] -= float64(f.curvature[i] * step)
		f.odds[i] += step
	}
	change = math.Abs(step)
	for j := range f.columns {
		c := &f.columns[j]
		if !all && c.weight == 0 {
			continue
		}
		gradient := 0.0
		for _, i := range c.holders {
			gradient += f.residual[i]
		}
		if c.weight == 0 && math.Abs(gradient) <= f.opt.Penalty {
			continue
		}
		if c.curvature == 0 {
			for _, i := range c.holders {
				c.curvature += f.curvature[i]
			}
		}
		weight := shrink(float64(c.curvature*c.weight)+gradient, f.opt.Penalty) / c.curvature
		step := weight - c.weight
		if step == 0 {
			continue
		}
		c.weight = weight
		for _, i := range c.holders {
			f.residual[i] -= float64(f.curvature[i] * step)
			f.odds[i] += step
		}
		change = max(change, math.Abs(step))
	}
	return change
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
