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
	holders   []int32   // of columns that were chosen before, as indices in rows
	holdersAt []int32   // by column: start of its rows in holders, or -1

	// Of the current fit. The following are by row.
	labels     []float64
	weights    []float64
	odds       []float64
	oddsBefore []float64 // odds before the current step
	curvature  []float64
	residual   []float64
	columns    []column
	bias       float64
	active     activeSet
}

// A column is a column that may get a weight.
type column struct {
	at      int32
	holders []int32 // indices in rows
	weight  float64
	before  float64 // weight before the current approximation
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
		positives: make([]int32, t.Columns()), gains: make([]float64, t.Columns()), holdersAt: make([]int32, t.Columns()),
		labels: make([]float64, len(rows)), weights: make([]float64, len(rows)), odds: make([]float64, len(rows)),
		curvature: make([]float64, len(rows)), residual: make([]float64, len(rows)),
	}
	for i := range f.local {
		f.local[i] = -1
	}
	for c := range f.holdersAt {
		f.holdersAt[c] = -1
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

// FitterMemory returns the number of bytes that a fitter allocates for a table with the
// given numbers of columns, rows and cells, in addition to the table. It leaves out the
// active set: 4 bytes for each row of a column with a weight, and 8 bytes for each pair of
// such columns.
func FitterMemory(columns, rows, cells int) int64 {
	return 20*int64(columns) + 64*int64(rows) + 4*int64(min(cells, maxCells))
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
	settled := firstTolerance
	loss := f.approximate()
	for range maxApproximations {
		var change float64
		loss, change = f.improve(loss, all)
		if change < tolerance && all {
			break
		}
		if all = change < settled; all {
			settled = max(settled/10, tolerance)
		}
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
		p := float64(positiveWeight * float64(positives))
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
			chosen = chosen[:i]
			break
		}
	}
	return f.addColumns(chosen)
}

// addColumns sets the columns of the current fit.
func (f *Fitter) addColumns(chosen []int32) error {
	missing := 0
	for _, c := range chosen {
		if f.holdersAt[c] < 0 {
			missing += int(f.base[c])
		}
	}
	if len(f.holders)+missing > maxCells {
		f.holders = f.holders[:0]
		for c := range f.holdersAt {
			f.holdersAt[c] = -1
		}
	}
	for _, c := range chosen {
		if f.holdersAt[c] < 0 {
			if err := f.readHolders(c); err != nil {
				return err
			}
		}
	}
	f.columns = f.columns[:0]
	for _, c := range chosen {
		first, n := f.holdersAt[c], f.base[c]
		f.columns = append(f.columns, column{at: c, holders: f.holders[first : first+n]})
	}
	return nil
}

// readHolders adds the rows of a column to f.holders.
func (f *Fitter) readHolders(c int32) error {
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
	f.holders, f.holdersAt[c] = holders[:kept], int32(first)
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
	maxHalvings       = 20
	maxSweeps         = 100
	tolerance         = 0.01   // change of a weight by an approximation; the next one would change it much less
	firstTolerance    = 0.1    // the same at first, before columns without a weight may get one
	lossTolerance     = 1e-9   // relative growth of the loss by rounding
	sweepTolerance    = 0.0005 // change of a weight by a sweep
	minCurvature      = 1e-5
)

// approximate approximates the loss by a quadratic function at the current weights. It
// returns the loss.
func (f *Fitter) approximate() (loss float64) {
	for i, odds := range f.odds {
		small := math.Exp(-math.Abs(odds))
		p := 1 / (1 + small) // of the more probable class
		other := max(float64(small*p), minCurvature)
		loss += float64(f.weights[i] * math.Log1p(small))
		f.curvature[i] = f.weights[i] * p * other
		if odds < 0 {
			p = small * p
		}
		f.residual[i] = f.weights[i] * (f.labels[i] - p)
		if (odds > 0) != (f.labels[i] > 0) {
			loss += float64(f.weights[i] * math.Abs(odds))
		}
	}
	for _, c := range f.columns {
		loss += float64(f.opt.Penalty * math.Abs(c.weight))
	}
	return loss
}

// improve minimizes the approximation by coordinate descent, along the columns with a
// weight and, if all is set, once along all columns. Then it approximates the loss at the
// new weights. Where the approximation was so bad that the loss grew, improve goes only a part
// of the way. It returns the loss, and the greatest change of a weight.
func (f *Fitter) improve(before float64, all bool) (loss, change float64) {
	bias := f.bias
	f.oddsBefore = append(f.oddsBefore[:0], f.odds...)
	for j := range f.columns {
		f.columns[j].before = f.columns[j].weight
	}
	if all {
		f.sweep(true)
		f.sweep(false) // many columns lose their weight again, so that the set of the others is small
		f.sweep(false)
	}
	f.descend()
	loss = f.approximate()
	for range maxHalvings {
		if loss <= before*(1+lossTolerance) {
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
	change = math.Abs(f.bias - bias)
	for _, c := range f.columns {
		change = max(change, math.Abs(c.weight-c.before))
	}
	return loss, change
}

// sweep minimizes the approximation along the bias and each column, or, unless all is
// set, each column with a weight.
func (f *Fitter) sweep(all bool) {
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
		curvature := 0.0
		for _, i := range c.holders {
			curvature += f.curvature[i]
		}
		weight := shrink(float64(curvature*c.weight)+gradient, f.opt.Penalty) / curvature
		step := weight - c.weight
		if step == 0 {
			continue
		}
		c.weight = weight
		for _, i := range c.holders {
			f.residual[i] -= float64(f.curvature[i] * step)
			f.odds[i] += step
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
