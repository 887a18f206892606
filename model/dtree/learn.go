package dtree

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Balance says what is done about classes of unequal size.
type Balance int

// The ways to balance classes.
const (
	None      Balance = iota // nothing: all rows count the same
	Sqrt                     // the rarer class weighs more, by the square root of the ratio
	Subsample                // as many rows of the larger class are drawn as there are of the other
)

// Options say how trees are grown. Fields that are zero mean the default.
type Options struct {
	MaxDepth int // questions below each other; 5
	MinLeaf  int // rows in a leaf; 2, and 1 where a class has too few rows to lose one
	Balance  Balance
	// Margin is by how much the gain of an extra column must exceed that of the
	// best other one to be asked for: 0.2 for a fifth.
	Margin float64
}

// Where a class has fewer rows than this, there are too few to lose one: a single
// row may be a leaf, and any question is worth asking.
const fewRows = 10

// worthAsking is how much a question gains at least. Gains count rows that are put
// right, by their weight, so that a row or two of the commoner class are not
// worth one: as often their labels are wrong.
const usualMinGain = 1.5

// Grown trees have no more questions below each other than this.
const maxDepth = 32

func (opt Options) withDefaults() Options {
	if opt.MaxDepth == 0 {
		opt.MaxDepth = 5
	}
	opt.MaxDepth = min(opt.MaxDepth, maxDepth)
	return opt
}

// leastLeaf returns how many rows a leaf has at least. A leaf of a single row is
// as likely a wrong label, unless there are hardly any others.
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

// leastGain returns how much a question gains at least.
func minGain(positives, negatives int) float64 {
	if min(positives, negatives) < fewRows {
		return 0
	}
	return usualMinGain
}

// A tally counts rows in its low half and the positive ones among them in its
// high half, so that one addition counts both.
type tally uint64

func (t tally) rows() int64      { return int64(t & math.MaxUint32) }
func (t tally) positives() int64 { return int64(t >> 32) }

// A Learner grows trees on some rows of a table. It is not safe for concurrent
// use.
type Learner struct {
	table *Table
	opt   Options
	rows  []int32
	base  []tally // by column: how many of the rows have it

	labels         Bits
	minLeaf        int64   // rows in a leaf
	minGain        float64 // what a question gains at least
	positiveWeight float64 // the weight of a positive row; that of others is 1
	tree           Tree
	marked         Bits      // rows that have the column that is split by
	order          []int32   // the rows, those of each node together
	moved          []int32   // rows that are being moved
	free           [][]tally // tallies that are all zero
	varying        []int32   // the columns that some rows have and some have not
	// Memory for the candidates in a node's children, by the node's depth.
	touched, remaining [maxDepth + 1][]int32
}

// NewLearner returns a learner on the given rows of a table, all of them if rows
// is nil.
func NewLearner(t *Table, rows []int32, opt Options) *Learner {
	if rows == nil {
		rows = make([]int32, t.Rows())
		for i := range rows {
			rows[i] = int32(i)
		}
	}
	l := &Learner{table: t, opt: opt.withDefaults(), rows: rows, base: make([]tally, t.columns), marked: NewBits(t.Rows())}
	for _, r := range rows {
		for _, c := range t.Row(r) {
			l.base[c]++
		}
	}
	for c, n := range l.base {
		if n.rows() > 0 && n.rows() < int64(len(rows)) {
			l.varying = append(l.varying, int32(c))
		}
	}
	return l
}

// LearnerMemory returns how many bytes a learner takes at most, beside its table,
// for a table of so many columns.
func LearnerMemory(columns int, opt Options) int64 {
	depth := int64(opt.withDefaults().MaxDepth)
	tallies := 8 * (1 + depth + 1)      // all rows, and those of a node at each depth
	candidates := 2 * 4 * (1 + 2*depth) // slices that grow may have twice the room
	return int64(columns) * (tallies + candidates)
}

// Learn grows a tree for the labels. Only to draw a sample does it need r.
// Whatever the balance, nodes count all rows that come there.
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
	counts, candidates := l.takeTallies(), l.varying
	switch {
	case l.opt.Balance == Subsample && positives > 0 && negatives > 0 && positives != negatives:
		l.subsample(min(positives, negatives), positives > negatives, r)
		l.touched[0] = l.count(l.order, counts, l.touched[0][:0])
		candidates = l.touched[0]
	case l.opt.Balance == Sqrt && positives > 0 && negatives > 0:
		l.positiveWeight = math.Sqrt(float64(negatives) / float64(positives))
		fallthrough
	default:
		l.countAll(counts, positives)
	}
	l.tree = append(l.tree, l.leaf(l.order))
	l.grow(0, l.order, counts, candidates, 1)
	clear(counts)
	l.free = append(l.free, counts)
	if l.opt.Balance == Subsample {
		l.recount()
	}
	return slices.Clone(l.tree)
}

// draw keeps n rows of the class with the label, and all of the other.
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

// take returns tallies that are all zero.
func (l *Learner) takeTallies() []tally {
	if len(l.free) == 0 {
		return make([]tally, l.table.columns)
	}
	last := l.free[len(l.free)-1]
	l.free = l.free[:len(l.free)-1]
	return last
}

// countAll counts all rows of the learner. How many have each column is known,
// which leaves the rows of the rarer class.
func (l *Learner) countAll(counts []tally, positives int) {
	copy(counts, l.base)
	if 2*positives <= len(l.rows) {
		for _, r := range l.rows {
			if l.labels.Has(r) {
				for _, c := range l.table.Row(r) {
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
			for _, c := range l.table.Row(r) {
				counts[c] -= 1 << 32
			}
		}
	}
}

// count counts rows, and adds the columns that it comes across to met.
func (l *Learner) count(rows []int32, counts []tally, met []int32) []int32 {
	for _, r := range rows {
		one := 1 | tally(l.labels.bit(r))<<32
		for _, c := range l.table.Row(r) {
			if counts[c] == 0 {
				met = append(met, c)
			}
			counts[c] += one
		}
	}
	return met
}

func (l *Learner) leaf(rows []int32) Node {
	n := Node{Column: -1, Rows: int32(len(rows))}
	for _, r := range rows {
		n.Positives += l.labels.bit(r)
	}
	n.Positive = 2*n.Positives > n.Rows
	return n
}

// grow asks a question in a node, if one is worth it, and goes on below. The
// counts are of the node's rows, and right for the candidates, which are the
// columns that may tell the rows apart. They are used up. The root's depth is 1.
func (l *Learner) grow(at int32, rows []int32, counts []tally, candidates []int32, depth int) {
	n := l.tree[at]
	if depth > l.opt.MaxDepth || n.Positives == 0 || n.Positives == n.Rows {
		return
	}
	column := l.best(n, counts, candidates)
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
	// The smaller part is counted; what remains of the counts is the larger.
	small, large, smallAt, largeAt := with, without, below+1, below
	if len(without) < len(with) {
		small, large, smallAt, largeAt = without, with, below, below+1
	}
	part := l.takeTallies()
	met := l.count(small, part, l.touched[depth][:0])
	l.touched[depth] = met
	for _, c := range met {
		counts[c] -= part[c]
	}
	l.grow(smallAt, small, part, met, depth+1)
	for _, c := range met {
		part[c] = 0
	}
	l.free = append(l.free, part)
	left := l.remaining[depth][:0]
	for _, c := range candidates {
		if n := counts[c].rows(); n > 0 && n < int64(len(large)) {
			left = append(left, c)
		}
	}
	l.remaining[depth] = left
	l.grow(largeAt, large, counts, left, depth+1)
}

// split moves the rows that have a column behind those that have not, and keeps
// the order among either.
func (l *Learner) split(rows []int32, column int32) (without, with []int32) {
	for _, r := range l.table.Holders(column) {
		l.marked.Set(r)
	}
	later, kept := l.moved[:0], 0
	for _, r := range rows {
		if l.marked.Has(r) {
			later = append(later, r)
		} else {
			rows[kept] = r
			kept++
		}
	}
	copy(rows[kept:], later)
	l.moved = later
	for _, r := range l.table.Holders(column) {
		l.marked.Unset(r)
	}
	return rows[:kept], rows[kept:]
}

// slack is how far apart gains are, for each row, before one counts as larger.
const gainTolerance = 1e-10

// best returns the candidate whose question gains most, or -1 if none is worth
// asking. Of several that gain the same it is the first.
func (l *Learner) best(n Node, counts []tally, candidates []int32) int32 {
	eps := gainTolerance * float64(n.Rows)
	before := l.purity(int64(n.Rows), int64(n.Positives))
	plain, plainGain := int32(-1), l.minGain+eps
	extra, extraGain := int32(-1), l.minGain+eps
	for _, c := range candidates {
		gain := l.purityAfter(n, counts[c]) - before
		best, most := &plain, &plainGain
		if int(c) >= l.table.extra {
			best, most = &extra, &extraGain
		}
		switch {
		case gain > *most+eps:
			*best, *most = c, gain
		case gain >= *most-eps && c < *best:
			*best = c
		}
	}
	if extra >= 0 && (plain < 0 || extraGain > plainGain*(1+l.opt.Margin)+eps) {
		return extra
	}
	return plain
}

// after returns the purity on both sides of a question.
func (l *Learner) purityAfter(n Node, with tally) float64 {
	n1, p1 := with.rows(), with.positives()
	n0, p0 := int64(n.Rows)-n1, int64(n.Positives)-p1
	if n1 < l.minLeaf || n0 < l.minLeaf {
		return -1
	}
	return l.purity(n0, p0) + l.purity(n1, p1)
}

// purity is what Gini's impurity lacks. Products are rounded one by one, or
// machines that can multiply and add in one go would round differently.
func (l *Learner) purity(rows, positives int64) float64 {
	if l.positiveWeight == 1 {
		return float64(float64(positives*positives) * l.table.reciprocals[rows])
	}
	p := float64(l.positiveWeight * float64(positives))
	return float64(p*p) / (p + float64(rows-positives))
}

// recount counts all rows of the learner in a tree that was grown on a sample.
// What leaves answer stays as the sample has it.
func (l *Learner) recount() {
	for i := range l.tree {
		l.tree[i].Rows, l.tree[i].Positives = 0, 0
	}
	row := NewBits(l.table.columns)
	for _, r := range l.rows {
		for _, c := range l.table.Row(r) {
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
		for _, c := range l.table.Row(r) {
			row.Unset(c)
		}
	}
}
