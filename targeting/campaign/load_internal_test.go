package campaign

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inroad/inroad/grammars/grammartest"
)

// A slowContext takes a minute of the test's clock each time that a parse looks at it, as
// on a machine with too much to do.
type slowContext struct{ context.Context }

func (c slowContext) Err() error {
	time.Sleep(time.Minute)
	return c.Context.Err()
}

// Whether an input is in the grammar does not depend on the time that its parse takes:
// the same campaign must have the same inputs on a busy machine.
func TestParseIgnoresTime(t *testing.T) {
	g := grammartest.Load(t, worked)
	for name, c := range map[string]struct {
		input  string
		inside bool
	}{
		"inside":  {"1" + strings.Repeat("+(2*3)", 2000), true},
		"outside": {"1" + strings.Repeat("+(2*3)", 2000) + "+", false},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			tree, err := parse(slowContext{context.Background()}, g, g.Start, []byte(c.input))
			if err != nil || (tree != nil) != c.inside {
				t.Errorf("%s: tree %t, error %v", name, tree != nil, err)
			}
			if took := time.Since(began); took < time.Minute || took > time.Hour {
				t.Errorf("%s: the parse took %v, so that it shows nothing", name, took)
			}
		})
	}
}
