package observe

import (
	"cmp"
	"fmt"

	"github.com/inroad/inroad/model/observation"
)

// assignIDs sets the IDs of units: file#name, followed by @line if several
// units have the same name, and by a number if they also start on the same
// line.
func assignIDs(units []observation.Unit) {
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

// compareUnits orders units by file, line and name.
func compareUnits(a, b observation.Unit) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Name, b.Name))
}
