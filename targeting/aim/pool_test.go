package aim

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/inroad/inroad/model/observation"
)

// No feature tells whether an input reaches odd, but mutants of inputs that reach it
// mostly reach it, too. The inputs that are run must reach it about as often as
// others do: if most of them did, the model would predict it for all inputs.
func TestRefineUnbiased(t *testing.T) {
	odd := program(func(input []byte) ([]string, observation.Outcome) {
		h := fnv.New32a()
		_, _ = h.Write(input[:min(len(input), 8)])
		if h.Sum32()%12 == 0 && len(input) > 8 {
			return []string{"odd", "read"}, observation.OK
		}
		return []string{"read"}, observation.OK
	})
	all := randomObservations(t, odd, 1000)
	r := NewRefiner(newTrainer(t), odd, RefineOptions{Rounds: 2, Runs: 300, Workers: 2})
	if _, _, err := refined(t.Context(), r, all[:600], all[600:], "odd"); err != nil {
		t.Fatal(err)
	}
	share := func(observations []observation.Observation) float64 {
		n := 0
		for _, o := range observations {
			if slices.Contains(o.Methods, "odd") {
				n++
			}
		}
		return float64(n) / float64(len(observations))
	}
	given, ran := share(all), share(r.Observations())
	if given < 0.02 || ran > 4*given {
		t.Errorf("%.3f of the given inputs reach odd, and %.3f of those that were run", given, ran)
	}
}

// Inputs are drawn from a pool in proportion to the probability of the rarer class,
// and none is drawn twice.
func TestPoolDraw(t *testing.T) {
	p := &pool{}
	for i := range 1000 {
		text := []byte(strconv.Itoa(i))
		rarer := [][]float64{{0.9, 0.5}, {0.1, 0.5}, nil}[i%3]
		p.texts, p.rarer = append(p.texts, text, text), append(p.rarer, rarer, rarer)
	}
	counts := func(picked int) (out [3]int) {
		source := rand.New(rand.NewPCG(1, 2))
		seen := map[string]bool{}
		for range 3 {
			for _, text := range p.draw(source, picked, 20, seen) {
				if seen[string(text)] {
					t.Fatalf("%s was drawn twice", text)
				}
				seen[string(text)] = true
				i, err := strconv.Atoi(string(text))
				if err != nil {
					t.Fatal(err)
				}
				out[i%3]++
			}
		}
		return out
	}
	if got := counts(0); got[0] < 45 || got[0]+got[1] != 60 { // 54 expected
		t.Errorf("drew %v by probabilities 0.9 and 0.1", got)
	}
	for _, picked := range []int{1, anyUnit} {
		if got := counts(picked); got[0] < 20 || got[1] < 20 || got[2] > 0 { // 30 expected
			t.Errorf("drew %v by the same probability", got)
		}
	}
}
