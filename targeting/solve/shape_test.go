package solve

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/grammars/refine"
)

// TestLargeGrammars checks the least costs of grammars with many rules, for which
// the time would be quadratic if each rule were measured anew when another one is.
func TestLargeGrammars(t *testing.T) {
	const n = 2000
	rules := func(head, format, tail string) string {
		var b strings.Builder
		b.WriteString(head)
		for i := range n {
			fmt.Fprintf(&b, format, i, i+1)
		}
		return b.String() + tail
	}
	for name, test := range map[string]struct {
		grammar string
		trivia  bool
		nodes   int32 // the least number of symbols
		chars   int32 // the least number of characters
	}{
		"a sequence of rules, each of the one before": {
			rules("grammar g; s : ", "r%[1]d ", fmt.Sprintf("r%d ;", n)+rules("r0 : 'yy' ;", "r%[2]d : 'xx' | r%[1]d ;", "")),
			false, 2 * (n + 1), 2 * (n + 1),
		},
		"many kinds of trivia": {rules("grammar g; s : 'x' ;", "T%d : '<%[1]d>' -> skip ;", ""), true, 2, 3},
	} {
		t.Run(name, func(t *testing.T) {
			g := grammartest.Load(t, test.grammar)
			graph := refine.Of(g, g.Start).Graph()
			body := graph.Start
			if test.trivia {
				body = graph.Trivia
			}
			least := func(weigh func(*refine.Body, *refine.Part) int32) int32 {
				s := newShape(g, graph, body, weigh)
				return s.freeCost[s.whole]
			}
			if got := least(func(*refine.Body, *refine.Part) int32 { return 1 }); got != test.nodes {
				t.Errorf("%d symbols, want %d", got, test.nodes)
			}
			if got := least(newCharCost(g).weigh); got != charWeight*test.chars+test.nodes {
				t.Errorf("cost %d, want that of %d characters and %d symbols", got, test.chars, test.nodes)
			}
		})
	}
}
