package observation

import (
	"cmp"
	"fmt"
)

// AssignIDs sets the IDs of units: file#name, followed by @line if several
// units have the same name, and by a number if they also start on the same
// line.
func AssignIDs(units []Unit) {
	named := map[string]int{}
	for _, u := range units {
		named[u.File+"#"+u.Name]++
	}
	taken := map[string]bool{}
	for i, u := range units {
		id := u.File + "#" + u.Name
		if named[id] > 1 {
			id = fmt.Sprintf("%s@%d", id, u.Start)
		}
		for n, base := 2, id; taken[id]; n++ {
			id = fmt.Sprintf("%s.%d", base, n)
		}
		taken[id] = true
		units[i].ID = id
	}
}

// CompareUnits orders units by file, line and name.
func CompareUnits(a, b Unit) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Name, b.Name))
}

// Key returns the unit without its ID and last line. Reports of different runs may
// disagree about the last line.
func (u Unit) Key() Unit {
	u.ID, u.End = "", 0
	return u
}
