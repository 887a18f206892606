// Package coverage finds out which methods a program executes on an input.
//
// A [Program] is one that can be run: [BuildGo], [BuildJava] and [NewCommand]
// make one ready, and [Program.Observe] gives it inputs, in several processes at
// once, and hands over an observation for each. An [Output] is a file of them that can be continued.
// Where others have run the program, [Reports] reads what their tools wrote.
package coverage

import (
	"cmp"
	"fmt"

	"github.com/inroad/inroad/model"
)

// identify gives units their IDs: file#name, with the first line behind it
// where several would be the same, and a number where even that is the same.
func identify(units []model.Unit) {
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
func comparePlaces(a, b model.Unit) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Name, b.Name))
}
