//go:build nogolearn

package golearn

import "github.com/inroad/inroad/model/dtree"

// Available reports whether this build contains the library.
const Available = false

func (*Learner) fit(_, _ []int32, _ dtree.Bits) (dtree.Tree, error) { return nil, ErrNotBuilt }
