package model

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/inroad/inroad/grammars/parallel"
	"github.com/inroad/inroad/model/dtree"
	"github.com/inroad/inroad/model/observation"
)

// A cancelling learner ends its context in the first tree, as a user does who does
// not want to wait for a slow one.
type cancelling struct {
	cancel context.CancelFunc
	trees  *int
}

func (c cancelling) Learn(dtree.Bits, *rand.Rand) (dtree.Tree, error) {
	*c.trees++
	c.cancel()
	return dtree.Tree{{Column: -1}}, nil
}

// Training stops after the tree in which its context ends.
func TestCancelBetweenTrees(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	trees := 0
	opt := Options{Learner: Learner{Name: "cancelling", New: func(*dtree.Table, []int32, dtree.Options) TreeLearner {
		return cancelling{cancel, &trees}
	}}}
	_, err := Train(ctx, "", jsonSources(t), observation.Header{}, observe(1, 100), opt)
	if !errors.Is(err, context.Canceled) || trees != 1 {
		t.Errorf("got error %v after %d trees, want %v after 1", err, trees, context.Canceled)
	}
}

// A worker that panics does not end the process: the caller of Train may recover.
func TestPanicInWorker(t *testing.T) {
	opt := Options{Workers: 2, Learner: Learner{Name: "panicking", New: func(*dtree.Table, []int32, dtree.Options) TreeLearner {
		panic("oh")
	}}}
	defer func() {
		if p, ok := recover().(*parallel.PanicError); !ok || p.Value != "oh" {
			t.Errorf("got %v", p)
		}
	}()
	_, err := Train(t.Context(), "", jsonSources(t), observation.Header{}, observe(1, 100), opt)
	t.Errorf("got %v, want a panic", err)
}
