package main

import (
	"strings"
	"testing"
	"time"
)

func TestTable(t *testing.T) {
	complete := &row{
		unit: unit{Name: "a"}, Nodes: 9, Example: &examples{Tried: 2, Parsed: 2}, Random: &random{Inputs: 200, Draws: 250, Distinct: 200, Seconds: 1},
		Cover: &cover{Paths: 10, Covered: 9, Impossible: 1, Excluded: 2, Seconds: 0.5}, ANTLR: &verdict{Checked: 210, Accepted: 210, Random: 200},
	}
	stopped := &row{unit: unit{Name: "b|c"}, Nodes: 9, Random: &random{}, Stopped: []string{"random: too much memory"}}
	var out strings.Builder
	opt := &options{task: task{Want: 200, Tokens: 200, K: 2, Limit: 10 * time.Second}}
	if err := writeTable(&out, []*row{complete, stopped}, opt); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| load | 2 | 100.0 % |",
		"| give them, and the ANTLR tool accepts all | 1 | 50.0 % |",
		"| give random inputs and throw less than 30 % of the draws away | 1 | 50.0 % |",
		"| have all paths of length 2 covered or proved impossible | 1 | 50.0 % |",
		"| a | 2 of 2 | 200 | 20.0 % | 1.0 | 9 of 12 | 3 | 0 | 0.5 | 210 of 210 |  |",
		"|  | 0 | 100.0 % | 0.0 |  |  |  |  |  | random: too much memory |",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no line %q in\n%s", want, out.String())
		}
	}
}
