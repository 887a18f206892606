package campaign_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/campaign"
)

// A vault refuses inputs with a sign, and opens for a quotient inside three parentheses.
type vault struct{ opened int }

func (v *vault) Run(_ context.Context, input []byte) (observation.Observation, error) {
	o := observation.Observation{Input: input, Methods: []string{"read"}, Outcome: observation.OK}
	if bytes.Contains(input, []byte("-")) {
		o.Outcome, o.Failure = observation.Failed, &observation.Failure{Type: "refused"}
		return o, nil
	}
	if bytes.Contains(input, []byte("(((")) && bytes.Contains(input, []byte("/")) {
		v.opened++
		o.Methods = append([]string{"open"}, o.Methods...)
	}
	return o, nil
}

// Guided inputs reach a rare unit more often than random ones.
func TestGuidedAims(t *testing.T) {
	g := grammartest.Load(t, arithmetic)
	opened := map[campaign.Algorithm]int{}
	aims := map[string]bool{}
	for _, a := range []campaign.Algorithm{campaign.Guided, campaign.Random} {
		opt := options(a, 600)
		opt.Units = []observation.Unit{{ID: "open"}, {ID: "read"}}
		v, c := &vault{}, start(t, g, opt)
		err := campaign.Run(t.Context(), c, []campaign.Runner{v}, memory{}, func(observation.Observation, bool) {
			aim, _, _ := strings.Cut(c.Status().Aim, " ")
			aims[aim] = true
		})
		if err != nil {
			t.Fatal(err)
		}
		opened[a] = v.opened
	}
	if opened[campaign.Guided] < 2*opened[campaign.Random] || opened[campaign.Guided] < 20 {
		t.Errorf("%d guided inputs reach the rare unit and %d random ones; want at least twice as many", opened[campaign.Guided], opened[campaign.Random])
	}
	for _, aim := range []string{"exploring", "mutating", "corrupting", "aiming"} {
		if !aims[aim] {
			t.Errorf("no input is made by %s: %v", aim, aims)
		}
	}
}

// Where the program reports no units, inputs are made without a model.
func TestGuidedWithoutUnits(t *testing.T) {
	g := grammartest.Load(t, arithmetic)
	opt := options(campaign.Guided, 300)
	opt.Units = nil
	c := start(t, g, opt)
	if err := campaign.Run(t.Context(), c, []campaign.Runner{silent{}}, memory{}, nil); err != nil {
		t.Fatal(err)
	}
	if s := c.Status(); s.Runs != 300 || s.Reached != 0 {
		t.Errorf("got status %+v, want 300 runs", s)
	}
}

type silent struct{}

func (silent) Run(_ context.Context, input []byte) (observation.Observation, error) {
	return observation.Observation{Input: input, Outcome: observation.OK}, nil
}
