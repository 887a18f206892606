// Package logit fits logistic regressions over rows of binary columns.
//
// A [Fitter] fits one [Regression] per set of labels. An L1 penalty keeps the
// number of columns with a weight small.
package logit

import (
	"cmp"
	"context"
	"fmt"
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
	Penalty    float64 // of the sum of the absolute weights; positive
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

	// Of the current fit.
	sampled []int32 // by row: index in the sample, or -1; empty if the sample has all rows
	cells   []int32 // holders in the sample, if it does not have all rows
	columns []column
	active  []int32 // indices of the columns that have a weight after a sweep along all columns
	bias    float64
	penalty float64
	// By row of the sample.
	labels     []float64
	weights    []float64
	odds       []float64
	oddsBefore []float64 // odds before the current step
	curvature  []float64
	residual   []float64
}

// A column is a column that may get a weight.
type column struct {
	at      int32
	holders []int32 // indices in the sample
	slope   float64 // absolute slope of the loss along the column if all weights are 0
	weight  float64
	// Of the current approximation.
	before    float64 // weight before
	curvature float64 // 0 if not computed yet
}

// NewFitter returns a fitter for the given rows of t, or for all rows if rows is
// nil.
func NewFitter(t *dtree.Table, rows []int32, opt Options) (*Fitter, error) {
	if !(opt.Penalty > 0) {
		return nil, fmt.Errorf("penalty %g: must be positive", opt.Penalty)
	}
	if rows == nil {
		rows = make([]int32, t.Rows())
		for i := range rows {
			rows[i] = int32(i)
		}
	}
	f := &Fitter{
		table: t, read: t.Reader(), opt: opt, rows: rows, base: make([]int32, t.Columns()), local: make([]int32, t.Rows()),
		positives: make([]int32, t.Columns()), gains: make([]float64, t.Columns()), holdersAt: make([]int32, t.Columns()),
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
// given numbers of columns, rows and cells, in addition to the table.
func FitterMemory(columns, rows, cells int) int64 {
	const denser = 8 // factor by which rows in a sample may have more cells than other rows
	return 20*int64(columns) + 80*int64(rows) + 4*int64(min(cells, maxCells)) + 4*int64(min(cells, denser*maxSampled))
}

// Fit fits a regression to the labels. Positive rows are weighted by the square root
// of the class ratio, as by [dtree.Sqrt]. The result is empty if all labels are equal.
func (f *Fitter) Fit(ctx context.Context, labels dtree.Bits) (Regression, error) {
	positives := 0
	for _, r := range f.rows {
		if labels.Has(r) {
			positives++
		}
	}
	if positives == 0 || positives == len(f.rows) {
		return Regression{}, nil
	}
	chosen, err := f.choose(labels, positives)
	if err != nil {
		return Regression{}, err
	}
	f.drawSample(labels, positives, chosen)
	if err := f.addColumns(chosen); err != nil {
		return Regression{}, err
	}
	if err := f.followPath(ctx); err != nil {
		return Regression{}, err
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

// balance returns the weight of positive rows.
func balance(positives, negatives int) float64 {
	return math.Sqrt(float64(negatives) / float64(positives))
}

// Limits of the number of cells: the rows of all chosen columns together.
const (
	maxCells   = 1 << 23 // limits the memory for large tables
	maxSampled = 1 << 17 // in the sample of a fit; limits its time
)

// choose returns the columns with the highest gain.
func (f *Fitter) choose(labels dtree.Bits, positives int) ([]int32, error) {
	positiveWeight := balance(positives, len(f.rows)-positives)
	if err := f.countPositives(labels, positives); err != nil {
		return nil, err
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
	slices.SortFunc(chosen, func(a, b int32) int {
		if f.gains[a] != f.gains[b] {
			return cmp.Compare(f.gains[b], f.gains[a])
		}
		return cmp.Compare(a, b)
	})
	chosen = chosen[:min(len(chosen), f.opt.MaxColumns)]
	n := 0
	for i, c := range chosen {
		if n += int(f.base[c]); n > maxCells {
			chosen = chosen[:i]
			break
		}
	}
	return chosen, nil
}

// countPositives counts the positive rows of each column. It reads only the rows of the
// smaller class.
func (f *Fitter) countPositives(labels dtree.Bits, positives int) error {
	clear(f.positives)
	counted, one := true, int32(1)
	if 2*positives > len(f.rows) {
		copy(f.positives, f.base)
		counted, one = false, -1
	}
	for _, r := range f.rows {
		if labels.Has(r) != counted {
			continue
		}
		row, err := f.read.Row(r)
		if err != nil {
			return err
		}
		for _, c := range row {
			f.positives[c] += one
		}
	}
	return nil
}

// drawSample selects the rows of the current fit: all rows, if the cells of the chosen
// columns are few, or a sample. The sample has all rows of a rare class, and its weights
// make up for that. Rows come from all parts of the table.
func (f *Fitter) drawSample(labels dtree.Bits, positives int, chosen []int32) {
	cells, all := 0, len(f.rows)
	for _, c := range chosen {
		cells += int(f.base[c])
	}
	wanted := all
	if cells > maxSampled {
		wanted = max(2, int(float64(all)*maxSampled/float64(cells)))
	}
	rare := min(positives, all-positives)
	takeRare := min(rare, wanted/2)
	take := [2]int{wanted - takeRare, takeRare} // by label
	of := [2]int{all - positives, positives}
	if positives > rare {
		take[0], take[1] = take[1], take[0]
	}
	// Positive rows weigh as much, compared with negative rows, as without a sample.
	weights := [2]float64{1, balance(positives, all-positives) * float64(take[0]*of[1]) / float64(of[0]*take[1])}
	f.labels, f.weights, f.sampled = f.labels[:0], f.weights[:0], f.sampled[:0]
	var seen [2]int
	for _, r := range f.rows {
		label := 0
		if labels.Has(r) {
			label = 1
		}
		at := seen[label]
		seen[label]++
		if wanted < all {
			if at*take[label]/of[label] == (at+1)*take[label]/of[label] {
				f.sampled = append(f.sampled, -1)
				continue
			}
			f.sampled = append(f.sampled, int32(len(f.labels)))
		}
		f.labels, f.weights = append(f.labels, float64(label)), append(f.weights, weights[label])
	}
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
	f.columns, f.cells = f.columns[:0], f.cells[:0]
	if len(f.sampled) > 0 {
		f.cells = slices.Grow(f.cells, maxSampled)
	}
	for _, c := range chosen {
		first, n := f.holdersAt[c], f.base[c]
		f.columns = append(f.columns, column{at: c, holders: f.inSample(f.holders[first : first+n])})
	}
	return nil
}

// inSample returns the indices in the sample of the rows that are in it.
func (f *Fitter) inSample(rows []int32) []int32 {
	if len(f.sampled) == 0 {
		return rows
	}
	first := len(f.cells)
	f.cells = slices.Grow(f.cells, len(rows))
	out, n := f.cells[first:first+len(rows)], 0
	for _, r := range rows {
		i := f.sampled[r]
		out[n] = i
		n += 1 + int(i>>31) // stays if i is -1
	}
	f.cells = f.cells[:first+n]
	return out[:n:n]
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
