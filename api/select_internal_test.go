package api

import (
	"errors"
	"testing"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars/limit"
)

// TestSelectCorpusLimit ends a corpus that never ends.
func TestSelectCorpusLimit(t *testing.T) {
	in := openapi.SelectInput{Path: "a", Input: new("[]")}
	endless := func(yield func(openapi.SelectInput, error) bool) {
		for yield(in, nil) {
		}
	}
	n := 0
	for _, err := range newSelectCorpus(nil).items(endless) {
		if reached, ok := errors.AsType[*limit.Error](err); ok && n == maxCorpus && reached.What == "inputs of a selection" {
			return
		}
		if n++; err != nil || n > maxCorpus {
			t.Fatalf("input %d: error %v, want a limit of %d inputs", n, err, maxCorpus)
		}
	}
	t.Errorf("ended after %d inputs without an error", n)
}

// TestSelectGoal says how defaults depend on other fields.
func TestSelectGoal(t *testing.T) {
	for _, c := range []struct {
		name string
		req  openapi.SelectRequest
		want float64
	}{
		{"nothing", openapi.SelectRequest{}, 1},
		{"a recall", openapi.SelectRequest{Recall: 0.5, Max: 3}, 0.5},
		{"a budget", openapi.SelectRequest{BudgetMs: 10}, 1},
		{"a maximum", openapi.SelectRequest{Max: 3}, 1},
	} {
		c.req.Model = "m"
		opt, err := selectOptions(&c.req)
		if err != nil || opt.Goal.Recall != c.want || opt.Sample != 0.01 || opt.MinRecall != 0.5 || opt.Seed != 1 {
			t.Errorf("%s: options %+v, %v; want a recall of %v", c.name, opt, err, c.want)
		}
	}
}
