package features

import (
	"strconv"

	"github.com/inroad/inroad/grammars/forest"
	"github.com/inroad/inroad/grammars/limit"
)

// maxForestSteps limits the work to find the paths of all derivations of an input.
const maxForestSteps = 50_000_000

// AddForest adds the paths of all derivations of an input to a set. It ignores absent
// parts and trivia. The error is a [*limit.Error].
func (x *Extractor) AddForest(set *Set, f *forest.Forest) error {
	steps := 0
	ending := make([]map[uint64]bool, f.Len()) // by symbol: the paths of the current length that end in it
	for i := range ending {
		id := mix(0, x.keys[f.Occurrence(int32(i))])
		set.paths[1].add(id)
		ending[i] = map[uint64]bool{id: true}
	}
	for length := 2; length <= x.k; length++ {
		longer := make([]map[uint64]bool, f.Len())
		for i := range ending {
			for _, below := range f.Below(int32(i)) {
				key := x.keys[f.Occurrence(below)]
				if longer[below] == nil {
					longer[below] = map[uint64]bool{}
				}
				if steps += 1 + len(ending[i]); steps > maxForestSteps {
					return &limit.Error{What: "steps to find the paths of all derivations", Value: strconv.Itoa(maxForestSteps), Advice: "use shorter inputs or a smaller k"}
				}
				for path := range ending[i] {
					id := mix(path, key)
					set.paths[length].add(id)
					longer[below][id] = true
				}
			}
		}
		ending = longer
	}
	return nil
}
