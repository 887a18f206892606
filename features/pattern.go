package features

import (
	"slices"
	"strings"

	"github.com/inroad/inroad/grammars"
)

// Pattern shows paths as a partial input: the alternative that holds the first
// symbol, written out along the path, with everything beside it as the grammar
// has it. Paths that begin in the same alternative make one pattern, others
// stand beside it.
func (s *Space) Pattern(paths ...Path) string {
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
		text := along(below[top]).write(top)
		out = append(out, strings.Join(strings.Fields(text), " "))
	}
	return strings.Join(out, "; ")
}

// alternative returns the alternative of a rule that holds an occurrence.
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

// holds reports whether a construct of a rule has a node in it.
func holds(in, n *grammars.Node) bool {
	if in == n {
		return true
	}
	return !in.Kind.Symbolic() && slices.ContainsFunc(in.Children, func(c *grammars.Node) bool { return holds(c, n) })
}

// Describe shows what a node derives as the grammar has it.
func Describe(n *grammars.Node) string {
	return strings.Join(strings.Fields(along(nil).write(n)), " ")
}

// along is the paths to follow through a rule: each begins with a symbol of it.
type along []Path

// write renders a construct of the rule.
func (a along) write(n *grammars.Node) string {
	switch n.Kind {
	case grammars.Reference:
		return a.reference(n)
	case grammars.Literal:
		return n.Value
	case grammars.CharSet, grammars.TokenSet:
		return n.Text
	case grammars.Concatenation:
		var parts []string
		for _, c := range n.Children {
			parts = append(parts, a.write(c))
		}
		return strings.Join(parts, " ")
	case grammars.Alternation:
		return a.choice(n)
	case grammars.Repetition:
		return a.repetition(n)
	default:
		return ""
	}
}

// reference renders a name, or what paths that go on from there go through.
func (a along) reference(n *grammars.Node) string {
	var on along
	for _, p := range a {
		if p[0] == n.ID && len(p) > 1 {
			on = append(on, p[1:])
		}
	}
	if len(on) == 0 || len(n.Children) == 0 {
		return n.Text
	}
	return on.write(n.Children[0])
}

// choice renders the alternatives that the paths take, or all of them.
func (a along) choice(n *grammars.Node) string {
	alts := n.Children
	if taken := slices.DeleteFunc(slices.Clone(alts), func(c *grammars.Node) bool { return !a.take(c) }); len(taken) > 0 {
		alts = taken
	}
	var parts []string
	for _, alt := range alts {
		parts = append(parts, a.write(alt))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, " | ") + ")"
}

// repetition renders what is repeated once if a path goes through it, else as
// the grammar has it. A path that ends in the repetition says that it is absent.
func (a along) repetition(n *grammars.Node) string {
	if slices.ContainsFunc(a, func(p Path) bool { return p[0] == n.ID }) {
		return ""
	}
	body := a.write(n.Children[0])
	if a.take(n.Children[0]) {
		return body
	}
	if n.Children[0].Kind != grammars.Alternation && strings.Contains(body, " ") {
		body = "(" + body + ")"
	}
	switch {
	case n.Max == 1:
		return body + "?"
	case n.Min == 1:
		return body + "+"
	default:
		return body + "*"
	}
}

// take reports whether a path goes through a construct of the rule.
func (a along) take(n *grammars.Node) bool {
	if slices.ContainsFunc(a, func(p Path) bool { return p[0] == n.ID }) {
		return true
	}
	return !n.Kind.Symbolic() && slices.ContainsFunc(n.Children, a.take)
}
