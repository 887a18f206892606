package model

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/dtree"
)

// Options configure training. Start from [Defaults]: zero numbers select the
// default, but zero Extras means none.
type Options struct {
	K           int            // maximum path length
	Trivia      bool           // extract the paths of skipped tokens, such as white space, too
	Extras      features.Kinds // feature kinds in addition to paths
	Margin      float64        // relative gain by which an extra feature must beat the best path
	MaxDepth    int            // maximum number of tests on a way; cross-validation chooses the depth of each tree
	MinLeaf     int            // minimum observations in a leaf; 0 means 2, or 1 for methods with few observations of either class
	Balance     dtree.Balance
	Outcome     bool // use the predicted outcome as a feature of methods; outcomes are predicted in any case
	Refusals    bool // learn constructs that the program refuses
	Regressions bool // let regressions overrule trees, where cross-validation prefers them
	Folds       int  // cross-validation folds; 1 disables cross-validation
	Inputs      int  // number of inputs kept in the model for comparisons
	// Sample is the number of observations to learn from if there are more; 0 means all
	// of them. The sample has up to 100 observations of each method and outcome in
	// addition.
	Sample  int
	Seed    uint64
	Learner Learner

	// The following options do not affect the model.
	Workers int // goroutines; 0 means 1
	Limits  grammars.Limits
	// Memory is the number of bytes beyond which training data is kept in scratch
	// files; 0 means that there is no limit.
	Memory  int64
	Scratch Scratch // creates scratch files; nil if there are none
	Shards  Shards  // shares the training with other processes; nil if there are none
	// Progress, if not nil, is called whenever trees are complete, by one
	// goroutine at a time.
	Progress func(done, total int)
}

// Defaults returns the default options. docs/evaluation/learning.md explains how
// they were chosen.
func Defaults() Options {
	return Options{
		K: 4, Trivia: true, Outcome: true, Refusals: true, Regressions: true, MaxDepth: 12, Balance: dtree.Sqrt, Folds: 5, Inputs: 256, Seed: 1, Margin: 0.1,
		Extras: features.AllKinds(),
	}
}

// A Learner creates tree learners. The zero Learner uses package dtree.
type Learner struct {
	Name     string
	InMemory bool // it needs tables in memory
	New      func(t *dtree.Table, rows []int32, opt dtree.Options) TreeLearner
}

// A TreeLearner grows a tree that separates the labelled rows from the others.
// It is used by one goroutine at a time.
type TreeLearner interface {
	Learn(labels dtree.Bits, r *rand.Rand) (dtree.Tree, error)
}

// nativeLearner adapts [dtree.Learner], which cannot fail.
type nativeLearner struct{ *dtree.Learner }

func newNativeLearner(t *dtree.Table, rows []int32, opt dtree.Options) TreeLearner {
	return nativeLearner{dtree.NewLearner(t, rows, opt)}
}

func (n nativeLearner) Learn(labels dtree.Bits, r *rand.Rand) (dtree.Tree, error) {
	return n.Learner.Learn(labels, r), n.Err()
}

// Upper limits of options.
const (
	maxMaxDepth = 20
	maxFolds    = 100
	maxInputs   = 10_000
	maxSample   = 1_000_000_000
)

func (opt Options) withDefaults() Options {
	def := Defaults()
	opt.K = cmp.Or(opt.K, def.K)
	opt.MaxDepth = cmp.Or(opt.MaxDepth, def.MaxDepth)
	opt.Folds = cmp.Or(opt.Folds, def.Folds)
	opt.Workers = cmp.Or(opt.Workers, 1)
	if opt.Learner.New == nil {
		opt.Learner = Learner{Name: "native", New: newNativeLearner}
	}
	return opt
}

// An OptionError reports an option that is out of range.
type OptionError struct {
	Option   string
	Value    any
	Min, Max int
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("%s %v: must be between %d and %d", e.Option, e.Value, e.Min, e.Max)
}

func (opt Options) check() error {
	for _, o := range []struct {
		name            string
		value, min, max int
	}{
		{"k", opt.K, 1, features.MaxK},
		{"max-depth", opt.MaxDepth, 1, maxMaxDepth},
		{"min-leaf", opt.MinLeaf, 0, 1 << 30},
		{"folds", opt.Folds, 1, maxFolds},
		{"keep-inputs", opt.Inputs, 0, maxInputs},
		{"sample", opt.Sample, 0, maxSample},
	} {
		if o.value < o.min || o.value > o.max {
			return &OptionError{o.name, o.value, o.min, o.max}
		}
	}
	if !(opt.Margin >= 0 && opt.Margin <= 100) {
		return &OptionError{"margin", opt.Margin, 0, 100}
	}
	return nil
}

func (opt Options) tree() dtree.Options {
	return dtree.Options{MaxDepth: opt.MaxDepth, MinLeaf: opt.MinLeaf, Balance: opt.Balance, Margin: opt.Margin}
}
