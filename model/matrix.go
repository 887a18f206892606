package model

import (
	"encoding/binary"
	"hash/maphash"
	"slices"

	"github.com/inroad/inroad/model/dtree"
)

// A matrix is which rows have which features, those that the same rows have in
// one column and those that tell no rows apart in none. Outcomes have columns of
// their own: what goes with one may explain it.
type matrix struct {
	columns []Feature // each with those equal to it
	extra   int       // columns from here on are no paths
	rows    [][]int32 // the columns of each row, in order
}

// newMatrix merges the features of rows, given by their places in all.
func newMatrix(all []Feature, rows [][]int32) *matrix {
	holders := make([][]int32, len(all))
	for r, row := range rows {
		for _, f := range row {
			holders[f] = append(holders[f], int32(r))
		}
	}
	order := make([]int32, 0, len(all))
	for f := range all {
		if n := len(holders[f]); n > 0 && n < len(rows) {
			order = append(order, int32(f))
		}
	}
	slices.SortFunc(order, func(a, b int32) int { return compareFeatures(all[a], all[b]) })

	m := &matrix{rows: make([][]int32, len(rows))}
	seed := maphash.MakeSeed() // only tells apart what is then compared
	same := map[uint64][]int{} // columns by the hash of their rows
	var lead []int32           // by column: its first feature
	for _, f := range order {
		if all[f].Outcome == "" {
			h := hashRows(seed, holders[f])
			i := slices.IndexFunc(same[h], func(c int) bool { return slices.Equal(holders[lead[c]], holders[f]) })
			if i >= 0 {
				c := same[h][i]
				m.columns[c].Equal = append(m.columns[c].Equal, all[f])
				continue
			}
			same[h] = append(same[h], len(lead))
		}
		lead = append(lead, f)
		m.columns = append(m.columns, all[f])
	}
	m.extra = len(m.columns)
	if i := slices.IndexFunc(m.columns, func(f Feature) bool { return f.Path == nil }); i >= 0 {
		m.extra = i
	}
	for c, f := range lead {
		for _, r := range holders[f] {
			m.rows[r] = append(m.rows[r], int32(c))
		}
	}
	return m
}

func hashRows(seed maphash.Seed, rows []int32) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	var word [4]byte
	for _, r := range rows {
		binary.LittleEndian.PutUint32(word[:], uint32(r))
		_, _ = h.Write(word[:])
	}
	return h.Sum64()
}

// table returns the matrix for learning; without outcomes if they are what is
// to be learned.
func (m *matrix) table(outcomes bool) *dtree.Table {
	rows := m.rows
	if !outcomes {
		rows = make([][]int32, len(m.rows))
		for r, row := range m.rows {
			rows[r] = slices.DeleteFunc(slices.Clone(row), func(c int32) bool { return m.columns[c].Outcome != "" })
		}
	}
	return dtree.NewTable(rows, len(m.columns), m.extra)
}
