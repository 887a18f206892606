package observation_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/model/observation"
)

// TestOutcomeGroups groups by outcome, type and stack, but not by numbers in messages.
func TestOutcomeGroups(t *testing.T) {
	fail := func(outcome observation.Outcome, input, kind, message, stack string) observation.Observation {
		return observation.Observation{Input: []byte(input), Outcome: outcome, Failure: &observation.Failure{Type: kind, Message: message, Stack: stack}}
	}
	all := []observation.Observation{
		{Input: []byte("fine"), Outcome: observation.OK},
		fail(observation.Failed, "ab", "Syntax", "at 1", ""),
		fail(observation.Failed, "b", "Syntax", "at 0", ""),
		fail(observation.Failed, "a", "Syntax", "at 9", ""),
		{Input: []byte("slow"), Outcome: observation.TimedOut},
		fail(observation.Crashed, "long", "panic", "index", "s1"),
		fail(observation.Crashed, "x", "panic", "index", "s2"),
		fail(observation.Crashed, "y", "panic", "nil", "s2"),
	}
	want := []string{`crash 2 panic index s2 "x"`, `crash 1 panic index s1 "long"`, `timeout 1    "slow"`, `failure 3 Syntax at 9  "a"`}
	for range 2 {
		var groups observation.OutcomeGroups
		for _, o := range all {
			groups.Add(o)
		}
		var got []string
		for _, g := range groups.All() {
			f := g.Failure()
			got = append(got, fmt.Sprintf("%s %d %s %s %s %q", g.Example.Outcome, g.Count, f.Type, f.Message, f.Stack, g.Example.Input))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		slices.Reverse(all) // the order has no influence
	}
}
