package model

import (
	"context"
	"errors"
	"hash/maphash"
	"math/bits"
	"slices"
	"sync"

	"github.com/inroad/inroad/model/dtree"
	"github.com/inroad/inroad/model/internal/spill"
)

// A matrix lists the features of each row. Features that occur in the same rows
// share a column, and features that occur in all rows or none have no column.
// Outcomes always have their own column, because equal features may explain
// them.
type matrix struct {
	columns      []Feature  // each with its equal features
	extra        int        // index of the first column that is an extra feature or an outcome
	firstOutcome int32      // index of the first column that is an outcome
	present      dtree.Bits // features of the task that some rows have
	table        *dtree.Table
	stored       *storedTable // nil if the table is in memory
}

// minSpecific is the least number of rows with a specific feature. Most specific
// features are in very few inputs.
const minSpecific = 4

// An expansion describes the columns of rows before equal ones are merged: the features
// of a task, the same features before the place where a refusal stops the program, the
// refusals, and the outcomes. It numbers them in this order.
type expansion struct {
	task         *task
	refusals     []refused
	byFeature    refusalIndex
	phases       int
	firstRefusal int32
	firstPhase   int32
	firstOutcome int32
}

func (k *task) newExpansion(refusals []refused) *expansion {
	e := &expansion{task: k, refusals: refusals, byFeature: k.indexRefusals(refusals)}
	for _, r := range refusals {
		e.phases = max(e.phases, r.phase)
	}
	e.firstRefusal = int32((1 + e.phases) * len(k.features))
	e.firstPhase = e.firstRefusal + int32(len(refusals))
	e.firstOutcome = e.firstPhase + int32(e.phases)
	return e
}

// size returns the number of columns.
func (e *expansion) size() int { return int(e.firstOutcome) + len(e.task.outcomes) }

// feature returns the feature of a column.
func (e *expansion) feature(i int32) Feature {
	switch {
	case i >= e.firstOutcome:
		return Feature{Outcome: e.task.outcomes[i-e.firstOutcome]}
	case i >= e.firstPhase:
		return Feature{Refusal: int(e.firstPhase - i - 1)}
	case i >= e.firstRefusal:
		return Feature{Refusal: int(i - e.firstRefusal + 1)}
	}
	n := int32(len(e.task.features))
	f := e.task.features[i%n]
	f.Before = int(i / n)
	return f
}

// A featureOrder holds indices of features of a task in the order of [compareFeatures].
type featureOrder struct{ paths, extras []int32 }

func newFeatureOrder(all []Feature) *featureOrder {
	out := &featureOrder{}
	for f := range all {
		if all[f].Extra == 0 {
			out.paths = append(out.paths, int32(f))
		} else {
			out.extras = append(out.extras, int32(f))
		}
	}
	compare := func(a, b int32) int { return compareFeatures(all[a], all[b]) }
	slices.SortFunc(out.paths, compare)
	slices.SortFunc(out.extras, compare)
	return out
}

// ordered returns the columns to keep in the order of [compareFeatures]. Sorting them for
// each expansion would take long.
func (e *expansion) ordered(keep func(i int32) bool) []int32 {
	var out []int32
	add := func(i int32) {
		if keep(i) {
			out = append(out, i)
		}
	}
	addAll := func(features []int32, phase int) {
		if phase > e.phases {
			return
		}
		for _, f := range features {
			add(int32(phase*len(e.task.features)) + f)
		}
	}
	order := e.task.order
	addAll(order.paths, 1)
	addAll(order.paths, 0)
	for i := e.firstOutcome - 1; i >= e.firstPhase; i-- {
		add(i)
	}
	for i := e.firstRefusal; i < e.firstPhase; i++ {
		add(i)
	}
	for phase := 2; phase <= e.phases; phase++ {
		addAll(order.paths, phase)
	}
	for phase := 1; phase <= e.phases; phase++ {
		addAll(order.extras, phase)
	}
	addAll(order.extras, 0)
	for i := e.firstOutcome; i < int32(e.size()); i++ {
		add(i)
	}
	return out
}

// each calls use with every row, as columns without an order. The next call
// overwrites them.
func (e *expansion) each(ctx context.Context, use func(r int32, row []int32) error) error {
	k := e.task
	reader := k.cells.reader()
	var row []int32
	for r := range int32(len(k.rows)) {
		if r%1024 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		features, at, err := reader.row(r)
		if err != nil {
			return err
		}
		row = append(row[:0], features...)
		s := stopOf(features, at, e.refusals, e.byFeature)
		for phase := range e.phases {
			first := int32((phase + 1) * len(k.features))
			for j, f := range features {
				if at[j] <= s.at[phase] {
					row = append(row, first+f)
				}
			}
		}
		if s.by >= 0 {
			row = append(row, e.firstRefusal+int32(s.by), e.firstPhase+int32(e.refusals[s.by].phase)-1)
		}
		if len(k.outcomes) > 0 {
			row = append(row, e.firstOutcome+k.outcomeOf[r])
		}
		if err := use(r, row); err != nil {
			return err
		}
	}
	return nil
}

// A rowSet identifies a set of rows by their number and the sums of two random numbers
// for each of them.
type rowSet struct {
	rows int32
	sums [2]uint64
}

// rowSets is a hash table of the columns of sets of rows. The sums of a set serve as its
// hash.
type rowSets struct {
	sets    []rowSet // an entry without rows is free
	columns []int32
}

// newRowSets returns a table for at most n sets.
func newRowSets(n int) *rowSets {
	size := 1 << bits.Len(uint(2*n)) // at most half full
	return &rowSets{make([]rowSet, size), make([]int32, size)}
}

// find returns the column of a set, or -1 if the set is new. A new set gets the given
// column.
func (s *rowSets) find(set rowSet, column int32) int32 {
	mask := uint64(len(s.sets) - 1)
	for i := set.sums[0] & mask; ; i = (i + 1) & mask {
		switch {
		case s.sets[i] == set:
			return s.columns[i]
		case s.sets[i].rows == 0:
			s.sets[i], s.columns[i] = set, column
			return -1
		}
	}
}

// newMatrix returns the matrix of the rows with the given refusals. Its columns list
// their equal features if equal is set.
func (k *task) newMatrix(ctx context.Context, refusals []refused, equal bool) (*matrix, error) {
	e := k.newExpansion(refusals)
	sets := make([]rowSet, e.size())
	seeds := [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
	if err := e.each(ctx, func(r int32, row []int32) error {
		a, b := maphash.Comparable(seeds[0], r), maphash.Comparable(seeds[1], r)
		for _, f := range row {
			s := &sets[f]
			s.rows++
			s.sums[0] += a
			s.sums[1] += b
		}
		return nil
	}); err != nil {
		return nil, err
	}
	m, columnOf, cells := e.merge(sets, equal)
	m.present = dtree.NewBits(len(k.features))
	for f := range k.features {
		if sets[f].rows > 0 {
			m.present.Set(int32(f))
		}
	}
	return m, k.fill(ctx, m, e, columnOf, cells)
}

// merge returns a matrix without its table. columnOf has the column of the first of
// equal features, and -1 for others. cells is the number of cells of the table.
func (e *expansion) merge(sets []rowSet, equal bool) (m *matrix, columnOf []int32, cells int) {
	rows, features := len(e.task.rows), e.task.features
	order := e.ordered(func(i int32) bool {
		n := int(sets[i].rows)
		return n > 0 && n < rows && (n >= minSpecific || i >= e.firstRefusal || !features[int(i)%len(features)].specific())
	})
	same := newRowSets(len(order))
	columnOf = make([]int32, e.size())
	for i := range columnOf {
		columnOf[i] = -1
	}
	var firsts []int32     // by column: its first feature
	var mergedInto []int32 // by position in order: the column of an equal feature before it, or -1
	for _, i := range order {
		at := int32(-1)
		if i < e.firstOutcome {
			at = same.find(sets[i], int32(len(firsts)))
		}
		if mergedInto = append(mergedInto, at); at >= 0 {
			continue
		}
		columnOf[i] = int32(len(firsts))
		firsts = append(firsts, i)
		cells += int(sets[i].rows)
	}
	m = &matrix{columns: make([]Feature, len(firsts))}
	for c, i := range firsts {
		m.columns[c] = e.feature(i)
	}
	for at, i := range order {
		if c := mergedInto[at]; equal && c >= 0 {
			m.columns[c].Equal = append(m.columns[c].Equal, e.feature(i))
		}
	}
	first := func(is func(f Feature) bool) int {
		if i := slices.IndexFunc(m.columns, is); i >= 0 {
			return i
		}
		return len(m.columns)
	}
	m.extra = first(func(f Feature) bool { return f.Extra != 0 || f.Outcome != "" })
	m.firstOutcome = int32(first(func(f Feature) bool { return f.Outcome != "" }))
	return m, columnOf, cells
}

// fill builds the table of a matrix, in memory or in scratch files like the features of
// the task.
func (k *task) fill(ctx context.Context, m *matrix, e *expansion, columnOf []int32, cells int) error {
	row := sortedRow{bits: dtree.NewBits(len(m.columns))}
	if _, inMemory := k.cells.(*memoryCells); inMemory {
		b := dtree.NewBuilder(len(k.rows), cells, len(m.columns))
		err := e.each(ctx, func(_ int32, features []int32) error {
			b.Add(row.of(features, columnOf))
			return nil
		})
		m.table = b.Table(m.extra)
		return err
	}
	rows, columns, err := k.opt.newSpillRows(false, len(m.columns))
	if err != nil {
		return err
	}
	m.stored = newStoredTable(rows, columns, len(k.rows), k.opt.Memory/cacheShare)
	err = e.each(ctx, func(r int32, features []int32) error {
		cells := row.of(features, columnOf)
		return errors.Join(rows.Add(cells, nil), columns.Add(r, cells))
	})
	if err = errors.Join(err, rows.Finish(), columns.Finish()); err != nil {
		return errors.Join(err, m.stored.close())
	}
	m.table = dtree.NewStoredTable(m.stored, len(k.rows), len(m.columns), m.extra)
	return nil
}

// A sortedRow sorts the columns of rows.
type sortedRow struct {
	bits dtree.Bits
	out  []int32
}

// of returns the columns of features in ascending order. The next call overwrites them.
func (s *sortedRow) of(features, columnOf []int32) []int32 {
	least, most := int32(len(s.bits)), int32(-1) // words
	for _, f := range features {
		if c := columnOf[f]; c >= 0 {
			s.bits.Set(c)
			least, most = min(least, c>>6), max(most, c>>6)
		}
	}
	s.out = s.out[:0]
	for w := least; w <= most; w++ {
		word := s.bits[w]
		s.bits[w] = 0
		for ; word != 0; word &= word - 1 {
			s.out = append(s.out, w<<6+int32(bits.TrailingZeros64(word)))
		}
	}
	return s.out
}

// A storedTable holds the cells of a table in scratch files. It caches the sets of rows
// of the columns that were used last.
type storedTable struct {
	rows    *spill.Rows
	columns *spill.Columns
	count   int // of rows
	most    int // sets in the cache

	mu    sync.Mutex
	cache map[int32]*cachedSet
	clock int64
}

type cachedSet struct {
	rows dtree.Bits
	used int64
}

func newStoredTable(rows *spill.Rows, columns *spill.Columns, count int, memory int64) *storedTable {
	most := max(int(memory/(int64(count)/8+64)), 8)
	return &storedTable{rows: rows, columns: columns, count: count, most: most, cache: map[int32]*cachedSet{}}
}

// Reader implements [dtree.Storage].
func (s *storedTable) Reader() dtree.Reader { return tableReader{s.rows.Reader()} }

type tableReader struct{ *spill.Reader }

func (r tableReader) Row(row int32) ([]int32, error) {
	columns, _, err := r.Reader.Row(row)
	return columns, err
}

// Holders implements [dtree.Storage].
func (s *storedTable) Holders(column int32) (dtree.Bits, error) {
	if known := s.cached(column); known != nil {
		return known, nil
	}
	out := dtree.NewBits(s.count)
	err := s.columns.Each(column, func(rows []int32) error {
		for _, r := range rows {
			out.Set(r)
		}
		return nil
	})
	if err == nil {
		s.keep(column, out)
	}
	return out, err
}

func (s *storedTable) cached(column int32) dtree.Bits {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.cache[column]
	if known == nil {
		return nil
	}
	s.clock++
	known.used = s.clock
	return known.rows
}

// keep adds a set to the cache. If there are too many, it drops the least recently used
// half.
func (s *storedTable) keep(column int32, rows dtree.Bits) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock++
	s.cache[column] = &cachedSet{rows, s.clock}
	if len(s.cache) <= s.most {
		return
	}
	var used []int64
	for _, set := range s.cache {
		used = append(used, set.used)
	}
	slices.Sort(used)
	for c, set := range s.cache {
		if set.used < used[len(used)/2] {
			delete(s.cache, c)
		}
	}
}

func (s *storedTable) close() error { return errors.Join(s.rows.Close(), s.columns.Close()) }
