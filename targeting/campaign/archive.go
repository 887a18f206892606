package campaign

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/generate"
)

// An individual is an input of a generation.
type individual struct {
	text []byte
	tree *derivation.Tree // nil if the input is outside the grammar
	// drawn means that tree was drawn, and that the text was not parsed. The parser may read
	// the text differently.
	drawn bool
	aim   string // what the input is for, for people; may be empty
	way   *way   // how [Guided] generated it; nil for other algorithms

	promise float64 // of a candidate of [Guided]

	included bool // the input came from [Campaign.Include]

	same   *individual // an earlier individual of the generation with the same text, or nil
	result *result     // nil before the end of the generation, unless an earlier generation had the input

	// The following are set for the first individual with a text.
	observation observation.Observation
	brought     brought
}

// newIndividual returns an individual for a generated input.
func newIndividual(input *generate.Input) *individual {
	return &individual{text: input.Text, tree: input.Tree, drawn: input.Drawn}
}

// known reports whether the input need not be run.
func (i *individual) known() bool { return i.result != nil || i.same != nil }

// brought says what is new in the result of an individual.
type brought struct {
	units   []int32 // that no earlier input reached
	failure bool    // a failure that no earlier input had
	set     bool    // a set of units that no earlier input reached
	hits    int     // number of units with a hit count whose magnitude no earlier input had
	paths   int     // number of paths that no earlier input had
}

// A hit is a unit with the magnitude of its hit count.
type hit struct {
	unit      int32
	magnitude int
}

// A result holds the outcome of an input and the units that it reached.
type result struct {
	outcome  observation.Outcome
	failure  observation.Property // outcome, type and stack
	units    []int32              // equal lists are shared
	pairs    []int32              // numbers of the pairs of successive calls, below 0; nil if unknown
	duration time.Duration
}

// failed reports whether the outcome is not ok.
func (r *result) failed() bool { return r.outcome != observation.OK }

// An archive holds the results of generations. It depends on the order of individuals,
// not on the order in which they were told.
type archive struct {
	results  map[uint64]*result // by hash of the input; ran, if forgets
	lists    map[uint64][]int32 // lists of units, by hash; nil if forgets
	forgets  bool               // only individuals keep their results: no generation has an input of an earlier one
	ran      *result            // of inputs whose results were forgotten
	units    map[string]int32   // numbers of the units by ID
	ids      []string           // of the units
	counts   []int              // by unit: number of results that reached it
	hits     map[hit]bool
	pairs    map[[2]string]int32 // numbers of pairs of successive calls
	failures map[observation.Property]bool
	paths    *features.Set
}

func newArchive(opt Options) *archive {
	return &archive{
		results: map[uint64]*result{}, lists: map[uint64][]int32{}, units: map[string]int32{},
		forgets: opt.Algorithm != EvoGFuzz && opt.Algorithm != FDLoop, ran: &result{outcome: observation.OK},
		hits: map[hit]bool{}, pairs: map[[2]string]int32{}, failures: map[observation.Property]bool{}, paths: features.NewSet(opt.K),
	}
}

// add sets the result of an individual, and what it brought.
func (a *archive) add(i *individual) {
	o := i.observation
	sets := len(a.lists)
	r := &result{outcome: o.Outcome, duration: o.Duration, units: a.list(o.Methods)}
	r.pairs = a.callPairs(o.Calls)
	i.result, i.brought.set = r, len(a.lists) > sets
	kept := r
	if a.forgets {
		kept = a.ran
	}
	a.results[xxhash.Sum64(i.text)] = kept
	for _, unit := range r.units {
		if a.counts[unit]++; a.counts[unit] == 1 {
			i.brought.units = append(i.brought.units, unit)
		}
	}
	for at, count := range o.Counts {
		if h := (hit{r.units[at], bits.Len(uint(count))}); !a.hits[h] {
			a.hits[h] = true
			i.brought.hits++
		}
	}
	if !r.failed() {
		return
	}
	r.failure = observation.OutcomeOf(o)
	if !a.failures[r.failure] {
		a.failures[r.failure], i.brought.failure = true, true
	}
}

// rarity returns, by unit, one divided by the number of results that reached it.
func (a *archive) rarity() []float64 {
	out := make([]float64, len(a.counts))
	for unit, count := range a.counts {
		out[unit] = 1 / float64(count)
	}
	return out
}

// finding returns what an individual brought, and reports whether that is worth keeping.
// A new set of units alone is not if there are hit counts: with blocks as units, nearly
// every input has a new set.
func (a *archive) finding(i *individual) (Finding, bool) {
	f := Finding{Text: i.text, Failure: i.brought.failure, Included: i.included}
	for _, unit := range i.brought.units {
		f.Units = append(f.Units, a.ids[unit])
	}
	return f, len(f.Units) > 0 || f.Failure || i.brought.hits > 0 || i.brought.set && i.observation.Counts == nil
}

// A Finder reports which observations brought something new, compared with those added
// before. The zero value is ready for use.
type Finder struct{ archive *archive }

// Add returns what an observation brought, and reports whether it is the first to reach
// a unit, to have a hit count of its magnitude, or to have its failure. If the observation
// has no hit counts, being the first to reach its set of units counts instead.
func (f *Finder) Add(o observation.Observation) (Finding, bool) {
	if f.archive == nil {
		f.archive = newArchive(Options{})
	}
	i := &individual{text: o.Input, observation: o.Normalized()}
	f.archive.add(i)
	return f.archive.finding(i)
}

// list returns the numbers of units, and numbers new ones.
func (a *archive) list(ids []string) []int32 {
	list, key := make([]int32, len(ids)), make([]byte, 0, 4*len(ids))
	for i, id := range ids {
		number, ok := a.units[id]
		if !ok {
			number = int32(len(a.ids))
			a.units[id] = number
			a.ids, a.counts = append(a.ids, id), append(a.counts, 0)
		}
		list[i] = number
		key = binary.LittleEndian.AppendUint32(key, uint32(number))
	}
	hash := xxhash.Sum64(key)
	switch shared, ok := a.lists[hash]; {
	case !ok && a.forgets:
		a.lists[hash] = nil
	case !ok:
		a.lists[hash] = list
	case slices.Equal(shared, list):
		return shared
	}
	return list
}

// callPairs returns the numbers of the distinct pairs of successive calls. They are below 0,
// so that they differ from the numbers of units.
func (a *archive) callPairs(calls []string) []int32 {
	var out []int32
	seen := map[int32]bool{}
	for i := 1; i < len(calls); i++ {
		pair := [2]string{calls[i-1], calls[i]}
		number, ok := a.pairs[pair]
		if !ok {
			number = -1 - int32(len(a.pairs))
			a.pairs[pair] = number
		}
		if !seen[number] {
			seen[number] = true
			out = append(out, number)
		}
	}
	return out
}

// addPaths adds the paths of an individual's tree, of lengths up to k.
func (a *archive) addPaths(x *features.Extractor, k int, i *individual) error {
	if i.tree == nil {
		return nil
	}
	before := a.paths.Len(k)
	err := x.Add(a.paths, i.tree)
	if _, limited := errors.AsType[*limit.Error](err); limited {
		err = nil // a token takes too long to parse
	}
	i.brought.paths = a.paths.Len(k) - before
	return err
}
