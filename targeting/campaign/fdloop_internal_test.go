package campaign

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/generate"
)

// euclid is the grammar of the worked example of mappings.
const euclid = `grammar Euclid;
start : 'euclid(' integer ')' EOF ;
integer : digit digit ;
number : digit | digit number ;
digit : '0' | nzdigit ;
nzdigit : '1' | '2' | '3' | '4' ;
`

// The worked example: chains of up to depth 3 of start, integer, digit and nzdigit.
func TestStructures(t *testing.T) {
	g := grammartest.Load(t, euclid)
	tree := grammartest.Parse(t, g, "euclid(02)")
	index := map[string]int{}
	for _, r := range g.ParserRules() {
		index[r.Name] = r.Index
	}
	want := map[uint64]bool{}
	for _, set := range [][]string{
		{"start"},
		{"integer"},
		{"digit"},
		{"nzdigit"},
		{"start", "integer"},
		{"start", "integer", "digit"},
		{"start", "integer", "digit", "nzdigit"},
		{"integer", "digit"},
		{"integer", "digit", "nzdigit"},
		{"digit", "nzdigit"},
	} {
		var rules []int
		for _, name := range set {
			rules = append(rules, index[name])
		}
		want[hashOf(rules)] = true
	}
	got := structures(tree, 3)
	for _, h := range got {
		if !want[h] {
			t.Errorf("an unexpected structure %x", h)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d structures, want %d", len(got), len(want))
	}
	if got := len(structures(tree, 0)); got != 4 {
		t.Errorf("%d structures of depth 0, want one for each of 4 rules", got)
	}
	var few mappingSet
	few.add(&individual{tree: tree, result: &result{units: []int32{2, 3}}}, 3)
	if few.count != 20 {
		t.Errorf("%d mappings of 10 structures and 2 units, want 20", few.count)
	}
	if n := few.missing(&individual{tree: tree, result: &result{units: []int32{3, 700}}}, 3); n != 10 {
		t.Errorf("%d mappings of 10 structures are missing, want those of the other unit", n)
	}
	// f, g, f, g, h has the pairs of successive calls f-g, g-f and g-h.
	a := newArchive(Options{K: 1})
	i := &individual{tree: tree, observation: observation.Observation{Methods: []string{"f", "g", "h"}, Calls: []string{"f", "g", "f", "g", "h"}}}
	a.add(i)
	var mapped mappingSet
	mapped.add(i, 3)
	if mapped.count != 10*(3+3) {
		t.Errorf("%d mappings of 10 structures with 3 units and 3 pairs of calls, want 60", mapped.count)
	}
	again := &individual{tree: tree, observation: observation.Observation{Methods: []string{"f", "g"}, Calls: []string{"g", "f"}}}
	a.add(again)
	if n := mapped.missing(again, 3); n != 0 {
		t.Errorf("%d unknown mappings of a known pair of calls", n)
	}
}

// Sets of mappings count as sets of pairs do, whatever the order of the inputs.
func TestMappingSet(t *testing.T) {
	g := grammartest.Load(t, euclid)
	rapid.Check(t, func(t *rapid.T) {
		var set mappingSet
		pairs := map[[2]uint64]bool{}
		for range rapid.IntRange(1, 8).Draw(t, "inputs") {
			tree, err := parse(context.Background(), g, g.Start, []byte(rapid.SampledFrom([]string{"euclid(00)", "euclid(02)", "euclid(31)", "euclid("}).Draw(t, "input")))
			if err != nil {
				t.Fatal(err)
			}
			i := &individual{tree: tree, result: &result{
				units: rapid.SliceOfN(rapid.Int32Range(0, 200), 0, 5).Draw(t, "units"),
				pairs: rapid.SliceOfN(rapid.Int32Range(-200, -1), 0, 5).Draw(t, "pairs"),
			}}
			missing, before := set.missing(i, 3), len(pairs)
			if tree != nil {
				for _, s := range structures(tree, 3) {
					for _, effect := range slices.Concat(i.result.units, i.result.pairs) {
						pairs[[2]uint64{s, uint64(effect)}] = true
					}
				}
			}
			if set.add(i, 3); set.count != len(pairs) || missing != len(pairs)-before {
				t.Fatalf("%d mappings, %d of them new; want %d, %d", set.count, missing, len(pairs), len(pairs)-before)
			}
		}
	})
}

// Values computed by hand from x1 = (a/amax)/(1+a/amax), x2 = b/btot, x3 = c/timeout
// and x4 = (0.1 d + 0.9 e)/inputs.
func TestFitness(t *testing.T) {
	s := scores{inputs: 10, mappings: 50, maxMappings: 100, units: 3, allUnits: 12, time: 0.2, failing: 4, failures: 2}
	const x1, x2, x3, x4 = 1.0 / 3, 0.25, 0.2, 0.22
	for _, c := range []struct {
		goal   Goal
		ignore []Goal
		want   float64
	}{
		{AllGoals, nil, x1 + x2 + x3 + x4},
		{Coverage, nil, x1 + 10*x2 + x3 + x4},
		{Failures, nil, x1 + x2 + x3 + 10*x4},
		{RunTime, nil, x1 + x2 + 10*x3 + x4},
		{Mappings, nil, 10*x1 + x2 + x3 + x4},
		{AllGoals, []Goal{Coverage}, x1 + x3 + x4},
		{AllGoals, []Goal{Mappings, RunTime}, x2 + x4},
	} {
		w, err := weightsOf(c.goal, c.ignore)
		if err != nil {
			t.Fatal(err)
		}
		if got := sum(s.values(w, 0, 0)); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("goal %s without %s: got %v, want %v", c.goal, c.ignore, got, c.want)
		}
	}
	s.bytes, s.novelty = 25, 0.75 // 25/125 = 0.2
	if got, want := sum(s.values(Weights{1, 1, 1, 1}, -2, 4)), x1+x2+x3+x4-2*0.2+4*0.75; math.Abs(got-want) > 1e-9 {
		t.Errorf("with size and novelty: got %v, want %v", got, want)
	}
	for _, wrong := range []struct {
		goal   Goal
		ignore []Goal
	}{{"speed", nil}, {AllGoals, []Goal{"speed"}}, {AllGoals, []Goal{AllGoals}}, {Coverage, []Goal{Coverage}}} {
		if _, err := weightsOf(wrong.goal, wrong.ignore); err == nil {
			t.Errorf("goal %s without %s is accepted", wrong.goal, wrong.ignore)
		}
	}
}

func sum(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

func TestParetoFront(t *testing.T) {
	for _, c := range []struct {
		name   string
		values [][]float64
		want   []int
	}{
		{"one is best for all", [][]float64{{1, 1}, {2, 2}, {2, 1}}, []int{1}},
		{"each is best for one", [][]float64{{1, 3}, {2, 2}, {3, 1}, {1, 2}}, []int{0, 1, 2}},
		{"of equals, the first", [][]float64{{1, 1}, {1, 1}, {0, 1}}, []int{0}},
	} {
		if got := paretoFront(c.values); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// With Pareto, the inputs that are best for different goals are all kept and learned from.
// Novelty is the share of structures that no kept input has.
func TestFDLoopPareto(t *testing.T) {
	g := grammartest.Load(t, worked)
	opt := Options{Start: g.Start, Goal: AllGoals, Units: make([]observation.Unit, 4), MaxNodes: 1000, Expansions: 200, K: 1}
	opt.FDLoop = FDLoopOptions{MaxMappings: 100, Pareto: true, Novelty: 1}
	f, err := newFDLoop(t.Context(), g, opt, newArchive(opt), nil)
	if err != nil {
		t.Fatal(err)
	}
	ran := func(text string, outcome observation.Outcome, units ...int32) *individual {
		return &individual{text: []byte(text), tree: grammartest.Parse(t, g, text), result: &result{outcome: outcome, units: units}}
	}
	if err := f.evolve([]*individual{ran("1", observation.OK, 0), ran("1-2", observation.OK, 0, 1, 2), ran("+4", observation.Crashed, 0)}); err != nil {
		t.Fatal(err)
	}
	if f.kept.inputs != 2 || f.kept.failing != 1 || len(f.kept.units) != 3 {
		t.Errorf("kept %+v, want the input with the most units and the one that fails", f.kept)
	}
	if got := f.scores(ran("9", observation.OK)).novelty; got != 0 {
		t.Errorf("novelty %v of an input with known structures, want 0", got)
	}
	nested := ran("(1)", observation.OK) // expr directly below factor is new
	all, novel := structures(nested.tree, 3), 0
	for _, s := range all {
		if !f.kept.structures[s] {
			novel++
		}
	}
	if got := f.scores(nested).novelty; novel == 0 || got != float64(novel)/float64(len(all)) {
		t.Errorf("novelty %v, want %d of %d", got, novel, len(all))
	}
}

// The fitness of an input is that of the kept inputs together with it. The best one is
// kept and learned from, and one rule becomes uniform.
func TestFDLoopKeeps(t *testing.T) {
	g := grammartest.Load(t, worked)
	opt := Options{Start: g.Start, Goal: Failures, Units: make([]observation.Unit, 4), MaxNodes: 1000, Expansions: 200, K: 1}
	opt.FDLoop = FDLoopOptions{MaxMappings: 100, Timeout: time.Second}
	f, err := newFDLoop(t.Context(), g, opt, newArchive(opt), nil)
	if err != nil {
		t.Fatal(err)
	}
	ran := func(text string, outcome observation.Outcome, units ...int32) *individual {
		i := &individual{text: []byte(text), tree: grammartest.Parse(t, g, text), result: &result{outcome: outcome, units: units, duration: 100 * time.Millisecond}}
		if i.result.failed() {
			i.result.failure = observation.OutcomeOf(observation.Observation{Outcome: outcome})
		}
		return i
	}
	failing := ran("4/0", observation.Crashed, 0, 1)
	// 11 structures of file, start, expr, term, factor, int and digit in chains of 4,
	// with 2 units each.
	mappings := float64(2*len(structures(failing.tree, 3))) / 100
	if got, want := f.fitness(failing), mappings/(1+mappings)+2.0/4+0.1+10*(0.1+0.9); math.Abs(got-want) > 1e-9 {
		t.Errorf("fitness %v, want %v", got, want)
	}
	if err := f.evolve([]*individual{ran("1", observation.OK, 0), failing, ran("1+(2*3)", observation.OK, 0, 1, 2)}); err != nil {
		t.Fatal(err)
	}
	if f.kept.inputs != 1 || f.kept.failing != 1 || len(f.kept.units) != 2 {
		t.Errorf("kept %+v, want the failing input", f.kept)
	}
	if got, want := f.fitness(ran("4/0", observation.Crashed, 0, 1)), mappings/(1+mappings)+2.0/4+0.1+10*(0.1*2+0.9)/2; math.Abs(got-want) > 1e-9 {
		t.Errorf("fitness of the same again %v, want %v", got, want)
	}
	if got := f.fitness(ran("4/0", observation.TimedOut, 0)); math.Abs(got-(mappings/(1+mappings)+2.0/4+1+10*(0.1*2+0.9*2)/2)) > 1e-9 {
		t.Errorf("fitness of a timeout %v", got)
	}
	uniform := 0
	for _, rule := range f.rules {
		if p := f.probabilities.Alternatives(g.Nodes[g.Rule(rule.Name).Root]); p == nil {
			uniform++
		}
	}
	if uniform != 1 {
		t.Errorf("%d rules are uniform, want 1", uniform)
	}
}

// Without a corpus, random inputs are learned from; the first generation calibrates.
func TestFDLoopCalibrates(t *testing.T) {
	g := grammartest.Load(t, worked)
	opt := Options{Start: g.Start, Goal: AllGoals, MaxNodes: 100, Expansions: 200, K: 1, FDLoop: FDLoopOptions{Calibration: 7, Seeds: 20}}
	f, err := newFDLoop(t.Context(), g, opt, newArchive(opt), nil)
	if err != nil {
		t.Fatal(err)
	}
	first, _, err := f.next(t.Context(), nil)
	if err != nil || len(first) != 7 {
		t.Fatalf("%d inputs to calibrate, error %v; want 7", len(first), err)
	}
	all := map[uint64]bool{}
	for _, i := range first {
		i.result = &result{outcome: observation.OK, units: []int32{0, 1, 2}}
		for _, s := range structures(i.tree, 3) {
			all[s] = true
		}
	}
	second, _, err := f.next(t.Context(), first)
	if err != nil || len(second) != 10 {
		t.Errorf("%d inputs in a generation, error %v; want 5 and 5 mutants", len(second), err)
	}
	if want := 3 * len(all); f.MaxMappings != want || f.kept.inputs != 0 {
		t.Errorf("calibrated to %d mappings with %d inputs kept, want %d and none", f.MaxMappings, f.kept.inputs, want)
	}
}

// A bit is flipped in a share of the tokens, and at least in one.
func TestFlipBits(t *testing.T) {
	g := grammartest.Load(t, worked)
	tree := grammartest.Parse(t, g, "1 + 2 + 3 + 4 + 5")
	r := rand.New(rand.NewPCG(1, 0))
	for share, want := range map[float64]int{0: 1, 0.1: 1, 0.5: 5, 1: 9} {
		flipped, text := 0, flipBits(r, tree, share)
		for i, b := range []byte("1 + 2 + 3 + 4 + 5") {
			flipped += bits.OnesCount8(b ^ text[i])
			if b == ' ' && text[i] != ' ' {
				t.Errorf("share %v: white space is changed in %q", share, text)
			}
		}
		if flipped != want {
			t.Errorf("share %v: %d bits are flipped, want %d", share, flipped, want)
		}
	}
}

// euclidCalls is the grammar of the worked mutations of FDLoop. A digit has two alternatives.
const euclidCalls = `grammar Euclid;
call : 'euclid(' arg ', ' arg ')' EOF ;
arg : digit+ ;
digit : '0' | nonzero ;
nonzero : '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' ;
`

// Figure 3: the probabilities 0.09 and 0.91 of the rule digit both become 0.5.
func TestWorkedGrammarMutation(t *testing.T) {
	g := grammartest.Load(t, euclidCalls)
	learned, err := learn(g, grammartest.Parse(t, g, "euclid(12345, 608795)")) // 1 of 11 digits
	if err != nil {
		t.Fatal(err)
	}
	digit := g.Nodes[g.Rule("digit").Root]
	if got := learned.Alternatives(digit); math.Abs(got[0]-1.0/11) > 1e-9 || math.Abs(got[1]-10.0/11) > 1e-9 {
		t.Errorf("learned %v, want 1/11 and 10/11", got)
	}
	x, err := generate.New(g, rand.New(rand.NewPCG(1, 0)), generate.Options{Probabilities: learned.WithUniform(g.Rule("digit"))})
	if err != nil {
		t.Fatal(err)
	}
	zeros, digits := 0, 0
	for range 100 {
		input, err := x.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		zeros += strings.Count(string(input.Text), "0")
		digits += len(input.Text) - len("euclid(, )")
	}
	if share := float64(zeros) / float64(digits); digits < 1000 || math.Abs(share-0.5) > 0.05 { // the standard deviation is 0.015
		t.Errorf("%d of %d digits are 0, want half of them", zeros, digits)
	}
}

// Figures 7 and 8: a flipped bit turns 4 into 0, and a swap exchanges the digits.
func TestWorkedInputMutations(t *testing.T) {
	g := grammartest.Load(t, euclidCalls)
	r := rand.New(rand.NewPCG(1, 0))
	const before, after = "euclid(21, 4)", "euclid(21, 0)"
	tree, found := grammartest.Parse(t, g, before), false
	for range 1000 { // one of 6 tokens, and one of its bits
		found = found || string(flipBits(r, tree, 0)) == after
	}
	if !found {
		t.Errorf("no flipped bit turns %s into %s", before, after)
	}
	x, err := generate.New(g, r, generate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	swapped, err := x.Mutate(t.Context(), grammartest.Parse(t, g, "euclid(0, 2)"), nil, generate.Swap)
	if err != nil || string(swapped.Text) != "euclid(2, 0)" {
		t.Errorf("got %v, %v; want euclid(2, 0)", swapped, err)
	}
}
