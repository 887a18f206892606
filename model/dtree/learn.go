package dtree

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Balance selects how a learner handles classes of unequal size.
type Balance int

// Class balancing methods.
const (
	None      Balance = iota // every row has weight 1
	Sqrt                     // positive rows are weighted by the square root of the class ratio
	Subsample                // the larger class is sampled down to the size of the smaller
)

// Options configure a learner. Zero values select the defaults.
type Options struct {
	MaxDepth int // maximum number of tests on a way; default 5
	MinLeaf  int // minimum rows in a leaf; default 2, or 1 if a class has fewer than 10 rows
	Balance  Balance
	// Margin is the relative gain by which an extra column must beat the best
	// other column: 0.2 means 20 %.
	Margin float64
}

// fewRows is the class size below which single-row leaves and arbitrarily small
// gains are allowed.
const fewRows = 10

// usualMinGain is the minimum gain of a split, as a weighted number of rows. It
// keeps one or two rows of the more frequent class, which may well be
// mislabelled, from causing a split.
const usualMinGain = 1.5

// maxDepth is the upper limit of [Options.MaxDepth].
const maxDepth = 32

func (opt Options) withDefaults() Options {
	if opt.MaxDepth == 0 {
		opt.MaxDepth = 5
	}
	opt.MaxDepth = min(opt.MaxDepth, maxDepth)
	return opt
}

// minLeaf returns the minimum number of rows in a leaf. Single-row leaves are
// allowed only for small classes, because a lone row is often mislabelled.
func (opt Options) minLeaf(positives, negatives int) int {
	switch {
	case opt.MinLeaf > 0:
		return opt.MinLeaf
	case min(positives, negatives) < fewRows:
		return 1
	default:
		return 2
	}
}

// minGain returns the minimum gain of a split.
func minGain(positives, negatives int) float64 {
	if min(positives, negatives) < fewRows {
		return 0
	}
	return usualMinGain
}

// A tally packs a row count (low half) and a positive row count (high half), so
// that one addition updates both.
type tally uint64

func (t tally) rows() int64      { return int64(t & math.MaxUint32) }
func (t tally) positives() int64 { return int64(t >> 32) }

// A Learner grows trees on a subset of a table's rows. It is not safe for
// concurrent use.
type Learner struct {
	table  *Table
	reader Reader // of a table that is not in memory
	err    error  // of the reader
	opt    Options
	rows   []int32
	base   []tally // by column: number of rows that contain it

	labels         Bits
	minLeaf        int64   // minimum rows in a leaf
	minGain        float64 // minimum gain of a split
	positiveWeight float64 // weight of a positive row; negative rows have weight 1
	tree           Tree
	marked         Bits      // rows with the column of the current split
	order          []int32   // all rows, grouped by node
	moved          []int32   // scratch space of split
	free           [][]tally // zeroed tallies for reuse
	varying        []int32   // columns that occur in some rows but not in all, most frequent first
	// Candidate columns of a node's children, by the node's depth.
	touched, remaining [maxDepth + 1][]int32
}

// NewLearner returns a learner for the given rows of t, or for all rows if rows
// is nil.
func NewLearner(t *Table, rows []int32, opt Options) *Learner {
	if rows == nil {
		rows = make([]int32, t.Rows())
		for i := range rows {
			rows[i] = int32(i)
		}
	}
	l := &Learner{table: t, opt: opt.withDefaults(), rows: rows, base: make([]tally, t.columns), marked: NewBits(t.Rows())}
	if !t.InMemory() {
		l.reader = t.Reader()
	}
	l.countBase()
	l.sortVarying()
	return l
}

// countBase counts the learner's rows with each column. If these are most rows of the
// table, it subtracts the other rows from all rows with the column.
func (l *Learner) countBase() {
	if !l.table.InMemory() || 2*len(l.rows) < l.table.rows {
		for _, r := range l.rows {
			for _, c := range l.row(r) {
				l.base[c]++
			}
		}
		return
	}
	for c := range l.table.visible {
		l.base[c] = tally(len(l.table.Holders(c)))
	}
	for _, r := range l.rows {
		l.marked.Set(r)
	}
	for r := range int32(l.table.rows) {
		if !l.marked.Has(r) {
			for _, c := range l.table.Row(r) {
				l.base[c]--
			}
		}
	}
	clear(l.marked)
}

// sortVarying lists the columns that occur in some rows but not in all, most frequent
// first. Columns of the same frequency stay in order.
func (l *Learner) sortVarying() {
	starts := make([]int32, len(l.rows)+1) // by number of rows: columns in more rows
	n := int32(0)
	for _, rows := range l.base {
		starts[rows]++
	}
	for rows := len(l.rows) - 1; rows > 0; rows-- {
		starts[rows], n = n, n+starts[rows]
	}
	l.varying = make([]int32, n)
	for c, rows := range l.base {
		if rows > 0 && int(rows) < len(l.rows) {
			l.varying[starts[rows]] = int32(c)
			starts[rows]++
		}
	}
}

// row returns the columns of a row, until the next call. If reading fails it returns
// nothing, and [Learner.Err] returns the error.
func (l *Learner) row(r int32) []int32 {
	if l.reader == nil {
		return l.table.Row(r)
	}
	return l.readRow(r)
}

func (l *Learner) readRow(r int32) []int32 {
	if l.err != nil {
		return nil
	}
	var row []int32
	row, l.err = l.reader.Row(r)
	return row
}

// Err returns the first error of reading a table that is not in memory. Trees that were
// grown after it are wrong.
func (l *Learner) Err() error { return l.err }

// LearnerMemory returns the maximum number of bytes that a learner allocates
// for a table with the given number of columns, in addition to the table.
func LearnerMemory(columns int, opt Options) int64 {
	depth := int64(opt.withDefaults().MaxDepth)
	tallies := 8 * (1 + depth + 1)      // for all rows, and for one node per depth
	candidates := 2 * 4 * (1 + 2*depth) // append may double the capacity
	return int64(columns) * (tallies + candidates)
}

// Learn grows a tree for the labels. It uses r only to draw samples
// ([Subsample]). Node counts cover all rows of the learner, whatever the
// balance.
func (l *Learner) Learn(labels Bits, r *rand.Rand) Tree {
	l.labels, l.positiveWeight, l.tree = labels, 1, l.tree[:0]
	positives := 0
	for _, row := range l.rows {
		positives += int(labels.bit(row))
	}
	negatives := len(l.rows) - positives
	l.minLeaf = int64(l.opt.minLeaf(positives, negatives))
	l.minGain = minGain(positives, negatives)
	l.order = append(l.order[:0], l.rows...)
	counts, candidates, sorted := l.takeTallies(), l.varying, true
	switch {
	case l.opt.Balance == Subsample && positives > 0 && negatives > 0 && positives != negatives:
		l.subsample(min(positives, negatives), positives > negatives, r)
		l.touched[0] = l.count(l.order, counts, l.touched[0][:0])
		candidates, sorted = l.touched[0], false
	case l.opt.Balance == Sqrt && positives > 0 && negatives > 0:
		l.positiveWeight = math.Sqrt(float64(negatives) / float64(positives))
		fallthrough
	default:
		l.countAll(counts, positives)
	}
	l.tree = append(l.tree, l.leaf(l.order))
	l.grow(0, l.order, counts, candidates, sorted, 1)
	clear(counts)
	l.free = append(l.free, counts)
	if l.opt.Balance == Subsample {
		l.recount()
	}
	return slices.Clone(l.tree)
}

// subsample keeps n rows with the given label and all rows without it.
func (l *Learner) subsample(n int, label bool, r *rand.Rand) {
	var larger, kept []int32
	for _, row := range l.rows {
		if l.labels.Has(row) == label {
			larger = append(larger, row)
		} else {
			kept = append(kept, row)
		}
	}
	r.Shuffle(len(larger), func(i, j int) { larger[i], larger[j] = larger[j], larger[i] })
	l.order = append(append(l.order[:0], kept...), larger[:n]...)
	slices.Sort(l.order)
}

// takeTallies returns zeroed tallies.
func (l *Learner) takeTallies() []tally {
	if len(l.free) == 0 {
		return make([]tally, l.table.columns)
	}
	last := l.free[len(l.free)-1]
	l.free = l.free[:len(l.free)-1]
	return last
}

// countAll tallies all rows of the learner. The row counts per column are known
// in advance, so only the rows of the smaller class are visited.
func (l *Learner) countAll(counts []tally, positives int) {
	copy(counts, l.base)
	if 2*positives <= len(l.rows) {
		for _, r := range l.rows {
			if l.labels.Has(r) {
				for _, c := range l.row(r) {
					counts[c] += 1 << 32
				}
			}
		}
		return
	}
	for c, n := range counts {
		counts[c] = n | n<<32
	}
	for _, r := range l.rows {
		if !l.labels.Has(r) {
			for _, c := range l.row(r) {
				counts[c] -= 1 << 32
			}
		}
	}
}

// count adds rows to counts, and appends the columns whose count was zero to
// touched.
func (l *Learner) count(rows []int32, counts []tally, touched []int32) []int32 {
	for _, r := range rows {
		one := 1 | tally(l.labels.bit(r))<<32
		for _, c := range l.row(r) {
			if counts[c] == 0 {
				touched = append(touched, c)
			}
			counts[c] += one
		}
	}
	return touched
}

func (l *Learner) leaf(rows []int32) Node {
	n := Node{Column: -1, Rows: int32(len(rows))}
	for _, r := range rows {
		n.Positives += l.labels.bit(r)
	}
	n.Positive = 2*n.Positives > n.Rows
	return n
}

// grow splits a node if a split has enough gain, and then its children. counts
// holds the tallies of the node's rows for at least the candidate columns; grow
// modifies it. If sorted is true, candidates are in the order of their frequency in
// all rows. The root has depth 1.
func (l *Learner) grow(at int32, rows []int32, counts []tally, candidates []int32, sorted bool, depth int) {
	n := l.tree[at]
	if depth > l.opt.MaxDepth || n.Positives == 0 || n.Positives == n.Rows || l.err != nil {
		return
	}
	column := l.best(n, counts, candidates, sorted)
	if column < 0 {
		return
	}
	without, with := l.split(rows, column)
	below := int32(len(l.tree))
	l.tree[at].Column, l.tree[at].Absent = column, below
	l.tree = append(l.tree, l.leaf(without), l.leaf(with))
	if depth == l.opt.MaxDepth {
		return
	}
	// Count the smaller child; the rest of the parent's counts belongs to the
	// larger.
	small, large, smallAt, largeAt := with, without, below+1, below
	if len(without) < len(with) {
		small, large, smallAt, largeAt = without, with, below, below+1
	}
	part := l.takeTallies()
	touched := l.count(small, part, l.touched[depth][:0])
	l.touched[depth] = touched
	for _, c := range touched {
		counts[c] -= part[c]
	}
	l.grow(smallAt, small, part, touched, false, depth+1)
	for _, c := range touched {
		part[c] = 0
	}
	l.free = append(l.free, part)
	if !sorted { // best leaves out the rest of sorted candidates early
		left := l.remaining[depth][:0]
		for _, c := range candidates {
			if n := counts[c].rows(); n >= l.minLeaf && n < int64(len(large)) {
				left = append(left, c)
			}
		}
		candidates, l.remaining[depth] = left, left
	}
	l.grow(largeAt, large, counts, candidates, sorted, depth+1)
}

// split partitions rows stably into those without and those with the column.
func (l *Learner) split(rows []int32, column int32) (without, with []int32) {
	if l.reader != nil {
		holders, err := l.table.storage.Holders(column)
		if err != nil {
			l.err = err
			return rows, nil
		}
		return l.partition(rows, holders)
	}
	for _, r := range l.table.Holders(column) {
		l.marked.Set(r)
	}
	without, with = l.partition(rows, l.marked)
	for _, r := range l.table.Holders(column) {
		l.marked.Unset(r)
	}
	return without, with
}

// partition partitions rows stably into those outside and those in a set.
func (l *Learner) partition(rows []int32, set Bits) (without, with []int32) {
	later, kept := l.moved[:0], 0
	for _, r := range rows {
		if set.Has(r) {
			later = append(later, r)
		} else {
			rows[kept] = r
			kept++
		}
	}
	copy(rows[kept:], later)
	l.moved = later
	return rows[:kept], rows[kept:]
}

// gainTolerance is the difference per row below which two gains are equal.
const gainTolerance = 1e-10

// best returns the candidate with the highest gain, or -1 if no gain is
// sufficient. Ties go to the first candidate.
func (l *Learner) best(n Node, counts []tally, candidates []int32, sorted bool) int32 {
	eps := gainTolerance * float64(n.Rows)
	before := l.purity(int64(n.Rows), int64(n.Positives))
	// A column must occur in some rows to gain enough, whatever the labels of these
	// rows. Most columns do not.
	fewest := l.fewest(n, l.minLeaf, before+l.minGain)
	plain := choice{-1, l.minGain + eps, fewest}
	extra := plain
	for _, c := range candidates {
		if sorted && l.base[c].rows() < plain.fewest && l.base[c].rows() < extra.fewest {
			break
		}
		best := &plain
		if int(c) >= l.table.extra {
			best = &extra
		}
		if counts[c].rows() < best.fewest {
			continue
		}
		gain := l.purityAfter(n, counts[c]) - before
		switch {
		case gain > best.gain+eps:
			best.column, best.gain = c, gain
			best.fewest = l.fewest(n, best.fewest, before+gain-2*eps)
			extra.fewest = max(extra.fewest, plain.fewest) // an extra column must gain more
		case gain >= best.gain-eps && c < best.column:
			best.column = c
		}
	}
	if extra.column >= 0 && (plain.column < 0 || extra.gain > plain.gain*(1+l.opt.Margin)+eps) {
		return extra.column
	}
	return plain.column
}

// A choice is the best column of a node so far.
type choice struct {
	column int32
	gain   float64
	fewest int64 // columns in fewer rows gain less
}

// fewest returns the smallest number of rows, at least from, with which a column
// can split a node into sides with a summed purity of at least least. For a given
// number of rows, the purity is highest if all of them are positive or all are
// negative, and then it grows with the number.
func (l *Learner) fewest(n Node, from int64, least float64) int64 {
	rows, positives := int64(n.Rows), int64(n.Positives)
	for from < min(positives, rows-positives) &&
		l.purity(from, from)+l.purity(rows-from, positives-from) < least &&
		l.purity(rows-from, positives) < least {
		from++
	}
	return from
}

// purityAfter returns the summed purity of both sides of a split, or -1 if a
// side is too small.
func (l *Learner) purityAfter(n Node, with tally) float64 {
	n1, p1 := with.rows(), with.positives()
	n0, p0 := int64(n.Rows)-n1, int64(n.Positives)-p1
	if n1 < l.minLeaf || n0 < l.minLeaf {
		return -1
	}
	return l.purity(n0, p0) + l.purity(n1, p1)
}

// purity returns the weighted complement of the Gini impurity. Products are
// rounded explicitly, so that fused multiply-add gives the same result.
func (l *Learner) purity(rows, positives int64) float64 {
	if l.positiveWeight == 1 {
		return float64(float64(positives*positives) * l.table.reciprocals[rows])
	}
	p := float64(l.positiveWeight * float64(positives))
	return float64(p*p) / (p + float64(rows-positives))
}

// recount updates the node counts of a tree grown on a sample to all rows of
// the learner. The predictions of the leaves stay.
func (l *Learner) recount() {
	for i := range l.tree {
		l.tree[i].Rows, l.tree[i].Positives = 0, 0
	}
	row := NewBits(l.table.columns)
	for _, r := range l.rows {
		for _, c := range l.row(r) {
			row.Set(c)
		}
		for at := int32(0); ; {
			n := &l.tree[at]
			n.Rows++
			n.Positives += l.labels.bit(r)
			if n.Column < 0 {
				break
			}
			at = n.Absent + row.bit(n.Column)
		}
		for _, c := range l.row(r) {
			row.Unset(c)
		}
	}
}
