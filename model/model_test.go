package model

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/model/observation"
)

func jsonSources(tb testing.TB) []grammars.Source {
	tb.Helper()
	sources, err := bundled.Sources("json")
	if err != nil {
		tb.Fatal(err)
	}
	return sources
}

// randomJSON draws a JSON text that uses the whole language.
func randomJSON(r *rand.Rand) string {
	var b strings.Builder
	writeJSON(&b, r, 3)
	return b.String()
}

func writeJSON(b *strings.Builder, r *rand.Rand, depth int) {
	blank := func() {
		if r.IntN(6) == 0 {
			b.WriteString([]string{" ", "\n", "\t "}[r.IntN(3)])
		}
	}
	kind := r.IntN(8)
	if depth == 0 {
		kind = 2 + r.IntN(6)
	}
	switch kind {
	case 0:
		b.WriteString("[")
		for i := range r.IntN(4) {
			if i > 0 {
				b.WriteString(",")
			}
			blank()
			writeJSON(b, r, depth-1)
		}
		b.WriteString("]")
	case 1:
		b.WriteString("{")
		for i := range r.IntN(4) {
			if i > 0 {
				b.WriteString(",")
			}
			blank()
			writeString(b, r)
			b.WriteString(":")
			writeJSON(b, r, depth-1)
		}
		b.WriteString("}")
	case 2, 3:
		writeNumber(b, r)
	case 4, 5:
		writeString(b, r)
	default:
		b.WriteString([]string{"true", "false", "null"}[r.IntN(3)])
	}
	blank()
}

func writeString(b *strings.Builder, r *rand.Rand) {
	b.WriteString(`"`)
	for range r.IntN(4) {
		b.WriteString([]string{"a", "b", "Z", "é", "日", `\n`, `\"`, `\u00e9`, "0"}[r.IntN(9)])
	}
	b.WriteString(`"`)
}

func writeNumber(b *strings.Builder, r *rand.Rand) {
	if r.IntN(4) == 0 {
		b.WriteString("-")
	}
	b.WriteString(strconv.Itoa(r.IntN(1000)))
	if r.IntN(4) == 0 {
		b.WriteString("." + strconv.Itoa(r.IntN(100)))
	}
	if r.IntN(6) == 0 {
		b.WriteString([]string{"e", "E-", "e+"}[r.IntN(3)] + strconv.Itoa(r.IntN(40)))
	}
}

// rules are the methods of a synthetic program, with the texts that reach them.
var rules = []struct {
	name string
	on   func(text string) bool
}{
	{"always", func(string) bool { return true }},
	{"never", func(string) bool { return false }},
	{"array", func(s string) bool { return strings.Contains(s, "[") }},
	{"object", func(s string) bool { return strings.Contains(s, "{") }},
	{"empty array", func(s string) bool { return strings.Contains(s, "[]") }},
	{"escape", func(s string) bool { return strings.Contains(s, `\`) }},
	{"unicode", func(s string) bool { return strings.Contains(s, `\u`) }},
	{"negative", func(s string) bool { return strings.Contains(strings.ReplaceAll(s, "E-", ""), "-") }},
	{"blank", func(s string) bool { return strings.ContainsAny(s, " \n\t") }},
	{"null and array", func(s string) bool { return strings.Contains(s, "null") && strings.Contains(s, "[") }},
	{"true, no object", func(s string) bool { return strings.Contains(s, "true") && !strings.Contains(s, "{") }},
	{"array in array", func(s string) bool {
		depth := 0
		for _, c := range s {
			switch c {
			case '[':
				if depth++; depth == 2 {
					return true
				}
			case ']':
				depth--
			case '{', '}':
				if depth > 0 {
					depth += 10 * (1 - 2*strings.Index("{}", string(c)))
				}
			}
		}
		return false
	}},
	{"null in a member", func(s string) bool { return strings.Contains(s, ":null") }},
}

// known returns the observation of the synthetic program on a text. The program
// fails on texts with both an escape and a fraction.
func known(text string) observation.Observation {
	o := observation.Observation{Input: []byte(text), Methods: []string{}, Outcome: observation.OK}
	for _, rule := range rules {
		if rule.on(text) {
			o.Methods = append(o.Methods, rule.name)
		}
	}
	if strings.Contains(text, `\`) && strings.Contains(text, ".") {
		o.Outcome, o.Failure = observation.Failed, &observation.Failure{Type: "*rule.Error"}
		o.Methods = append(o.Methods, "fail")
	}
	slices.Sort(o.Methods)
	return o
}

func observe(seed uint64, n int) []observation.Observation {
	r := rand.New(rand.NewPCG(seed, 7))
	var out []observation.Observation
	for len(out) < n {
		out = append(out, known(randomJSON(r)))
	}
	return out
}

func train(tb testing.TB, observations []observation.Observation, opt Options) *Model {
	tb.Helper()
	m, err := Train(tb.Context(), "", jsonSources(tb), observation.Header{Subject: "rules"}, observations, opt)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func write(tb testing.TB, m *Model) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// TestLearnsKnownRules trains on observations of which 2 % are wrong, and
// evaluates on correct ones.
func TestLearnsKnownRules(t *testing.T) {
	training := observe(1, 1500)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range training {
		has := map[string]bool{}
		for _, m := range training[i].Methods {
			has[m] = true
		}
		training[i].Methods = []string{}
		for _, rule := range rules {
			if has[rule.name] != (r.IntN(50) == 0 && rule.name != "always" && rule.name != "never") {
				training[i].Methods = append(training[i].Methods, rule.name)
			}
		}
	}
	m := train(t, training, Defaults())
	test := observe(2, 1500)
	e, err := m.Evaluate(t.Context(), test, 2, grammars.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range e.Methods {
		positives := float64(s.Positives()) / float64(s.Total())
		least := 0.9
		if positives < 0.05 {
			least = 0.75
		}
		t.Logf("%-20s %.3f positive, F1 %.3f", s.Unit.ID, positives, s.F1())
		if s.Unit.ID != "fail" && s.F1() < least {
			t.Errorf("%s: F1 %.3f, want %.2f", s.Unit.ID, s.F1(), least)
		}
	}
}

func TestSameBytes(t *testing.T) {
	observations := observe(1, 300)
	opt := Defaults()
	want := write(t, train(t, observations, opt))
	opt.Workers = 8
	if got := write(t, train(t, observations, opt)); !bytes.Equal(got, want) {
		t.Error("8 workers give another model than one")
	}
	shuffled := slices.Clone(observations)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	if got := write(t, train(t, shuffled, opt)); !bytes.Equal(got, want) {
		t.Error("the order of the observations changes the model")
	}
	read, err := ReadModel(t.Context(), bytes.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}
	if got := write(t, read); !bytes.Equal(got, want) {
		t.Error("a model that was read is written differently")
	}
}

// TestRetrain reuses unchanged trees, and gives the same bytes as training from
// scratch.
func TestRetrain(t *testing.T) {
	observations := observe(1, 300)
	before := train(t, observations, Defaults())
	for i := range observations { // one method changes
		if slices.Contains(observations[i].Methods, "array") {
			observations[i].Methods = append(slices.Clone(observations[i].Methods), "new")
		}
	}
	trainer, err := NewTrainer(t.Context(), "", jsonSources(t), Defaults())
	if err != nil {
		t.Fatal(err)
	}
	trainer.AddHeader(observation.Header{Subject: "rules"})
	if err := trainer.Add(t.Context(), observations); err != nil {
		t.Fatal(err)
	}
	task, err := trainer.task(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	task.reuse(before)
	for _, target := range task.targets {
		if target.reused != (target.name != "new") {
			t.Errorf("%s: taken over: %v", target.name, target.reused)
		}
	}
	got, err := trainer.Train(t.Context(), before)
	if err != nil {
		t.Fatal(err)
	}
	want := train(t, observations, Defaults())
	if !bytes.Equal(write(t, got), write(t, want)) {
		t.Error("re-training gives another model than training")
	}
	// With more observations no tree is reused, and the result is still exact.
	more := observe(9, 50)
	if err := trainer.Add(t.Context(), more); err != nil {
		t.Fatal(err)
	}
	if got, err = trainer.Train(t.Context(), got); err != nil {
		t.Fatal(err)
	}
	if want := train(t, append(observations, more...), Defaults()); !bytes.Equal(write(t, got), write(t, want)) {
		t.Error("training with more observations gives another model than with all at once")
	}
}

func TestPredict(t *testing.T) {
	m := train(t, observe(1, 600), Defaults())
	unit := func(name string) int {
		i, err := m.Unit(name)
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	a, err := m.Predict(t.Context(), []byte(`[null,{"a":"\u0041"}]`), grammars.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := m.PredictTree(grammartest.Parse(t, m.Grammar, `[null,{"a":"\u0041"}]`))
	if err != nil || !reflect.DeepEqual(parsed.Methods, a.Methods) || !slices.Equal(parsed.Outcomes, a.Outcomes) || parsed.Unseen != a.Unseen {
		t.Errorf("for the tree: got %+v, %v; want %+v", parsed, err, a)
	}
	for name, want := range map[string]bool{"array": true, "null and array": true, "unicode": true, "blank": false, "always": true, "empty array": false} {
		p := a.Methods[unit(name)]
		if p.Reached != want || p.Reached != (p.Probability > 0.5) || p.Low > p.Probability || p.High < p.Probability || p.Rows == 0 {
			t.Errorf("%s: got %+v, want reached %v", name, p, want)
		}
	}
	always := a.Methods[unit("always")]
	if always.Rows != int32(m.Rows) || always.Positives != always.Rows || always.Probability != 1 || always.High != 1 {
		t.Errorf("always: got %+v, want all of %d observations", always, m.Rows)
	}
	var reasons []string
	for _, test := range m.Reasons(unit("array"), a.Methods[unit("array")]) {
		reasons = append(reasons, fmt.Sprintf("%v %s", test.Present, m.Describe(*test.Feature)))
	}
	if got := strings.Join(reasons, "; "); got != "true array before any refusal" {
		t.Errorf("reasons for array: %s", got)
	}
	if a.Unseen > 0.1 {
		t.Errorf("a share of %v unseen paths, want hardly any", a.Unseen)
	}
	if len(a.Outcomes) != 2 || a.Outcomes[0].Outcome != "ok" || a.Outcomes[0].Probability < 0.9 || a.Outcomes[0].Probability+a.Outcomes[1].Probability < 0.999 {
		t.Errorf("outcomes: got %v", a.Outcomes)
	}
}

// TestPredictIsWhatLeavesSay checks predictions against the conditions of the
// leaves.
func TestPredictIsWhatLeavesSay(t *testing.T) {
	opt := Defaults()
	opt.Outcome, opt.Refusals = false, false
	m := train(t, observe(1, 300), opt)
	scout := &trainingExtractor{extractor: *newExtractor(m.Grammar, opt, opt.Extras), seen: map[uint64]int32{}, paths: nil}
	for _, o := range observe(5, 200) {
		a, err := m.Predict(t.Context(), o.Input, grammars.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		tree, err := m.Grammar.Parse(t.Context(), o.Input, grammars.ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var has []Feature
		for _, s := range scout.spaces {
			if err := s.Locate(tree, opt.K, func(_ uint64, p features.Path) {
				has = append(has, Feature{Path: slices.Clone(p)})
			}); err != nil {
				t.Fatal(err)
			}
		}
		if err := scout.extraExtractor.Each(tree, func(e features.Extra, _ features.Position) { has = append(has, Feature{Extra: e}) }); err != nil {
			t.Fatal(err)
		}
		for unit := range m.Units {
			for _, leaf := range m.Leaves(unit) {
				meets := true
				for _, test := range leaf.Conditions {
					meets = meets && slices.ContainsFunc(has, func(f Feature) bool { return compareFeatures(f, *test.Feature) == 0 }) == test.Present
				}
				got := a.Methods[unit]
				if meets && (got.Reached != leaf.Reached || int(got.Rows) != leaf.Rows || int(got.Positives) != leaf.Positives) {
					t.Fatalf("%s: %s: predicted %+v, its leaf is %+v", o.Input, m.Units[unit].ID, got, leaf)
				}
			}
		}
	}
}

func TestOutsideTheGrammar(t *testing.T) {
	observations := append(observe(1, 100),
		observation.Observation{Input: []byte("[1,"), Methods: []string{"array", "fail"}, Outcome: observation.Failed},
		observation.Observation{Input: []byte("nul"), Methods: []string{"fail"}, Outcome: observation.Failed})
	m := train(t, observations, Defaults())
	fail, err := m.Unit("fail")
	if err != nil {
		t.Fatal(err)
	}
	if m.Outside.Rows != 2 || m.Outside.Reached[fail] != 2 || m.Outside.Outcomes["failure"] != 2 || m.Stats.Outside != 2 {
		t.Errorf("outside: got %+v", m.Outside)
	}
	a, err := m.Predict(t.Context(), []byte("{]"), grammars.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if a.Syntax == nil || a.Syntax.Column != 2 || a.Methods != nil {
		t.Errorf("an input outside the grammar: got %+v", a)
	}
}

func TestGathered(t *testing.T) {
	observations := []observation.Observation{
		known("[1]"), known("[1]"), known("{}"),
		{Input: []byte("[1]"), Methods: []string{"array"}},
		{Input: []byte("2")},
		{Input: []byte("[[")},
		{Input: []byte("[["), Methods: []string{}},
	}
	m := train(t, observations, Defaults())
	want := Stats{Observations: 7, Duplicates: 1, Contradictory: 1, Outside: 1, Unknown: 2}
	if m.Stats != want || m.Rows != 4 {
		t.Errorf("got %+v and %d rows, want %+v and 4", m.Stats, m.Rows, want)
	}
}

// TestOnlyOutcomesKnown adds observations without methods. They must not change
// the predicted methods, and must improve the predicted outcomes.
func TestOnlyOutcomesKnown(t *testing.T) {
	few, many := observe(1, 60), observe(2, 1000)
	for i := range many {
		many[i].Methods = nil
	}
	opt := Defaults()
	opt.Outcome = false
	m := train(t, append(slices.Clone(few), many...), opt)
	alone := train(t, few, opt)
	for unit := range m.Units {
		if reached, rows := m.Support(unit); rows != alone.Rows || rows >= m.Rows {
			t.Errorf("%s: %d of %d observations, without the others of %d", m.Units[unit].ID, reached, rows, alone.Rows)
		}
	}
	test := observe(3, 500)
	right := func(m *Model) int {
		e, err := m.Evaluate(t.Context(), test, 1, grammars.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		return e.Outcomes
	}
	if with, without := right(m), right(alone); with <= without {
		t.Errorf("%d outcomes are right, without the other observations %d", with, without)
	}
}

func TestNothingToLearnFrom(t *testing.T) {
	for _, tc := range []struct {
		observations []observation.Observation
		want         string
	}{
		{nil, "there are no observations"},
		{[]observation.Observation{{Input: []byte("1")}}, `1 of 1 observations have no methods, such as that of input "1"`},
		{[]observation.Observation{{Input: []byte("["), Methods: []string{"m"}}}, `1 of 1 inputs are outside grammar json, such as "[": 1:2: unexpected end of input`},
	} {
		_, err := Train(t.Context(), "", jsonSources(t), observation.Header{}, tc.observations, Defaults())
		if !errors.Is(err, ErrNoObservations) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%d observations: got %v, want %v: %s", len(tc.observations), err, ErrNoObservations, tc.want)
		}
	}
}

func TestUnseenPaths(t *testing.T) {
	m := train(t, []observation.Observation{known("[1]"), known("[true]")}, Defaults())
	for input, seen := range map[string]bool{"[1]": true, "[true]": true, "{}": false, "[false]": false} {
		a, err := m.Predict(t.Context(), []byte(input), grammars.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if (a.Unseen == 0) != seen || a.Unseen > 1 {
			t.Errorf("%s: a share of %v unseen paths", input, a.Unseen)
		}
	}
}
