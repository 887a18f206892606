package features

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// An optional is a part of a rule that can be left out. It is absent from a node
// that has its holder but not the part.
type optional struct {
	part   grammars.Occurrence
	holder grammars.Occurrence // the closest alternative or repetition around it, else the rule's right-hand side
}

// absent finds the optional parts that a node does not have.
func absent(x *ExtraExtractor, k Kind, p *parent) {
	if p.root == derivation.None || !x.flags[p.root].Has(k) {
		return
	}
	x.stamp++
	for _, c := range p.children {
		for at := c.grammar.ID; at != derivation.None && x.present[at] != x.stamp; at = x.above[at] {
			x.present[at] = x.stamp
		}
	}
	for _, part := range x.parts[p.root] {
		if x.present[part.part] != x.stamp && (part.holder == p.root || x.present[part.holder] == x.stamp) {
			x.most[k].raise(part.part, 1)
		}
	}
}

// findOptional fills x.parts and x.above for a construct of the rule with the
// given right-hand side.
func (x *ExtraExtractor) findOptional(n *grammars.Node, root, holder grammars.Occurrence) {
	if n.Kind.Symbolic() {
		return
	}
	if n.Kind == grammars.Repetition {
		if n.Min == 0 {
			x.parts[root] = append(x.parts[root], optional{n.ID, holder})
		}
		holder = n.ID
	}
	for _, c := range n.Children {
		x.above[c.ID] = n.ID
		inside := holder
		if n.Kind == grammars.Alternation {
			inside = c.ID
		}
		x.findOptional(c, root, inside)
	}
}

func describeAbsent(p phrase) string { return indefinite(p.withoutPart()) }

func needAbsent(p phrase) Need {
	return Need{Paths: []Path{p.path}, Min: 1, Negatable: true, Text: p.withoutPart()}
}

// withoutPart returns "NUMBER without the optional FRACTION".
func (p phrase) withoutPart() string {
	return fmt.Sprintf("%s without the optional %s", p.rule(), strings.TrimSuffix(Describe(p.node), "?"))
}

// absences tells which optional parts of a rule are missing in a node of a tree.
type absences struct {
	grammar *grammars.Grammar
	holds   *grammars.Holdings
	there   map[grammars.Occurrence]bool
}

func newAbsences(g *grammars.Grammar) *absences {
	a := &absences{grammar: g, holds: g.Holdings(), there: map[grammars.Occurrence]bool{}}
	for _, r := range g.Rules {
		a.holds.Of(g.Nodes[r.Root])
	}
	return a
}

// of returns the optional parts that are missing below a node of a tree.
func (a *absences) of(n derivation.Node) []grammars.Occurrence {
	clear(a.there)
	for child := range n.Children() {
		a.there[child.Occurrence()] = true
	}
	var out []grammars.Occurrence
	for work := []*grammars.Node{a.rule(n)}; len(work) > 0; {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		switch p.Kind {
		case grammars.Repetition:
			if a.present(p) {
				work = append(work, p.Children[0])
			} else if p.Min == 0 {
				out = append(out, p.ID)
			}
		case grammars.Concatenation:
			work = append(work, p.Children...)
		case grammars.Alternation:
			if i := slices.IndexFunc(p.Children, a.present); i >= 0 {
				work = append(work, p.Children[i])
			}
		}
	}
	slices.Sort(out)
	return out
}

// rule returns the right-hand side that a node of a tree was derived by.
func (a *absences) rule(n derivation.Node) *grammars.Node {
	return a.grammar.Nodes[a.grammar.Rule(n.Name()).Root]
}

func (a *absences) present(n *grammars.Node) bool {
	return slices.ContainsFunc(a.holds.Of(n), func(n *grammars.Node) bool { return a.there[n.ID] })
}
