package aim

import (
	"cmp"
	"slices"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/targeting"
)

// A Way is a way through the tree of a method to a leaf, as conditions on the
// inputs that take it.
type Way struct {
	Leaf       model.Leaf
	Conditions []targeting.Condition // inputs that take the way satisfy these
	// Stronger are further conditions that all inputs of the training satisfied
	// which took the way: any of them may be what the program really asks for.
	Stronger []targeting.Condition
	// Partial tells that the way asks for something that conditions do not say
	// or say only in part; whether an input takes it shows when it is predicted.
	Partial  bool
	Doubtful bool // no leaf is pure enough, and this is the best
	Outcomes []model.Condition
}

// maxGini is the impurity of leaves that are trusted.
const maxGini = 0.3

// A Guide knows the ways through the trees of a model. It is safe for concurrent
// use.
type Guide struct {
	m            *model.Model
	main, trivia []bool // by occurrence: whether paths can have it
}

// NewGuide returns a guide through the trees of a model.
func NewGuide(m *model.Model) *Guide {
	below := func(trivia bool) []bool {
		out := make([]bool, len(m.Grammar.Nodes))
		for p := range features.NewSpace(m.Grammar, features.Options{Trivia: trivia}).All(1) {
			out[p[0]] = true
		}
		return out
	}
	return &Guide{m, below(false), below(true)}
}

// Ways returns the ways to the leaves that say that a unit is reached, or that
// it is not, the surest first.
func (t *Guide) Ways(unit int, reached bool) []Way { return t.ways(t.m.Leaves(unit), reached) }

// OutcomeWays returns the ways to the leaves that say that a run ends with an
// outcome, or that it does not. There are none if the model knows no such
// outcome.
func (t *Guide) OutcomeWays(outcome string, so bool) []Way {
	i, ok := slices.BinarySearch(t.m.Outcomes, outcome)
	if !ok {
		return nil
	}
	return t.ways(t.m.OutcomeLeaves(i), so)
}

func (t *Guide) ways(leaves []model.Leaf, covered bool) []Way {
	share := func(l model.Leaf) float64 {
		s := float64(l.Positives+1) / float64(l.Rows+2)
		if !covered {
			s = 1 - s
		}
		return s
	}
	slices.SortStableFunc(leaves, func(a, b model.Leaf) int { return cmp.Compare(share(b), share(a)) })
	var out []Way
	for _, l := range leaves {
		if l.Reached == covered && l.Gini() <= maxGini {
			out = append(out, t.way(l))
		}
	}
	if len(out) == 0 && len(leaves) > 0 && share(leaves[0]) > 0 {
		w := t.way(leaves[0])
		w.Doubtful = true
		out = append(out, w)
	}
	return out
}

func (t *Guide) way(l model.Leaf) Way {
	w := Way{Leaf: l}
	for _, test := range l.Conditions {
		switch {
		case test.Feature.Outcome != "":
			w.Outcomes = append(w.Outcomes, test)
			continue
		case test.Feature.Extra != 0:
			w.Partial = w.Partial || !exact(test.Feature.Extra)
			w.Stronger = append(w.Stronger, t.margin(test.Feature.Extra, test.Present)...)
		}
		w.Conditions = append(w.Conditions, t.conditions(*test.Feature, test.Present)...)
		for _, f := range test.Feature.Equal {
			w.Stronger = append(w.Stronger, t.conditions(f, test.Present)...)
		}
	}
	return w
}

// exact reports whether conditions say all of an extra.
func exact(e features.Extra) bool { return e.Kind() == features.Count }

// conditions returns what a feature asks for.
func (t *Guide) conditions(f model.Feature, present bool) []targeting.Condition {
	if f.Extra != 0 {
		return t.extra(f.Extra, present)
	}
	return t.path(f.Path, present)
}

// path returns the conditions that a path is there or is not. A part of a token
// may be both in what the parser sees and in trivia; it is enough if it is in
// one of them.
func (t *Guide) path(p features.Path, present bool) []targeting.Condition {
	var out []targeting.Condition
	for _, trivia := range []bool{false, true} {
		in := t.main
		if trivia {
			in = t.trivia
		}
		if !in[p[0]] {
			continue
		}
		c := targeting.Forbid(p)
		if present {
			c = targeting.Require(p)
		}
		c.Trivia, c.Text = trivia, t.m.Space().Pattern(p)
		out = append(out, c)
		if present {
			break
		}
	}
	return out
}

// extra returns what conditions can say of an extra. Of some it is all, of others
// what inputs need at least to have it, and of the rest it is nothing.
func (t *Guide) extra(e features.Extra, present bool) []targeting.Condition {
	g := t.m.Grammar
	p := e.Path()
	c := targeting.Condition{Min: 1, Max: targeting.Unbounded, Text: e.Describe(t.m.Space())}
	switch {
	case e.Kind() == features.Count && present:
		c.Paths, c.Min, c.Text = []features.Path{p}, e.Bound(), t.m.Space().Pattern(p)
	case e.Kind() == features.Count:
		c.Paths, c.Min, c.Max, c.Text = []features.Path{p}, 0, e.Bound()-1, t.m.Space().Pattern(p)
	case e.Kind() == features.Absent && present:
		c.Paths = []features.Path{p}
	case e.Kind() == features.Absent:
		c.Paths, c.Min, c.Max = []features.Path{p}, 0, 0
	case !present:
		return nil
	case e.Kind() == features.Children:
		c.Paths, c.Min = alike(g, p[0]), e.Bound()
	case e.Kind() == features.Repeated, e.Kind() == features.SameStart, e.Kind() == features.Unsorted:
		c.Paths, c.Min = alike(g, p[0]), 2
	case e.Kind() == features.Length, e.Kind() == features.Digits:
		c.Paths, c.Min = characters(g, p[0]), e.Bound()
	case e.Kind() == features.Large:
		c.Paths, c.Min = characters(g, p[0]), min(e.Bound()+1, 40)
	case e.Kind() == features.Early:
		c.Paths = named(g, p[0])
	case e.Kind() == features.Before, e.Kind() == features.After:
		c.Paths, c.Trivia = []features.Path{p[:1]}, true
	default:
		return nil
	}
	if len(c.Paths) == 0 {
		return nil
	}
	return []targeting.Condition{c}
}

// margin returns what keeps an input away from a bound. Bounds are known only as
// well as the inputs of the training came near them.
func (t *Guide) margin(e features.Extra, present bool) []targeting.Condition {
	conditions := t.extra(e, present)
	switch e.Kind() {
	case features.Length, features.Digits, features.Large:
		for i := range conditions {
			conditions[i].Min += 2 + conditions[i].Min/4
		}
		return conditions
	default:
		return nil
	}
}

// alike returns the occurrences of a symbol in its rule.
func alike(g *grammars.Grammar, o grammars.Occurrence) []features.Path {
	var out []features.Path
	for _, n := range g.Nodes {
		if n.Rule == g.Nodes[o].Rule && n.Text == g.Nodes[o].Text && n.Kind.Symbolic() {
			out = append(out, features.Path{n.ID})
		}
	}
	return out
}

// named returns the occurrences of a symbol in the grammar.
func named(g *grammars.Grammar, o grammars.Occurrence) []features.Path {
	var out []features.Path
	for _, n := range g.Nodes {
		if n.Text == g.Nodes[o].Text && n.Kind.Symbolic() {
			out = append(out, features.Path{n.ID})
		}
	}
	return out
}

// maxCharacterPaths limits the paths from a token down to its characters.
const maxCharacterPaths = 2000

// characters returns the paths from a token down to its characters. Its length
// is, as far as they are not too many, how often they are there.
func characters(g *grammars.Grammar, o grammars.Occurrence) []features.Path {
	var out []features.Path
	for round := []features.Path{{o}}; len(round) > 0; {
		var longer []features.Path
		for _, p := range round {
			for _, n := range targeting.Below(g.Nodes[p[len(p)-1]]) {
				q := append(slices.Clip(p), n.ID)
				switch {
				case n.Kind == grammars.CharSet || n.Kind == grammars.Literal:
					out = append(out, q)
				case len(q) < features.MaxK && len(out)+len(longer) < maxCharacterPaths:
					longer = append(longer, q)
				}
			}
		}
		round = longer
	}
	return out
}
