package model

import (
	"encoding/binary"
	"hash/maphash"
	"slices"

	"github.com/inroad/inroad/model/dtree"
)

// A matrix lists the features of each row. Features that occur in the same rows
// share a column, and features that occur in all rows or none have no column.
// Outcomes always have their own column, because equal features may explain
// them.
type matrix struct {
	columns []Feature // each with its equal features
	extra   int       // index of the first column that is an extra feature or an outcome
	rows    [][]int32 // columns of each row, ascending
}

// minSpecific is the least number of rows with a specific feature. Most specific
// features are in very few inputs.
const minSpecific = 4

// newMatrix builds a matrix from rows of indices into all.
func newMatrix(all []Feature, rows [][]int32) *matrix {
	holders := make([][]int32, len(all))
	for r, row := range rows {
		for _, f := range row {
			holders[f] = append(holders[f], int32(r))
		}
	}
	order := make([]int32, 0, len(all))
	for f := range all {
		if n := len(holders[f]); n > 0 && n < len(rows) && (n >= minSpecific || !all[f].specific()) {
			order = append(order, int32(f))
		}
	}
	slices.SortFunc(order, func(a, b int32) int { return compareFeatures(all[a], all[b]) })

	m := &matrix{rows: make([][]int32, len(rows))}
	seed := maphash.MakeSeed() // equal hashes are verified
	same := map[uint64][]int{} // columns by hash of their rows
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
	if i := slices.IndexFunc(m.columns, func(f Feature) bool { return f.Extra != 0 || f.Outcome != "" }); i >= 0 {
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

// table returns the matrix as training data, with or without the outcomes.
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
