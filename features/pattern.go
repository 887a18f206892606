package features

import (
	"slices"
	"strings"

	"github.com/inroad/inroad/grammars"
)

// Pattern returns paths as a partial input. It expands the alternative that
// contains the first symbol along the path, and keeps everything beside the
// path as in the grammar. Literals are quoted. Paths that start in the same
// alternative share a pattern; the patterns are separated by semicolons.
func (s *Space) Pattern(paths ...Path) string { return strings.Join(s.Patterns(paths...), "; ") }

// Patterns returns the patterns that [Space.Pattern] joins.
func (s *Space) Patterns(paths ...Path) []string {
	var tops []*grammars.Node
	below := map[*grammars.Node][]Path{}
	for _, path := range paths {
		top := s.alternative(path[0])
		if below[top] == nil {
			tops = append(tops, top)
		}
		below[top] = append(below[top], path)
	}
	var out []string
	for _, top := range tops {
		out = append(out, along(below[top]).write(top))
	}
	return out
}

// alternative returns the alternative that contains an occurrence.
func (s *Space) alternative(o grammars.Occurrence) *grammars.Node {
	n := s.grammar.Nodes[o]
	if n.Rule == nil {
		return n
	}
	root := s.grammar.Nodes[n.Rule.Root]
	if root.Kind != grammars.Alternation {
		return root
	}
	for _, alt := range root.Children {
		if holds(alt, n) {
			return alt
		}
	}
	return root
}

// holds reports whether a node is part of a construct of its rule.
func holds(in, n *grammars.Node) bool {
	if in == n {
		return true
	}
	return !in.Kind.Symbolic() && slices.ContainsFunc(in.Children, func(c *grammars.Node) bool { return holds(c, n) })
}

// Describe returns a construct of a rule as in the grammar, but does not distinguish
// non-greedy repetitions.
func Describe(n *grammars.Node) string { return along(nil).write(n) }

// along holds the paths that a pattern follows. Each starts with a symbol of
// the rule being written.
type along []Path

// write returns a construct of the rule as text.
func (a along) write(n *grammars.Node) string { return strings.Join(a.parts(n), " ") }

// parts returns the elements of a construct of the rule.
func (a along) parts(n *grammars.Node) []string {
	switch n.Kind {
	case grammars.Reference:
		return a.reference(n)
	case grammars.Literal, grammars.CharSet, grammars.TokenSet:
		return []string{n.Text}
	case grammars.Concatenation:
		var out []string
		for _, c := range n.Children {
			out = append(out, a.parts(c)...)
		}
		return out
	case grammars.Alternation:
		return a.choice(n)
	case grammars.Repetition:
		return a.repetition(n)
	default:
		return nil
	}
}

// reference returns the name of a rule, or the rule's elements if a path
// continues below it.
func (a along) reference(n *grammars.Node) []string {
	var on along
	for _, p := range a {
		if p[0] == n.ID && len(p) > 1 {
			on = append(on, p[1:])
		}
	}
	if len(on) == 0 || len(n.Children) == 0 {
		return []string{n.Text}
	}
	return on.parts(n.Children[0])
}

// choice returns the alternatives that paths go through, or all alternatives if
// no path goes through one.
func (a along) choice(n *grammars.Node) []string {
	alts := n.Children
	if taken := slices.DeleteFunc(slices.Clone(alts), func(c *grammars.Node) bool { return !a.take(c) }); len(taken) > 0 {
		alts = taken
	}
	if len(alts) == 1 {
		return a.parts(alts[0])
	}
	var out []string
	for _, alt := range alts {
		out = append(out, a.write(alt))
	}
	return []string{"(" + strings.Join(out, " | ") + ")"}
}

// repetition returns the repeated elements once if a path goes through them, else the
// repetition as in the grammar. A path that ends in the repetition itself means that
// the repetition is absent.
func (a along) repetition(n *grammars.Node) []string {
	if slices.ContainsFunc(a, func(p Path) bool { return p[0] == n.ID }) {
		return nil
	}
	parts := a.parts(n.Children[0])
	if a.take(n.Children[0]) {
		return parts
	}
	body := strings.Join(parts, " ")
	if len(parts) != 1 {
		body = "(" + body + ")"
	}
	return []string{body + n.Quantifier()}
}

// take reports whether a path goes through a construct of the rule.
func (a along) take(n *grammars.Node) bool {
	if slices.ContainsFunc(a, func(p Path) bool { return p[0] == n.ID }) {
		return true
	}
	return !n.Kind.Symbolic() && slices.ContainsFunc(n.Children, a.take)
}
