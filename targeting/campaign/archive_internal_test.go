package campaign

import (
	"testing"

	"github.com/inroad/inroad/model/observation"
)

// Only the algorithms that look at earlier results again make an archive keep them.
func TestArchiveForgets(t *testing.T) {
	for algorithm, forgets := range map[Algorithm]bool{Guided: true, Random: true, Common: true, Uncommon: true, EvoGFuzz: false, FDLoop: false} {
		a := newArchive(Options{Algorithm: algorithm})
		var all []*individual
		for _, methods := range [][]string{{"a"}, {"a", "b"}, {"a"}} {
			i := &individual{text: []byte{byte(len(all))}, observation: observation.Observation{Methods: methods, Outcome: observation.Failed}}
			a.add(i)
			all = append(all, i)
		}
		if len(a.results) != 3 || len(a.lists) != 2 || !all[0].brought.set || !all[1].brought.set || all[2].brought.set {
			t.Errorf("%s: %d results and %d sets; want 3 and 2", algorithm, len(a.results), len(a.lists))
		}
		for _, r := range a.results {
			if (r == a.ran) != forgets {
				t.Errorf("%s: a result with %d units is kept", algorithm, len(r.units))
			}
		}
		for _, i := range all {
			if len(i.result.units) != len(i.observation.Methods) || !i.result.failed() {
				t.Errorf("%s: the result of an individual is %+v", algorithm, i.result)
			}
		}
		for _, list := range a.lists {
			if (list == nil) != forgets {
				t.Errorf("%s: a list of %d units is kept", algorithm, len(list))
			}
		}
	}
}
