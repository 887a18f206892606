package model

import (
	"fmt"
	"math/rand/v2"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/dtree"
)

// Options say how a model is learned. Begin with [Defaults]: numbers that are
// zero mean the default, but no extras means none.
type Options struct {
	K        int // the longest paths that count
	Trivia   bool
	Extras   features.Kinds // what counts beyond paths
	Margin   float64        // by how much an extra must be better than a path to be asked for
	MaxDepth int            // questions below each other in a tree
	MinLeaf  int            // observations in a leaf; 0 for 2, but 1 for methods that few observations reach or miss
	Balance  dtree.Balance
	Outcome  bool // methods are learned without regard to the outcome
	Folds    int  // parts that are held out in turn to see how good the answers are; 1 for none
	Inputs   int  // how many inputs the model keeps, to compare it with others
	Seed     uint64
	Learner  Learner

	// What follows does not change the model.
	Workers int // at the same time; 1 if 0
	Limits  grammars.Limits
	// Progress is told how many of the trees are grown, each time that there are
	// more and by one goroutine at a time; it may be nil.
	Progress func(done, total int)
}

// Defaults returns the options that are used unless others are given. Which
// ones they are was measured on programs, see docs/models.md.
func Defaults() Options {
	return Options{
		K: 4, Trivia: true, Outcome: true, MaxDepth: 5, Balance: dtree.Sqrt, Folds: 5, Inputs: 256, Seed: 1, Margin: 0.1,
		Extras: features.Of(
			features.Repeated, features.SameStart,
			features.Length, features.Wide, features.Digits, features.Large, features.Small,
			features.Children, features.Absent, features.Count, features.Before, features.After,
			features.Unsorted, features.Code, features.Early),
	}
}

// A Learner grows the trees. The zero Learner is the one of package dtree.
type Learner struct {
	Name string
	New  func(t *dtree.Table, rows []int32, opt dtree.Options) TreeLearner
}

// A TreeLearner grows a tree for the rows with a label. One goroutine uses it at
// a time.
type TreeLearner interface {
	Learn(labels dtree.Bits, r *rand.Rand) (dtree.Tree, error)
}

// native is the learner of package dtree, which does not fail.
type nativeLearner struct{ *dtree.Learner }

func newNativeLearner(t *dtree.Table, rows []int32, opt dtree.Options) TreeLearner {
	return nativeLearner{dtree.NewLearner(t, rows, opt)}
}

func (n nativeLearner) Learn(labels dtree.Bits, r *rand.Rand) (dtree.Tree, error) {
	return n.Learner.Learn(labels, r), nil
}

// Bounds of the options.
const (
	maxMaxDepth = 20
	maxFolds    = 100
	maxInputs   = 10_000
)

func (opt Options) withDefaults() Options {
	def := Defaults()
	opt.K = or(opt.K, def.K)
	opt.MaxDepth = or(opt.MaxDepth, def.MaxDepth)
	opt.Folds = or(opt.Folds, def.Folds)
	opt.Workers = or(opt.Workers, 1)
	if opt.Learner.New == nil {
		opt.Learner = Learner{"native", newNativeLearner}
	}
	return opt
}

func or(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

// An OptionError tells that an option is out of its bounds.
type OptionError struct {
	Option      string
	Value       any
	Least, Most int
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("%s %v: it is from %d to %d", e.Option, e.Value, e.Least, e.Most)
}

func (opt Options) check() error {
	for _, o := range []struct {
		name               string
		value, least, most int
	}{
		{"k", opt.K, 1, features.MaxK},
		{"max-depth", opt.MaxDepth, 1, maxMaxDepth},
		{"min-leaf", opt.MinLeaf, 0, 1 << 30},
		{"folds", opt.Folds, 1, maxFolds},
		{"keep-inputs", opt.Inputs, 0, maxInputs},
	} {
		if o.value < o.least || o.value > o.most {
			return &OptionError{o.name, o.value, o.least, o.most}
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
