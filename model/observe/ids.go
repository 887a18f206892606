// Package observe runs programs and reports which methods each input reaches.
//
// [BuildGo], [BuildJava] and [NewCommand] prepare a [Program]. [Program.Observe]
// runs it on inputs, in several processes at once, and yields one observation per
// input. An [Output] is a file of observations that a later run can continue.
// [Reports] reads the coverage reports of other tools.
package observe

import (
	"cmp"
	"fmt"

	"github.com/inroad/inroad/model/observation"
)

// identify gives units their IDs: file#name, with the first line behind it
// where several would be the same, and a number where even that is the same.
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

// comparePlaces orders units by file and line.
func compareUnits(a, b observation.Unit) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Name, b.Name))
}
