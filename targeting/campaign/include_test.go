package campaign_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/campaign"
)

// observed returns the observation of an input by the calculator.
func observed(t *testing.T, name, input string) observation.Observation {
	t.Helper()
	o, err := new(calculator).Run(t.Context(), []byte(input))
	if err != nil {
		t.Fatal(err)
	}
	o.Name = name
	return o
}

// Included inputs count like others, also outside the grammar. They change the inputs of
// algorithms that learn, and are not asked for again.
func TestInclude(t *testing.T) {
	const inside, outside = "(((((7/0-1)*2+3)/0)))+(((8/0-9)*9)/0)", "no /0 expression"
	g := grammartest.Load(t, arithmetic)
	for _, a := range campaign.Algorithms() {
		t.Run(string(a), func(t *testing.T) {
			const runs = 150
			opt := options(a, runs)
			opt.Guided.Round = 5 // so that what is included is new
			alone := drive(t, start(t, g, opt), 10, 1)
			c := start(t, g, opt)
			if c.Knows([]byte(inside)) {
				t.Error("an input is known before it is included")
			}
			for range 2 { // the second time they are known
				c.Include(observed(t, "one", inside))
				c.Include(observed(t, "two", outside))
			}
			if s := c.Status(); s.Runs != 2 || s.Included != 2 || s.Reached != 6 || s.Failures != 1 || !c.Knows([]byte(outside)) {
				t.Errorf("after two inputs were included: %+v", s)
			}
			got := drive(t, c, 10, 1)
			if len(got) != runs || c.Status().Runs != runs+2 || slices.Contains(got, inside) || slices.Contains(got, outside) {
				t.Errorf("%d inputs, status %+v; want %d inputs that were not included", len(got), c.Status(), runs)
			}
			learns := a == campaign.Guided || a == campaign.EvoGFuzz || a == campaign.FDLoop
			if learns == cmp.Equal(alone, got) {
				t.Errorf("included inputs change others: got %v, want %v", !learns, learns)
			}
			var included []string
			for _, f := range c.Findings() {
				if f.Included {
					included = append(included, string(f.Text))
				}
			}
			if len(included) == 0 {
				t.Error("no included input is a finding")
			}
			again := start(t, g, opt)
			again.Include(observed(t, "one", inside))
			again.Include(observed(t, "two", outside))
			if diff := cmp.Diff(got, drive(t, again, 1, 2)); diff != "" {
				t.Errorf("the same included inputs change the inputs:\n%s", diff)
			}
		})
	}
}

// ordered is a log that records in which order observations were appended.
type ordered struct {
	lines  []observation.Observation
	known  map[string]observation.Observation
	looked map[string]bool
}

// continued returns the log of a campaign that was killed after some observations, and
// the past of its extra inputs.
func continued(lines []observation.Observation) (*ordered, []campaign.Past) {
	m := &ordered{slices.Clone(lines), map[string]observation.Observation{}, map[string]bool{}}
	var past []campaign.Past
	asked := 0
	for _, o := range lines {
		m.known[string(o.Input)] = o
		if o.Name != "" {
			past = append(past, campaign.Past{Observation: o, After: asked})
		} else {
			asked++
		}
	}
	return m, past
}

func (m *ordered) Lookup(input []byte) (observation.Observation, bool) {
	o, ok := m.known[string(input)]
	if ok && o.Name == "" {
		m.looked[string(input)] = true
	}
	return o, ok
}

func (m *ordered) Append(o observation.Observation) error {
	m.lines = append(m.lines, o)
	return nil
}

// A campaign with extra inputs that was killed at any moment asks for the same inputs
// again, so that no observation of its log is lost, and runs no extra input again.
func TestContinueWithExtras(t *testing.T) {
	const runs = 120
	g := grammartest.Load(t, arithmetic)
	all := []string{"7777/0", "((1234))-2345", "not in the grammar", "987*987*987", "-(-(-(-4444)))", "1111+2222+3333", "also outside /0/0", "8888-777-6666"}
	run := func(a campaign.Algorithm, lines []observation.Observation) *ordered {
		m, past := continued(lines)
		inputs, done := make(chan campaign.Extra), make(chan struct{})
		go func() {
			for i := 0; ; i = (i + 1) % len(all) { // they are offered again and again
				select {
				case inputs <- campaign.Extra{Name: "extra", Text: []byte(all[i])}:
				case <-done:
					return
				}
			}
		}()
		defer close(done)
		c := start(t, g, options(a, runs))
		err := campaign.RunWith(t.Context(), c, []campaign.Runner{&calculator{}, &calculator{}}, m, nil, campaign.Extras{Past: past, Inputs: inputs})
		if err != nil {
			t.Fatal(err)
		}
		if s := c.Status(); s.Runs != len(m.lines) || s.Runs-s.Included != runs {
			t.Errorf("%s: %d runs, %d of extra inputs; the log has %d; want %d others", a, s.Runs, s.Included, len(m.lines), runs)
		}
		return m
	}
	for _, a := range []campaign.Algorithm{campaign.Random, campaign.EvoGFuzz, campaign.FDLoop, campaign.Guided} {
		whole := run(a, nil)
		if len(whole.lines) == runs {
			t.Fatalf("%s: no extra input was run", a)
		}
		for _, kept := range []int{1, 7, 60, 61, 100, len(whole.lines)} {
			m := run(a, whole.lines[:kept])
			texts := map[string]bool{}
			for _, o := range whole.lines[:kept] {
				if o.Name == "" && !m.looked[string(o.Input)] {
					t.Errorf("%s: killed after %d runs: the observation of %q is lost", a, kept, o.Input)
				}
			}
			for _, o := range m.lines {
				if texts[string(o.Input)] {
					t.Errorf("%s: killed after %d runs: %q is run twice", a, kept, o.Input)
				}
				texts[string(o.Input)] = true
			}
		}
	}
}

// Nearly every input reaches its own set of blocks. With counts, such a set is not worth
// keeping; without them, it is all that tells inputs apart.
func TestFinderSets(t *testing.T) {
	for name, c := range map[string]struct {
		counts []int // of a run that reaches one, two and three units
		want   []bool
	}{
		"counted":                {[]int{1, 1, 1}, []bool{true, true, true, false, false}},
		"about as often":         {[]int{2, 2, 2}, []bool{true, true, true, false, false}},
		"executions are unknown": {nil, []bool{true, true, true, true, false}},
	} {
		var f campaign.Finder
		for i, methods := range [][]string{{"a"}, {"a", "b"}, {"a", "b", "c"}, {"a", "c"}, {"a", "c"}} {
			o := observation.Observation{Input: []byte{byte(i)}, Methods: methods, Outcome: observation.OK}
			if c.counts != nil {
				o.Counts = c.counts[:len(methods)]
			}
			if _, got := f.Add(o); got != c.want[i] {
				t.Errorf("%s: an input that reaches %v is worth keeping: %t, want %t", name, methods, got, c.want[i])
			}
		}
	}
	var f campaign.Finder
	for i, count := range []int{1, 2, 3, 4, 7, 8} {
		o := observation.Observation{Input: []byte{byte(i)}, Methods: []string{"a"}, Counts: []int{count}, Outcome: observation.OK}
		if _, got := f.Add(o); got != (count&(count-1) == 0) {
			t.Errorf("%d executions are worth keeping: %t", count, got)
		}
	}
}
