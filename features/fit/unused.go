package fit

import (
	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
)

// unused returns the rules that no input uses, and the alternatives and optional
// parts of other rules that no input uses. Rules that are only for skipped and
// hidden tokens are left out.
func (s *Survey) unused() (rules, parts []Unused) {
	rules, parts = []Unused{}, []Unused{}
	start := s.start
	if start == "" {
		start = s.grammar.Start
	}
	possible, used := map[string]bool{start: true}, map[string]bool{start: true}
	for p := range s.space.All(1) {
		if rule := s.space.Node(p[0]).Target; rule != nil {
			possible[rule.Name] = true
			used[rule.Name] = used[rule.Name] || s.paths.Has(1, s.space.ID(p))
		}
	}
	for _, rule := range s.grammar.Rules {
		switch {
		case rule.Literal || !possible[rule.Name]:
		case !used[rule.Name]:
			rules = append(rules, Unused{Place: rule.Pos, Rule: rule.Name})
		default:
			parts = s.unusedParts(parts, rule, s.grammar.Nodes[rule.Root])
		}
	}
	return rules, parts
}

// unusedParts appends the parts of a construct of a rule that no input uses.
func (s *Survey) unusedParts(parts []Unused, rule *grammars.Rule, n *grammars.Node) []Unused {
	if n.Kind.Symbolic() || isSet(n) {
		return parts
	}
	for i, child := range n.Children {
		chosen := true
		switch {
		case n.Kind == grammars.Alternation:
			chosen = s.taken[choice{n.ID, i}]
		case n.Kind == grammars.Repetition && n.Min == 0:
			chosen = s.taken[choice{n.ID, 0}]
		}
		if !chosen {
			place := child.Pos
			if place.Line == 0 {
				place = rule.Pos
			}
			parts = append(parts, Unused{place, rule.Name, describe(child), n.Kind == grammars.Repetition})
			continue
		}
		parts = s.unusedParts(parts, rule, child)
	}
	return parts
}

// isSet reports whether a node is a set of characters. Its unused characters are
// not reported.
func isSet(n *grammars.Node) bool {
	if n.Kind != grammars.Alternation {
		return false
	}
	for _, child := range n.Children {
		if child.Kind != grammars.CharSet {
			return false
		}
	}
	return true
}

// describe returns a part as in the grammar, cut to maxText.
func describe(n *grammars.Node) string {
	if text := features.Describe(n); text != "" {
		return cut(text, maxText)
	}
	return "nothing"
}
