package selection

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
)

// program returns the methods that an input reaches: each method but parse is
// reached by inputs that contain a certain text.
func program(input string) []string {
	methods := []string{"p.go#parse"}
	for _, m := range []struct{ has, name string }{
		{"[", "p.go#array"}, {"{", "p.go#object"}, {`"`, "p.go#string"}, {"true", "p.go#bool"}, {"null", "p.go#null"}, {"e", "p.go#exponent"},
	} {
		if strings.Contains(input, m.has) {
			methods = append(methods, m.name)
		}
	}
	slices.Sort(methods)
	return methods
}

// units returns the methods of the program, five lines each, and one that no
// input reaches.
func units() []observation.Unit {
	var out []observation.Unit
	for i, name := range []string{"parse", "array", "object", "string", "bool", "null", "exponent", "never"} {
		out = append(out, observation.Unit{ID: "p.go#" + name, Name: name, File: "p.go", Start: 10 * (i + 1), End: 10*(i+1) + 5})
	}
	return out
}

// draw returns n random inputs in JSON.
func draw(r *rand.Rand, n int) []string {
	var value func(depth int) string
	value = func(depth int) string {
		switch k := r.IntN(8); {
		case k == 0 && depth < 3:
			return "[" + value(depth+1) + "," + value(depth+1) + "]"
		case k == 1 && depth < 3:
			return `{"k":` + value(depth+1) + "}"
		case k == 2:
			return `"s"`
		case k == 3:
			return "true"
		case k == 4:
			return "null"
		default:
			return fmt.Sprint(r.IntN(1000))
		}
	}
	out := make([]string, n)
	for i := range out {
		out[i] = value(0)
	}
	return out
}

// train trains a model on random inputs. They end in a line end, so that no other
// input is recorded.
func train(tb testing.TB, n int) *model.Model {
	tb.Helper()
	var observations []observation.Observation
	for _, in := range draw(rand.New(rand.NewPCG(1, 1)), n) {
		observations = append(observations, observation.Observation{Input: []byte(in + "\n"), Methods: program(in), Outcome: observation.OK})
	}
	sources, err := bundled.Sources("json")
	if err != nil {
		tb.Fatal(err)
	}
	opt := model.Defaults()
	m, err := model.Train(tb.Context(), "", sources, observation.Header{Subject: "p", Commit: "c1", Units: units()}, observations, opt)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func corpus(texts []string) Corpus {
	s := Corpus{}
	content := map[string][]byte{}
	for i, text := range texts {
		path := fmt.Sprintf("corpus/%04d.json", i)
		s.Paths = append(s.Paths, path)
		content[path] = []byte(text)
	}
	s.Read = func(path string) ([]byte, error) { return content[path], nil }
	return s
}

func predict(tb testing.TB, m *model.Model, texts []string, opt PredictOptions) *Predictions {
	tb.Helper()
	p, err := Predict(tb.Context(), m, corpus(texts), opt)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func changeOf(tb testing.TB, m *model.Model, names ...string) Change {
	tb.Helper()
	var c Change
	for _, name := range names {
		u, err := m.Unit(name)
		if err != nil {
			tb.Fatal(err)
		}
		c.Units = append(c.Units, u)
	}
	return c
}

func selectedPaths(s *Selection) []string {
	var out []string
	for _, c := range s.Selected {
		out = append(out, s.Inputs[c.Input].Path)
	}
	return out
}

func TestSelectByRecall(t *testing.T) {
	m := train(t, 400)
	texts := draw(rand.New(rand.NewPCG(2, 2)), 500)
	p := predict(t, m, texts, PredictOptions{Workers: 3})
	for _, method := range []string{"array", "object", "string", "bool", "null", "exponent"} {
		s := Select(m, p.Inputs, p, changeOf(t, m, method), Defaults())
		if s.Everything() {
			t.Errorf("%s: everything is run: %v", method, s.Fallbacks)
			continue
		}
		reach, found, wrong := 0, 0, 0
		selected := map[int]bool{}
		for _, c := range s.Selected {
			selected[c.Input] = c.Reasons[0].Kind != Sampled
		}
		for i, text := range texts {
			switch reaches := slices.Contains(program(text), "p.go#"+method); {
			case reaches && selected[i]:
				found++
				fallthrough
			case reaches:
				reach++
			case selected[i]:
				wrong++
			}
		}
		if float64(found) < 0.95*float64(reach) || wrong > reach/10 {
			t.Errorf("%s: %d of %d that reach it are selected, and %d others", method, found, reach, wrong)
		}
		if len(s.Selected)+len(s.Rest) != len(texts) {
			t.Errorf("%s: %d selected and %d left out of %d", method, len(s.Selected), len(s.Rest), len(texts))
		}
	}
}

func TestSelectReasons(t *testing.T) {
	m := train(t, 400)
	texts := []string{`[1]`, `[2]`, `{}`, `1`, `2`, `3`, `"s"`, `"t"`, `{`, `[true]`}
	p := predict(t, m, texts, PredictOptions{Observed: map[Digest]Observation{DigestOf([]byte(`"t"`)): {changeOf(t, m, "array").Units}}})
	opt := Defaults()
	opt.Sample, opt.Seed = 0.3, 5
	opt.Always = []string{"corpus/0002*"}
	opt.Changed = map[string]bool{"corpus/0003.json": true, "corpus/0004.json": false}
	opt.Failed = map[Digest]bool{DigestOf([]byte(`[2]`)): true}
	s := Select(m, p.Inputs, p, changeOf(t, m, "array"), opt)
	var got []string
	for _, c := range s.Selected {
		var why []string
		for _, r := range c.Reasons {
			why = append(why, string(r.Kind))
		}
		got = append(got, texts[c.Input]+" "+strings.Join(why, " "))
	}
	want := []string{`[2] failed reaches`, `{} always`, `1 new`, `2 changed`, `"t" reached`, `{ unknown`, `[true] reaches`, `[1] reaches`, `"s" sample`}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%v (-want +got):\n%s", s.Fallbacks, diff)
	}
}

// TestPredictUnknown predicts inputs that exceed a limit, which may reach any unit.
func TestPredictUnknown(t *testing.T) {
	m := train(t, 100)
	large := "[" + strings.Repeat(" ", observation.MaxInput) + "]"
	nested := strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000)
	p := predict(t, m, []string{large, nested, "1"}, PredictOptions{})
	array := changeOf(t, m, "array").Units[0]
	for i, want := range []knowledge{unknown, unknown, predicted} {
		if got := p.row(i).known; got != want {
			t.Errorf("input %d: %d, want %d", i, got, want)
		}
	}
	if p.At(0, array) != Certain || p.At(2, array).Likely() {
		t.Errorf("chances %d and %d", p.At(0, array), p.At(2, array))
	}
}

func TestFallbacks(t *testing.T) {
	m := train(t, 400)
	texts := draw(rand.New(rand.NewPCG(2, 2)), 50)
	p := predict(t, m, texts, PredictOptions{})
	array := changeOf(t, m, "array")
	for _, test := range []struct {
		name   string
		model  *model.Model
		known  *Predictions
		change Change
		opt    Options
		want   Cause
	}{
		{"no model", nil, nil, Change{}, Defaults(), NoModel},
		{"a fallback of the change", m, p, Change{Units: array.Units, Fallbacks: []Fallback{{Unmapped, "x"}}}, Defaults(), Unmapped},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := Select(test.model, p.Inputs, test.known, test.change, test.opt)
			if len(s.Fallbacks) != 1 || s.Fallbacks[0].Cause != test.want || !s.Everything() {
				t.Errorf("fallbacks %v, want %s", s.Fallbacks, test.want)
			}
			if len(s.Selected) != len(texts) || len(s.Rest) != 0 || s.Selected[0].Reasons[0].Kind != Everything {
				t.Errorf("selected %d of %d, as %v", len(s.Selected), len(texts), s.Selected[0].Reasons)
			}
		})
	}
}

// TestSelectKnown selects all inputs that are known to reach a changed method, whatever
// recall is asked for, and predicts the others.
func TestSelectKnown(t *testing.T) {
	m := train(t, 400)
	texts := draw(rand.New(rand.NewPCG(2, 2)), 300)
	for i := range texts[:200] {
		texts[i] = draw(rand.New(rand.NewPCG(1, 1)), 200)[i] + "\n" // observed in training
	}
	p := predict(t, m, texts, PredictOptions{})
	opt := Defaults()
	opt.Goal.Recall, opt.Sample = 0.5, 0
	s := Select(m, p.Inputs, p, changeOf(t, m, "array"), opt)
	selected := map[int]Reason{}
	for _, c := range s.Selected {
		selected[c.Input] = c.Reasons[0]
	}
	reach, left := 0, 0
	for i, text := range texts {
		reaches := strings.Contains(text, "[")
		reason, ok := selected[i]
		switch {
		case i < 200 && reaches != ok:
			t.Errorf("%q is recorded: selected %t, reaches %t", text, ok, reaches)
		case i < 200 && ok && reason.Kind != Reached:
			t.Errorf("%q is recorded, but selected because it %v", text, reason)
		case i >= 200 && reaches:
			reach++
			left += btoi(!ok)
		}
	}
	if s.Known < 200 || left == 0 || left == reach {
		t.Errorf("%d inputs are known; %d of %d other inputs that reach the method are left out", s.Known, left, reach)
	}
}

// TestWeakUnits selects inputs for changed methods that the model cannot predict: none
// if no observation reached the method, and all that are not recorded if it is
// predicted poorly.
func TestWeakUnits(t *testing.T) {
	m := train(t, 400)
	recorded := draw(rand.New(rand.NewPCG(1, 1)), 1)[0] + "\n"
	texts := append(draw(rand.New(rand.NewPCG(2, 2)), 50), recorded)
	p := predict(t, m, texts, PredictOptions{})
	opt := Defaults()
	opt.Sample, opt.MinRecall = 0, 1.1 // no method is predicted so well

	never := changeOf(t, m, "never")
	never.Own = never.Units
	s := Select(m, p.Inputs, p, never, opt)
	if len(s.Selected) != 0 || s.Everything() || len(s.Unobserved) != 1 || s.Unobserved[0].Method != "p.go#never" {
		t.Errorf("%d selected, unobserved %v", len(s.Selected), s.Unobserved)
	}
	if s := Select(m, p.Inputs, p, changeOf(t, m, "never"), opt); len(s.Unobserved) != 0 {
		t.Errorf("a method that did not change itself is unobserved: %v", s.Unobserved)
	}
	s = Select(m, p.Inputs, p, changeOf(t, m, "array"), opt)
	if want := 50 + btoi(strings.Contains(recorded, "[")); len(s.Selected) != want || s.Everything() {
		t.Errorf("%d selected, want %d", len(s.Selected), want)
	}
	for _, c := range s.Selected {
		if why := c.Reasons[0]; (why.Kind == Unsure) != (c.Input < 50) {
			t.Errorf("%q is selected because it %v", texts[c.Input], why)
		}
	}
}

func TestSelectWithinLimits(t *testing.T) {
	m := train(t, 400)
	texts := draw(rand.New(rand.NewPCG(2, 2)), 500)
	p := predict(t, m, texts, PredictOptions{})
	change := changeOf(t, m, "parse") // all inputs reach it
	runs := map[Digest]Timing{}
	for _, in := range p.Inputs {
		runs[in.Digest] = Timing{in.Size, time.Duration(in.Size) * time.Millisecond}
	}
	classes := map[string]bool{}
	for _, text := range texts {
		classes[strings.Join(program(text), " ")] = true
	}

	t.Run("a number", func(t *testing.T) {
		opt := Defaults()
		opt.Goal = Goal{Max: len(classes) + 10}
		s := Select(m, p.Inputs, p, change, opt)
		if len(s.Selected) != opt.Goal.Max || !s.Cut {
			t.Errorf("%d selected, cut %v; want %d", len(s.Selected), s.Cut, opt.Goal.Max)
		}
		got := map[string]bool{}
		for _, c := range s.Selected {
			got[strings.Join(program(texts[c.Input]), " ")] = true
		}
		if len(got) < len(classes)-1 {
			t.Errorf("inputs of %d kinds of %d", len(got), len(classes))
		}
	})
	t.Run("a number, and a sample has its place", func(t *testing.T) {
		opt := Defaults()
		opt.Goal.Max = 10
		s := Select(m, p.Inputs, p, changeOf(t, m, "array"), opt)
		last := s.Selected[len(s.Selected)-1].Reasons
		if len(s.Selected) != 10 || last[0].Kind != Sampled || s.Selected[8].Reasons[0].Kind != Reaches {
			t.Errorf("%d selected, the last as %v", len(s.Selected), last)
		}
	})
	t.Run("a time", func(t *testing.T) {
		opt := Defaults()
		opt.Goal, opt.Costs = Goal{Budget: 200 * time.Millisecond}, LearnCosts(runs)
		s := Select(m, p.Inputs, p, change, opt)
		if s.Cost > opt.Goal.Budget || s.Cost < opt.Goal.Budget*9/10 || !s.Cut {
			t.Errorf("takes %v, cut %v, want up to %v", s.Cost, s.Cut, opt.Goal.Budget)
		}
	})
	t.Run("a number of each class", func(t *testing.T) {
		opt := Defaults()
		opt.Goal.PerClass, opt.Sample = 2, 0
		broken := []string{"[", "[[", "{", "]"} // nobody knows whether they are alike
		p := predict(t, m, append(broken, texts...), PredictOptions{})
		s := Select(m, p.Inputs, p, change, opt)
		classes, count := p.classes(change.Units), map[int32]int{}
		for _, c := range s.Selected {
			count[classes[c.Input]]++
		}
		for class, n := range count {
			if class == classes[0] && n != len(broken) || class != classes[0] && n > 2 {
				t.Errorf("%d of class %d", n, class)
			}
		}
		if len(s.Selected) < s.Classes {
			t.Errorf("%d selected of %d classes", len(s.Selected), s.Classes)
		}
	})
	t.Run("everything within a number", func(t *testing.T) {
		opt := Defaults()
		opt.Goal = Goal{Max: 20}
		s := Select(m, p.Inputs, p, Change{Fallbacks: []Fallback{{Unmapped, "x"}}}, opt)
		if len(s.Selected) != 20 || !s.Everything() || !s.Cut {
			t.Errorf("%d selected, everything %v, cut %v", len(s.Selected), s.Everything(), s.Cut)
		}
	})
}

// TestSelectAgain selects the same inputs with any number of workers, and with or
// without a cache.
func TestSelectAgain(t *testing.T) {
	m := train(t, 200)
	texts := draw(rand.New(rand.NewPCG(3, 3)), 200)
	cache := NewCache(m.Digest, len(m.Units))
	p := predict(t, m, texts, PredictOptions{Cache: cache})
	change := changeOf(t, m, "object", "null")
	want := selectedPaths(Select(m, p.Inputs, p, change, Defaults()))

	p = predict(t, m, texts, PredictOptions{Workers: 8})
	if diff := cmp.Diff(want, selectedPaths(Select(m, p.Inputs, p, change, Defaults()))); diff != "" {
		t.Errorf("with eight workers (-one +eight):\n%s", diff)
	}
	var file bytes.Buffer
	if err := cache.Write(&file); err != nil {
		t.Fatal(err)
	}
	kept, err := ReadCache(&file, m.Digest, len(m.Units))
	if err != nil {
		t.Fatal(err)
	}
	p = predict(t, m, texts, PredictOptions{Cache: kept})
	if kept.Changed() {
		t.Errorf("the cache changed: %d inputs loaded, %d used", len(kept.loaded), len(kept.used))
	}
	if diff := cmp.Diff(want, selectedPaths(Select(m, p.Inputs, p, change, Defaults()))); diff != "" {
		t.Errorf("with a cache (-without +with):\n%s", diff)
	}
	opt := Defaults()
	opt.Seed = 2
	if slices.Equal(want, selectedPaths(Select(m, p.Inputs, p, change, opt))) {
		t.Error("another seed draws the same sample")
	}
}

func TestMinimize(t *testing.T) {
	m := train(t, 400)
	texts := draw(rand.New(rand.NewPCG(4, 4)), 300)
	texts = append(texts, "{") // outside the grammar: nothing is known of it
	p := predict(t, m, texts, PredictOptions{})
	var kept []int
	for _, c := range Minimize(p, nil).Selected {
		kept = append(kept, c.Input)
	}
	reached := func(inputs []int) string {
		reached := make([]bool, p.Units)
		for _, i := range inputs {
			p.markReached(i, reached)
		}
		return fmt.Sprint(reached)
	}
	all := make([]int, len(texts))
	for i := range all {
		all[i] = i
	}
	if got, want := reached(kept), reached(all); got != want {
		t.Errorf("reaches %s, want %s", got, want)
	}
	if last := kept[len(kept)-1]; last != len(texts)-1 {
		t.Errorf("the input outside the grammar is not kept: %v", kept)
	}
	for at, i := range kept[:len(kept)-1] {
		if reached(slices.Delete(slices.Clone(kept), at, at+1)) == reached(all) {
			t.Errorf("%s can be left out", texts[i])
		}
	}
	if len(kept) > 6 {
		t.Errorf("%d inputs are kept", len(kept))
	}
}

func TestCosts(t *testing.T) {
	c := LearnCosts(map[Digest]Timing{
		{1}: {100, 2 * time.Second}, {2}: {300, 4 * time.Second}, {3}: {200, 3 * time.Second},
	})
	for _, test := range []struct {
		in   Input
		want time.Duration
	}{
		{Input{Digest: Digest{1}, Size: 5}, 2 * time.Second},
		{Input{Digest: Digest{9}, Size: 0}, time.Second},
		{Input{Digest: Digest{9}, Size: 1000}, 11 * time.Second},
	} {
		if got := c.Of(test.in); (got - test.want).Abs() > time.Millisecond {
			t.Errorf("%d bytes take %v, want %v", test.in.Size, got, test.want)
		}
	}
	if c := LearnCosts(nil); !c.Unknown || c.Of(Input{Size: 9}) != 0 {
		t.Errorf("nothing known: %v", c.Of(Input{}))
	}
	falling := LearnCosts(map[Digest]Timing{{1}: {100, 4 * time.Second}, {2}: {300, 2 * time.Second}})
	if got := falling.Of(Input{Digest: Digest{9}, Size: 1 << 30}); got != 3*time.Second {
		t.Errorf("a large input takes %v, want the mean", got)
	}
}

func TestReadCacheWrong(t *testing.T) {
	cache := NewCache("m", 2)
	cache.put(Digest{1}, &row{predicted, []Chance{1, 2}})
	cache.put(Digest{2}, &row{known: unknown})
	var file bytes.Buffer
	if err := cache.Write(&file); err != nil {
		t.Fatal(err)
	}
	good := file.Bytes()
	if c, err := ReadCache(bytes.NewReader(good), "m", 2); err != nil || len(c.loaded) != 2 {
		t.Fatalf("%v, %v", c, err)
	}
	wrong := map[string][]byte{"nothing": nil, "half": good[:len(good)/2], "more": append(slices.Clone(good), 0)}
	for i := range good {
		changed := slices.Clone(good)
		changed[i] ^= 1
		wrong[fmt.Sprint("byte ", i)] = changed
	}
	for name, text := range wrong {
		if _, err := ReadCache(bytes.NewReader(text), "m", 2); err == nil {
			t.Errorf("%s: it is read", name)
		}
	}
	if _, err := ReadCache(strings.NewReader("inroad model 1\n"), "m", 2); !errors.Is(err, ErrNoCache) {
		t.Errorf("got %v for a file that is not a cache, want %v", err, ErrNoCache)
	}
	if _, err := ReadCache(bytes.NewReader(nil), "m", 2); !errors.Is(err, ErrCache) {
		t.Errorf("got %v for an empty file, want %v", err, ErrCache)
	}
	if _, err := ReadCache(bytes.NewReader(good), "other", 2); err == nil {
		t.Error("the cache of another model is read")
	}
	if _, err := ReadCache(bytes.NewReader(good), "m", 3); err == nil {
		t.Error("the cache of another number of units is read")
	}
}

// FuzzReadCache reads damaged files with the right digest.
func FuzzReadCache(f *testing.F) {
	f.Add([]byte(cacheMagic + "\x01m\x02\x01\x05\x00\x01\x00\x02\x00\x00"))
	f.Add([]byte(cacheMagic + "\x01m\x02\xff\xff\xff\x0f"))
	f.Fuzz(func(t *testing.T, body []byte) {
		sum := sha256.Sum256(body)
		c, err := ReadCache(bytes.NewReader(append(body, sum[:]...)), "m", 2)
		if err == nil && len(c.loaded)*len(Digest{}) > len(body) {
			t.Errorf("%d inputs in %d bytes", len(c.loaded), len(body))
		}
	})
}

// TestFill generates inputs for a changed unit that no input of the corpus reaches.
func TestFill(t *testing.T) {
	m := train(t, 200)
	array, err := m.Unit("array")
	if err != nil {
		t.Fatal(err)
	}
	p, err := PredictEach(t.Context(), m, func(yield func(Item, error) bool) {
		yield(Item{Path: "number", Read: func() ([]byte, error) { return []byte("1"), nil }}, nil)
	}, PredictOptions{})
	if err != nil {
		t.Fatal(err)
	}
	opt := Defaults()
	s := Select(m, p.Inputs, p, Change{Units: []int{array}}, opt)
	gaps := s.Undertested(p, 2)
	if len(gaps) != 1 || gaps[0] != (Gap{array, 2}) {
		t.Fatalf("gaps %v, want 2 inputs for unit %d", gaps, array)
	}
	total := s.Total
	texts, missed, err := s.Fill(t.Context(), m, gaps, opt)
	if err != nil || len(texts) == 0 || len(missed) > 0 {
		t.Fatalf("generated %d inputs, missed %v, error %v", len(texts), missed, err)
	}
	for _, c := range s.Selected {
		text, generated := texts[c.Input]
		if in := s.Inputs[c.Input]; generated && (in.Digest != DigestOf(text) || c.Reasons[0].Kind != Generated || c.Reasons[0].Unit != m.Units[array].ID) {
			t.Errorf("generated %+v with text %q, reasons %v", in, text, c.Reasons)
		}
	}
	if s.Total != total || len(s.Inputs) != 1+len(texts) {
		t.Errorf("%d inputs cost %v, want %v", len(s.Inputs), s.Total, total)
	}
	if texts, _, err = s.Fill(t.Context(), m, gaps, opt); err != nil || len(texts) > 0 {
		t.Errorf("the same inputs again: %d inputs, error %v", len(texts), err)
	}
}
