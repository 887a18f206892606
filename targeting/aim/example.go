package aim

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/targeting"
)

// Limits on the paths of an example that inputs should have.
const (
	contextLength = 2  // symbols of a path
	maxPaths      = 12 // paths of each example
	maxContext    = 64 // combinations of path counts that the solver tracks; more take too long
)

// examples are the example inputs of a model. They are read when they are first needed.
type examples struct {
	once  sync.Once
	model *model.Model
	space *features.Space
	all   []example
	count map[uint64]int // of the examples with a path, by ID
}

// An example is an example input of a model with its paths, by ID.
type example struct {
	*model.Example
	paths map[uint64]features.Path
}

func newExamples(m *model.Model) *examples {
	return &examples{model: m, space: features.NewSpace(m.Grammar, features.Options{})}
}

func (x *examples) read() {
	x.count = map[uint64]int{}
	kept := x.model.Examples()
	for i := range kept {
		paths, err := x.pathsOf(kept[i].Tree)
		if err != nil { // tokens that take too long to parse have no paths
			continue
		}
		for id := range paths {
			x.count[id]++
		}
		x.all = append(x.all, example{&kept[i], paths})
	}
}

// pathsOf returns the paths of a tree, by ID.
func (x *examples) pathsOf(tree *derivation.Tree) (map[uint64]features.Path, error) {
	out := map[uint64]features.Path{}
	err := x.space.Locate(tree, contextLength, func(id uint64, p features.Path) {
		if out[id] == nil {
			out[id] = slices.Clone(p)
		}
	})
	return out, err
}

// in returns the examples that fall into all the leaves and whose forecast is wanted.
func (x *examples) in(leaves []*model.Leaf, wanted func(forecast) bool) []*example {
	x.once.Do(x.read)
	var out []*example
	for i := range x.all {
		e := &x.all[i]
		if !slices.ContainsFunc(leaves, func(l *model.Leaf) bool { return !e.In(l) }) && wanted(forecast{e.Outcomes, e.Prediction}) {
			out = append(out, e)
		}
	}
	return out
}

// context returns conditions that require the paths of an example that distinguish a
// group of examples from the others. A path that is frequent in the group and rare
// elsewhere comes first: paths are ranked by share × log(share / base), for their shares
// in the group and in all examples.
func (x *examples) context(e *example, group []*example) []targeting.Condition {
	type scored struct {
		path  features.Path
		score float64
	}
	var paths []scored
	for id, p := range e.paths {
		n := 0
		for _, o := range group {
			if _, ok := o.paths[id]; ok {
				n++
			}
		}
		share := float64(n) / float64(len(group))
		base := float64(x.count[id]) / float64(len(x.all))
		score := share * math.Log(share/base)
		if score > 0 {
			paths = append(paths, scored{p, score})
		}
	}
	slices.SortFunc(paths, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), len(b.path)-len(a.path), features.Compare(a.path, b.path))
	})
	var out []targeting.Condition
	for _, p := range paths[:min(len(paths), maxPaths)] {
		out = append(out, targeting.Require(p.path))
	}
	return out
}

// findExamples finds the examples of plans, and moves plans to the end if no example is
// in all their leaves.
func (s *search) findExamples(plans []plan) {
	if s.opt.Steps > 0 {
		return
	}
	for i := range plans {
		p := &plans[i]
		if p.tier == improbable { // examples in its leaf do not reach the unit
			continue
		}
		p.examples = s.examples.in(p.leaves, func(f forecast) bool { return s.follows(f, *p) })
		p.unseen = len(p.examples) == 0
		if p.unseen {
			anyOutcome := *p
			anyOutcome.tier = max(p.tier, refused)
			p.examples = s.examples.in(p.leaves[:1], func(f forecast) bool { return s.follows(f, anyOutcome) })
		}
	}
	slices.SortStableFunc(plans, func(a, b plan) int {
		switch {
		case a.unseen == b.unseen:
			return 0
		case b.unseen:
			return -1
		default:
			return 1
		}
	})
}

// forExamples returns the route for each of the first examples of its plan, or the route
// itself if there are none.
func (r route) forExamples(most int) []route {
	out := []route{r}
	for i, e := range r.plan.examples[:min(len(r.plan.examples), most)] {
		r.example = e
		out = append(out[:i], r)
	}
	return out
}
