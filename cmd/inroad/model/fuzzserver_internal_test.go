package model

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// A campaign at a service has the parameters that the flags name.
func TestCampaignRequest(t *testing.T) {
	c := &fuzzCommand{grammar: "json"}
	c.goals = goalFlags{Goal: "runtime", Ignore: []string{"mappings"}, Population: 7, TrainOn: 200, Effort: 2}
	c.end = fuzzLimits{N: 10, Generations: 9, Patience: 8}
	c.evolution = evolutionFlags{Elitism: 0.5, Tournaments: 3, TournamentSize: 4, Mutations: 5, Lambda: 6}
	c.loop = loopFlags{Seeds: 11, Calibration: 12, MaxMappings: 13, MappingDepth: 4, Flipped: 0.25, Pareto: true, SizeWeight: -2, Novelty: 3}
	req, err := c.campaignRequest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fields := func(of any) map[string]any {
		text, err := json.Marshal(of)
		if err != nil {
			t.Fatal(err)
		}
		var out map[string]any
		if err := json.Unmarshal(text, &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	got := fields(req.Options)
	for _, flags := range []any{c.goals, c.end, c.evolution, c.loop} {
		for name, want := range fields(flags) {
			if name != "for_ms" && !reflect.DeepEqual(got[name], want) {
				t.Errorf("%s is %v, want %v", name, got[name], want)
			}
		}
	}
}

// A base input that JSON cannot have is refused, not changed.
func TestCampaignBaseInput(t *testing.T) {
	for text, valid := range map[string]bool{"": true, "[1]": true, "\xff": false} {
		c := &fuzzCommand{grammar: "json"}
		c.evolution.base = put(t, t.TempDir(), "base", text)
		req, err := c.campaignRequest(t.Context())
		switch {
		case valid && (err != nil || *req.Options.BaseInput != text):
			t.Errorf("%q becomes %v, error %v", text, req.Options.BaseInput, err)
		case !valid && (err == nil || !strings.Contains(err.Error(), "must be UTF-8 with --server")):
			t.Errorf("%q: error %v", text, err)
		}
	}
}
